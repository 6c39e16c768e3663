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
        sums_(kBatch * static_cast<std::size_t>(network.first())),
        scratch_(kBatch * static_cast<std::size_t>(network.scratch_size())) {}

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

  // The same for many positions; those that the network sees are valued side by side. `values` is overwritten.
  void Values(const std::vector<Position>& positions, std::vector<double>& values) {
    values.resize(positions.size());
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (model_.Player(positions[i]) != kTerminal && encoder_.Sees(positions[i])) {
        seen.push_back(i);
      } else {
        values[i] = Value(positions[i]);
      }
    }
    for (std::size_t begin = 0; begin < seen.size(); begin += kBatch) {
      const std::size_t rows = std::min(kBatch, seen.size() - begin);
      for (std::size_t row = 0; row < rows; ++row) Sums(positions[seen[begin + row]], row);
      network_.Outputs(sums_.data(), static_cast<int>(rows), scratch_.data(), shares_);
      last_ = rows - 1;
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t i = seen[begin + row];
        values[i] = scale_.Value(encoder_.Turn(positions[i]), shares_[row]);
      }
    }
  }

  // The move of the best value, and that value. Equal successors are valued once.
  std::pair<int, double> Best(const Position& position, int player) {
    std::vector<Position> children;
    std::vector<std::uint64_t> hashes;
    std::vector<int> moves;
    ForSuccessors(model_, position, actions_, [&](int action, Position child) {
      if constexpr (Model::kKeyed) {
        const std::uint64_t hash = Hash(child);
        for (std::size_t i = 0; i < children.size(); ++i) {
          if (hashes[i] == hash && Equal(children[i], child)) return;
        }
        hashes.push_back(hash);
      }
      children.push_back(std::move(child));
      moves.push_back(action);
    });
    std::vector<double> values;
    Values(children, values);
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (player == 0 ? values[i] > values[best] : values[i] < values[best]) best = i;
    }
    return {moves[best], values[best]};
  }

 private:
  static constexpr std::size_t kBatch = 32;

  double Seen(const Position& position) {
    Sums(position, 0);
    network_.Outputs(sums_.data(), 1, scratch_.data(), shares_);
    last_ = 0;
    return scale_.Value(encoder_.Turn(position), shares_[0]);
  }

  // The first layer's sums of a position into a row, from those of the position before.
  void Sums(const Position& position, std::size_t row) {
    const auto width = static_cast<std::size_t>(network_.first());
    std::int32_t* sums = sums_.data() + row * width;
    next_.clear();
    encoder_.Encode(position, next_);
    if (known_) {
      const std::size_t before = row > 0 ? row - 1 : last_;
      network_.Change(features_, sums_.data() + before * width, next_, sums);
    } else {
      network_.Sum(next_, sums);
      known_ = true;
    }
    std::swap(features_, next_);
  }

  const Model& model_;
  Encoder encoder_;
  const Network& network_;
  Scale scale_;
  bool known_ = false;    // whether the sums of features_ are in sums_
  std::size_t last_ = 0;  // in which row
  Features features_, next_;
  std::vector<std::int32_t> sums_;
  std::vector<float> scratch_;
  float shares_[kBatch];
  std::vector<int> actions_;
};

}  // namespace starspiel
