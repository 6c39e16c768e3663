// Expectiminimax, Star1 and Star2 over a model (model.hpp): the same as agents/search/expectiminimax.py and
// star.py, node for node while merging, ordering and the table are off.
//
// Values are player 0's. Windows are fail-soft: a value inside (alpha, beta) is exact, one at or below alpha
// is an upper bound of the true value, one at or above beta a lower bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "model.hpp"
#include "stack.hpp"
#include "table.hpp"

namespace open_spiel {
class State;
}

namespace starspiel {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Slack around the windows handed to a chance node's successors, relative to the bounds where they are beyond +-1.
inline constexpr double kSlack = 1e-9;
// Cut-offs forgive this much: a sum of probabilities that is 1 on paper misses it by a few 1e-17.
inline constexpr double kCutTolerance = 1e-12;
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
  bool merge = false;
  bool order = false;
  std::size_t table_bytes = 0;
  bool deeper = false;  // whether an entry of a deeper search holds too
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
};

// An evaluator. `path` leads from the root to `position`, for those that must build the state itself.
template <class Position>
class Leaf {
 public:
  virtual ~Leaf() = default;
  virtual double Value(const Position& position, const std::vector<int>& path) = 0;
  // Called before each search, for those that go by the path.
  virtual void Start(const open_spiel::State&) {}
  // Called before each search, for those that take long and must look at the clock themselves.
  virtual void Watch(Budget&) {}
  // Whether a value is so cheap that the clock need not be read after it.
  virtual bool cheap() const = 0;
  // Whether Guess may be asked, to order moves by.
  virtual bool guesses() const { return cheap(); }
  // What `position` may be worth, found cheaply.
  virtual double Guess(const Position& position, const std::vector<int>& path) { return Value(position, path); }
};

template <class Model>
class Search {
 public:
  using Position = typename Model::Position;

  Search(const Model& model, Leaf<Position>& leaf, const Options& options)
      : model_(model), leaf_(leaf), options_(options) {
    bounded_ = options.prune && std::isfinite(options.lower) && std::isfinite(options.upper);
    slack_ = kSlack * std::max({1.0, std::abs(options.lower), std::abs(options.upper)});
    if constexpr (Model::kKeyed) {
      merge_ = options.merge;
      order_ = options.order && options.prune;
      if (options.table_bytes > 0) table_ = std::make_unique<Table<Position>>(options.table_bytes, options.deeper);
    }
  }

