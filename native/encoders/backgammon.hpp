// Backgammon as a network sees it: Tesauro's four inputs a point and side (1995), bars, men off, pips, contact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

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

  static int Most(int input) {
    const int own = input % kSide;
    if (own < 96) return own % 4 == 3 ? 12 : 1;  // contact among them
    return own == 98 ? 15 * 25 : 15;
  }

  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.high == 0; }

  static void Encode(const Position& p, Features& features) {
    for (int side = 0; side < 2; ++side) {
      const std::int8_t* men = p.checkers[side == 0 ? p.mover : 1 - p.mover];
      const int base = side * kSide;
      int pips = 25 * men[25];
      for (int distance = 1; distance <= 24; ++distance) {
        const int count = men[distance];
        if (count == 0) continue;
        pips += distance * count;
        const int first = base + 4 * (distance - 1);
        Add(features, first + std::min(count, 3) - 1, 1);
        if (count > 3) Add(features, first + 3, count - 3);
      }
      if (men[25] > 0) Add(features, base + 96, men[25]);
      if (men[0] > 0) Add(features, base + 97, men[0]);
      Add(features, base + 98, pips);
    }
    if (Contact(p)) Add(features, 2 * kSide, 1);
  }

  static void Changes(const Position& from, const Position& to, Features& changes) {
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? to.mover : 1 - to.mover;
      const int base = side * kSide;
      int pips = 0;
      ForDifferent(from.checkers[player], to.checkers[player], [&](int distance, int before, int after) {
        pips += distance * (after - before);
        if (distance == 0 || distance == 25) {
          Add(changes, base + (distance == 0 ? 97 : 96), after - before);
          return;
        }
        const int first = base + 4 * (distance - 1);
        const int had = std::min(before, 3), has = std::min(after, 3);
        if (had != has) {
          if (had > 0) Add(changes, first + had - 1, -1);
          if (has > 0) Add(changes, first + has - 1, 1);
        }
        if (before > 3 || after > 3) starspiel::Add(changes, first + 3, (after - has) - (before - had));
      });
      if (pips != 0) Add(changes, base + 98, pips);
    }
    starspiel::Add(changes, 2 * kSide, Contact(to) - Contact(from));
  }

 private:
  static_assert(std::endian::native == std::endian::little, "the first checkers are taken for a word's lowest bytes");

  // Calls visit(distance, before, after) where a player's checkers differ.
  template <class Visit>
  static void ForDifferent(const std::int8_t* from, const std::int8_t* to, Visit visit) {
    for (const int first : {0, 8, 16, 18}) {
      std::uint64_t different = Word(from + first) ^ Word(to + first);
      if (first == 18) different &= ~(~std::uint64_t{0} >> 16);  // the others were in the word before
      while (different != 0) {
        const int byte = std::countr_zero(different) / 8;
        visit(first + byte, from[first + byte], to[first + byte]);
        different &= ~(std::uint64_t{0xff} << (8 * byte));
      }
    }
  }

  static std::uint64_t Word(const std::int8_t* men) {
    std::uint64_t word;
    std::memcpy(&word, men, sizeof word);
    return word;
  }

  // The distance of a player's last checker.
  static int Farthest(const std::int8_t* men) {
    for (const int first : {18, 10, 2}) {
      const std::uint64_t word = Word(men + first);
      if (word != 0) return first + (std::bit_width(word) - 1) / 8;
    }
    return men[1] > 0 ? 1 : 0;
  }

  static int Contact(const Position& p) { return Farthest(p.checkers[0]) + Farthest(p.checkers[1]) > 25; }

  static void Add(Features& features, int input, int count) {
    features.push_back({static_cast<std::uint16_t>(input), static_cast<std::int16_t>(count)});
  }
};

template <>
struct EncoderOf<BackgammonModel> {
  using Type = BackgammonEncoder;
};

}  // namespace starspiel
