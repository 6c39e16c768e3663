// An n-tuple network that plays: weights as whole numbers, number for number as in agents/evaluators/ntuple.py.
#pragma once

#include "../leaf.hpp"
#include "patterns.hpp"

namespace starspiel::ntuple {

// Looks up the boards after moves, whose value is the points that are to come: base + unit * the sum of the weights.
class Network {
 public:
  static constexpr EvaluatorTraits kTraits = kByPosition;
  // `weights` are patterns.size() numbers, kept alive by `owner`.
  Network(Patterns patterns, const std::int16_t* weights, std::shared_ptr<void> owner, double base, double unit)
      : patterns_(std::move(patterns)), weights_(weights), owner_(std::move(owner)), base_(base), unit_(unit) {}

  const Patterns& patterns() const { return patterns_; }

  double Value(Board board) const {
    std::uint32_t places[kMostLookups];
    patterns_.Places(board, places);
    std::int64_t sum = 0;
    for (int i = 0; i < patterns_.lookups(); ++i) sum += weights_[places[i]];
    return base_ + unit_ * static_cast<double>(sum);
  }

 private:
  Patterns patterns_;
  const std::int16_t* weights_;
  std::shared_ptr<void> owner_;
  double base_, unit_;
};

}  // namespace starspiel::ntuple
