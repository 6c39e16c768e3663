// The sum of evaluation/play/luck.py over the rest of a game that the core plays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model.hpp"
#include "network/valuer.hpp"
#include "open_spiel/spiel.h"
#include "rules/position.hpp"
#include "search.hpp"

namespace starspiel {

// What a position is worth to player 0 where dice have just fallen: to whoever is to move, the best successor's value.
template <class Model>
double ValueWithDice(const Model& model, Leaf<typename Model::Position>& leaf,
                     const typename Model::Position& position) {
  const auto value = [&](const typename Model::Position& at) {
    return model.Player(at) == kTerminal ? model.Utility(at) : leaf.Value(at, {});
  };
  const int player = model.Player(position);
  if (player == kTerminal || player == kChance) return value(position);
  std::vector<int> actions;
  std::vector<typename Model::Position> seen;
  bool first = true;
  double best = 0.0;
  ForSuccessors(model, position, actions, [&](int, typename Model::Position child) {
    if constexpr (Model::kKeyed) {
      if (std::any_of(seen.begin(), seen.end(), [&](const auto& other) { return Equal(other, child); })) return;
      seen.push_back(child);
    }
    const double successor = value(child);
    if (first || (player == 0 ? successor > best : successor < best)) best = successor;
    first = false;
  });
  return best;
}

// Player 0's luck in a throw that fell as `thrown`; `after(outcome)` is the position after each of the outcomes, which
// are pairs of a number and its probability.
template <class Model, class Outcomes, class After>
double LuckOfThrow(const Model& model, Leaf<typename Model::Position>& leaf, const Outcomes& outcomes, After after,
                   open_spiel::Action thrown) {
  double expected = 0.0;
  double got = 0.0;
  for (const auto& [outcome, probability] : outcomes) {
    if (!(probability > 0.0)) continue;
    const double value = ValueWithDice(model, leaf, after(outcome));
    expected += probability * value;
    if (outcome == thrown) got = value;
  }
  return got - expected;
}

// Player 0's luck in `actions`, which begin at `begin`.
template <class Model>
double Luck(const Model& model, Leaf<typename Model::Position>& leaf, const typename Model::State& begin,
            const std::vector<open_spiel::Action>& actions) {
  double luck = 0.0;
  if constexpr (OfRules<Model>) {
    typename Model::Position position = model.Read(begin);
    std::vector<Outcome> outcomes;
    for (open_spiel::Action action : actions) {
      if (model.Player(position) == kChance) {
        outcomes.clear();
        model.Outcomes(position, outcomes);
        luck += LuckOfThrow(model, leaf, outcomes, [&](int outcome) { return model.Child(position, outcome); }, action);
      }
      position = model.Child(position, static_cast<int>(action));
    }
  } else {
    const auto state = begin.Clone();
    const auto after = [&](open_spiel::Action outcome) {
      return model.Read(static_cast<const typename Model::State&>(*state->Child(outcome)));
    };
    for (open_spiel::Action action : actions) {
      if (state->IsChanceNode()) luck += LuckOfThrow(model, leaf, state->ChanceOutcomes(), after, action);
      state->ApplyAction(action);
    }
  }
  return luck;
}

}  // namespace starspiel
