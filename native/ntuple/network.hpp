// An n-tuple network that plays: weights as whole numbers, number for number as in agents/evaluators/ntuple.py.
#pragma once

#include "../leaf.hpp"
#include "patterns.hpp"

#include <cstdlib>

namespace starspiel::ntuple {

// Looks up the boards after moves, whose value is the points that are to come: base + unit * the sum of the weights.
class Network {
 public:
  static constexpr EvaluatorTraits kTraits = kByPosition;
  // `weights` are patterns.size() numbers, kept alive by `owner`.
  Network(Patterns patterns, const std::int16_t* weights, std::shared_ptr<void> owner, double base, double unit)
      : patterns_(std::move(patterns)), weights_(weights), owner_(std::move(owner)), base_(base), unit_(unit) {}

  const Patterns& patterns() const { return patterns_; }

  // The board as it is looked up. If its tiles are 16384 and 8192, or more, which few games of a training reach, those
  // above the greatest that is missing are halved: until it is there again, they are played in the same way. Guei, Chen
  // and Wu (2022): tile-downgrading.
  static Board Downgraded(Board board) {
    if ((board & board << 1 & 0x8888888888888888u) == 0) return board;  // no tile of 4096 or more
    unsigned present = 0;
    for (Board rest = board; rest != 0; rest >>= 4) present |= 1u << (rest & 15);
    if (present < kRare) return board;
    const unsigned missing = ~present & (std::bit_floor(present) - 2);
    for (int cell = 0; cell < 4 * kCells; cell += 4) {
      if (missing != 0 && missing < 1u << (board >> cell & 15)) board -= Board{1} << cell;
    }
    return board;
  }

  double Value(Board board) const {
    std::uint32_t places[kMostLookups];
    patterns_.Places(Downgraded(board), places);
    std::int64_t sum = 0;
    for (int i = 0; i < patterns_.lookups(); ++i) sum += weights_[places[i]];
    return base_ + unit_ * static_cast<double>(sum);
  }

 private:
  // A bit for each logarithm of a tile: 16384 and 8192.
  static constexpr unsigned kRare = 1u << 14 | 1u << 13;

  Patterns patterns_;
  const std::int16_t* weights_;
  std::shared_ptr<void> owner_;
  double base_, unit_;
};

}  // namespace starspiel::ntuple
