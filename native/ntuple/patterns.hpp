// Where an n-tuple network looks on the board: patterns of cells, in every symmetry of the board.
#pragma once

#include <stdexcept>
#include <string>

#include "board.hpp"

namespace starspiel::ntuple {

// The maximum number of cells in a pattern, and of lookups for a board: patterns times symmetries.
inline constexpr int kMostCells = 7;
inline constexpr int kMostLookups = 128;

// How to extract the content of a pattern's cells from a board, and where its weights begin.
struct PatternTable {
  // Adjacent cells, and how far their bits are shifted down.
  struct Piece {
    Board cells = 0;
    int shift = 0;
  };
  Piece pieces[kMostCells];
  int count = 0;
  std::size_t offset = 0;
};

// The indices of the weights for eight views of a board, or for four if not `all`.
void FindPlaces(const Board* seen, const std::vector<PatternTable>& tables, bool all, std::uint32_t* places);

// Consecutive tables hold a weight for each content of a pattern's cells: 16 ^ cells of them.
class Patterns {
 public:
  // Cells are numbered 4 * row + column and ascend. Throws std::invalid_argument if one is not on the board.
  Patterns(int rows, int columns, std::vector<std::vector<int>> cells)
      : geometry_(rows, columns), cells_(std::move(cells)) {
    for (const std::vector<int>& pattern : cells_) {
      if (pattern.empty() || pattern.size() > kMostCells)
        throw std::invalid_argument("expected 1 to 7 cells a pattern");
      if (!std::ranges::is_sorted(pattern, std::ranges::less_equal())) {
        throw std::invalid_argument("the cells of a pattern must ascend");
      }
      if (!std::ranges::all_of(pattern, [&](int c) { return c >= 0 && c / kSide < rows && c % kSide < columns; })) {
        throw std::invalid_argument("a pattern has a cell outside the board");
      }
      tables_.push_back(Pieces(pattern));
      tables_.back().offset = size_;
      size_ += std::size_t{1} << 4 * pattern.size();
    }
    if (cells_.empty() || lookups() > kMostLookups) {
      throw std::invalid_argument("expected at least one pattern, and at most " + std::to_string(kMostLookups) +
                                  " with their symmetries");
    }
  }

  const Geometry& geometry() const { return geometry_; }
  const std::vector<std::vector<int>>& cells() const { return cells_; }
  // The number of weights in all tables.
  std::size_t size() const { return size_; }
  // The number of lookups for a board.
  int lookups() const { return geometry_.symmetries() * static_cast<int>(tables_.size()); }

  // The indices of a board's weights, `lookups` of them, by pattern and then by symmetry.
  void Places(Board board, std::uint32_t* places) const {
    Board seen[8]{};
    geometry_.Seen(board, seen);
    FindPlaces(seen, tables_, geometry_.symmetries() == 8, places);
  }

 private:
  // A pattern's first cell takes the lowest bits of its content.
  static PatternTable Pieces(const std::vector<int>& pattern) {
    PatternTable table;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (i == 0 || pattern[i] != pattern[i - 1] + 1) ++table.count;
      PatternTable::Piece& piece = table.pieces[table.count - 1];
      piece.cells |= Board{15} << 4 * pattern[i];
      piece.shift = 4 * (pattern[i] - static_cast<int>(i));
    }
    return table;
  }

  Geometry geometry_;
  std::vector<std::vector<int>> cells_;
  std::vector<PatternTable> tables_;
  std::size_t size_ = 0;
};

}  // namespace starspiel::ntuple
