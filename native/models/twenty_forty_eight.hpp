// OpenSpiel's 2048, as plain bytes.
#pragma once

#include "model.hpp"
#include "open_spiel/games/twenty_forty_eight/2048.h"
#include "private_member.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(TwentyFortyEightBoard, open_spiel::twenty_forty_eight::TwentyFortyEightState,
                 std::vector<open_spiel::twenty_forty_eight::Tile>, board_);
STARSPIEL_EXPOSE(TwentyFortyEightCurrent, open_spiel::twenty_forty_eight::TwentyFortyEightState, open_spiel::Player,
                 current_player_);
STARSPIEL_EXPOSE(TwentyFortyEightExtra, open_spiel::twenty_forty_eight::TwentyFortyEightState, bool,
                 extra_chance_turn_);
STARSPIEL_EXPOSE(TwentyFortyEightScore, open_spiel::twenty_forty_eight::TwentyFortyEightState, int, total_score_);

// The geometry of the board, with cells numbered row by row.
namespace twenty_forty_eight {

using Line = std::array<std::uint8_t, 4>;

// The four lines for up, right, down and left, each from the edge that the tiles move to.
constexpr std::array<std::array<Line, 4>, 4> Lines() {
  std::array<std::array<Line, 4>, 4> lines{};
  for (std::uint8_t line = 0; line < 4; ++line) {
    for (std::uint8_t place = 0; place < 4; ++place) {
      lines[0][line][place] = 4 * place + line;
      lines[1][line][place] = 4 * line + 3 - place;
      lines[2][line][place] = 4 * (3 - place) + line;
      lines[3][line][place] = 4 * line + place;
    }
  }
  return lines;
}

// The ways to traverse the board line by line in alternating directions, from each corner along rows or columns.
constexpr std::array<std::array<std::uint8_t, 16>, 8> Paths() {
  std::array<std::array<std::uint8_t, 16>, 8> paths{};
  for (std::size_t way = 0; way < 8; ++way) {
    for (std::size_t step = 0; step < 16; ++step) {
      std::size_t row = step / 4, column = row % 2 == 0 ? step % 4 : 3 - step % 4;
      if (way & 1) row = 3 - row;
      if (way & 2) column = 3 - column;
      paths[way][step] = static_cast<std::uint8_t>(way & 4 ? 4 * column + row : 4 * row + column);
    }
  }
  return paths;
}

inline constexpr auto kLines = Lines();
inline constexpr auto kPaths = Paths();

}  // namespace twenty_forty_eight

class TwentyFortyEightModel : public KeyedModel {
 public:
  using State = open_spiel::twenty_forty_eight::TwentyFortyEightState;
  static constexpr int kCells = 16;
  struct Position {
    // Row by row, log2 of each tile, 0 for none. Until a new tile appears, kMerged marks the tiles merged by the last
    // move: OpenSpiel still treats them as unmergeable when it then lists the legal moves.
    std::uint8_t cells[kCells];
    std::int32_t score;
    std::int32_t moves;  // actions and outcomes so far; the game is cut off at a number of them
    std::uint8_t phase;
    std::uint8_t legal;  // one bit for each legal move
    std::uint8_t unused[6];
  };

  explicit TwentyFortyEightModel(const State& state)
      : max_tile_(Game(state).max_tile()), max_moves_(Game(state).MaxGameLength()) {}

  // States may be set up with arbitrary numbers.
  static bool Plays(const State& state) {
    return std::ranges::all_of(state.*Member(TwentyFortyEightBoard{}), [](const auto& tile) {
      return tile.value == 0 || (tile.value > 1 && std::has_single_bit(static_cast<unsigned>(tile.value)));
    });
  }

  Position Read(const State& state) const {
    Position p{};
    const auto& board = state.*Member(TwentyFortyEightBoard{});
    for (int cell = 0; cell < kCells; ++cell) {
      const auto& tile = board[cell];
      if (tile.value == 0) continue;
      p.cells[cell] = std::countr_zero(static_cast<unsigned>(tile.value));
      if (tile.is_merged) p.cells[cell] |= kMerged;
    }
    p.score = state.*Member(TwentyFortyEightScore{});
    p.moves = state.MoveNumber();
    const bool extra = state.*Member(TwentyFortyEightExtra{});
    p.phase = state.*Member(TwentyFortyEightCurrent{}) == kChance ? (extra ? kFirstTile : kNewTile) : kMove;
    Settle(p);
    return p;
  }

  int Player(const Position& p) const { return p.phase == kMove ? 0 : p.phase == kOver ? kTerminal : kChance; }
  double Utility(const Position& p) const { return p.score; }
  double Collected(const Position& p) const { return p.score; }

