// Maedn as a network sees it: the fields of each side's pieces, counted from their own start, those at home, and how many
// pieces of the other side stand so close behind that one roll, or two, may capture.
#pragma once

#include <cstdint>

#include "../models/maedn.hpp"
#include "../network/features.hpp"

namespace starspiel {

class MaednEncoder {
 public:
  using Position = MaednModel::Position;
  static constexpr const char* kName = "maedn";
  static constexpr int kVersion = 2;
  static constexpr int kFields = 44;
  static constexpr int kCommon = 40;
  static constexpr int kHome = kFields;        // one, two, three or four pieces at home
  static constexpr int kNear = kHome + 4;      // by the field of a piece: how many may capture it by one roll
  static constexpr int kFar = kNear + kCommon;  // and how many by two
  static constexpr int kSide = kFar + kCommon;
  static constexpr int kInputs = 2 * kSide;

  explicit MaednEncoder(const MaednModel& model) {
    for (int player = 0; player < 2; ++player) shift_[player] = model.Met(player, 0);
  }

  int inputs() const { return kInputs; }

  static float Unit(int) { return 1.0f; }
  static int Most(int input) { return input % kSide < kNear ? 1 : 4; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.die == 0; }

  void Encode(const Position& p, Features& features) const {
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover, first = side * kSide;
      int home = 0;
      for (const std::int8_t field : p.pieces[player]) {  // ascending
        if (field < 0) {
          ++home;
        } else {
          Add(features, first + field, 1);
        }
      }
      if (home > 0) Add(features, first + kHome + home - 1, 1);
      for (const auto [from, reach] : {Range{kNear, 1}, Range{kFar, 1 + kRoll}}) {
        for (const std::int8_t field : p.pieces[player]) {
          if (field < 0 || field >= kCommon) continue;
          Add(features, first + from + field, Behind(p.pieces[1 - player], (field + shift_[player]) % kCommon, reach));
        }
      }
    }
  }

 private:
  struct Range {
    int from, reach;
  };
  static constexpr int kRoll = 6;

  // How many of these pieces are `reach` to `reach` + 5 fields behind `field`, which is counted from their start. A piece
  // at home comes to its start by a six: all of them are one, six fields before it.
  static int Behind(const std::int8_t (&pieces)[4], int field, int reach) {
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      if (pieces[i] < 0 && i > 0) continue;
      const int way = field - (pieces[i] < 0 ? -kRoll : pieces[i]);
      count += way >= reach && way < reach + kRoll;
    }
    return count;
  }

  int shift_[2];  // from a player's fields to the other's
};

template <>
struct EncoderOf<MaednModel> {
  using Type = MaednEncoder;
};

}  // namespace starspiel
