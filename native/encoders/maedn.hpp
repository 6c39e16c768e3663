// Maedn as a network sees it: the fields of each side's pieces, counted from their own start, and those at home.
#pragma once

#include "../models/maedn.hpp"
#include "../network/features.hpp"

namespace starspiel {

struct MaednEncoder {
  using Position = MaednModel::Position;
  static constexpr const char* kName = "maedn";
  static constexpr int kVersion = 1;
  static constexpr int kFields = 44;
  static constexpr int kSide = kFields + 4;  // fields, and one, two, three or four pieces at home
  static constexpr int kInputs = 2 * kSide;

  int inputs() const { return kInputs; }

  static float Unit(int) { return 1.0f; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.die == 0; }

  static void Encode(const Position& p, Features& features) {
    for (int side = 0; side < 2; ++side) {
      int home = 0;
      for (std::int8_t field : p.pieces[side == 0 ? p.mover : 1 - p.mover]) {  // ascending
        if (field < 0) {
          ++home;
        } else {
          features.push_back({static_cast<std::uint16_t>(side * kSide + field), 1});
        }
      }
      if (home > 0) features.push_back({static_cast<std::uint16_t>(side * kSide + kFields + home - 1), 1});
    }
  }
};

template <>
struct EncoderOf<MaednModel> {
  using Type = MaednEncoder;
};

}  // namespace starspiel
