// OpenSpiel's connect_four as plain bytes, on boards of up to 64 bits including an empty top row.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/connect_four/connect_four.h"
#include "private_member.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(ConnectFourBoard, open_spiel::connect_four::ConnectFourState,
                 std::vector<open_spiel::connect_four::CellState>, board_);

class ConnectFourModel : public KeyedModel {
 public:
  using State = open_spiel::connect_four::ConnectFourState;
  // Column by column from the bottom up; the bit above each column is never set, so that no line wraps around.
  struct Position {
    std::uint64_t stones[2];
    std::int64_t player;  // to move, or kTerminal
  };
  static constexpr bool kMergePays = false;
  static constexpr int kTableDepth = 2;

  explicit ConnectFourModel(const State& state) {
    const auto& game = Game(state);
    rows_ = game.rows();
    columns_ = game.cols();
    line_ = game.x_in_row();
    const int height = rows_ + 1;
    const std::uint64_t column = (std::uint64_t{1} << rows_) - 1;
    for (int c = 0; c < columns_; ++c) board_ |= column << c * height;
    steps_ = {1, height, height + 1, height - 1};  // up, across, and both diagonals
    for (int c = 0; c < columns_; ++c) {
      for (int r = 0; r < rows_; ++r) {
        const std::array<std::pair<int, int>, 4> ways{{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};
        for (const auto& [across, up] : ways) {
          const int last_c = c + across * (line_ - 1), last_r = r + up * (line_ - 1);
          if (last_c >= columns_ || last_r >= rows_ || last_r < 0) continue;
          std::uint64_t line = 0;
          for (int k = 0; k < line_; ++k) line |= std::uint64_t{1} << ((c + across * k) * height + r + up * k);
          lines_.push_back(line);
        }
      }
    }
  }

  static bool Plays(const State& state) {
    const auto& game = Game(state);
    return (game.rows() + 1) * game.cols() <= 64 && game.x_in_row() >= 2 && !game.egocentric_obs_tensor();
  }

  Position Read(const State& state) const {
    Position p{{0, 0}, state.CurrentPlayer()};
    const auto& board = state.*Member(ConnectFourBoard{});
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < columns_; ++c) {
        using open_spiel::connect_four::CellState;
        const CellState cell = board[r * columns_ + c];
        if (cell == CellState::kEmpty) continue;
        p.stones[cell == CellState::kCross ? 0 : 1] |= std::uint64_t{1} << (c * (rows_ + 1) + r);
      }
    }
    return p;
  }

  int Player(const Position& p) const { return static_cast<int>(p.player); }

  double Utility(const Position& p) const { return HasLine(p.stones[0]) ? 1.0 : HasLine(p.stones[1]) ? -1.0 : 0.0; }

  void Actions(const Position& p, std::vector<int>& actions) const {
    const std::uint64_t free = board_ & ~(p.stones[0] | p.stones[1]);
    for (int c = 0; c < columns_; ++c) {
      if (free >> (c * (rows_ + 1) + rows_ - 1) & 1) actions.push_back(c);
    }
  }

  void Outcomes(const Position&, std::vector<Outcome>&) const {}

  Position Child(const Position& p, int action) const {
    Position next = p;
    const std::uint64_t taken = p.stones[0] | p.stones[1];
    const std::uint64_t column = ((std::uint64_t{1} << rows_) - 1) << action * (rows_ + 1);
    std::uint64_t& own = next.stones[p.player];
    own |= (taken + (std::uint64_t{1} << action * (rows_ + 1))) & column & ~taken;
    const bool over = HasLine(own) || (next.stones[0] | next.stones[1]) == board_;
    next.player = over ? kTerminal : 1 - p.player;
    return next;
  }

  // See agents/evaluators/heuristics/connect_four.py.
  double Heuristic(const Position& p) const {
    std::int64_t lead = 0;
    for (const std::uint64_t line : lines_) {
      const std::uint64_t first = line & p.stones[0], second = line & p.stones[1];
      if (second == 0) {
        lead += Worth(std::popcount(first));
      } else if (first == 0) {
        lead -= Worth(std::popcount(second));
      }
    }
    return std::clamp(static_cast<double>(lead) / kScale, -kMost, kMost);
  }

  // What a network sees of connect_four: OpenSpiel's observation, computed from the model (see models/state.hpp).
  int Inputs() const { return 3 * Cells() + 1; }
  float Unit(int input) const { return input == 3 * Cells() ? 1.0f : 1.0f / kOne; }
  int Most(int input) const { return input == 3 * Cells() ? 1 : kOne; }
  static int Turn(const Position& p) { return static_cast<int>(p.player); }
  static bool Sees(const Position& p) { return p.player >= 0; }

  void Encode(const Position& p, Features& features) const {
    for (int plane = 0; plane < 3; ++plane) {
      for (int r = 0; r < rows_; ++r) {
        for (int c = 0; c < columns_; ++c) {
          if (PlaneOf(p, c * (rows_ + 1) + r) == plane) Add(features, plane * Cells() + r * columns_ + c, kOne);
        }
      }
    }
    if (p.player == 1) Add(features, 3 * Cells(), 1);
  }

  void Changes(const Position& from, const Position& to, Features& changes) const {
    std::uint64_t changed = (from.stones[0] ^ to.stones[0]) | (from.stones[1] ^ to.stones[1]);
    for (; changed != 0; changed &= changed - 1) {
      const int bit = std::countr_zero(changed);
      const int cell = bit % (rows_ + 1) * columns_ + bit / (rows_ + 1);
      Add(changes, PlaneOf(from, bit) * Cells() + cell, -kOne);
      Add(changes, PlaneOf(to, bit) * Cells() + cell, kOne);
    }
  }

  static constexpr int kOne = 256;

  int Cells() const { return rows_ * columns_; }

  // The first player's stones, the second's, empty squares.
  static int PlaneOf(const Position& p, int bit) { return p.stones[0] >> bit & 1 ? 0 : p.stones[1] >> bit & 1 ? 1 : 2; }

 private:
  static constexpr double kScale = 512.0, kMost = 0.875;

  static const open_spiel::connect_four::ConnectFourGame& Game(const State& state) {
    return static_cast<const open_spiel::connect_four::ConnectFourGame&>(*state.GetGame());
  }

  // The worth of a line in which only one player has stones.
  std::int64_t Worth(int stones) const {
    const int missing = line_ - stones;
    return stones == 0 ? 0 : missing <= 1 ? 32 : missing == 2 ? 6 : 1;
  }

  bool HasLine(std::uint64_t stones) const {
    for (const int step : steps_) {
      std::uint64_t run = stones;
      for (int k = 1; k < line_ && run != 0; ++k) run &= stones >> k * step;
      if (run != 0) return true;
    }
    return false;
  }

  int rows_;
  int columns_;
  int line_;
  std::uint64_t board_ = 0;
  std::array<int, 4> steps_;
  std::vector<std::uint64_t> lines_;
};

}  // namespace starspiel
