// What the search requires of a game. A model is a class with
//
//   Position                             a position; what determines the future, and nothing else
//   kKeyed                               true if positions are their own keys (table, merging, ordering)
//   kTableDepth                          for models with keys: the least depth at which decision nodes are looked up in
//                                        the table (2 if searching the last ply is cheaper than a cache miss)
//   Player(position)                     0, 1, kChance or kTerminal
//   Utility(position)                    player 0's return at a terminal position
//   Actions(position, actions)           appends the legal actions of a decision node, ascending
//   Outcomes(position, outcomes)         appends the outcomes of a chance node, in OpenSpiel's order
//   Child(position, action)              the position after an action or an outcome
//
// and optionally
//
//   DistinctOutcomes(position, outcomes) as Outcomes, with the probabilities of equal successors added up
//   Gain, DistinctActions(position, actions, gains)
//                                        appends the first action to each distinct successor, and the change it makes;
//                                        returns how many actions are left out. Positions after two moves are equal if
//                                        and only if the sums of their gains are; a Gain has Hash()
//   Become(position, action)             Child made in place from `position`, if that is cheaper
//   Allows(position, action)             true if an action of the game is legal here; cheaper than Actions
//   kMergePays                           false if, with a table, merging costs more than it saves
//                                        (benchmarks/switches.py merge); it is then done only on request
//   Model(state, unseen)                 for models that can leave out of positions what only states show; `unseen`:
//                                        true if nothing that depends on states is called (Unseen in game_of.hpp)
//   kDiceAtHorizon                       for those: false if no position after a move contains it
//   Key, KeyOf(position), has_keys()     for models whose positions are not keys: the table's key of a position, and
//                                        whether it has one
//   Left(position), kFar                 for models whose games are cut off: the number of moves until then; the
//                                        cut-off is far away if that exceeds kFar
//   Bare(position, uncounted)            for solvers: removes from a position what was collected and, if `uncounted`,
//                                        the number of moves made
//   Heuristic(position)                  the evaluator "heuristic"; returns the same numbers as agents/evaluators
//   BestByHeuristic(position, enough)    for a decision node: its first move with the best value by Heuristic, found
//                                        without making the successors; may stop at a move as good as `enough`.
//                                        Nothing if the move may end the game
//   MeanByHeuristic(position)            for a chance node: the mean of BestByHeuristic over the outcomes, if that is
//                                        faster than a table lookup. Nothing if a move may end the game
//
// Positions of keyed models are plain bytes without padding, so that they are their own keys. rules/position.hpp says
// how models of rules written in Python are constructed.
#pragma once

#include "standard.hpp"

namespace starspiel {

inline constexpr int kChance = -1;
inline constexpr int kTerminal = -4;

// Members that most models share.
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

// Appends the possible outcomes of a chance node; some games also list outcomes of probability 0.
template <class Model>
void PossibleOutcomes(const Model& model, const typename Model::Position& position, std::vector<Outcome>& outcomes) {
  const std::size_t base = outcomes.size();
  model.Outcomes(position, outcomes);
  const auto impossible = [](const Outcome& outcome) { return !(outcome.probability > 0.0); };
  outcomes.erase(std::remove_if(outcomes.begin() + base, outcomes.end(), impossible), outcomes.end());
}

// Calls visit(action, child) for every successor of a decision node.
template <class Model, class Visit>
void ForSuccessors(const Model& model, const typename Model::Position& position, std::vector<int>& actions,
                   Visit visit) {
  const std::size_t base = actions.size();
  model.Actions(position, actions);
  const std::size_t end = actions.size();
  for (std::size_t i = base; i < end; ++i) visit(actions[i], model.Child(position, actions[i]));
  actions.resize(base);
}

// True if the model has a heuristic of its own.
template <class Model>
inline constexpr bool kHasHeuristic =
    Model::kKeyed && requires(const Model& model, const typename Model::Position& p) { model.Heuristic(p); };

// The type of the table's keys: the position itself, or what the model derives from it.
template <class Model>
struct KeyOfModel {
  using Type = typename Model::Position;
};
template <class Model>
  requires requires { typename Model::Key; }
struct KeyOfModel<Model> {
  using Type = typename Model::Key;
};

// True if a search of this model may use a table.
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

// A move and its successor's value to player 0.
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
