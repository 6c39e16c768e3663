// The rules of envs/games/dice/rules.py on grids of at most 64 cells, as plain bytes.
#pragma once

#include "../rules/position.hpp"
#include "model.hpp"
#include "network/features.hpp"

namespace starspiel {

class DiceModel : public RulesModel {
 public:
  static constexpr const char* kName = "dice";
  struct Position {
    std::uint64_t stones[2];  // bit row * size + column
    std::int8_t mover;
    std::int8_t die;
    std::int8_t acting;
    std::int8_t unused[5];
  };
  static constexpr int kMostSize = 8;

  static bool Plays(const State& state) { return state.parameters.size() == 3 && state.parameters[0] <= kMostSize; }

  explicit DiceModel(const State& state)
      : size_(static_cast<int>(state.parameters[0])),
        line_(static_cast<int>(state.parameters[1])),
        reroll_(state.parameters[2] != 0),
        every_(~std::uint64_t{0} >> (64 - size_ * size_)) {
    for (int cell = 0; cell < size_ * size_; ++cell) {
      lanes_[0][cell / size_] |= Bit(cell);
      lanes_[1][cell % size_] |= Bit(cell);
    }
    FindLines();
  }

  static Position Read(const State& state) {
    const std::int64_t size = state.parameters[0];
    const int cells = static_cast<int>(size * size);
    Position p{};
    Numbers numbers(state);
    for (std::uint64_t& stones : p.stones) {
      for (int half = 0; half < 2; ++half) {
        const int bits = std::min(32, std::max(0, cells - 32 * half));
        std::uint64_t part = 0;
        numbers.Take(0, (std::int64_t{1} << bits) - 1, part);
        stones |= part << (32 * half);
      }
    }
    numbers.Take(0, 1, p.mover);
    numbers.Take(kTerminal, 1, p.acting);
    numbers.Take(p.acting >= 0 ? 0 : kToRoll, size - 1, p.die);
    numbers.End();
    return p;
  }

  double Utility(const Position& p) const {
    const int last = 1 - p.mover;
    for (std::uint64_t line : lines_) {
      if ((p.stones[last] & line) == line) return last == 0 ? 1.0 : -1.0;
    }
    return 0.0;
  }

  void Actions(const Position& p, std::vector<int>& actions) const {
    const std::uint64_t taken = p.stones[0] | p.stones[1];
    const std::size_t base = actions.size();
    for (int place = 0; place < size_; ++place) {
      if (!(taken & Bit(Cell(p, place)))) actions.push_back(place);
    }
    if (actions.size() == base) actions.push_back(size_);
  }

  void Outcomes(const Position& p, std::vector<Outcome>& outcomes) const {
    const std::uint64_t taken = p.stones[0] | p.stones[1];
    const std::size_t base = outcomes.size();
    for (int die = 0; die < size_; ++die) {
      if (!reroll_ || (lanes_[p.mover][die] & ~taken) != 0) outcomes.push_back({die, 1.0 / size_});
    }
    if (!reroll_) return;
    const double chance = 1.0 / static_cast<double>(outcomes.size() - base);
    for (std::size_t i = base; i < outcomes.size(); ++i) outcomes[i].probability = chance;
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.acting == kChance) {
      next.die = action;
      next.acting = p.mover;
      return next;
    }
    next.mover = 1 - p.mover;
    next.die = kToRoll;
    next.acting = kChance;
    if (action == size_) return next;
    const int cell = Cell(p, action);
    std::uint64_t& own = next.stones[p.mover];
    own |= Bit(cell);
    if ((next.stones[0] | next.stones[1]) == every_ || HasLine(own, cell)) next.acting = kTerminal;
    return next;
  }

  double Heuristic(const Position& p) const {
    int missing[kMostSize + 1] = {};
    for (std::uint64_t line : lines_) {
      const std::uint64_t first = line & p.stones[0], second = line & p.stones[1];
      if (first != 0 && second == 0) ++missing[line_ - std::popcount(first)];
      if (second != 0 && first == 0) --missing[line_ - std::popcount(second)];
    }
    double total = 0.3 * missing[1];
    total += 0.11 * missing[2];
    total += 0.037 * (line_ > 3 ? missing[3] : 0);
    total += 0.15 * (p.mover == 0 ? 1.0 : -1.0);
    return std::tanh(total);
  }

  // Network encoding, before a roll: each side's stones, with rows and columns swapped for player 1, so that the die
  // always names a row.
  int Inputs() const { return 2 * size_ * size_; }

  void Encode(const Position& p, Features& features) const {
    int input = 0;
    for (int side = 0; side < 2; ++side) {
      const std::uint64_t stones = p.stones[side == 0 ? p.mover : 1 - p.mover];
      for (int row = 0; row < size_; ++row) {
        for (int column = 0; column < size_; ++column) {
          const int cell = p.mover == 0 ? row * size_ + column : column * size_ + row;
          Add(features, input++, stones >> cell & 1u);
        }
      }
    }
  }

 private:
  static constexpr int kToRoll = -1;

  static constexpr std::uint64_t Bit(int cell) { return std::uint64_t{1} << cell; }

  // A cell of the row or column that the die names.
  int Cell(const Position& p, int place) const { return p.mover == 0 ? p.die * size_ + place : place * size_ + p.die; }

  bool HasLine(std::uint64_t stones, int cell) const {
    for (std::uint64_t line : through_[cell]) {
      if ((stones & line) == line) return true;
    }
    return false;
  }

  void FindLines() {
    static constexpr int kDirections[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int cell = 0; cell < size_ * size_; ++cell) {
      for (const auto& [down, across] : kDirections) {
        const int row = cell / size_, column = cell % size_;
        const int end_row = row + down * (line_ - 1), end_column = column + across * (line_ - 1);
        if (end_row >= size_ || end_column < 0 || end_column >= size_) continue;
        std::uint64_t line = 0;
        for (int i = 0; i < line_; ++i) line |= Bit(cell + i * (down * size_ + across));
        lines_.push_back(line);
        for (int i = 0; i < line_; ++i) through_[cell + i * (down * size_ + across)].push_back(line);
      }
    }
  }

  int size_;
  int line_;
  bool reroll_;
  std::uint64_t every_;
  std::uint64_t lanes_[2][kMostSize] = {};  // player 0's are rows, player 1's columns
  std::vector<std::uint64_t> lines_;        // the winning lines
  std::vector<std::uint64_t> through_[kMostSize * kMostSize];
};

}  // namespace starspiel
