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
    std::int8_t squares[2][6];  // of each player's stones 1 to 6; kGone if captured
    std::int8_t die;            // 0 before the roll; then one roll for all that let the same stones move
    std::int8_t mover;          // who moves, or rolls next
    std::int8_t winner;         // or kNobody
    std::int8_t unused;
  };
  static constexpr int kTableDepth = 2;

  explicit EinsteinModel(const State&) {}

  // The model does not apply while the stones are still being placed (by chance, before any decision).
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
      ForMoves(p.mover, own[stones[i]], [&](int move, int to) {
        actions.push_back(move * 2 + Occupied(p, to));
        return false;
      });
    }
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    for (int i = 0; i < kStones; ++i) outcomes.push_back({i, 1.0 / 6});
  }

  // Not inlined: searches are a quarter slower if it is inlined into their recursion.
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
      for (int player = 0; player < 2; ++player) {
        const int square = p.squares[player][i];
        if (square != kGone) steps[player] = std::min(steps[player], Steps(player, square));
      }
    }
    if (steps[0] == kSize || steps[1] == kSize) return 0.0;
    return static_cast<double>(steps[1] - steps[0]) / (kSize - 1);
  }

  std::optional<ValuedMove> BestByHeuristic(const Position& p, double enough) const {
    const std::int8_t* own = p.squares[p.mover];
    const Race race = RaceOf(p);
    std::array<int, 2> stones{};
    const int count = Movable(own, p.die, stones);
    if (count == 2 && own[stones[0]] > own[stones[1]]) std::swap(stones[0], stones[1]);
    if (race.next == kSize) return std::nullopt;  // A move may capture the last stone.
    for (int i = 0; i < count; ++i) {
      if (Steps(p.mover, own[stones[i]]) == 1) return std::nullopt;  // Or reach the corner.
    }
    ValuedMove best{0, 0.0};
    int most = -kSize;
    for (int i = 0; i < count; ++i) {
      const bool met = ForMoves(p.mover, own[stones[i]], [&](int move, int to) {
        const int lead = race.After(p.mover, to);
        if (lead <= most) return false;
        most = lead;
        best = {move * 2 + Occupied(p, to), ValueOf(p, lead)};
        return p.mover == 0 ? best.value >= enough : best.value <= enough;
      });
      if (met) break;
    }
    return best;
  }

  std::optional<double> MeanByHeuristic(const Position& p) const {
    const std::int8_t* own = p.squares[p.mover];
    const Race race = RaceOf(p);
    if (race.own == 1 || race.next == kSize) return std::nullopt;
    std::array<int, kStones> most;  // by stone
    for (int stone = 0; stone < kStones; ++stone) {
      most[stone] = -kSize;
      if (own[stone] == kGone) continue;
      ForMoves(p.mover, own[stone], [&](int, int to) {
        most[stone] = std::max(most[stone], race.After(p.mover, to));
        return false;
      });
    }
    double mean = 0.0;
    for (int die = 1; die <= kStones; ++die) {
      std::array<int, 2> stones{};
      const int count = Movable(own, die, stones);
      const int lead = count == 2 ? std::max(most[stones[0]], most[stones[1]]) : most[stones[0]];
      mean += 1.0 / kStones * ValueOf(p, lead);
    }
    return mean;
  }

  // Network encoding: which stone is where, with the board rotated so that the player about to roll moves towards the
  // last square.
  static constexpr int kSquares = 25;
  static constexpr int kStones = 6;
  static constexpr int kSide = kStones * (kSquares + 1);  // a stone's square, or gone
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

  // Calls take(move, to) for each move of a stone, in the order of their actions, until it returns true; returns
  // whether it did. An action is twice the move, plus one if it captures.
  template <class Take>
  static bool ForMoves(int player, int from, Take take) {
    const int row = from / kSize, column = from % kSize;
    for (int direction = 3 * player; direction < 3 * player + 3; ++direction) {
      const int to_row = row + kRows[direction], to_column = column + kColumns[direction];
      if (to_row < 0 || to_row >= kSize || to_column < 0 || to_column >= kSize) continue;
      if (take(from * kDirections + direction, to_row * kSize + to_column)) return true;
    }
    return false;
  }

  // The number of steps from a square to a player's goal corner.
  static int Steps(int player, int square) {
    static constexpr auto kSteps = [] {
      std::array<std::array<std::int8_t, kSquares>, 2> steps{};
      for (int at = 0; at < kSquares; ++at) {
        const int row = at / kSize, column = at % kSize;
        steps[0][at] = static_cast<std::int8_t>(kSize - 1 - std::min(row, column));
        steps[1][at] = static_cast<std::int8_t>(std::max(row, column));
      }
      return steps;
    }();
    return kSteps[player][square];
  }

  // The fewest steps to go for the mover and the other player, the square of the other's foremost stone, and the
  // other's fewest steps without that stone. kSize if no stone is left.
  struct Race {
    int own = kSize, other = kSize, next = kSize, foremost = kGone;

    // The mover's lead in steps once a stone has moved to a square. A stone of the mover's own captured there had the
    // same number of steps.
    int After(int mover, int to) const {
      return (to == foremost ? next : other) - std::min(own, Steps(mover, to));
    }
  };

  static Race RaceOf(const Position& p) {
    Race race;
    for (int i = 0; i < kStones; ++i) {
      const int mine = p.squares[p.mover][i], theirs = p.squares[1 - p.mover][i];
      if (mine != kGone) race.own = std::min(race.own, Steps(p.mover, mine));
      if (theirs == kGone) continue;
      const int steps = Steps(1 - p.mover, theirs);
      race.next = std::min(race.next, std::max(steps, race.other));
      if (steps >= race.other) continue;
      race.other = steps;
      race.foremost = theirs;
    }
    return race;
  }

  // The heuristic's value if the mover leads by `lead` steps.
  static double ValueOf(const Position& p, int lead) {
    return static_cast<double>(p.mover == 0 ? lead : -lead) / (kSize - 1);
  }

  // The stones that a roll lets move: its own, or the nearest lower and the nearest higher one.
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

  // Rolls of captured stones with adjacent numbers let the same stones move; if only one can move, so does its own
  // roll.
  static std::int8_t LeastDie(const Position& p, int die) {
    const std::int8_t* own = p.squares[p.mover];
    std::array<int, 2> stones{};
    if (Movable(own, die, stones) == 1) return static_cast<std::int8_t>(stones[0] + 1);
    while (own[die - 2] == kGone) --die;  // Terminates: there is a lower stone.
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
