// What a network sees of connect_four: OpenSpiel's observation (observation.hpp), read off the model.
#pragma once

#include <bit>
#include <cstdint>

#include "../models/connect_four.hpp"
#include "../network/features.hpp"

namespace starspiel {

class ConnectFourEncoder {
 public:
  using Position = ConnectFourModel::Position;

  explicit ConnectFourEncoder(const ConnectFourModel& model) : rows_(model.rows()), columns_(model.columns()) {}

  int inputs() const { return 3 * Cells() + 1; }
  float Unit(int input) const { return input == 3 * Cells() ? 1.0f : 1.0f / kOne; }
  int Most(int input) const { return input == 3 * Cells() ? 1 : kOne; }
  static int Turn(const Position& p) { return static_cast<int>(p.player); }
  static bool Sees(const Position& p) { return p.player >= 0; }

  void Encode(const Position& p, Features& features) const {
    for (int plane = 0; plane < 3; ++plane) {
      for (int r = 0; r < rows_; ++r) {
        for (int c = 0; c < columns_; ++c) {
          if (PlaneOf(p, c * (rows_ + 1) + r) == plane) Add(features, plane * Cells() + r * columns_ + c, kOne);
        }
      }
    }
    if (p.player == 1) Add(features, 3 * Cells(), 1);
  }

  void Changes(const Position& from, const Position& to, Features& changes) const {
    std::uint64_t changed = (from.stones[0] ^ to.stones[0]) | (from.stones[1] ^ to.stones[1]);
    for (; changed != 0; changed &= changed - 1) {
      const int bit = std::countr_zero(changed);
      const int cell = bit % (rows_ + 1) * columns_ + bit / (rows_ + 1);
      Add(changes, PlaneOf(from, bit) * Cells() + cell, -kOne);
      Add(changes, PlaneOf(to, bit) * Cells() + cell, kOne);
    }
  }

 private:
  static constexpr int kOne = 256;

  int Cells() const { return rows_ * columns_; }

  // The first player's stones, the second's, empty squares.
  static int PlaneOf(const Position& p, int bit) {
    return p.stones[0] >> bit & 1 ? 0 : p.stones[1] >> bit & 1 ? 1 : 2;
  }

  int rows_;
  int columns_;
};

template <>
struct EncoderOf<ConnectFourModel> {
  using Type = ConnectFourEncoder;
};

}  // namespace starspiel