  static constexpr int kFar = 200;
  int Left(const Position& p) const { return max_moves_ - p.moves; }
  static void Bare(Position& p, bool uncounted) {
    p.score = 0;
    if (uncounted) p.moves = 0;
  }

  void Actions(const Position& p, std::vector<int>& actions) const {
    for (int direction = 0; direction < 4; ++direction) {
      if (p.legal >> direction & 1) actions.push_back(direction);
    }
  }

  void Outcomes(const Position& p, std::vector<Outcome>& outcomes) const {
    const auto empty = std::ranges::count(p.cells, 0);
    for (int cell = 0; cell < kCells; ++cell) {
      if (p.cells[cell] != 0) continue;
      outcomes.push_back({2 * cell, .9 / static_cast<double>(empty)});
      outcomes.push_back({2 * cell + 1, .1 / static_cast<double>(empty)});
    }
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    ++next.moves;
    if (p.phase == kMove) {
      for (const Line& line : twenty_forty_eight::kLines[action]) Slide(next, line);
      next.phase = kNewTile;
    } else {
      next.cells[action / 2] = 1 + action % 2;
      next.phase = p.phase == kFirstTile ? kNewTile : kMove;
    }
    Settle(next);
    return next;
  }

  double Heuristic(const Position& p) const {
    using twenty_forty_eight::kPaths;
    double tiles[kCells];
    for (int cell = 0; cell < kCells; ++cell) {
      const int tile = p.cells[cell] & ~kMerged;
      tiles[cell] = tile == 0 ? 0.0 : static_cast<double>(std::int64_t{1} << tile);
    }
    double sums[kPaths.size()] = {};
    double weight = 1.0;
    for (std::size_t step = 0; step < kCells; ++step) {
      for (std::size_t way = 0; way < kPaths.size(); ++way) sums[way] += weight * tiles[kPaths[way][step]];
      weight /= kFade;
    }
    return p.score + kWorth * *std::max_element(std::begin(sums), std::end(sums));
  }

 private:
  using Line = twenty_forty_eight::Line;
  enum Phase : std::uint8_t { kFirstTile, kNewTile, kMove, kOver };
  static constexpr std::uint8_t kMerged = 0x80;
  static constexpr double kFade = 1.5;
  static constexpr double kWorth = 2.0;

  static const open_spiel::twenty_forty_eight::TwentyFortyEightGame& Game(const State& state) {
    return static_cast<const open_spiel::twenty_forty_eight::TwentyFortyEightGame&>(*state.GetGame());
  }

  static void Slide(Position& p, const Line& line) {
    int end = 0;             // where the next tile stops
    bool mergeable = false;  // whether the previous tile may still merge
    for (std::uint8_t from : line) {
      const std::uint8_t tile = p.cells[from];
      if (tile == 0) continue;
      p.cells[from] = 0;
      if (mergeable && p.cells[line[end - 1]] == tile) {
        p.cells[line[end - 1]] = (tile + 1) | kMerged;
        p.score += 2 << tile;
        mergeable = false;
      } else {
        p.cells[line[end++]] = tile;
        mergeable = true;
      }
    }
  }

  // Ends the game if it is over; lists the legal moves of a decision node, which depend on the marks.
  void Settle(Position& p) const {
    bool over = p.moves >= max_moves_, open = false;
    for (int cell = 0; cell < kCells; ++cell) {
      const int tile = p.cells[cell] & ~kMerged;
      if (tile == 0 ? max_tile_ == 0 : std::int64_t{1} << tile == max_tile_) over = true;
      open |= tile == 0 || (cell % 4 < 3 && tile == (p.cells[cell + 1] & ~kMerged)) ||
              (cell < 12 && tile == (p.cells[cell + 4] & ~kMerged));
    }
    p.legal = 0;
    if (over || !open) {
      p.phase = kOver;
    } else if (p.phase == kMove) {
      for (std::size_t direction = 0; direction < 4; ++direction) {
        if (Moves(p, twenty_forty_eight::kLines[direction])) p.legal |= 1 << direction;
      }
    }
    if (p.phase == kOver || p.phase == kMove) {
      for (std::uint8_t& cell : p.cells) cell &= ~kMerged;
    }
  }

  static bool Moves(const Position& p, const std::array<Line, 4>& lines) {
    for (const Line& line : lines) {
      std::uint8_t next = p.cells[line[0]];
      for (std::size_t place = 1; place < 4; ++place) {
        const std::uint8_t tile = p.cells[line[place]];
        if (tile != 0 && (next == 0 || next == (tile & ~kMerged))) return true;
        next = tile;
      }
    }
    return false;
  }

  int max_tile_;
  int max_moves_;
};

}  // namespace starspiel
