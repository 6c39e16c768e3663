// Values of positions by a network: what stands behind the leaf of a search, luck, and the choice of a trainer's moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../model.hpp"
#include "features.hpp"
#include "network.hpp"
#include "scale.hpp"

namespace starspiel {

// Calls visit(child) with every distinct successor of a decision node.
template <class Model, class Visit>
void ForSuccessors(const Model& model, const typename Model::Position& position, std::vector<int>& actions,
                   Visit visit) {
  const std::size_t base = actions.size();
  model.Actions(position, actions);
  const std::size_t end = actions.size();
  for (std::size_t i = base; i < end; ++i) visit(actions[i], model.Child(position, actions[i]));
  actions.resize(base);
}

template <class Model>
class Valuer {
 public:
  using Position = typename Model::Position;
  using Encoder = typename EncoderOf<Model>::Type;

  Valuer(const Model& model, const Network& network, Scale scale)
      : model_(model),
        encoder_(MakeEncoder(model)),
        network_(network),
        scale_(scale),
        sums_(static_cast<std::size_t>(network.first())),
        scratch_(static_cast<std::size_t>(network.scratch_size())) {}

  // Player 0's expected return. Where dice lie that the network does not see, the best move with them is looked for;
  // where they are yet to be thrown, their mean is taken.
  double Value(const Position& position) {
    const int player = model_.Player(position);
    if (player == kTerminal) return model_.Utility(position);
    if (encoder_.Sees(position)) return Seen(position);
    if (player == kChance) {
      std::vector<Outcome> outcomes;
      if constexpr (requires { model_.DistinctOutcomes(position, outcomes); }) {
        model_.DistinctOutcomes(position, outcomes);
      } else {
        model_.Outcomes(position, outcomes);
      }
      double sum = 0.0;
      for (const Outcome& outcome : outcomes) sum += outcome.probability * Value(model_.Child(position, outcome.action));
      return sum;
    }
    return Best(position, player).second;
  }

  // How many positions the network has valued.
  std::int64_t computed() const { return computed_; }

  // The move of the best value, and that value. Equal successors are valued once.
  std::pair<int, double> Best(const Position& position, int player) {
    std::vector<Position> valued;
    std::vector<std::uint64_t> hashes;
    std::pair<int, double> best{-1, 0.0};
    ForSuccessors(model_, position, actions_, [&](int action, Position child) {
      if constexpr (Model::kKeyed) {
        const std::uint64_t hash = Hash(child);
        for (std::size_t i = 0; i < valued.size(); ++i) {
          if (hashes[i] == hash && Equal(valued[i], child)) return;
        }
        hashes.push_back(hash);
        valued.push_back(child);
      }
      const double value = Value(child);
      if (best.first < 0 || (player == 0 ? value > best.second : value < best.second)) best = {action, value};
    });
    return best;
  }

 private:
  double Seen(const Position& position) {
    ++computed_;
    next_.clear();
    encoder_.Encode(position, next_);
    if (known_) {
      network_.Change(features_, next_, sums_.data());
    } else {
      network_.Sum(next_, sums_.data());
      known_ = true;
    }
    std::swap(features_, next_);
    return scale_.Value(encoder_.Turn(position), network_.Output(sums_.data(), scratch_.data()));
  }

  const Model& model_;
  Encoder encoder_;
  const Network& network_;
  Scale scale_;
  bool known_ = false;  // whether sums_ are those of features_
  Features features_, next_;
  std::vector<std::int32_t> sums_;
  std::vector<float> scratch_;
  std::vector<int> actions_;
  std::int64_t computed_ = 0;
};

}  // namespace starspiel
