// The options of a search, and what it counts.
#pragma once

#include "standard.hpp"

namespace starspiel {

inline constexpr int kEveryMove = std::numeric_limits<int>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Slack around the windows passed to a chance node's successors, relative to the bounds if they exceed +-1.
inline constexpr double kSlack = 1e-9;
// Tolerance of cut-offs: a sum of probabilities that should be 1 misses it by a few 1e-17.
inline constexpr double kCutTolerance = 1e-12;
// Stands for no player, in options that name one.
inline constexpr int kNobody = -9;
// Values closer than this are ties, relative to the greatest of them if that exceeds 1.
inline constexpr double kTieTolerance = 1e-9;

// A move by its index, with an estimate of its value to player 0.
struct Order {
  int index;
  double score;
};

// Sorts the moves, best for the player first; stable.
inline void SortMoves(std::vector<Order>& moves, int player) {
  static constexpr std::size_t kFew = 16;
  const auto before = [player](const Order& a, const Order& b) {
    return player == 0 ? a.score > b.score : a.score < b.score;
  };
  if (moves.size() > kFew) {
    std::stable_sort(moves.begin(), moves.end(), before);
    return;
  }
  for (auto next = moves.begin(); next != moves.end(); ++next) {  // std::stable_sort allocates memory
    std::rotate(std::upper_bound(moves.begin(), next, *next, before), next, next + 1);
  }
}

// Below the root, moves with one of the `most` best values are searched if they are within `margin` of the best. One
// ply above the horizon, `last_most` and `last_margin` apply to the small evaluator's values. The caller filters the
// root's moves: agents/search/move_filters.py.
struct Filter {
  int most;
  double margin;
  int last_most;  // 0: all
  double last_margin;
};

// Predicts a chance node's value one ply deeper, and how far beyond the window it must be for a cut-off:
// agents/search/probcut.py.
struct DepthFit {
  double slope;
  double offset;
  double margin;
};

struct Options {
  bool prune = true;  // false: expectiminimax
  int probes = 1;     // moves of each successor to probe; 0 is Star1
  // With ordering on, chance nodes closer to the horizon are not probed: listing, valuing and ordering a successor's
  // moves there costs as much as searching it. Measured by benchmarks/probing.py.
  int probe_depth = 2;
  double lower = -kInfinity;  // bounds on every value in the tree
  double upper = kInfinity;
  double value_lower = -kInfinity;  // the evaluator's declared range
  double value_upper = kInfinity;
  std::optional<bool> merge = false;  // nullopt: merge if it pays
  bool order = false;
  std::size_t table_bytes = 0;
  int threads = 1;    // used if the table is on and the evaluator supports several threads
  bool batch = true;  // whether to evaluate in batches, if the evaluator prefers it
  // The player who moves by `policy`: the probabilities of the legal actions at the end of a path; without a policy all
  // are equally likely.
  int opponent = kNobody;
  std::function<std::vector<double>(const std::vector<int>& path)> policy;
  std::optional<Filter> filter = std::nullopt;
  std::vector<DepthFit> fits = {};  // for depth 2, 3, and so on; empty: no speculative cuts of chance nodes
  // For games of several players (several.hpp): the player whose return counts, against all others. With `maxn`, each
  // player maximises their own return; then `lower` and `upper` bound each return, and `total` their sum.
  int perspective = kNobody;
  bool maxn = false;
  double total = kInfinity;
};

struct Counters {
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  std::int64_t horizon = 0;  // values from the evaluator, directly or through the table
  std::int64_t decision_cutoffs = 0;
  std::int64_t chance_cutoffs = 0;
  std::int64_t probes = 0;
  std::int64_t probes_won = 0;
  std::int64_t unprobed = 0;  // chance nodes that Star2 left to Star1 without probing
  std::int64_t table_hits = 0;
  std::int64_t merged_outcomes = 0;
  std::int64_t merged_moves = 0;
  std::int64_t filtered_moves = 0;
  std::int64_t probcuts = 0;
  std::int64_t batches = 0;  // batches sent to the evaluator
  // Outcomes listed at chance nodes, and how many of them at nodes searched before to the same depth.
  std::int64_t outcomes = 0;
  std::int64_t outcomes_again = 0;

  Counters& operator+=(const Counters& other);
};

inline constexpr std::pair<const char*, std::int64_t Counters::*> kCounters[] = {
    {"nodes", &Counters::nodes},
    {"leaves", &Counters::leaves},
    {"horizon", &Counters::horizon},
    {"decision_cutoffs", &Counters::decision_cutoffs},
    {"chance_cutoffs", &Counters::chance_cutoffs},
    {"probes", &Counters::probes},
    {"probes_won", &Counters::probes_won},
    {"unprobed", &Counters::unprobed},
    {"table_hits", &Counters::table_hits},
    {"merged_outcomes", &Counters::merged_outcomes},
    {"merged_moves", &Counters::merged_moves},
    {"filtered_moves", &Counters::filtered_moves},
    {"probcuts", &Counters::probcuts},
    {"batches", &Counters::batches},
    {"outcomes", &Counters::outcomes},
    {"outcomes_again", &Counters::outcomes_again},
};

inline Counters& Counters::operator+=(const Counters& other) {
  for (const auto& [name, count] : kCounters) this->*count += other.*count;
  return *this;
}

}  // namespace starspiel
