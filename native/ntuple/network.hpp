// An n-tuple network in play, with integer weights: number for number as in agents/evaluators/ntuple.py.
#pragma once

#include "../leaf.hpp"
#include "patterns.hpp"

#include <cstdlib>

namespace starspiel::ntuple {

// Values boards after moves: the points still to come are base + unit * the sum of the weights.
class Network {
 public:
  static constexpr EvaluatorTraits kTraits = kByPosition;
  // `weights` are patterns.size() numbers, kept alive by `owner`.
  Network(Patterns patterns, const std::int16_t* weights, std::shared_ptr<void> owner, double base, double unit)
      : patterns_(std::move(patterns)), weights_(weights), owner_(std::move(owner)), base_(base), unit_(unit) {}

  const Patterns& patterns() const { return patterns_; }

  // The board to look up. If it has tiles of 16384 and 8192 or more, which few training games reach, the tiles above
  // the greatest missing one are halved: until that one is there again, play is the same. Tile-downgrading (Guei, Chen
  // and Wu 2022).
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
  // A bit for each tile's logarithm: 16384 and 8192.
  static constexpr unsigned kRare = 1u << 14 | 1u << 13;

  Patterns patterns_;
  const std::int16_t* weights_;
  std::shared_ptr<void> owner_;
  double base_, unit_;
};

}  // namespace starspiel::ntuple
