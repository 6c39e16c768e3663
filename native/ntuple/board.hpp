// Boards of the game 2048 in 64 bits: four bits per cell hold log2 of its tile, 0 for none.
#pragma once

#include "standard.hpp"

namespace starspiel::ntuple {

// Cell (row, column) has the four bits from 4 * (4 * row + column) up; cells outside a smaller board are 0.
using Board = std::uint64_t;

inline constexpr int kSide = 4;
inline constexpr int kCells = kSide * kSide;
// The greatest tile that fits, as a logarithm: 32768. Two of these do not merge here.
inline constexpr int kGreatest = 15;

constexpr Board Transposed(Board b) {
  const Board a = (b & 0xF0F00F0FF0F00F0Fu) | (b & 0x0000F0F00000F0F0u) << 12 | (b & 0x0F0F00000F0F0000u) >> 12;
  return (a & 0xFF00FF0000FF00FFu) | (a & 0x00FF00FF00000000u) >> 24 | (a & 0x00000000FF00FF00u) << 24;
}

constexpr Board ColumnsReversed(Board b) {
  b = (b & 0x0F0F0F0F0F0F0F0Fu) << 4 | (b >> 4 & 0x0F0F0F0F0F0F0F0Fu);
  return (b & 0x00FF00FF00FF00FFu) << 8 | (b >> 8 & 0x00FF00FF00FF00FFu);
}

constexpr Board RowsReversed(Board b) {
  b = (b & 0x0000FFFF0000FFFFu) << 16 | (b >> 16 & 0x0000FFFF0000FFFFu);
  return b << 32 | b >> 32;
}

// The results of sliding a row of 4 cells, of which the first `length` are on the board, to either end.
class RowMoves {
 public:
  explicit RowMoves(int length) {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      std::array<int, kSide> tiles{}, back{};
      for (int cell = 0; cell < length; ++cell) {
        tiles[cell] = row >> 4 * cell & 15;
        back[length - 1 - cell] = tiles[cell];
      }
      Moved& moved = moved_[row];
      moved.points = Slide(tiles, length);
      Slide(back, length);
      for (int cell = 0; cell < length; ++cell) {
        moved.left |= tiles[cell] << 4 * cell;
        moved.right |= back[length - 1 - cell] << 4 * cell;
      }
    }
  }

  // Stored together, so that a lookup reads memory once.
  struct Moved {
    std::uint16_t left = 0, right = 0;
    std::uint32_t points = 0;  // for the merges; the same towards either end
  };
  const Moved& operator[](std::uint16_t row) const { return moved_[row]; }

 private:
  static constexpr std::uint32_t kRows = 1 << 16;
  std::array<Moved, kRows> moved_{};

  static std::uint32_t Slide(std::array<int, kSide>& tiles, int length) {
    std::uint32_t points = 0;
    int end = 0;
    bool mergeable = false;  // whether the tile before `end` may still merge
    for (int cell = 0; cell < length; ++cell) {
      const int tile = tiles[cell];
      if (tile == 0) continue;
      tiles[cell] = 0;
      if (mergeable && tiles[end - 1] == tile && tile < kGreatest) {
        tiles[end - 1] = tile + 1;
        points += 2u << tile;
        mergeable = false;
      } else {
        tiles[end++] = tile;
        mergeable = true;
      }
    }
    return points;
  }
};

// Moves and symmetries of boards of 1 to 4 rows and columns.
class Geometry {
 public:
  Geometry(int rows, int columns) : rows_(rows), columns_(columns) {
    if (rows < 1 || rows > kSide || columns < 1 || columns > kSide) {
      throw std::invalid_argument("expected 1 to 4 rows and columns");
    }
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) cells_ |= Board{15} << 4 * (kSide * row + column);
    }
    along_ = std::make_shared<RowMoves>(columns);
    across_ = rows == columns ? along_ : std::make_shared<RowMoves>(rows);
  }

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  // The number of rotations and reflections of the board.
  int symmetries() const { return rows_ == columns_ ? 8 : 4; }

  // Writes all symmetric views of the board, the identity first.
  void Seen(Board b, Board* boards) const {
    boards[0] = b;
    boards[1] = ColumnsReversed(b) >> 4 * (kSide - columns_);
    boards[2] = RowsReversed(b) >> 16 * (kSide - rows_);
    boards[3] = RowsReversed(boards[1]) >> 16 * (kSide - rows_);
    if (rows_ != columns_) return;
    for (int way = 0; way < 4; ++way) boards[4 + way] = Transposed(boards[way]);
  }

  struct Moved {
    Board board;
    std::uint32_t points;
  };
  // The boards after up, right, down and left; a move that changes nothing is illegal.
  std::array<Moved, 4> Moves(Board b) const {
    std::array<Moved, 4> moved{};
    const Board t = Transposed(b);
    for (int line = 0; line < kSide; ++line) {
      const RowMoves::Moved row = (*along_)[static_cast<std::uint16_t>(b >> 16 * line)];
      const RowMoves::Moved column = (*across_)[static_cast<std::uint16_t>(t >> 16 * line)];
      moved[0].board |= Board{column.left} << 16 * line;
      moved[1].board |= Board{row.right} << 16 * line;
      moved[2].board |= Board{column.right} << 16 * line;
      moved[3].board |= Board{row.left} << 16 * line;
      moved[0].points += column.points;
      moved[1].points += row.points;
    }
    moved[2].points = moved[0].points;
    moved[3].points = moved[1].points;
    moved[0].board = Transposed(moved[0].board);
    moved[2].board = Transposed(moved[2].board);
    return moved;
  }

  // Adds a tile to an empty cell, drawn by the 64-bit generator `random`: a 2 in 9 of 10 cases, otherwise a 4.
  template <class Random>
  Board WithTile(Board b, Random& random) const {
    Board empty = ~(b | b >> 1 | b >> 2 | b >> 3) & cells_ & 0x1111111111111111u;
    const std::uint64_t drawn = random();
    auto skip = static_cast<int>((drawn >> 32) * static_cast<std::uint64_t>(std::popcount(empty)) >> 32);
    for (; skip > 0; --skip) empty &= empty - 1;
    const bool four = static_cast<std::uint32_t>(drawn) < 429496730u;  // a tenth of 2^32
    return b | (empty & (~empty + 1)) << (four ? 1 : 0);
  }

 private:
  int rows_, columns_;
  Board cells_ = 0;
  std::shared_ptr<const RowMoves> along_, across_;
};

}  // namespace starspiel::ntuple
