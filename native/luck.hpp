// The sum of evaluation/play/luck.py over the rest of a game written in C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model.hpp"
#include "network/valuer.hpp"
#include "open_spiel/spiel.h"
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

// Player 0's luck in `actions`, which begin at `state`.
template <class Model, class State>
double Luck(const Model& model, Leaf<typename Model::Position>& leaf, const open_spiel::State& begin,
            const std::vector<open_spiel::Action>& actions) {
  const auto state = begin.Clone();
  double luck = 0.0;
  for (open_spiel::Action action : actions) {
    if (state->IsChanceNode()) {
      double expected = 0.0;
      double got = 0.0;
      for (const auto& [outcome, probability] : state->ChanceOutcomes()) {
        if (!(probability > 0.0)) continue;
        const auto child = state->Child(outcome);
        const double value = ValueWithDice(model, leaf, model.Read(static_cast<const State&>(*child)));
        expected += probability * value;
        if (outcome == action) got = value;
      }
      luck += got - expected;
    }
    state->ApplyAction(action);
  }
  return luck;
}

}  // namespace starspiel
