// A complete solution of the Royal Game of Ur: the value of every position in which a player is to throw, by modified
// policy iteration (Puterman and Shin 1978). An occasional sweep looks at all moves and notes the best for each throw;
// the sweeps between follow only these, at a thirtieth of the cost.
//
// A position is seen by the player to throw. Pieces that are home stay there, so the positions with given numbers of
// pieces home, for either side, form a layer, which is solved after those with more home. Within a layer, a sweep
// visits positions whose pieces have advanced farther first: only a capture leads to one that it has not yet visited.
#pragma once

#include "../models/royal_game_of_ur.hpp"

namespace starspiel {

// Maps these positions to table indices and back.
class UrPlaces {
 public:
  using Position = RoyalGameOfUrModel::Position;
  using Layer = std::pair<int, int>;  // pieces home, of one side and the other; the first is not smaller

  explicit UrPlaces(int pieces);

  // The number of positions with one side to throw, except those in which a player has won.
  std::int64_t positions() const { return ranges_.back().second; }
  // In solving order.
  const std::vector<Layer>& layers() const { return layers_; }
  // Where the positions with these numbers of pieces home, own first, begin and end.
  std::pair<std::int64_t, std::int64_t> Range(int home, int other_home) const;

  // The index of a position; a player must be to throw, and nobody may have won.
  std::int64_t Index(const Position& position) const;

 protected:
  static constexpr int kPrivate = 64;   // sets of the squares 1-4, 13 and 14
  static constexpr int kShared = 6561;  // occupancy of the squares 5-12
  static constexpr int kFarthest = 1 + 2 + 3 + 4 + 13 + 14;

  std::size_t TableOf(int home, int other_home) const { return static_cast<std::size_t>(home * pieces_ + other_home); }
  Position At(int home, int other_home, int shared, int own, int other) const;

  int pieces_;
  std::vector<Layer> layers_;
  int rank_[kPrivate];                          // sorted by the number of squares taken, then by the set
  int up_to_[9];                                // the number of sets with at most this many squares taken
  std::vector<std::vector<int>> by_distance_;   // sets by the sum of their squares
  std::vector<int> shared_own_, shared_other_;  // by index: bits of squares 5-12
  std::vector<int> swapped_, shared_distance_;
  int farthest_;                   // the greatest total advance of both sides' pieces
  int ternary_[256], taken_[256];  // by one side's bits: its part of the index, and the number of pieces
  std::vector<std::vector<std::int64_t>> begins_;  // by table and shared squares; -1: too many pieces
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;
};

class UrSolver : public UrPlaces {
 public:
  // From any position of Finkel's rules, the only ones supported by the table.
  explicit UrSolver(const RulesPosition& state);

  // By index: the expected return of the player to throw, and the expected number of throws until the end.
  std::span<double> values() { return std::span(values_).first(static_cast<std::size_t>(positions())); }
  std::span<double> throws() { return std::span(throws_).first(static_cast<std::size_t>(positions())); }

  // Each backs up every position of a layer once on `threads` threads, with the same results for any number of them,
  // and returns the greatest change. Improve takes the best moves by the values and notes them; the others follow the
  // moves noted when the layer was last improved.
  double Improve(int layer, int threads);
  double Evaluate(int layer, int threads);
  double EvaluateThrows(int layer, int threads);

 private:
  static constexpr int kParts = 64;  // per level, to divide among threads

  // Where a throw's best move leads: an index, with the highest bit set if the other side throws next.
  using Next = std::uint32_t;
  static constexpr Next kOthersThrow = 1u << 31;
  static constexpr Next kPass = ~0u;

  struct Backed {
    double sum;   // of the moves' values, weighted by their throws' probabilities
    double pass;  // the probability that nothing can move
  };

  // Runs work(level, part) for all parts of each level, the farthest level first; returns the greatest of its results.
  template <class Work>
  double SweepLevels(int threads, const Work& work);
  double ImprovePart(int home, int other_home, int level, int part);
  template <bool kThrows>
  double EvaluatePart(int level, int part);
  Backed Best(const Position& position, std::vector<int>& actions, std::vector<Next>& noted) const;
  // Settles two positions, each the result of a pass in the other.
  template <bool kThrows>
  double Settle(std::size_t index, std::size_t back, const Backed& one, const Backed& two);
  Next Place(const Position& next, int mover) const;
  double Value(Next next) const;

  int dice_;
  RoyalGameOfUrModel model_;
  std::vector<Outcome> throws_of_dice_;
  std::vector<double> values_;  // like throws_, with one more entry for the end
  std::vector<double> throws_;
  // The noted moves, by level and part: for each pair of positions their indices, then where the throws of 1, 2, ...
  // lead from each.
  std::vector<std::vector<Next>> noted_;
  int noted_layer_ = -1;
};

}  // namespace starspiel
