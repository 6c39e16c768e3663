// The Royal Game of Ur solved whole: the value of every position in which somebody is to throw, by modified policy
// iteration (Puterman and Shin 1978): now and then a sweep looks at all moves and notes the best of each throw, and
// the sweeps between follow these alone, which costs a thirtieth.
//
// A position is seen from whoever is to throw. Pieces that are home stay there, so positions with as many home on both
// sides, either way round, form a layer, which is solved when those with more home are. Within a layer those where the
// pieces have come farther come first in a sweep: only a capture leads to one that the sweep has not yet come to.
#pragma once

#include "../models/royal_game_of_ur.hpp"

namespace starspiel {

// The places of these positions in a table: rank and unrank.
class UrPlaces {
 public:
  using Position = RoyalGameOfUrModel::Position;
  using Layer = std::pair<int, int>;  // pieces home, of one side and of the other; the first has no fewer

  explicit UrPlaces(int pieces);

  // How many positions there are, for one side to throw, without those in which somebody has won.
  std::int64_t positions() const { return ranges_.back().second; }
  // In the order in which they can be solved.
  const std::vector<Layer>& layers() const { return layers_; }
  // Where the positions of so many pieces home begin and end, own first.
  std::pair<std::int64_t, std::int64_t> Range(int home, int other_home) const;

  // Where the position stands; it must be one in which somebody is to throw and nobody has won.
  std::int64_t Index(const Position& position) const;

 protected:
  static constexpr int kPrivate = 64;   // sets of the squares 1-4, 13 and 14
  static constexpr int kShared = 6561;  // who is where on the squares 5-12
  static constexpr int kFarthest = 1 + 2 + 3 + 4 + 13 + 14;

  std::size_t TableOf(int home, int other_home) const { return static_cast<std::size_t>(home * pieces_ + other_home); }
  Position At(int home, int other_home, int shared, int own, int other) const;

  int pieces_;
  std::vector<Layer> layers_;
  int rank_[kPrivate];                          // by how many squares are taken, then by the set
  int up_to_[9];                                // sets with so many squares taken, or fewer
  std::vector<std::vector<int>> by_distance_;   // sets by the sum of their squares
  std::vector<int> shared_own_, shared_other_;  // by number: bits of squares 5-12
  std::vector<int> swapped_, shared_distance_;
  int farthest_;                   // that the pieces of both can have come
  int ternary_[256], taken_[256];  // by the bits of one side: its part of the number, how many there are
  std::vector<std::vector<std::int64_t>> begins_;  // by table and shared squares; -1 if there are too many pieces
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;
};

class UrSolver : public UrPlaces {
 public:
  // From any position of Finkel's rules, which alone the table is for.
  explicit UrSolver(const RulesPosition& state);

  // By index: expected returns of whoever is to throw, and the expected number of
  // throws until the end.
  std::span<double> values() { return std::span(values_).first(static_cast<std::size_t>(positions())); }
  std::span<double> throws() { return std::span(throws_).first(static_cast<std::size_t>(positions())); }

  // Each backs every position of a layer up once, on so many threads, with the same numbers for any number of them,
  // and returns the greatest change. The first takes the best moves by the values, and notes them; the others, the
  // moves that were noted when the layer was last improved.
  double Improve(int layer, int threads);
  double Evaluate(int layer, int threads);
  double EvaluateThrows(int layer, int threads);

 private:
  static constexpr int kParts = 64;  // of a level, for threads to take

  // Where a throw's best move leads: an index, with the highest bit set if the other side is to throw.
  using Next = std::uint32_t;
  static constexpr Next kOthersThrow = 1u << 31;
  static constexpr Next kPass = ~0u;

  struct Backed {
    double sum;   // of what moves bring, times their throws' chances
    double pass;  // the chance that nothing can move
  };

  // Has work(level, part) done for all parts of each level, the farthest level first; returns the greatest of what
  // it returns.
  template <class Work>
  double SweepLevels(int threads, const Work& work);
  double ImprovePart(int home, int other_home, int level, int part);
  template <bool kThrows>
  double EvaluatePart(int level, int part);
  Backed Best(const Position& position, std::vector<int>& actions, std::vector<Next>& noted) const;
  // The numbers of two positions of which each is what a pass in the other leads to.
  template <bool kThrows>
  double Settle(std::size_t index, std::size_t back, const Backed& one, const Backed& two);
  Next Place(const Position& next, int mover) const;
  double Value(Next next) const;

  int dice_;
  RoyalGameOfUrModel model_;
  std::vector<Outcome> throws_of_dice_;
  std::vector<double> values_;  // and throws_: one place more for the end
  std::vector<double> throws_;
  // The moves that were noted, by level and part: of each two positions their indices, then of each where its throws
  // of 1, 2, ... lead.
  std::vector<std::vector<Next>> noted_;
  int noted_layer_ = -1;
};

}  // namespace starspiel
