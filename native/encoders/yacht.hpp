// Yacht: which categories each side has filled, the totals and their difference, how often the dice were thrown, and
// how many of each face are kept. Seen before a throw, by the player whose turn it is.
#pragma once

#include <algorithm>

#include "../models/yacht.hpp"
#include "../network/features.hpp"

namespace starspiel {

class YachtEncoder {
 public:
  using Position = YachtModel::Position;
  static constexpr const char* kName = "yacht";
  static constexpr int kVersion = 1;
  static constexpr int kCategories = YachtModel::kCategories;
  static constexpr int kTotals = 2 * kCategories;  // own, the other's, the difference
  static constexpr int kThrows = kTotals + 3;
  static constexpr int kMostThrows = 3;
  static constexpr int kFaces = kThrows + kMostThrows;

  explicit YachtEncoder(const YachtModel& model) : dice_(model.dice()), sides_(model.sides()) {}

  int inputs() const { return kFaces + sides_ * dice_; }
  static float Unit(int input) { return input >= kTotals && input < kThrows ? 1.0f / 50 : 1.0f; }
  static int Most(int input) { return input >= kTotals && input < kThrows ? 1 << 15 : 1; }
  static int Turn(const Position& p) { return p.turn_player; }
  static bool Sees(const Position& p) { return p.rolling; }

  void Encode(const Position& p, Features& features) const {
    const int turn = p.turn_player;
    for (int side = 0; side < 2; ++side) {
      const std::uint16_t used = p.used[side == 0 ? turn : 1 - turn];
      for (int category = 0; category < kCategories; ++category) {
        if (used >> category & 1) features.push_back({static_cast<std::uint16_t>(side * kCategories + category), 1});
      }
    }
    const std::int16_t totals[3] = {p.totals[turn], p.totals[1 - turn],
                                    static_cast<std::int16_t>(p.totals[turn] - p.totals[1 - turn])};
    for (int i = 0; i < 3; ++i) {
      if (totals[i] != 0) features.push_back({static_cast<std::uint16_t>(kTotals + i), totals[i]});
    }
    const int thrown = std::min<int>(p.roll_count, kMostThrows - 1);
    features.push_back({static_cast<std::uint16_t>(kThrows + thrown), 1});
    int counts[32] = {};
    for (int i = 0; i < dice_; ++i) {
      if (!(p.mask >> i & 1)) ++counts[p.dice[i]];
    }
    for (int face = 1; face <= sides_; ++face) {
      if (counts[face] == 0) continue;
      features.push_back({static_cast<std::uint16_t>(kFaces + (face - 1) * dice_ + counts[face] - 1), 1});
    }
  }

 private:
  int dice_;
  int sides_;
};

template <>
struct EncoderOf<YachtModel> {
  using Type = YachtEncoder;
};

}  // namespace starspiel
