// The rules of envs/games/twenty_forty_eight/rules.py, as plain bytes: boards of up to 4 rows and columns.
#pragma once

#include "../rules/position.hpp"
#include "model.hpp"
#include "ntuple/board.hpp"

namespace starspiel {

class Star2048Model : public RulesModel {
 public:
  static constexpr const char* kName = "star_2048";
  static constexpr int kSide = 4;
  static constexpr int kCells = kSide * kSide;
  struct Position {
    std::uint8_t cells[kCells];  // log2 of each tile, 0 for none; cell (row, column) is 4 * row + column
    std::int32_t score;
    std::int32_t acting;
  };

  static bool Plays(const State& state) {
    return state.parameters.size() == 2 &&
           std::ranges::all_of(state.parameters, [](std::int64_t side) { return side >= 2 && side <= kSide; });
  }

  explicit Star2048Model(const State& state)
      : rows_(static_cast<int>(state.parameters[0])), columns_(static_cast<int>(state.parameters[1])) {
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) board_.push_back(kSide * row + column);
    }
    for (int line = 0; line < kSide; ++line) {
      for (int place = 0; place < kSide; ++place) {
        lines_[kUp][line][place] = Cell(place, line);
        lines_[kRight][line][place] = Cell(line, columns_ - 1 - place);
        lines_[kDown][line][place] = Cell(rows_ - 1 - place, line);
        lines_[kLeft][line][place] = Cell(line, place);
      }
    }
    MakePaths();
  }

  static Position Read(const State& state) {
    Position p{};
    const std::int64_t rows = state.parameters[0], columns = state.parameters[1];
    Numbers numbers(state);
    for (int cell = 0; cell < kSide * rows; ++cell) {
      if (cell % kSide < columns) numbers.Take(0, rows * columns + 1, p.cells[cell]);
    }
    numbers.Take(0, kMostPoints, p.score);
    numbers.Take(kTerminal, 0, p.acting);
    numbers.End();
    return p;
  }

  int rows() const { return rows_; }
  int columns() const { return columns_; }

  double Utility(const Position& p) const { return p.score; }
  double Collected(const Position& p) const { return p.score; }
  static void Bare(Position& p, bool) { p.score = 0; }

  void Actions(const Position& p, std::vector<int>& actions) const {
    for (int move = 0; move < 4; ++move) {
      if (Changes(p, move)) actions.push_back(move);
    }
  }

  void Outcomes(const Position& p, std::vector<Outcome>& outcomes) const {
    const auto empty = static_cast<double>(std::ranges::count_if(board_, [&](int cell) { return p.cells[cell] == 0; }));
    for (std::size_t cell = 0; cell < board_.size(); ++cell) {
      if (p.cells[board_[cell]] != 0) continue;
      outcomes.push_back({static_cast<int>(2 * cell), .9 / empty});
      outcomes.push_back({static_cast<int>(2 * cell + 1), .1 / empty});
    }
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.acting != kChance) {
      for (const Line& line : lines_[action]) Slide(next, line);
      next.acting = kChance;
      return next;
    }
    const bool first = std::ranges::all_of(p.cells, [](std::uint8_t tile) { return tile == 0; });
    next.cells[board_[action / 2]] = 1 + action % 2;
    if (!first) next.acting = Over(next) ? kTerminal : 0;
    return next;
  }

  // The board as an n-tuple network sees it; tiles above 32768 count as 32768.
  static ntuple::Board Tiles(const Position& p) {
    ntuple::Board board = 0;
    for (int cell = 0; cell < kCells; ++cell) {
      board |= ntuple::Board{std::min<std::uint8_t>(p.cells[cell], ntuple::kGreatest)} << 4 * cell;
    }
    return board;
  }

  double Heuristic(const Position& p) const {
    double best = 0.0;
    for (const std::vector<int>& path : paths_) {
      double total = 0.0;
      for (std::size_t step = 0; step < path.size(); ++step) {
        const int tile = p.cells[path[step]];
        total += weights_[step] * (tile == 0 ? 0.0 : static_cast<double>(1 << tile));
      }
      best = std::max(best, total);
    }
    return p.score + kWorth * best;
  }

 private:
  enum Move { kUp, kRight, kDown, kLeft };
  // Cells from the edge that tiles move to; kNone beyond the board.
  using Line = std::array<std::int8_t, kSide>;
  static constexpr std::int8_t kNone = -1;
  static constexpr std::int32_t kMostPoints = 1 << 22;
  static constexpr double kFade = 1.5;
  static constexpr double kWorth = 2.0;

  std::int8_t Cell(int row, int column) const {
    const bool on = row >= 0 && row < rows_ && column >= 0 && column < columns_;
    return on ? static_cast<std::int8_t>(kSide * row + column) : kNone;
  }

  void MakePaths() {
    for (int way = 0; way < 8; ++way) {
      const int lines = way & 4 ? columns_ : rows_, length = way & 4 ? rows_ : columns_;
      std::vector<int>& path = paths_[way];
      for (int step = 0; step < lines * length; ++step) {
        int line = step / length, place = step % length;
        if (line % 2 == 1) place = length - 1 - place;
        if (way & 1) line = lines - 1 - line;
        if (way & 2) place = length - 1 - place;
        path.push_back(way & 4 ? kSide * place + line : kSide * line + place);
      }
    }
    weights_[0] = 1.0;
    for (int step = 1; step < kCells; ++step) weights_[step] = weights_[step - 1] / kFade;
  }

  static void Slide(Position& p, const Line& line) {
    int end = 0;             // where the next tile stops
    bool mergeable = false;  // whether the previous tile may still merge
    for (std::int8_t from : line) {
      if (from == kNone) return;
      const std::uint8_t tile = p.cells[from];
      if (tile == 0) continue;
      p.cells[from] = 0;
      if (mergeable && p.cells[line[end - 1]] == tile) {
        p.cells[line[end - 1]] = tile + 1;
        p.score += 2 << tile;
        mergeable = false;
      } else {
        p.cells[line[end++]] = tile;
        mergeable = true;
      }
    }
  }

  // True if a move changes anything: a tile follows an empty cell or an equal tile.
  bool Changes(const Position& p, int move) const {
    for (const Line& line : lines_[move]) {
      for (int place = 1; place < kSide && line[place] != kNone; ++place) {
        const std::uint8_t tile = p.cells[line[place]], next = p.cells[line[place - 1]];
        if (tile != 0 && (next == 0 || next == tile)) return true;
      }
    }
    return false;
  }

  // True if no move changes anything, after a new tile.
  bool Over(const Position& p) const {
    if (std::ranges::any_of(board_, [&](int cell) { return p.cells[cell] == 0; })) return false;
    return !Changes(p, kUp) && !Changes(p, kLeft);
  }

  int rows_, columns_;
  std::vector<int> board_;  // the cells on the board
  std::array<std::array<Line, kSide>, 4> lines_;
  std::array<std::vector<int>, 8> paths_;
  std::array<double, kCells> weights_{};
};

}  // namespace starspiel
