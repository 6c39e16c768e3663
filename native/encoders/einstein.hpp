// EinStein wuerfelt nicht as a network sees it: which stone stands where, the board turned so that the player about to
// roll walks to the last square.
#pragma once

#include "../models/einstein.hpp"
#include "../network/features.hpp"

namespace starspiel {

struct EinsteinEncoder {
  using Position = EinsteinModel::Position;
  static constexpr const char* kName = "einstein_wurfelt_nicht";
  static constexpr int kVersion = 1;
  static constexpr int kSquares = 25;
  static constexpr int kStones = 6;
  static constexpr int kSide = kStones * (kSquares + 1);  // a stone's square, or that it is gone
  static constexpr int kInputs = 2 * kSide;

  int inputs() const { return kInputs; }

  static float Unit(int) { return 1.0f; }
  static int Most(int) { return 1; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.die == 0; }

  static void Encode(const Position& p, Features& features) {
    for (int side = 0; side < 2; ++side) {
      const std::int8_t* stones = p.squares[side == 0 ? p.mover : 1 - p.mover];
      for (int stone = 0; stone < kStones; ++stone) {
        const int square = stones[stone] < 0 ? kSquares : p.mover == 0 ? stones[stone] : kSquares - 1 - stones[stone];
        features.push_back({static_cast<std::uint16_t>(side * kSide + stone * (kSquares + 1) + square), 1});
      }
    }
  }
};

template <>
struct EncoderOf<EinsteinModel> {
  using Type = EinsteinEncoder;
};

}  // namespace starspiel
