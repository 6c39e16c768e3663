// The rules of envs/games/knucklebones/rules.py on grids of at most six columns, as plain bytes.
#pragma once

#include "../rules/position.hpp"
#include "model.hpp"
#include "network/features.hpp"

namespace starspiel {

class KnucklebonesModel : public RulesModel {
 public:
  static constexpr const char* kName = "knucklebones";
  static constexpr int kMostColumns = 6;
  struct Position {
    std::uint32_t columns[2][kMostColumns];  // the count of each face, in bits from the lowest up, face 1 first
    std::uint8_t lying[2][kMostColumns];     // number of dice in each column
    std::int16_t scores[2];
    std::int8_t mover;
    std::int8_t die;  // 0 before the roll
    std::int8_t acting;
    std::int8_t unused[5];
  };

  static bool Plays(const State& state) {
    return state.parameters.size() == 3 && state.parameters[0] <= kMostColumns &&
           BitsOf(state.parameters[1]) * state.parameters[2] <= 32;
  }

  explicit KnucklebonesModel(const State& state)
      : columns_(static_cast<int>(state.parameters[0])),
        rows_(static_cast<int>(state.parameters[1])),
        sides_(static_cast<int>(state.parameters[2])),
        bits_(BitsOf(rows_)),
        column_((sides_ + 1) * rows_),
        side_(columns_ * column_ + 1) {}

  // A column is given as its number of dice and their faces.
  static Position Read(const State& state) {
    const std::int64_t rows = state.parameters[1], sides = state.parameters[2];
    const int bits = BitsOf(rows);
    Position p{};
    Numbers numbers(state);
    for (int side = 0; side < 2; ++side) {
      for (int column = 0; column < state.parameters[0]; ++column) {
        int lying = 0;
        numbers.Take(0, rows, lying);
        for (int i = 0; i < lying; ++i) {
          int face = 0;
          numbers.Take(1, sides, face);
          Place(p, side, column, face, bits);
        }
      }
    }
    numbers.Take(0, 1, p.mover);
    numbers.Take(kTerminal, 1, p.acting);
    numbers.Take(p.acting >= 0 ? 1 : 0, sides, p.die);
    numbers.End();
    return p;
  }

  // How many dice in a column show a face, counted from 1.
  int Count(std::uint32_t column, int face) const { return CountOf(column, face, bits_); }

  double Utility(const Position& p) const {
    return static_cast<double>((p.scores[0] > p.scores[1]) - (p.scores[0] < p.scores[1]));
  }

  void Actions(const Position& p, std::vector<int>& actions) const {
    for (int column = 0; column < columns_; ++column) {
      if (p.lying[p.mover][column] < rows_) actions.push_back(column);
    }
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    for (int face = 1; face <= sides_; ++face) outcomes.push_back({face, 1.0 / sides_});
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.acting == kChance) {
      next.die = action;
      next.acting = p.mover;
      return next;
    }
    const int other = 1 - p.mover;
    Place(next, p.mover, action, p.die, bits_);
    const int taken = Count(p.columns[other][action], p.die);
    next.columns[other][action] &= ~(Mask(bits_) << Shift(p.die, bits_));
    next.lying[other][action] = p.lying[other][action] - taken;
    next.scores[other] = p.scores[other] - p.die * taken * taken;
    const bool full =
        std::all_of(next.lying[p.mover], next.lying[p.mover] + columns_, [this](int lying) { return lying == rows_; });
    next.mover = other;
    next.die = 0;
    next.acting = full ? kTerminal : kChance;
    return next;
  }

  double Heuristic(const Position& p) const {
    const int cells = columns_ * rows_;
    int dice[2] = {};
    for (int side = 0; side < 2; ++side) {
      for (int lying : p.lying[side]) dice[side] += lying;
    }
    const double lead = (p.scores[0] - p.scores[1]) / (static_cast<double>(cells * (sides_ + 1)) / 2);
    double total = 0.28 * lead;
    total += 1.86 * (lead * std::max(dice[0], dice[1]) / cells);
    total += 0.13 * (static_cast<double>(dice[0] - dice[1]) / cells);
    total += 0.13 * (p.mover == 0 ? 1.0 : -1.0);
    return std::tanh(total);
  }

  // Network encoding, before a roll: the count of each face by side and column, the number of dice in each column, and
  // the scores.
  int Inputs() const { return 2 * side_; }
  float Unit(int input) const { return input % side_ == side_ - 1 ? 1.0f / 32 : 1.0f; }
  int Most(int input) const {
    if (input % side_ != side_ - 1) return 1;
    return columns_ * sides_ * rows_ * rows_;
  }

  void Encode(const Position& p, Features& features) const {
    const int rows = rows_;
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover;
      for (int column = 0; column < columns_; ++column) {
        const int base = side * side_ + column * column_;
        for (int face = 1; face <= sides_; ++face) {
          const int count = Count(p.columns[player][column], face);
          if (count > 0) Add(features, base + (face - 1) * rows + count - 1, 1);
        }
        const int lying = p.lying[player][column];
        if (lying > 0) Add(features, base + sides_ * rows + lying - 1, 1);
      }
      Add(features, side * side_ + side_ - 1, p.scores[player]);
    }
  }

 private:
  static int BitsOf(std::int64_t rows) { return std::bit_width(static_cast<std::uint64_t>(rows)); }
  static int Shift(int face, int bits) { return (face - 1) * bits; }
  static std::uint32_t Mask(int bits) { return (std::uint32_t{1} << bits) - 1; }
  static int CountOf(std::uint32_t column, int face, int bits) {
    return static_cast<int>(column >> Shift(face, bits) & Mask(bits));
  }

  // Adds a die: a face that lies c times scores face * c * c.
  static void Place(Position& p, int side, int column, int face, int bits) {
    const int before = CountOf(p.columns[side][column], face, bits);
    p.columns[side][column] += std::uint32_t{1} << Shift(face, bits);
    ++p.lying[side][column];
    p.scores[side] = p.scores[side] + face * (2 * before + 1);
  }

  int columns_;
  int rows_;
  int sides_;
  int bits_;
  int column_;  // inputs of a column: the count of each face, and the number of dice
  int side_;    // inputs of a side: its columns and its score
};

}  // namespace starspiel
