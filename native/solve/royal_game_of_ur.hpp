// The Royal Game of Ur solved whole: the value of every position where somebody is to throw, by value iteration.
//
// A position is seen from whoever is to throw. Pieces that are home stay there, so positions with as many home on both
// sides, either way round, form a layer, which is solved when those with more home are. Within a layer those where the
// pieces have come farther come first in a sweep: only a capture leads to one that the sweep has not yet come to.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../models/royal_game_of_ur.hpp"

namespace starspiel {

class UrSolver {
 public:
  using Position = RoyalGameOfUrModel::Position;
  using Layer = std::pair<int, int>;  // pieces home, of one side and of the other; the first has no fewer

  UrSolver(int pieces, int dice);

  // How many positions there are, for one side to throw, without those where somebody has won.
  std::int64_t positions() const { return static_cast<std::int64_t>(values_.size()); }
  // In the order in which they can be solved.
  const std::vector<Layer>& layers() const { return layers_; }
  // Where the positions of so many pieces home begin and end, own first.
  std::pair<std::int64_t, std::int64_t> Range(int home, int other_home) const;

  // Where the position stands; it must be one where somebody is to throw and nobody has won.
  std::int64_t Index(const Position& position) const;

  // By index: expected returns of whoever is to throw, and the expected number of throws until the end.
  std::vector<double>& values() { return values_; }
  std::vector<float>& throws() { return throws_; }

  // Backs every position of a layer up once, on so many threads; the same numbers with any number of them. Returns
  // the greatest change of a value, or of a number of throws under the best moves by the values.
  double Sweep(int layer, int threads);
  double SweepThrows(int layer, int threads);

 private:
  static constexpr int kPrivate = 64;   // sets of the squares 1-4, 13 and 14
  static constexpr int kShared = 6561;  // who is where on the squares 5-12
  static constexpr int kFarthest = 1 + 2 + 3 + 4 + 13 + 14;

  struct Backed {
    double sum;   // of what moves bring, times their throws' chances
    double pass;  // the chance that nothing can move
  };

  template <bool kThrows>
  double SweepLayer(int layer, int threads);
  template <bool kThrows>
  double SweepTable(int home, int other_home, int distance, int thread, int threads, std::vector<int>& actions);
  template <bool kThrows>
  Backed Back(const Position& position, std::vector<int>& actions) const;
  double Value(const Position& next, int player) const;
  double Throws(const Position& next) const;
  std::size_t TableOf(int home, int other_home) const {
    return static_cast<std::size_t>(home * pieces_ + other_home);
  }
  Position At(int home, int other_home, int shared, int own, int other) const;

  int pieces_;
  int dice_;
  RoyalGameOfUrModel model_;
  std::vector<Outcome> throws_of_dice_;
  std::vector<Layer> layers_;
  int rank_[kPrivate];                             // by how many squares are taken, then by the set
  int up_to_[9];                                   // sets with so many squares taken, or fewer
  std::vector<std::vector<int>> by_distance_;      // sets by the sum of their squares
  std::vector<int> shared_own_, shared_other_;     // by number: bits of squares 5-12
  std::vector<int> swapped_, shared_distance_;
  int ternary_[256], taken_[256];  // by the bits of one side: its part of the number, how many there are
  std::vector<std::vector<std::int64_t>> begins_;  // by table and shared squares; -1 where there are too many pieces
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;
  std::vector<double> values_;
  std::vector<float> throws_;
};

}  // namespace starspiel
