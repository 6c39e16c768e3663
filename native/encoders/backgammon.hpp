// Backgammon as a network sees it: Tesauro's four inputs a point and side (1995), bars, men off, pips, contact.
#pragma once

#include "../models/backgammon.hpp"
#include "../network/features.hpp"

namespace starspiel {

struct BackgammonEncoder {
  using Position = BackgammonModel::Position;
  static constexpr const char* kName = "backgammon";
  static constexpr int kVersion = 1;
  static constexpr int kSide = 24 * 4 + 3;  // points, bar, off, pips
  static constexpr int kInputs = 2 * kSide + 1;

  int inputs() const { return kInputs; }

  static float Unit(int input) {
    if (input == 2 * kSide) return 1.0f;
    const int own = input % kSide;
    if (own == 96) return 0.5f;         // on the bar
    if (own == 97) return 1.0f / 15;    // borne off
    if (own == 98) return 1.0f / 100;   // pips
    return own % 4 == 3 ? 0.5f : 1.0f;  // men beyond three
  }

  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.high == 0; }

  static void Encode(const Position& p, Features& features) {
    int farthest[2];
    for (int side = 0; side < 2; ++side) {
      const std::int8_t* men = p.checkers[side == 0 ? p.mover : 1 - p.mover];
      const int base = side * kSide;
      int pips = 25 * men[25];
      farthest[side] = men[25] > 0 ? 25 : 0;
      for (int distance = 1; distance <= 24; ++distance) {
        const int count = men[distance];
        if (count == 0) continue;
        pips += distance * count;
        farthest[side] = std::max(farthest[side], distance);
        const int first = base + 4 * (distance - 1);
        Add(features, first + std::min(count, 3) - 1, 1);
        if (count > 3) Add(features, first + 3, count - 3);
      }
      if (men[25] > 0) Add(features, base + 96, men[25]);
      if (men[0] > 0) Add(features, base + 97, men[0]);
      Add(features, base + 98, pips);
    }
    if (farthest[0] + farthest[1] > 25) Add(features, 2 * kSide, 1);
  }

 private:
  static void Add(Features& features, int input, int count) {
    features.push_back({static_cast<std::uint16_t>(input), static_cast<std::int16_t>(count)});
  }
};

template <>
struct EncoderOf<BackgammonModel> {
  using Type = BackgammonEncoder;
};

}  // namespace starspiel
