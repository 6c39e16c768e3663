// How a search goes about it, and what it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace starspiel {

inline constexpr int kEveryMove = std::numeric_limits<int>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Slack around the windows handed to a chance node's successors, relative to the bounds where they are beyond +-1.
inline constexpr double kSlack = 1e-9;
// Cut-offs forgive this much: a sum of probabilities that is 1 on paper misses it by a few 1e-17.
inline constexpr double kCutTolerance = 1e-12;
// The player whose moves are modelled where none are.
inline constexpr int kNobody = -9;
// Values nearer than this are ties; where values are greater than 1, relative to the greatest of them.
inline constexpr double kTieTolerance = 1e-9;

struct Options {
  bool prune = true;          // false: expectiminimax
  int probes = 1;             // moves of each successor to probe; 0 is Star1
  // With ordering on, chance nodes nearer to the horizon are not probed: to list, value and order a successor's
  // moves costs as much there as to search it. Measured by benchmarks/probing.py.
  int probe_depth = 2;
  double lower = -kInfinity;  // bounds on every value in the tree
  double upper = kInfinity;
  double value_lower = -kInfinity;  // the evaluator's declared range
  double value_upper = kInfinity;
  std::optional<bool> merge = false;  // without a value, where it pays
  bool order = false;
  std::size_t table_bytes = 0;
  int threads = 1;    // where the table is on and the evaluator can be asked by several at once
  bool batch = true;  // whether values are asked for together, where the evaluator likes that
  // The player who makes its best move but for errors at this rate, which are moves by `policy`: the probabilities of
  // the legal actions of the node that a path leads to; where there is none all are as likely.
  int opponent = kNobody;
  double error = 1.0;
  std::function<std::vector<double>(const std::vector<int>& path)> policy;
  // How many plies beyond the horizon a line is searched on where its position is not quiet: by the model, or by `quiet`
  // of the path that leads there.
  int extension = 0;
  std::function<bool(const std::vector<int>& path)> quiet;
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
  std::int64_t batches = 0;  // how often the evaluator was asked for values together
  // Outcomes listed at chance nodes, and those of them at nodes that were searched before, to the same depth.
  std::int64_t outcomes = 0;
  std::int64_t outcomes_again = 0;

  Counters& operator+=(const Counters& other) {
    nodes += other.nodes;
    leaves += other.leaves;
    horizon += other.horizon;
    decision_cutoffs += other.decision_cutoffs;
    chance_cutoffs += other.chance_cutoffs;
    probes += other.probes;
    probes_won += other.probes_won;
    unprobed += other.unprobed;
    table_hits += other.table_hits;
    merged_outcomes += other.merged_outcomes;
    merged_moves += other.merged_moves;
    batches += other.batches;
    outcomes += other.outcomes;
    outcomes_again += other.outcomes_again;
    return *this;
  }
};

}  // namespace starspiel
