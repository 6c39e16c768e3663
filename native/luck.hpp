// The sum of evaluation/luck.py over the rest of a game that the core supports.
#pragma once

#include "distinct.hpp"
#include "leaf.hpp"
#include "model.hpp"
#include "open_spiel/spiel.h"

namespace starspiel {

// A position's value to player 0 just after a roll: at a decision node, that of the mover's best successor.
template <class Model>
class ValueWithDice {
 public:
  using Position = typename Model::Position;

  ValueWithDice(const Model& model, Leaf<Position>& leaf) : model_(model), leaf_(leaf) {}

  double operator()(Position position) {
    const int player = model_.Player(position);
    positions_.clear();
    distinct_.Clear();
    if (player < 0) {
      positions_.push_back(std::move(position));
    } else {
      ForSuccessors(model_, position, actions_, [&](int, Position child) {
        if constexpr (Model::kKeyed) {
          const std::size_t number = positions_.size();
          const auto equal = [&](std::size_t other) { return Equal(positions_[other], child); };
          if (distinct_.Find(Hash(child), number, equal) != number) return;
        }
        positions_.push_back(std::move(child));
      });
    }
    values_.clear();
    batch_.positions.clear();
    for (const Position& each : positions_) {
      if (model_.Player(each) == kTerminal) {
        values_.push_back(model_.Utility(each));
      } else {
        batch_.positions.push_back(&each);
      }
    }
    if (leaf_.by_path()) batch_.paths.resize(batch_.positions.size());
    if (!batch_.positions.empty()) {
      leaf_.Values(batch_);
      values_.insert(values_.end(), batch_.values.begin(), batch_.values.end());
    }
    return player == 1 ? *std::min_element(values_.begin(), values_.end())
                       : *std::max_element(values_.begin(), values_.end());
  }

 private:
  const Model& model_;
  Leaf<Position>& leaf_;
  std::vector<int> actions_;
  std::vector<Position> positions_;
  std::vector<double> values_;
  Batch<Position> batch_;
  Distinct distinct_;
};

// Player 0's luck in `actions`, which start at `begin`.
template <class Model>
double Luck(const Model& model, Leaf<typename Model::Position>& leaf, const typename Model::State& begin,
            const std::vector<open_spiel::Action>& actions) {
  ValueWithDice<Model> value(model, leaf);
  double luck = 0.0;
  // `after(outcome)` is the position after an outcome; `outcomes` are pairs of an outcome and its probability.
  const auto add = [&](const auto& outcomes, open_spiel::Action thrown, const auto& after) {
    double expected = 0.0, got = 0.0;
    for (const auto& [outcome, probability] : outcomes) {
      if (!(probability > 0.0)) continue;
      const double worth = value(after(outcome));
      expected += probability * worth;
      if (outcome == thrown) got = worth;
    }
    luck += got - expected;
  };
  if constexpr (OfRules<Model>) {
    typename Model::Position position = model.Read(begin);
    for (open_spiel::Action action : actions) {
      if (model.Player(position) == kChance) {
        std::vector<Outcome> outcomes;
        model.Outcomes(position, outcomes);
        add(outcomes, action, [&](int outcome) { return model.Child(position, outcome); });
      }
      position = model.Child(position, static_cast<int>(action));
    }
  } else {
    const auto state = begin.Clone();
    for (open_spiel::Action action : actions) {
      if (state->IsChanceNode()) {
        add(state->ChanceOutcomes(), action, [&](open_spiel::Action outcome) {
          return model.Read(static_cast<const typename Model::State&>(*state->Child(outcome)));
        });
      }
      state->ApplyAction(action);
    }
  }
  return luck;
}

}  // namespace starspiel
