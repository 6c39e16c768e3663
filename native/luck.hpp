// The sum of evaluation/play/luck.py over the rest of a game that the core plays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "distinct.hpp"
#include "model.hpp"
#include "network/valuer.hpp"
#include "open_spiel/spiel.h"
#include "rules/position.hpp"
#include "search.hpp"

namespace starspiel {

// What positions are worth to player 0 where dice have just fallen: to whoever is to move, the best successor's value.
// The leaf is asked for all of them together.
template <class Model>
class ValuesWithDice {
 public:
  using Position = typename Model::Position;

  ValuesWithDice(const Model& model, Leaf<Position>& leaf) : model_(model), leaf_(leaf) {}

  void Add(Position position) {
    const int player = model_.Player(position);
    if (player == kTerminal || player == kChance) {
      positions_.push_back(std::move(position));
    } else {
      of_node_.Clear();
      const std::size_t begin = positions_.size();
      ForSuccessors(model_, position, actions_, [&](int, Position child) {
        if constexpr (Model::kKeyed) {
          const std::size_t number = positions_.size() - begin;
          const auto equal = [&](std::size_t other) { return Equal(positions_[begin + other], child); };
          if (of_node_.Find(Hash(child), number, equal) != number) return;
        }
        positions_.push_back(std::move(child));
      });
    }
    ends_.push_back({player, positions_.size()});
  }

  // In the order in which they were added.
  std::vector<double> Values() {
    std::vector<double> values(positions_.size());
    std::vector<std::size_t> asked;
    Batch<Position> batch;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (model_.Player(positions_[i]) == kTerminal) {
        values[i] = model_.Utility(positions_[i]);
      } else {
        asked.push_back(i);
        batch.positions.push_back(&positions_[i]);
      }
    }
    if (leaf_.by_path()) batch.paths.resize(asked.size());
    if (!asked.empty()) leaf_.Values(batch);
    for (std::size_t i = 0; i < asked.size(); ++i) values[asked[i]] = batch.values[i];
    std::vector<double> best;
    auto first = values.begin();
    for (const auto& [player, end] : ends_) {
      const auto last = values.begin() + static_cast<std::ptrdiff_t>(end);
      best.push_back(player == 1 ? *std::min_element(first, last) : *std::max_element(first, last));
      first = last;
    }
    return best;
  }

 private:
  struct End {
    int player;       // who is to move; after chance and the end one value stands alone
    std::size_t end;  // of its successors
  };

  const Model& model_;
  Leaf<Position>& leaf_;
  std::vector<Position> positions_;
  std::vector<End> ends_;
  std::vector<int> actions_;
  Distinct of_node_;
};

// Player 0's luck in a throw that fell as `thrown`; `after(outcome)` is the position after each of the outcomes, which
// are pairs of a number and its probability.
template <class Model, class Outcomes, class After>
double LuckOfThrow(const Model& model, Leaf<typename Model::Position>& leaf, const Outcomes& outcomes, After after,
                   open_spiel::Action thrown) {
  ValuesWithDice<Model> thrown_to(model, leaf);
  for (const auto& [outcome, probability] : outcomes) {
    if (probability > 0.0) thrown_to.Add(after(outcome));
  }
  const std::vector<double> values = thrown_to.Values();
  double expected = 0.0;
  double got = 0.0;
  auto value = values.begin();
  for (const auto& [outcome, probability] : outcomes) {
    if (!(probability > 0.0)) continue;
    expected += probability * *value;
    if (outcome == thrown) got = *value;
    ++value;
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
