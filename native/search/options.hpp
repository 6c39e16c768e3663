// How a search goes about it, and what it counts.
#pragma once

#include "standard.hpp"

namespace starspiel {

inline constexpr int kEveryMove = std::numeric_limits<int>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Slack around the windows handed to a chance node's successors, relative to the bounds if they are beyond +-1.
inline constexpr double kSlack = 1e-9;
// Cut-offs forgive this much: a sum of probabilities that is 1 on paper misses it by a few 1e-17.
inline constexpr double kCutTolerance = 1e-12;
// The player whose moves are modelled if none are.
inline constexpr int kNobody = -9;
// Values nearer than this are ties; if values are greater than 1, relative to the greatest of them.
inline constexpr double kTieTolerance = 1e-9;

// A move by its number, with what it may be worth to player 0.
struct Order {
  int index;
  double score;
};

// The best for the player first, equal ones as they were.
inline void SortMoves(std::vector<Order>& moves, int player) {
  static constexpr std::size_t kFew = 16;
  const auto before = [player](const Order& a, const Order& b) {
    return player == 0 ? a.score > b.score : a.score < b.score;
  };
  if (moves.size() > kFew) {
    std::stable_sort(moves.begin(), moves.end(), before);
    return;
  }
  for (auto next = moves.begin(); next != moves.end(); ++next) {  // std::stable_sort asks for memory
    std::rotate(std::upper_bound(moves.begin(), next, *next, before), next, next + 1);
  }
}

// Below the root the moves of so many best values are searched, if they are within `margin` of the best; one ply above
// the horizon `last_most` and `last_margin` say so, by the evaluator's small one. Who calls filters the
// root's: agents/search/move_filters.py.
struct Filter {
  int most;
  double margin;
  int last_most;  // 0: all
  double last_margin;
};

// How the value of a chance node changes with one ply more, and how far it must be beyond a window to be cut off:
// agents/search/probcut.py.
struct DepthFit {
  double slope;
  double offset;
  double margin;
};

struct Options {
  bool prune = true;  // false: expectiminimax
  int probes = 1;     // moves of each successor to probe; 0 is Star1
  // With ordering on, chance nodes nearer to the horizon are not probed: to list, value and order a successor's
  // moves costs as much there as to search it. Measured by benchmarks/probing.py.
  int probe_depth = 2;
  double lower = -kInfinity;  // bounds on every value in the tree
  double upper = kInfinity;
  double value_lower = -kInfinity;  // the evaluator's declared range
  double value_upper = kInfinity;
  std::optional<bool> merge = false;  // without a value, if it pays
  bool order = false;
  std::size_t table_bytes = 0;
  int threads = 1;    // if the table is on and the evaluator can be asked by several at once
  bool batch = true;  // whether values are asked for together, if the evaluator likes that
  // The player who moves by `policy`: the probabilities of the legal actions of the node that a path leads to; if there
  // is none all are as likely.
  int opponent = kNobody;
  std::function<std::vector<double>(const std::vector<int>& path)> policy;
  std::optional<Filter> filter = std::nullopt;
  std::vector<DepthFit> fits = {};  // of depth 2, 3, and so on; without any no chance node is cut by them
  // Of games of several players (several.hpp): the player whose return counts, against all others; or, if `maxn`,
  // everybody's counts for themselves. Then `lower` and `upper` are bounds on each return, and `total` on their sum.
  int perspective = kNobody;
  bool maxn = false;
  double total = kInfinity;
};

struct Counters {
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  std::int64_t horizon = 0;  // values that come from the evaluator, directly or through the table
  std::int64_t decision_cutoffs = 0;
  std::int64_t chance_cutoffs = 0;
  std::int64_t probes = 0;
  std::int64_t probes_won = 0;
  std::int64_t unprobed = 0;  // chance nodes that Star2 left to Star1 by its rule
  std::int64_t table_hits = 0;
  std::int64_t merged_outcomes = 0;
  std::int64_t merged_moves = 0;
  std::int64_t filtered_moves = 0;
  std::int64_t probcuts = 0;
  std::int64_t batches = 0;  // how often the evaluator was asked for values together
  // Outcomes listed at chance nodes, and those of them at nodes that were searched before, to the same depth.
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
