// Banqi as a network sees it: own and other pieces by type and square, what lies face down where, and what is still to
// be turned up.
#pragma once

#include <algorithm>

#include "../models/banqi.hpp"
#include "../network/features.hpp"

namespace starspiel {

struct BanqiEncoder {
  using Position = BanqiModel::Position;
  static constexpr const char* kName = "banqi";
  static constexpr int kVersion = 1;
  static constexpr int kSquares = 32;
  static constexpr int kTypes = 7;
  static constexpr int kSide = kTypes * kSquares;
  static constexpr int kDown = 2 * kSide;              // a square that is face down
  static constexpr int kPending = kDown + kSquares;    // the square being turned up
  static constexpr int kPool = kPending + kSquares;    // of each own, then each other piece, how many are face down
  static constexpr int kQuiet = kPool + 2 * kTypes;    // moves without progress
  static constexpr int kUnknown = kQuiet + 1;          // colours are not known yet
  static constexpr int kInputs = kUnknown + 1;

  int inputs() const { return kInputs; }

  static float Unit(int input) { return input == kQuiet ? 1.0f / 32 : input >= kPool && input < kQuiet ? 0.25f : 1.0f; }
  static int Most(int input) { return input == kQuiet ? 100 : input >= kPool && input < kQuiet ? 5 : 1; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position&) { return true; }

  static void Encode(const Position& p, Features& features) {
    const int color = p.color < 0 ? 0 : p.mover == 0 ? p.color : 1 - p.color;
    const std::size_t base = features.size();
    for (int square = 0; square < kSquares; ++square) {
      const int piece = p.board[square];
      if (piece >= 0) {
        const int side = piece / kTypes == color ? 0 : 1;
        Add(features, side * kSide + piece % kTypes * kSquares + square, 1);
      } else if (piece == open_spiel::banqi::kFaceDown) {
        Add(features, (p.pending == square ? kPending : kDown) + square, 1);
      }
    }
    for (int piece = 0; piece < 2 * kTypes; ++piece) {
      if (p.pool[piece] > 0) Add(features, kPool + (piece / kTypes == color ? 0 : kTypes) + piece % kTypes, p.pool[piece]);
    }
    if (p.quiet > 0) Add(features, kQuiet, std::min(p.quiet, 100));
    if (p.color < 0) Add(features, kUnknown, 1);
    std::sort(features.begin() + static_cast<std::ptrdiff_t>(base), features.end(),
              [](const Feature& a, const Feature& b) { return a.input < b.input; });
  }

 private:
  static void Add(Features& features, int input, int count) {
    features.push_back({static_cast<std::uint16_t>(input), static_cast<std::int16_t>(count)});
  }
};

template <>
struct EncoderOf<BanqiModel> {
  using Type = BanqiEncoder;
};

}  // namespace starspiel
