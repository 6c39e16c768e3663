// OpenSpiel's einstein_wurfelt_nicht as plain bytes, from the first roll on.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/einstein_wurfelt_nicht/einstein_wurfelt_nicht.h"
#include "private_member.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(EinsteinCurrent, open_spiel::einstein_wurfelt_nicht::EinsteinWurfeltNichtState, open_spiel::Player,
                 cur_player_);
STARSPIEL_EXPOSE(EinsteinPrevious, open_spiel::einstein_wurfelt_nicht::EinsteinWurfeltNichtState, open_spiel::Player,
                 prev_player_);
STARSPIEL_EXPOSE(EinsteinWinner, open_spiel::einstein_wurfelt_nicht::EinsteinWurfeltNichtState, int, winner_);
STARSPIEL_EXPOSE(EinsteinTurns, open_spiel::einstein_wurfelt_nicht::EinsteinWurfeltNichtState, int, turns_);
STARSPIEL_EXPOSE(EinsteinDie, open_spiel::einstein_wurfelt_nicht::EinsteinWurfeltNichtState, int, die_roll_);

class EinsteinModel : public KeyedModel {
 public:
  using State = open_spiel::einstein_wurfelt_nicht::EinsteinWurfeltNichtState;
  struct Position {
    std::int8_t squares[2][6];  // of each player's stone 1 to 6; kGone when captured
    std::int8_t die;            // 0 before the roll; then one roll stands for all that let the same stones move
    std::int8_t mover;          // who moves, or who rolls next
    std::int8_t winner;         // or kNobody
    std::int8_t unused;
  };
  static constexpr int kTableDepth = 2;

  explicit EinsteinModel(const State&) {}

  // Not while the stones are still being placed (which is chance, and before any decision).
  static bool Plays(const State& state) { return state.*Member(EinsteinTurns{}) > 0; }

  static Position Read(const State& state) {
    Position p;
    std::fill_n(&p.squares[0][0], 2 * kStones, kGone);
    for (int square = 0; square < kSize * kSize; ++square) {
      const auto cube = state.board(square / kSize, square % kSize);
      const int owner = static_cast<int>(cube.color);
      if (owner < 2) p.squares[owner][cube.value - 1] = square;
    }
    const bool rolling = state.*Member(EinsteinCurrent{}) == kChance;
    p.mover =
        static_cast<std::int8_t>(rolling ? 1 - state.*Member(EinsteinPrevious{}) : state.*Member(EinsteinCurrent{}));
    p.winner = kNobody;
    if (state.*Member(EinsteinWinner{}) >= 0) p.winner = static_cast<std::int8_t>(state.*Member(EinsteinWinner{}));
    p.unused = 0;
    p.die = rolling || p.winner != kNobody ? 0 : LeastDie(p, state.*Member(EinsteinDie{}));
    return p;
  }

  int Player(const Position& p) const {
    if (p.winner != kNobody) return kTerminal;
    return p.die == 0 ? kChance : p.mover;
  }

  double Utility(const Position& p) const { return p.winner == 0 ? 1.0 : -1.0; }

  void Actions(const Position& p, std::vector<int>& actions) const {
    const std::int8_t* own = p.squares[p.mover];
    std::array<int, 2> stones{};
    int count = Movable(own, p.die, stones);
    if (count == 2 && own[stones[0]] > own[stones[1]]) std::swap(stones[0], stones[1]);
    for (int i = 0; i < count; ++i) {
      const int from = own[stones[i]];
      const int row = from / kSize, column = from % kSize;
      for (int direction = 3 * p.mover; direction < 3 * p.mover + 3; ++direction) {
        const int to_row = row + kRows[direction], to_column = column + kColumns[direction];
        if (to_row < 0 || to_row >= kSize || to_column < 0 || to_column >= kSize) continue;
        const int capture = Occupied(p, to_row * kSize + to_column);
        actions.push_back((from * kDirections + direction) * 2 + capture);
      }
    }
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    for (int i = 0; i < kStones; ++i) outcomes.push_back({i, 1.0 / 6});
  }

