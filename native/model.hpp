// What the search asks of a game. A model is a class with
//
//   Position                             a position; what determines the future, and nothing else
//   kKeyed                               whether positions are their own keys (table, merging, ordering)
//   kTableDepth                          of models with keys: the depth from which a decision node is worth a look in
//                                        the table (2 if searching the last ply is cheaper than a cache miss)
//   Player(position)                     0, 1, kChance or kTerminal
//   Utility(position)                    player 0's return at a terminal position
//   Actions(position, actions)           appends the legal actions of a decision node, ascending
//   Outcomes(position, outcomes)         appends the outcomes of a chance node, in OpenSpiel's order
//   Child(position, action)              the position after a move or an outcome
//
// and, if it has them,
//
//   DistinctOutcomes(position, outcomes) the same with outcomes that lead to equal positions added up
//   Gain, DistinctActions(position, actions, gains)
//                                        the first of the actions to each successor, and what each changes; returns how
//                                        many others there are. Positions after two moves are equal if and only if the
//                                        sums of their gains are; a Gain has Hash()
//   Become(position, action)             Child made out of `position` itself, if that is cheaper
//   Allows(position, action)             whether an action of the game is legal here, cheaper than by Actions
//   kMergePays                           false if, beside a table, merging costs more than it saves
//                                        (benchmarks/switches.py merge); it is then done on demand only
//   Model(state, unseen)                 of models that can leave out of positions what decides nothing but what states
//   show;
//                                        `unseen`: whether nobody who goes by states is asked (Unseen in game_of.hpp)
//   kDiceAtHorizon                       of those: false if no position after a move shows it
//   Key, KeyOf(position), has_keys()     of models whose positions are no keys: what the table knows them by, and
//                                        whether it does
//   Left(position), kFar                 of models whose games are cut off: how many moves until then; it is far away
//                                        if there are more than kFar
//   Bare(position, uncounted)            for solvers: takes out of a position what was collected and, if `uncounted`,
//                                        how many moves were made
//   Heuristic(position)                  the evaluator "heuristic", number for number as in agents/evaluators
//   BestByHeuristic(position, enough)    of a decision node: its first move to the best value by Heuristic, without
//                                        making the successors; a move as good as `enough`, if it meets one.
//                                        Nothing if the game may end with the move
//   MeanByHeuristic(position)            of a chance node: the mean of what BestByHeuristic finds after each outcome,
//                                        if that takes less time than to look the node up in the table. Nothing if
//                                        the game may end with a move
//
// Positions of keyed models are plain bytes without padding, so that they are their own keys. What a model of rules
// that are written in Python is made from says rules/position.hpp.
#pragma once

#include "standard.hpp"

namespace starspiel {

inline constexpr int kChance = -1;
inline constexpr int kTerminal = -4;

// What most models say of themselves.
struct KeyedModel {
  static constexpr bool kKeyed = true;
  static constexpr int kTableDepth = 1;
  static float Unit(int) { return 1.0f; }
  static int Most(int) { return 1; }
};

struct Outcome {
  int action;
  double probability;
};

// Appends the outcomes of a chance node that can happen; some games list others too, with probability 0.
template <class Model>
void PossibleOutcomes(const Model& model, const typename Model::Position& position, std::vector<Outcome>& outcomes) {
  const std::size_t base = outcomes.size();
  model.Outcomes(position, outcomes);
  const auto impossible = [](const Outcome& outcome) { return !(outcome.probability > 0.0); };
  outcomes.erase(std::remove_if(outcomes.begin() + base, outcomes.end(), impossible), outcomes.end());
}

// Calls visit(action, child) with every successor of a decision node.
template <class Model, class Visit>
void ForSuccessors(const Model& model, const typename Model::Position& position, std::vector<int>& actions,
                   Visit visit) {
  const std::size_t base = actions.size();
  model.Actions(position, actions);
  const std::size_t end = actions.size();
  for (std::size_t i = base; i < end; ++i) visit(actions[i], model.Child(position, actions[i]));
  actions.resize(base);
}

// Whether the model has a heuristic of its own.
template <class Model>
inline constexpr bool kHasHeuristic =
    Model::kKeyed && requires(const Model& model, const typename Model::Position& p) { model.Heuristic(p); };

// What the table knows a position by: itself, or what the model makes of it.
template <class Model>
struct KeyOfModel {
  using Type = typename Model::Position;
};
template <class Model>
  requires requires { typename Model::Key; }
struct KeyOfModel<Model> {
  using Type = typename Model::Key;
};

// Whether a search of this model may have a table.
template <class Model>
bool HasKeys(const Model& model) {
  if constexpr (requires { model.has_keys(); }) {
    return model.has_keys();
  } else {
    return Model::kKeyed;
  }
}

template <class Model>
constexpr bool MergePays() {
  if constexpr (requires { Model::kMergePays; }) {
    return Model::kMergePays;
  } else {
    return true;
  }
}

// A move, and the value of its successor to player 0.
struct ValuedMove {
  int action;
  double value;
};

template <class Position>
concept PlainBytes = std::is_trivially_copyable_v<Position> && std::has_unique_object_representations_v<Position> &&
                     sizeof(Position) % 8 == 0;

template <PlainBytes Position>
bool Equal(const Position& a, const Position& b) {
  return std::memcmp(&a, &b, sizeof(Position)) == 0;
}

template <PlainBytes Position>
std::uint64_t Hash(const Position& position) {
  std::uint64_t words[sizeof(Position) / 8];
  std::memcpy(words, &position, sizeof(Position));
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (std::uint64_t word : words) {
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 31;
  }
  hash *= 0x94d049bb133111ebu;
  return hash ^ (hash >> 29);
}

}  // namespace starspiel
