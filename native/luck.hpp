// The sum of evaluation/play/luck.py over the rest of a game written in C++, by the native heuristic.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "engine.hpp"
#include "open_spiel/spiel.h"

namespace starspiel {

// Player 0's luck in `actions`, which begin at the chance node `state`; nothing where the heuristic does not know the
// positions that come next.
inline std::optional<double> Luck(std::unique_ptr<open_spiel::State> state,
                                  const std::vector<open_spiel::Action>& actions) {
  const auto heuristic = HeuristicOf(*state->Child(actions.front()));
  if (!heuristic) return std::nullopt;
  double luck = 0.0;
  for (open_spiel::Action action : actions) {
    if (state->IsChanceNode()) {
      double expected = 0.0;
      double got = 0.0;
      for (const auto& [outcome, probability] : state->ChanceOutcomes()) {
        if (!(probability > 0.0)) continue;
        const auto child = state->Child(outcome);
        const double value = child->IsTerminal() ? child->PlayerReturn(0) : heuristic(*child);
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