  // Not inlined: searches are a quarter slower with it in their recursion.
  [[gnu::noinline]] Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.die == 0) {
      next.die = LeastDie(p, action + 1);
      return next;
    }
    const int direction = action / 2 % kDirections;
    const int from = action / 2 / kDirections;
    const int to = from + kRows[direction] * kSize + kColumns[direction];
    int left[2] = {0, 0};
    for (int player = 0; player < 2; ++player) {
      for (std::int8_t& square : next.squares[player]) {
        if (square == to) square = kGone;
        left[player] += square != kGone;
        if (square == from) square = to;
      }
    }
    if ((p.mover == 0 && to == kSize * kSize - 1) || left[1] == 0) {
      next.winner = 0;
    } else if ((p.mover == 1 && to == 0) || left[0] == 0) {
      next.winner = 1;
    }
    next.mover = 1 - p.mover;
    next.die = 0;
    return next;
  }

  double Heuristic(const Position& p) const {
    int steps[2] = {kSize, kSize};
    for (int i = 0; i < kStones; ++i) {
      const int black = p.squares[0][i], white = p.squares[1][i];
      if (black != kGone) steps[0] = std::min(steps[0], kSize - 1 - std::min(black / kSize, black % kSize));
      if (white != kGone) steps[1] = std::min(steps[1], std::max(white / kSize, white % kSize));
    }
    if (steps[0] == kSize || steps[1] == kSize) return 0.0;
    return static_cast<double>(steps[1] - steps[0]) / (kSize - 1);
  }

  // EinStein wuerfelt nicht as a network sees it: which stone stands where, the board turned so that the player about
  // to roll walks to the last square.
  static constexpr int kSquares = 25;
  static constexpr int kStones = 6;
  static constexpr int kSide = kStones * (kSquares + 1);  // a stone's square, or that it is gone
  static constexpr int kInputs = 2 * kSide;

  int Inputs() const { return kInputs; }

  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.die == 0; }

  static void Encode(const Position& p, Features& features) {
    for (int side = 0; side < 2; ++side) {
      const std::int8_t* stones = p.squares[side == 0 ? p.mover : 1 - p.mover];
      for (int stone = 0; stone < kStones; ++stone) {
        const int square = stones[stone] < 0 ? kSquares : p.mover == 0 ? stones[stone] : kSquares - 1 - stones[stone];
        Add(features, side * kSide + stone * (kSquares + 1) + square, 1);
      }
    }
  }

 private:
  static constexpr int kSize = 5;
  static constexpr int kDirections = 6;
  static constexpr std::int8_t kGone = -1;
  static constexpr std::int8_t kNobody = -1;
  static constexpr int kRows[kDirections] = {1, 1, 0, -1, -1, 0};
  static constexpr int kColumns[kDirections] = {1, 0, 1, 0, -1, -1};

  // The stones a roll lets move: its own, or the nearest lower and the nearest higher one.
  static int Movable(const std::int8_t* own, int die, std::array<int, 2>& stones) {
    if (own[die - 1] != kGone) {
      stones[0] = die - 1;
      return 1;
    }
    int count = 0;
    for (int i = die - 2; i >= 0; --i) {
      if (own[i] == kGone) continue;
      stones[count++] = i;
      break;
    }
    for (int i = die; i < kStones; ++i) {
      if (own[i] == kGone) continue;
      stones[count++] = i;
      break;
    }
    return count;
  }

  // Rolls of captured stones that lie next to each other let the same stones move; if that is one stone,
  // so does its own roll.
  static std::int8_t LeastDie(const Position& p, int die) {
    const std::int8_t* own = p.squares[p.mover];
    std::array<int, 2> stones{};
    if (Movable(own, die, stones) == 1) return static_cast<std::int8_t>(stones[0] + 1);
    while (own[die - 2] == kGone) --die;  // Ends: there is a lower stone.
    return static_cast<std::int8_t>(die);
  }

  static bool Occupied(const Position& p, int square) {
    const std::int8_t* all = &p.squares[0][0];
    bool found = false;
    for (int i = 0; i < 2 * kStones; ++i) found |= all[i] == square;
    return found;
  }
};

}  // namespace starspiel
