// Dice as a network sees it before a roll: each side's stones, rows and columns changed places for player 1, so that
// the die names a row.
#pragma once

#include "../models/dice.hpp"
#include "../network/features.hpp"

namespace starspiel {

class DiceEncoder {
 public:
  using Position = DiceModel::Position;
  static constexpr const char* kName = "dice";
  static constexpr int kVersion = 1;

  explicit DiceEncoder(const DiceModel& model) : size_(model.size()) {}

  int inputs() const { return 2 * size_ * size_; }
  static float Unit(int) { return 1.0f; }
  static int Most(int) { return 1; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.acting == kChance; }

  void Encode(const Position& p, Features& features) const {
    int input = 0;
    for (int side = 0; side < 2; ++side) {
      const std::uint64_t stones = p.stones[side == 0 ? p.mover : 1 - p.mover];
      for (int row = 0; row < size_; ++row) {
        for (int column = 0; column < size_; ++column) {
          const int cell = p.mover == 0 ? row * size_ + column : column * size_ + row;
          Add(features, input++, stones >> cell & 1u);
        }
      }
    }
  }

 private:
  int size_;
};

template <>
struct EncoderOf<DiceModel> {
  using Type = DiceEncoder;
};

}  // namespace starspiel
