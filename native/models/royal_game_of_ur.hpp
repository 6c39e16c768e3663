// The rules of envs/games/royal_game_of_ur/rules.py, as plain bytes.
#pragma once

#include "../rules/position.hpp"
#include "model.hpp"
#include "network/features.hpp"

namespace starspiel {

class RoyalGameOfUrModel : public RulesModel {
 public:
  static constexpr const char* kName = "royal_game_of_ur";
  static constexpr int kToRoll = -1;  // the dice have not been thrown
  struct Position {
    std::uint16_t squares[2];  // bit s: square s of the player's path
    std::uint8_t home[2];
    std::int8_t mover;
    std::int8_t roll;
  };
  static constexpr bool kMergePays = false;

  static bool Plays(const State& state) { return state.parameters.size() == 2; }

  explicit RoyalGameOfUrModel(const State& state) : pieces_(static_cast<int>(state.parameters[0])) {
    const int dice = static_cast<int>(state.parameters[1]);
    double ways = 1.0;  // a binomial coefficient
    for (int roll = 0; roll <= dice; ++roll) {
      chances_.push_back({roll, ways / static_cast<double>(1 << dice)});
      ways = ways * (dice - roll) / (roll + 1);
    }
  }

  static Position Read(const State& state) {
    Position p{};
    Numbers numbers(state);
    numbers.Take(0, 1, p.mover);
    numbers.Take(kToRoll, state.parameters[1], p.roll);
    for (std::uint16_t& squares : p.squares) numbers.Take(0, (1 << kHome) - 2, squares);
    for (int player = 0; player < 2; ++player) {
      numbers.Take(0, state.parameters[0], p.home[player]);
      const int pieces = p.home[player] + std::popcount(p.squares[player]);
      numbers.Check(pieces <= state.parameters[0], "as many pieces as the game has, or fewer");
    }
    numbers.End();
    return p;
  }

  int Player(const Position& p) const {
    if (p.roll != kToRoll) return p.mover;
    return p.home[0] == pieces_ || p.home[1] == pieces_ ? kTerminal : kChance;
  }

  double Utility(const Position& p) const { return p.home[0] == pieces_ ? 1.0 : -1.0; }

  void Actions(const Position& p, std::vector<int>& actions) const {
    unsigned movable = 0;
    if (p.roll > 0) {
      const unsigned own = p.squares[p.mover];
      const unsigned blocked = own | (p.squares[1 - p.mover] & 1u << kSafe);
      // Bit 0 for a piece in hand, bit s for one on square s; home has room for all.
      const unsigned pieces = own | (std::popcount(own) + p.home[p.mover] < pieces_ ? 1u : 0u);
      movable = pieces & ~(blocked >> p.roll) & ((2u << (kHome - p.roll)) - 1);
    }
    if (movable == 0) actions.push_back(kPass);
    for (; movable != 0; movable &= movable - 1) actions.push_back(std::countr_zero(movable));
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    outcomes.insert(outcomes.end(), chances_.begin(), chances_.end());
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.roll == kToRoll) {
      next.roll = action;
      return next;
    }
    next.roll = kToRoll;
    const int mover = p.mover & 1;  // compilers cannot know that it is 0 or 1
    next.mover = 1 - mover;
    if (action == kPass) return next;
    const int target = action + p.roll;
    std::uint16_t& own = next.squares[mover];
    own &= ~(1u << action);  // bit 0, the pieces in hand, is never set
    if (target == kHome) {
      ++next.home[mover];
    } else {
      own |= 1u << target;
      if (kShared >> target & 1u) next.squares[1 - mover] &= ~(1u << target);
    }
    if (kRosettes >> target & 1u) next.mover = mover;
    return next;
  }

  // Not if the player to move, or to roll, can take a piece.
  bool Quiet(const Position& p) const {
    const unsigned own = p.squares[p.mover];
    const unsigned pieces = own | (std::popcount(own) + p.home[p.mover] < pieces_ ? 1u : 0u);
    const unsigned exposed = p.squares[1 - p.mover] & kExposed;
    const int least = p.roll == kToRoll ? 1 : p.roll;
    const int most = p.roll == kToRoll ? static_cast<int>(chances_.size()) - 1 : p.roll;
    for (int roll = std::max(1, least); roll <= most; ++roll) {
      if ((pieces << roll & exposed) != 0) return false;
    }
    return true;
  }

  double Heuristic(const Position& p) const {
    const int ahead = p.home[0] - p.home[1];
    const int steps = Steps(p.squares[0]) - Steps(p.squares[1]);
    const int exposed = std::popcount(p.squares[0] & kExposed) - std::popcount(p.squares[1] & kExposed);
    double total = 2.24 * ((static_cast<double>(steps) / kHome + ahead) / pieces_);
    total += 0.51 * (static_cast<double>(ahead) / pieces_);
    total += -0.034 * exposed;
    total += 0.034 * (p.mover == 0 ? 1.0 : -1.0);
    return std::tanh(total);
  }

  // The Royal Game of Ur as a network sees it before a throw: each side's pieces by square, at home and in hand.
  static constexpr int kSquares = 14;
  static constexpr int kMost = 7;                           // pieces
  static constexpr int kSide = kSquares + 2 * (kMost + 1);  // squares, how many are at home, how many in hand

  int Inputs() const { return 2 * kSide; }
  static bool Sees(const Position& p) { return p.roll == kToRoll; }

  void Encode(const Position& p, Features& features) const {
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover;
      const int base = side * kSide;
      const unsigned squares = p.squares[player];
      for (int square = 1; square <= kSquares; ++square) Add(features, base + square - 1, squares >> square & 1u);
      Add(features, base + kSquares + p.home[player], 1);
      Add(features, base + kSquares + kMost + 1 + pieces_ - p.home[player] - std::popcount(squares), 1);
    }
  }

 private:
  static constexpr int kHome = 15;
  static constexpr int kPass = 15;
  static constexpr int kSafe = 8;
  static constexpr unsigned kRosettes = 1u << 4 | 1u << 8 | 1u << 14;
  static constexpr unsigned kShared = 0x1fe0;  // squares 5 to 12
  static constexpr unsigned kExposed = kShared & ~(1u << kSafe);

  // The squares' numbers, added up.
  static int Steps(unsigned squares) {
    int sum = 0;
    for (; squares != 0; squares &= squares - 1) sum += std::countr_zero(squares);
    return sum;
  }

  int pieces_;
  std::vector<Outcome> chances_;
};

}  // namespace starspiel
