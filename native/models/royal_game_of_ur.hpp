// The rules of envs/games/royal_game_of_ur/rules.py, as plain bytes. Rule sets differ only in parameters.
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
    // Bit s: square s of the player's path; for paths of 16 squares, bit s - 1.
    std::uint16_t squares[2];
    std::uint8_t home[2];
    std::int8_t mover;
    std::int8_t roll;
  };
  static constexpr bool kMergePays = false;

  static bool Plays(const State& state) {
    const int squares = Squares(state);
    return squares == 14 || squares == 16;
  }

  explicit RoyalGameOfUrModel(const State& state)
      : pieces_(static_cast<int>(state.parameters[0])),
        home_(Squares(state) + 1),
        unused_(Unused(state)),
        takes_again_(state.parameters[3] != 0),
        rosettes_(static_cast<unsigned>(state.parameters[4])),
        safe_(static_cast<unsigned>(state.parameters[5])) {
    const int dice = static_cast<int>(state.parameters[1]);
    const int zero = static_cast<int>(state.parameters[2]);  // the count of a throw without marks
    double ways = 1.0;                                       // a binomial coefficient
    for (int marks = 0; marks <= dice; ++marks) {
      chances_.push_back({marks == 0 ? zero : marks, ways / static_cast<double>(1 << dice)});
      ways = ways * (dice - marks) / (marks + 1);
    }
    if (zero != 0) std::rotate(chances_.begin(), chances_.begin() + 1, chances_.end());
    for (int square = 1; square < home_; ++square) {
      const auto other = static_cast<int>(state.parameters[kRules + static_cast<std::size_t>(square) - 1]);
      if (other == 0) continue;
      across_[square] = 1u << other;
      if ((safe_ >> square & 1u) == 0) exposed_ |= 1u << square;
    }
  }

  static Position Read(const State& state) {
    Position p{};
    Numbers numbers(state);
    numbers.Take(0, 1, p.mover);
    numbers.Take(kToRoll, std::max(state.parameters[1], state.parameters[2]), p.roll);
    for (std::uint16_t& squares : p.squares) {
      unsigned bits = 0;
      numbers.Take(0, (2 << Squares(state)) - 2, bits);
      numbers.Check(bits % 2 == 0, "squares from 1 on");
      squares = bits >> Unused(state);
    }
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
      const unsigned own = Taken(p, p.mover);
      const unsigned blocked = own | (Taken(p, 1 - p.mover) & safe_);
      // Bit 0 for a piece in hand, bit s for one on square s; home has room for all pieces.
      const unsigned pieces = own | (std::popcount(own) + p.home[p.mover] < pieces_ ? 1u : 0u);
      movable = pieces & ~(blocked >> p.roll) & ((2u << (home_ - p.roll)) - 1);
    }
    if (movable == 0) actions.push_back(home_);
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
    if (action == home_) return next;
    const int target = action + p.roll;
    std::uint16_t& own = next.squares[mover];
    std::uint16_t& other = next.squares[1 - mover];
    own &= ~((1u << action) >> unused_);  // bit 0, the pieces in hand, is never set
    if (target == home_) {
      ++next.home[mover];
      return next;
    }
    own |= (1u << target) >> unused_;
    const unsigned captured = other & (across_[target] >> unused_);
    other &= ~captured;
    if ((rosettes_ >> target & 1u) != 0 || (takes_again_ && captured != 0)) next.mover = mover;
    return next;
  }

  double Heuristic(const Position& p) const {
    const int ahead = p.home[0] - p.home[1];
    const unsigned first = Taken(p, 0), second = Taken(p, 1);
    const int steps = Steps(first) - Steps(second);
    const int exposed = std::popcount(first & exposed_) - std::popcount(second & exposed_);
    double total = 2.24 * ((static_cast<double>(steps) / home_ + ahead) / pieces_);
    total += 0.51 * (static_cast<double>(ahead) / pieces_);
    total += -0.034 * exposed;
    total += 0.034 * (p.mover == 0 ? 1.0 : -1.0);
    return std::tanh(total);
  }

  // Network encoding, before a throw: each side's pieces by square, at home and in hand.
  static constexpr int kMost = 7;  // pieces

  int Inputs() const { return 2 * Side(); }
  static bool Sees(const Position& p) { return p.roll == kToRoll; }

  void Encode(const Position& p, Features& features) const {
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover;
      int base = side * Side();
      const unsigned squares = Taken(p, player);
      for (int square = 1; square < home_; ++square) Add(features, base + square - 1, squares >> square & 1u);
      base += home_ - 1;
      Add(features, base + p.home[player], 1);
      Add(features, base + kMost + 1 + pieces_ - p.home[player] - std::popcount(squares), 1);
    }
  }

 private:
  static constexpr std::size_t kRules = 6;  // parameters before the squares' numbers on the other path
  static constexpr int kMostSquares = 16;

  static int Squares(const State& state) { return static_cast<int>(state.parameters.size()) - static_cast<int>(kRules); }
  static int Unused(const State& state) { return Squares(state) == kMostSquares ? 1 : 0; }

  // Bit s: true if the player has a piece on square s of their path.
  unsigned Taken(const Position& p, int player) const { return static_cast<unsigned>(p.squares[player]) << unused_; }
  // A side's number of inputs: squares, pieces at home, pieces in hand.
  int Side() const { return home_ - 1 + 2 * (kMost + 1); }

  // The sum of the squares' numbers.
  static int Steps(unsigned squares) {
    int sum = 0;
    for (; squares != 0; squares &= squares - 1) sum += std::countr_zero(squares);
    return sum;
  }

  int pieces_;
  int home_;             // the number after the last square; as an action, a pass
  int unused_;           // low bits omitted from positions
  bool takes_again_;     // whether capturing a piece grants another throw
  unsigned rosettes_;    // sets of squares: bit s for square s
  unsigned safe_;        // squares with one number on both paths
  unsigned exposed_ = 0;
  unsigned across_[kMostSquares + 1] = {};  // the same square on the other player's path, as a set; empty if private
  std::vector<Outcome> chances_;
};

}  // namespace starspiel