  // Searches the actions of a decision node, each to `depth` - 1, and appends (action, value) for those whose
  // value is exact. With `share`, an action's window starts a little below the best so far: ties are still
  // seen, and what is proven worse is left out. What was appended survives a BudgetSpent.
  void Root(const Position& root, int depth, bool share, Budget& budget,
            std::vector<std::pair<int, double>>& values) {
    budget_ = &budget;
    leaf_.Watch(budget);
    path_.clear();
    actions_.clear();
    moves_.Shrink(0);
    chances_.Shrink(0);
    ++counters_.nodes;
    budget_->Visit(counters_.nodes);
    const int player = model_.Player(root);
    model_.Actions(root, actions_);
    const std::size_t count = actions_.size();
    std::vector<Position> children(count);
    std::vector<Order> turns(count);
    for (std::size_t i = 0; i < count; ++i) {
      children[i] = model_.Child(root, actions_[i]);
      budget_->ReadClock();
      turns[i] = {static_cast<int>(i), 0.0};
    }
    if (order_ && depth >= 2 && leaf_.guesses()) {
      for (std::size_t i = 0; i < count; ++i) turns[i].score = StaticValue(children[i]);
      SortMoves(turns.begin(), turns.end(), player);
    }
    std::vector<double> value_of(count, std::numeric_limits<double>::quiet_NaN());
    double alpha = -kInfinity, beta = kInfinity;
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t i = static_cast<std::size_t>(turns[turn].index);
      if constexpr (Model::kKeyed) {
        if (merge_) {
          std::size_t twin = 0;
          while (twin < turn && !Equal(children[turns[twin].index], children[i])) ++twin;
          if (twin < turn) {  // Moves that lead to the same position have the same value.
            ++counters_.merged_moves;
            value_of[i] = value_of[turns[twin].index];
            if (!std::isnan(value_of[i])) values.emplace_back(actions_[i], value_of[i]);
            continue;
          }
        }
      }
      path_.push_back(actions_[i]);
      const double value = Node(children[i], depth - 1, alpha, beta);
      path_.pop_back();
      if (!(alpha + kCutTolerance < value && value < beta - kCutTolerance)) continue;
      value_of[i] = value;
      values.emplace_back(actions_[i], value);
      const double margin = 2 * kTieTolerance * size_;
      if (share && player == 0) alpha = std::max(alpha, value - margin);
      if (share && player == 1) beta = std::min(beta, value + margin);
    }
  }

  const Counters& counters() const { return counters_; }
  // The greatest magnitude of a value read off at a leaf, at least 1.
  double size() const { return size_; }
  const std::vector<int>& path() const { return path_; }

 private:
  // A move of a decision node, listed with its successor where merging or ordering needs it.
  struct Move {
    int action;
    std::uint64_t hash;
    double score;
    Position child;
  };
  // An outcome of a chance node; its value lies in [low, high]. The rests are the sums of probability times bound over
  // the outcomes that come after it.
  struct Chance {
    int action;
    bool made;
    double probability;
    double low;
    double high;
    double rest_low;
    double rest_high;
    Position child;
  };
  struct Interval {
    double low;
    double high;
  };
  struct Order {
    int index;
    double score;
  };
  struct MoveList {
    bool made;  // in moves_ with their successors; otherwise in actions_
    std::size_t base;
    int count;
  };

  // Searches `position`, which is not needed after: the last successor may be made out of it.
  double Node(Position& position, int depth, double alpha, double beta) {
    ++counters_.nodes;
    budget_->Visit(counters_.nodes);
    const int player = model_.Player(position);
    if (player == kTerminal) {
      return Utility(position);
    }
    if (depth == 0) return Evaluate(position);

    if constexpr (Model::kKeyed) {
      if (table_ && (player == kChance || depth >= Model::kTableDepth)) return TableNode(position, player, depth, alpha, beta);
    }
    int best = kNoAction;
    return Inner(position, player, depth, alpha, beta, kNoAction, &best);
  }

  // A node looked up in the table before it is searched, and stored after.
  double TableNode(Position& position, int player, int depth, double alpha, double beta) {
    int hint = kNoAction;
    if (const auto* entry = table_->Find(position, depth, &hint)) {
      const double lower = entry->lower, upper = entry->upper;
      const bool settled = upper - lower <= kCutTolerance;
      if (settled || lower >= beta - kCutTolerance || upper <= alpha + kCutTolerance) {
        ++counters_.table_hits;
        counters_.horizon += entry->horizon;
        return settled || lower >= beta - kCutTolerance ? lower : upper;
      }
    }
    const std::int64_t horizon = counters_.horizon;
    int best = kNoAction;
    const double value = Inner(position, player, depth, alpha, beta, hint, &best);
    const double lower = value <= alpha + kCutTolerance ? -kInfinity : value;
    const double upper = value >= beta - kCutTolerance ? kInfinity : value;
    table_->Store(position, depth, lower, upper, best, counters_.horizon != horizon);
    budget_->Reserve(table_->touched());
    return value;
  }

  double Inner(Position& position, int player, int depth, double alpha, double beta, int hint, int* best) {
    if (player == kChance) {
      return bounded_ ? StarChance(position, depth, alpha, beta) : SumChance(position, depth);
    }
    if (!options_.prune) alpha = -kInfinity, beta = kInfinity;
    const MoveList moves = ListMoves(position, player, depth, hint);
    const double value = player == 0
                             ? SearchMoves<true>(position, moves, moves.count, true, depth, alpha, beta, best)
                             : SearchMoves<false>(position, moves, moves.count, true, depth, alpha, beta, best);
    Drop(moves);
    return value;
  }

  double Utility(const Position& position) {
    ++counters_.leaves;
    return Noted(model_.Utility(position));
  }

  double Noted(double value) {
    if (std::abs(value) > size_) [[unlikely]] size_ = std::abs(value);
    return value;
  }

  // Apart from Evaluate, which is called at every leaf and small enough to be inlined.
  [[noreturn, gnu::noinline]] void Refuse(double value) const {
    std::ostringstream message;
    message << "it returned " << value << "; expected a number in [" << options_.value_lower << ", "
            << options_.value_upper << "] (its range)";
    throw std::domain_error(message.str());
  }

  double Evaluate(const Position& position) {
    ++counters_.leaves;
    ++counters_.horizon;
    const double value = leaf_.Value(position, path_);
    if (!leaf_.cheap()) budget_->ReadClock();
    if (!(options_.value_lower <= value && value <= options_.value_upper) || std::isinf(value)) [[unlikely]] {
      Refuse(value);
    }
    return Noted(value);
  }

  // Decision nodes.

  MoveList ListMoves(const Position& position, int player, int depth, int hint) {
    const std::size_t base = actions_.size();
    model_.Actions(position, actions_);
    const int count = static_cast<int>(actions_.size() - base);
    if constexpr (!Model::kKeyed) {
      return {false, base, count};
    } else {
      if (!merge_ && !order_) return {false, base, count};
      const std::size_t first = moves_.size();
      for (int i = 0; i < count; ++i) {
        const int action = actions_[base + i];
        Move& move = moves_.Push({action, 0, 0.0, model_.Child(position, action)});
        if (!merge_) continue;
        move.hash = Hash(move.child);
        for (std::size_t twin = first; twin + 1 < moves_.size(); ++twin) {
          if (moves_[twin].hash == move.hash && Equal(moves_[twin].child, move.child)) {
            ++counters_.merged_moves;
            moves_.Shrink(moves_.size() - 1);
            break;
          }
        }
      }
      actions_.resize(base);
      const MoveList list{true, first, static_cast<int>(moves_.size() - first)};
      if (order_ && list.count > 1) OrderMoves(list, player, depth, hint);
      return list;
    }
  }

  void Drop(const MoveList& moves) {
    if (moves.made) {
      moves_.Shrink(moves.base);
    } else {
      actions_.resize(moves.base);
    }
  }

  // The table's move first, then by static value. Successors at the horizon are valued anyway.
  void OrderMoves(const MoveList& list, int player, int depth, int hint) {
    const bool by_value = depth >= 2 && leaf_.guesses();
    if (!by_value && hint == kNoAction) return;
    order_of_.clear();
    for (int i = 0; i < list.count; ++i) {
      Move& move = moves_[list.base + i];
      double score = by_value ? StaticValue(move.child) : 0.0;
      if (move.action == hint) score = player == 0 ? kInfinity : -kInfinity;
      order_of_.push_back({i, score});
    }
    SortMoves(order_of_.begin(), order_of_.end(), player);
    sorted_.clear();
    for (const Order& order : order_of_) sorted_.push_back(moves_[list.base + order.index]);
    for (int i = 0; i < list.count; ++i) moves_[list.base + i] = sorted_[i];
  }

  template <class Iterator>
  static void SortMoves(Iterator begin, Iterator end, int player) {
    std::stable_sort(begin, end, [player](const Order& a, const Order& b) {
      return player == 0 ? a.score > b.score : a.score < b.score;
    });
  }

  double StaticValue(const Position& position) {
    return model_.Player(position) == kTerminal ? model_.Utility(position) : leaf_.Guess(position, path_);
  }

  // The best of the first `limit` moves, for the maximising or the minimising player. With `consume`, `position`
  // is not needed after.
  template <bool kMax>
  double SearchMoves(Position& position, const MoveList& moves, int limit, bool consume, int depth, double alpha,
                     double beta, int* best_action) {
    double best = kMax ? -kInfinity : kInfinity;
    for (int i = 0; i < limit; ++i) {
      double value;
      int action;
      if (moves.made) {
        Move& move = moves_[moves.base + i];
        action = move.action;
        path_.push_back(action);
        value = Node(move.child, depth - 1, alpha, beta);
      } else {
        action = actions_[moves.base + i];
        path_.push_back(action);
        Position child = MakeChild(position, action, consume && i + 1 == limit);
        value = Node(child, depth - 1, alpha, beta);
      }
      path_.pop_back();
      if (kMax ? value <= best : value >= best) continue;
      best = value;
      *best_action = action;
      if (!options_.prune) continue;
      if (kMax ? best >= beta - kCutTolerance : best <= alpha + kCutTolerance) {
        counters_.decision_cutoffs += i + 1 < limit;
        return best;
      }
      if constexpr (kMax) {
        alpha = std::max(alpha, best);
      } else {
        beta = std::min(beta, best);
      }
    }
    return best;
  }

  Position MakeChild(Position& position, int action, bool consume) const {
    if constexpr (requires { model_.Become(position, action); }) {
      if (consume) return model_.Become(position, action);
    }
    return model_.Child(position, action);
  }

  // Chance nodes.

  // Appends the outcomes to chances_; returns how many there are.
  int ListOutcomes(const Position& position, int depth) {
    outcomes_.clear();
    bool distinct = false;
    if constexpr (requires { model_.DistinctOutcomes(position, outcomes_); }) {
      if (merge_) {
        counters_.merged_outcomes += model_.DistinctOutcomes(position, outcomes_);
        distinct = true;
      }
    }
    if (!distinct) PossibleOutcomes(model_, position, outcomes_);
    const std::size_t base = chances_.size();
    for (const Outcome& outcome : outcomes_) {
      Chance& chance =
          chances_.Push({outcome.action, false, outcome.probability, options_.lower, options_.upper, 0.0, 0.0, Position{}});
      if constexpr (Model::kKeyed) {
        if (!merge_ && !Looked(depth)) continue;
        chance.child = model_.Child(position, outcome.action);
        chance.made = true;
        if (!merge_ || distinct) continue;
        for (std::size_t twin = base; twin + 1 < chances_.size(); ++twin) {
          if (Equal(chances_[twin].child, chance.child)) {
            ++counters_.merged_outcomes;
            chances_[twin].probability += chance.probability;
            chances_.Shrink(chances_.size() - 1);
            break;
          }
        }
      }
    }
    return static_cast<int>(chances_.size() - base);
  }

  void Make(Chance& chance, const Position& position) {
    if (chance.made) return;
    chance.child = model_.Child(position, chance.action);
    chance.made = true;
  }

  double SumChance(Position& position, int depth) {
    const std::size_t base = chances_.size();
    const int count = ListOutcomes(position, depth);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
      Chance& chance = chances_[base + i];
      if (!chance.made) chance.child = MakeChild(position, chance.action, i + 1 == count);
      path_.push_back(chance.action);
      sum += chance.probability * Node(chance.child, depth, -kInfinity, kInfinity);
      path_.pop_back();
    }
    chances_.Shrink(base);
    return sum;
  }

  double StarChance(const Position& position, int depth, double alpha, double beta) {
    const std::size_t base = chances_.size();
    const int count = ListOutcomes(position, depth);
    const double value = StarOutcomes(position, base, count, depth, alpha, beta);
    chances_.Shrink(base);
    return value;
  }

  double StarOutcomes(const Position& position, std::size_t base, int count, int depth, double alpha, double beta) {
    // Step 1. Before anything is searched each value lies in [low, high], and so does their mean.
    if (Looked(depth)) TightenByTable(base, count, depth);
    const Interval all = SumRests(base, count);
    if (all.low >= beta - kCutTolerance) {
      ++counters_.chance_cutoffs;
      return all.low;
    }
    if (all.high <= alpha + kCutTolerance) {
      ++counters_.chance_cutoffs;
      return all.high;
    }

    // Step 2. Star2: one move of a successor bounds its value from its player's side; enough bounds cut off.
    const bool probing = options_.probes > 0 && (!order_ || depth >= options_.probe_depth);
    counters_.unprobed += options_.probes > 0 && !probing;
    if (probing) {
      double sum_low = 0.0, sum_high = 0.0;  // of the outcomes before this one
      for (int i = 0; i < count; ++i) {
        Chance& chance = chances_[base + i];
        const double p = chance.probability;
        int player = kChance;
        if (!Settled(chance)) {
          Make(chance, position);
          player = model_.Player(chance.child);
        }
        if (player == 0) {
          const double ceiling = std::min(options_.upper + slack_, (beta - (sum_low + chance.rest_low)) / p);
          chance.low = std::max(chance.low, Probe(chance, player, depth, options_.lower - slack_, ceiling));
        } else if (player == 1) {
          const double floor = std::max(options_.lower - slack_, (alpha - (sum_high + chance.rest_high)) / p);
          chance.high = std::min(chance.high, Probe(chance, player, depth, floor, options_.upper + slack_));
        }
        sum_low += p * chance.low;
        sum_high += p * chance.high;
        if (player < 0) continue;
        ++counters_.probes;
        const double low = sum_low + chance.rest_low, high = sum_high + chance.rest_high;
        if (low >= beta - kCutTolerance || high <= alpha + kCutTolerance) {
          ++counters_.probes_won;
          ++counters_.chance_cutoffs;
          return low >= beta - kCutTolerance ? low : high;
        }
      }
      SumRests(base, count);
    }

    // Step 3. Star1: search each outcome with the window outside which the mean leaves (alpha, beta). What was searched
    // is summed apart from the bounds of the rest: a wide bound, added and taken away again, would leave its rounding
    // error in the value.
    double searched = 0.0;
    for (int i = 0; i < count; ++i) {
      Chance& chance = chances_[base + i];
      const double p = chance.probability;
      if (Settled(chance)) {
        searched += p * chance.low;
        continue;
      }
      Make(chance, position);
      const double floor = (alpha - (searched + chance.rest_high)) / p;
      const double ceiling = (beta - (searched + chance.rest_low)) / p;
      path_.push_back(chance.action);
      const double value = Node(chance.child, depth, std::max(floor, chance.low - slack_),
                                std::min(ceiling, chance.high + slack_));
      path_.pop_back();
      if (value >= ceiling - kCutTolerance) {
        counters_.chance_cutoffs += i + 1 < count;
        // Not a rounding error inside the window, where it would pass for exact.
        return std::max(beta - kCutTolerance, searched + p * std::max(value, chance.low) + chance.rest_low);
      }
      if (value <= floor + kCutTolerance) {
        counters_.chance_cutoffs += i + 1 < count;
        return std::min(alpha + kCutTolerance, searched + p * std::min(value, chance.high) + chance.rest_high);
      }
      searched += p * value;
    }
    return searched;
  }

  // Notes in each outcome the bounds of those after it; returns the bounds of all.
  Interval SumRests(std::size_t base, int count) {
    Interval rest{0.0, 0.0};
    for (int i = count; i-- > 0;) {
      Chance& chance = chances_[base + i];
      chance.rest_low = rest.low;
      chance.rest_high = rest.high;
      rest.low += chance.probability * chance.low;
      rest.high += chance.probability * chance.high;
    }
    return rest;
  }

  // Whether the successors of a chance node are looked up before they are searched.
  bool Looked(int depth) const {
    if constexpr (Model::kKeyed) return table_ && depth >= Model::kTableDepth;
    return false;
  }

  // Whether an outcome's exact value is known already. Without a table every outcome is searched.
  bool Settled(const Chance& chance) const { return table_ && chance.low == chance.high; }

  // What is known of the outcomes without search: the table's intervals, and the utility of terminal ones.
  void TightenByTable(std::size_t base, int count, int depth) {
    if constexpr (Model::kKeyed) {
      for (int i = 0; i < count; ++i) {
        Chance& chance = chances_[base + i];
        if (model_.Player(chance.child) == kTerminal) {
          ++counters_.nodes;
          budget_->Visit(counters_.nodes);
          chance.low = chance.high = Utility(chance.child);
        } else {
          int hint = kNoAction;
          if (const auto* entry = table_->Find(chance.child, depth, &hint)) {
            counters_.horizon += entry->horizon;
            chance.low = std::max(chance.low, entry->lower);
            chance.high = std::min(chance.high, entry->upper);
            if (chance.high - chance.low <= kCutTolerance) {
              chance.high = chance.low;
              ++counters_.table_hits;
            }
          }
        }
      }
    }
  }

  double Probe(Chance& chance, int player, int depth, double alpha, double beta) {
    path_.push_back(chance.action);
    int hint = kNoAction;
    if constexpr (Model::kKeyed) {
      if (table_) table_->Find(chance.child, depth, &hint);
    }
    const MoveList moves = ListMoves(chance.child, player, depth, hint);
    const int limit = std::min(moves.count, options_.probes);
    int best = kNoAction;
    const double value = player == 0 ? SearchMoves<true>(chance.child, moves, limit, false, depth, alpha, beta, &best)
                                     : SearchMoves<false>(chance.child, moves, limit, false, depth, alpha, beta, &best);
    Drop(moves);
    path_.pop_back();
    return value;
  }

  const Model& model_;
  Leaf<Position>& leaf_;
  Options options_;
  Budget* budget_ = nullptr;
  bool bounded_ = false;
  double slack_ = 0.0;
  double size_ = 1.0;
  bool merge_ = false;
  bool order_ = false;
  std::unique_ptr<Table<Position>> table_;
  Counters counters_;
  std::vector<int> path_;
  std::vector<int> actions_;
  Stack<Move> moves_;
  Stack<Chance> chances_;
  std::vector<Outcome> outcomes_;
  std::vector<Order> order_of_;
  std::vector<Move> sorted_;
};

}  // namespace starspiel
