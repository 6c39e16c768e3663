// The Royal Game of Ur as a network sees it before a throw: each side's pieces by square, at home and in hand.
#pragma once

#include <bit>

#include "../models/royal_game_of_ur.hpp"
#include "../network/features.hpp"

namespace starspiel {

class RoyalGameOfUrEncoder {
 public:
  using Position = RoyalGameOfUrModel::Position;
  static constexpr const char* kName = "royal_game_of_ur";
  static constexpr int kVersion = 1;
  static constexpr int kSquares = 14;
  static constexpr int kMost = 7;                       // pieces
  static constexpr int kSide = kSquares + 2 * (kMost + 1);  // squares, how many are at home, how many in hand

  explicit RoyalGameOfUrEncoder(const RoyalGameOfUrModel& model) : pieces_(model.pieces()) {}

  int inputs() const { return 2 * kSide; }
  static float Unit(int) { return 1.0f; }
  static int Most(int) { return 1; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.roll == RoyalGameOfUrModel::kToRoll; }

  void Encode(const Position& p, Features& features) const {
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover;
      const int base = side * kSide;
      const unsigned squares = p.squares[player];
      for (int square = 1; square <= kSquares; ++square) Add(features, base + square - 1, squares >> square & 1u);
      Add(features, base + kSquares + p.home[player], 1);
      Add(features, base + kSquares + kMost + 1 + pieces_ - p.home[player] - std::popcount(squares), 1);
    }
  }

 private:
  int pieces_;
};

template <>
struct EncoderOf<RoyalGameOfUrModel> {
  using Type = RoyalGameOfUrEncoder;
};

}  // namespace starspiel
