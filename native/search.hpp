// Expectiminimax, Star1 and Star2 over a model (model.hpp): the same as agents/search/expectiminimax.py and
// star.py, node for node while merging, ordering and the table are off.
//
// Values are player 0's. Windows are fail-soft: a value inside (alpha, beta) is exact, one at or below alpha
// is an upper bound of the true value, one at or above beta a lower bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "distinct.hpp"
#include "leaf.hpp"
#include "mixture.hpp"
#include "model.hpp"
#include "shared.hpp"
#include "stack.hpp"
#include "table.hpp"

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

template <class Model>
class Search {
 public:
  using Position = typename Model::Position;
  using Key = typename KeyOfModel<Model>::Type;
  using TableOfKeys = Table<Key>;

  // What the threads of one search have in common; null where there is one thread.
  struct Common {
    explicit Common(const Options& options) : table(options.table_bytes, true) {}
    TableOfKeys table;
    Shared shared;
  };

  // `seat` tells the threads of a search apart: 0, 1, and so on.
  Search(const Model& model, Leaf<Position>& leaf, const Options& options, std::shared_ptr<Common> common = nullptr,
         int seat = 0)
      : model_(model), leaf_(leaf), options_(options), common_(std::move(common)), backwards_(seat % 2 == 1) {
    bounded_ = options.prune && std::isfinite(options.lower) && std::isfinite(options.upper);
    slack_ = kSlack * std::max({1.0, std::abs(options.lower), std::abs(options.upper)});
    // With extensions it is only known one by one which successors are at the horizon.
    batched_ = options.batch && leaf.batch() > 1 && options.extension == 0;
    if constexpr (kTabled) {
      if (!HasKeys(model)) return;
      if constexpr (Model::kKeyed) {
        // What the table finds equal need not be compared, unless values are dear.
        const bool always = batched_ || options.table_bytes == 0;
        merge_ = options.merge.value_or(always || MergePays<Model>());
      }
      order_ = options.order && options.prune;
      ends_ = batched_ && order_ && merge_;
      values_last_ = kValuesMoves && order_ && !batched_ && options.extension == 0 && leaf.heuristic();
      if (values_last_) table_depth_ = std::max(table_depth_, 2);
      means_last_ = values_last_ && options_.opponent == kNobody;
      if (common_) {
        table_ = {common_, &common_->table};
      } else if (options.table_bytes > 0) {
        table_ = std::make_shared<TableOfKeys>(options.table_bytes, false);
      }
    }
  }

  // Whether other threads search the iterations from now on too. One that searches alone must not look at the window
  // that an earlier iteration left.
  void ShareWork(bool shared) { shared_ = shared && table_ && common_ ? &common_->shared : nullptr; }

  // Searches the actions of a decision node, each to `depth` - 1, and appends (action, value) for those whose
  // value is exact. With `share`, an action's window starts a little below the best so far: ties are still
  // seen, and what is proven worse is left out. The actions in `first` are searched first, in this order. What was
  // appended survives a BudgetSpent.
  void Root(const Position& root, int depth, bool share, const std::vector<int>& first, Budget& budget,
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
    if (order_ && depth >= 2 && (batched_ || leaf_.guesses())) {
      Scores([&](std::size_t i) -> const Position& { return children[i]; }, actions_.data(), count, depth);
      for (std::size_t i = 0; i < count; ++i) turns[i].score = scores_[i];
      SortMoves(turns.begin(), turns.end(), player);
    }
    std::size_t placed = 0;
    for (int action : first) {
      for (std::size_t turn = placed; turn < count; ++turn) {
        if (actions_[static_cast<std::size_t>(turns[turn].index)] != action) continue;
        std::rotate(turns.begin() + static_cast<std::ptrdiff_t>(placed),
                    turns.begin() + static_cast<std::ptrdiff_t>(turn),
                    turns.begin() + static_cast<std::ptrdiff_t>(turn) + 1);
        ++placed;
        break;
      }
    }
    std::vector<std::size_t> twin_of;  // of the turns, by the turn itself or an earlier one of the same position
    for (std::size_t turn = 0; turn < count; ++turn) twin_of.push_back(FirstTwin(children, turns, turn));
    const bool together = batched_ && depth == 1;
    if (together) {
      BeginBatch();
      for (std::size_t turn = 0; turn < count; ++turn) {
        if (twin_of[turn] == turn) Ask(children[turns[turn].index], {actions_[turns[turn].index]});
      }
      FindValues();
    }
    std::size_t next_found = 0;
    double alpha = -kInfinity, beta = kInfinity;
    std::vector<std::size_t> put_off;
    for (std::size_t place = 0; place < count + put_off.size(); ++place) {
      const std::size_t turn = place < count ? place : put_off[place - count];
      if (twin_of[turn] < turn) {  // Moves that lead to the same position have the same value.
        ++counters_.merged_moves;
        continue;
      }
      const std::size_t i = static_cast<std::size_t>(turns[turn].index);
      const bool marked = SharedAt(depth - 1);
      const std::uint64_t mark = marked ? MarkOf(children[i], depth - 1) : 0;
      if (marked && turn > 0 && place < count && shared_->Busy(mark)) {
        put_off.push_back(turn);
        continue;
      }
      if (marked && share) {
        alpha = std::max(alpha, shared_->alpha());
        beta = std::min(beta, shared_->beta());
      }
      if (marked) shared_->Begin(mark);
      path_.push_back(actions_[i]);
      const double value = together ? found_[next_found++] : Node(children[i], depth - 1, alpha, beta);
      path_.pop_back();
      if (marked) shared_->End(mark);
      if (!(alpha + kCutTolerance < value && value < beta - kCutTolerance)) continue;
      for (std::size_t twin = turn; twin < count; ++twin) {
        if (twin_of[twin] == turn) values.emplace_back(actions_[static_cast<std::size_t>(turns[twin].index)], value);
      }
      const double margin = 2 * kTieTolerance * size_;
      if (share && player == 0) alpha = std::max(alpha, value - margin);
      if (share && player == 1) beta = std::min(beta, value + margin);
      if (marked && share) {
        shared_->RaiseAlpha(alpha);
        shared_->LowerBeta(beta);
      }
    }
  }

  const Counters& counters() const { return counters_; }
  // Positions that the evaluator computed, where it counts them.
  std::int64_t computed() const { return leaf_.computed(); }
  // The greatest magnitude of a value read off at a leaf, at least 1.
  double size() const { return size_; }
  const std::vector<int>& path() const { return path_; }

 private:
  static constexpr bool kTabled = Model::kKeyed || requires { typename Model::Key; };
  static constexpr bool kValuesMoves =
      requires(const Model& model, const Position& position) { model.BestByHeuristic(position, 0.0); };
  static constexpr bool kMeansValues =
      requires(const Model& model, const Position& position) { model.MeanByHeuristic(position); };
  // Nodes so far from the horizon may be worth the bookkeeping of threads, and are where a search of one takes so many
  // nodes on average, of a sample.
  static constexpr int kSharedDepth = 2;
  static constexpr std::ptrdiff_t kFew = 16;  // moves, that are sorted in place
  static constexpr std::int64_t kSharedNodes = 1000, kSharedSample = 16;

  // A move of a decision node, listed with its successor where merging or ordering needs it.
  struct Move {
    int action;
    int then;  // of the same player, where both lead to `child`
    double score;
    Position child;
  };
  struct Reply {
    int action = kNoAction;
    int then = kNoAction;
  };
  // To an outcome, elsewhere at the same depth.
  struct Replies {
    Reply best;    // when it was searched last
    Reply probed;  // last, where that one was not legal
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
    std::size_t asked = 0;  // how many of its moves were valued together, and the best of them
    double probed = 0.0;
  };
  struct Interval {
    double low;
    double high;
  };
  struct Order {
    int index;
    double score;
  };
  // Of the searches of nodes at one depth.
  struct Effort {
    std::int64_t searches = 0;
    std::int64_t nodes = 0;
  };
  struct MoveList {
    bool made;  // in moves_ with their successors; otherwise in actions_
    std::size_t from;  // what is to be dropped with them
    std::size_t base;
    int count;
  };

  // The first turn at the root that leads to the same position, where such moves are merged.
  std::size_t FirstTwin(const std::vector<Position>& children, const std::vector<Order>& turns, std::size_t turn) const {
    if constexpr (Model::kKeyed) {
      if (merge_) {
        std::size_t twin = 0;
        while (!Equal(children[turns[twin].index], children[turns[turn].index])) ++twin;
        return twin;
      }
    }
    return turn;
  }

  // Searches `position`, which is not needed after: the last successor may be made out of it.
  double Node(Position& position, int depth, double alpha, double beta) {
    ++counters_.nodes;
    budget_->Visit(counters_.nodes);
    const int player = model_.Player(position);
    if (player == kTerminal) {
      return Utility(position);
    }
    if (depth <= 0 && (depth == -options_.extension || Quiet(position))) return Evaluate(position);

    if constexpr (kMeansValues) {
      if (means_last_ && player == kChance && depth == 1) {
        if (const std::optional<double> mean = model_.MeanByHeuristic(position)) return ByHeuristic(*mean);
      }
    }
    if constexpr (kTabled) {
      if (table_ && depth >= (player == kChance ? 1 : table_depth_)) {
        return TableNode(position, player, depth, alpha, beta);
      }
    }
    int best = kNoAction;
    return Inner(position, player, depth, alpha, beta, kNoAction, &best);
  }

  // The position itself where it is its own key.
  decltype(auto) KeyOf(const Position& position) const {
    if constexpr (Model::kKeyed) {
      return (position);
    } else {
      return model_.KeyOf(position);
    }
  }

  // A node looked up in the table before it is searched, and stored after.
  double TableNode(Position& position, int player, int depth, double alpha, double beta) {
    decltype(auto) key = KeyOf(position);
    int hint = kNoAction;
    const std::optional<Known> known = table_->Find(key, depth, &hint);
    if (known) {
      const double lower = known->lower, upper = known->upper;
      const bool settled = upper - lower <= kCutTolerance;
      if (settled || lower >= beta - kCutTolerance || upper <= alpha + kCutTolerance) {
        ++counters_.table_hits;
        counters_.horizon += known->horizon;
        last_reply_ = {hint, kNoAction};
        return settled || lower >= beta - kCutTolerance ? lower : upper;
      }
    }
    again_ = known.has_value();
    const std::int64_t horizon = counters_.horizon, nodes = counters_.nodes;
    int best = kNoAction;
    const double value = Inner(position, player, depth, alpha, beta, hint, &best);
    if (common_ != nullptr && depth >= kSharedDepth) NoteEffort(depth, counters_.nodes - nodes);
    const double lower = value <= alpha + kCutTolerance ? -kInfinity : value;
    const double upper = value >= beta - kCutTolerance ? kInfinity : value;
    table_->Store(key, depth, lower, upper, best, counters_.horizon != horizon);
    budget_->Reserve(table_->touched());
    return value;
  }

  double Inner(Position& position, int player, int depth, double alpha, double beta, int hint, int* best) {
    if (player == kChance) {
      if (bounded_) return StarChance(position, depth, alpha, beta);
      return batched_ && depth == 1 && !table_ ? SumTogether(position) : SumChance(position, depth);
    }
    if (player == options_.opponent) return Modelled(position, player, depth, alpha, beta);
    if (!options_.prune) alpha = -kInfinity, beta = kInfinity;
    if constexpr (kValuesMoves) {
      if (values_last_ && depth == 1) {
        const double enough = player == 0 ? beta - kCutTolerance : alpha + kCutTolerance;
        if (const std::optional<ValuedMove> found = model_.BestByHeuristic(position, enough)) {
          *best = found->action;
          last_reply_ = {found->action, kNoAction};
          return ByHeuristic(found->value);
        }
      }
    }
    const MoveList moves = ListMoves(position, player, depth, hint, !(depth == 1 && AllCounts(alpha, beta)));
    const double value = player == 0
                             ? SearchMoves<true>(position, moves, moves.count, true, depth, alpha, beta, best)
                             : SearchMoves<false>(position, moves, moves.count, true, depth, alpha, beta, best);
    Drop(moves);
    last_reply_.action = *best;
    return value;
  }

  // Whether the evaluator may be trusted with a position at the horizon.
  bool Quiet(const Position& position) const {
    if (options_.quiet) return options_.quiet(path_);
    if constexpr (requires { model_.Quiet(position); }) return model_.Quiet(position);
    return true;
  }

  // Who chooses the best move here; kChance where nobody does, or where a model moves.
  int Chooser(const Position& position) const {
    const int player = model_.Player(position);
    return player == options_.opponent ? kChance : player;
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
    return Checked(value);
  }

  // What the model says in place of the evaluator.
  double ByHeuristic(double value) {
    ++counters_.leaves;
    ++counters_.horizon;
    return Checked(value);
  }

  double Checked(double value) {
    if (!(options_.value_lower <= value && value <= options_.value_upper) || std::isinf(value)) [[unlikely]] {
      Refuse(value);
    }
    return Noted(value);
  }

  // Values of many positions at the horizon together.

  void BeginBatch() {
    batch_.positions.clear();
    batch_.paths.clear();
    found_.clear();
    asked_.clear();
  }

  // A node at the horizon, `way` on from the end of path_. FindValues sets its value in found_, where it has the next
  // place. The position must stay where it is until then.
  void Ask(const Position& position, std::initializer_list<int> way) {
    ++counters_.nodes;
    budget_->Visit(counters_.nodes);
    if (model_.Player(position) == kTerminal) {
      found_.push_back(Utility(position));
      return;
    }
    asked_.push_back(found_.size());
    found_.push_back(0.0);
    AddToBatch(position, way);
  }

  void AddToBatch(const Position& position, std::initializer_list<int> way) {
    batch_.positions.push_back(&position);
    if (!leaf_.by_path()) return;
    batch_.paths.push_back(path_);
    batch_.paths.back().insert(batch_.paths.back().end(), way);
  }

  void FindValues() {
    if (asked_.empty()) return;
    leaf_.Values(batch_);
    ++counters_.batches;
    counters_.leaves += static_cast<std::int64_t>(asked_.size());
    counters_.horizon += static_cast<std::int64_t>(asked_.size());
    budget_->ReadClock();
    for (std::size_t i = 0; i < asked_.size(); ++i) found_[asked_[i]] = Checked(batch_.values[i]);
  }

  // The best of the first `limit` moves of a decision node one ply above the horizon. So many are valued together as
  // the evaluator likes, and once a window is left the rest are not.
  template <bool kMax>
  double SearchLeaves(const MoveList& moves, int limit, double alpha, double beta, int* best_action) {
    const int stride = AllCounts(alpha, beta) ? limit : leaf_.batch();
    double best = kMax ? -kInfinity : kInfinity;
    int then = kNoAction;
    for (int first = 0; first < limit; first += stride) {
      const int end = std::min(limit, first + stride);
      BeginBatch();
      for (int i = first; i < end; ++i) {
        const Move& move = moves_[moves.base + i];
        Ask(move.child, {move.action});
      }
      FindValues();
      for (int i = first; i < end; ++i) {
        const double value = found_[static_cast<std::size_t>(i - first)];
        if (kMax ? value <= best : value >= best) continue;
        best = value;
        *best_action = moves_[moves.base + i].action;
        then = moves_[moves.base + i].then;
      }
      last_reply_.then = then;
      if (options_.prune && (kMax ? best >= beta - kCutTolerance : best <= alpha + kCutTolerance)) {
        counters_.decision_cutoffs += end < limit;
        return best;
      }
    }
    return best;
  }

  // SumChance one ply above the horizon: the moves after all outcomes in one batch.
  double SumTogether(const Position& position) {
    const std::size_t base = chances_.size();
    const int count = ListOutcomes(position, 1);
    const std::size_t first_move = moves_.size();
    BeginBatch();
    for (int i = 0; i < count; ++i) {
      Chance& chance = chances_[base + i];
      Make(chance, position);
      const int player = Chooser(chance.child);
      chance.asked = 0;
      if (player < 0) continue;
      ++counters_.nodes;
      budget_->Visit(counters_.nodes);
      chance.asked = AskMoves(chance, player, kEveryMove);
    }
    FindValues();
    double sum = 0.0;
    std::size_t place = 0;
    for (int i = 0; i < count; ++i) {
      Chance& chance = chances_[base + i];
      if (chance.asked > 0) sum += chance.probability * BestFound(place, chance);
      place += chance.asked;
    }
    for (int i = 0; i < count; ++i) {  // What ends the game or is followed by chance again.
      Chance& chance = chances_[base + i];
      if (chance.asked > 0) continue;
      path_.push_back(chance.action);
      sum += chance.probability * Node(chance.child, 1, -kInfinity, kInfinity);
      path_.pop_back();
    }
    moves_.Shrink(first_move);
    chances_.Shrink(base);
    return sum;
  }

  // Asks for the values after the first `limit` moves of an outcome; returns how many those are.
  std::size_t AskMoves(const Chance& chance, int player, int limit) {
    path_.push_back(chance.action);
    const MoveList moves = ListMoves(chance.child, player, 1, kNoAction);
    const int asked = std::min(moves.count, limit);
    for (int i = 0; i < asked; ++i) {
      const Move& move = moves_[moves.base + i];
      Ask(move.child, {move.action});
    }
    path_.pop_back();
    return static_cast<std::size_t>(asked);
  }

  double BestFound(std::size_t place, const Chance& chance) const {
    const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(place);
    const auto end = begin + static_cast<std::ptrdiff_t>(chance.asked);
    return model_.Player(chance.child) == 0 ? *std::max_element(begin, end) : *std::min_element(begin, end);
  }

  // Star2's probes one ply above the horizon, of as many outcomes from the first on as the evaluator likes together: sets
  // their `probed`. Returns the first that was not probed.
  int ProbeTogether(const Position& position, std::size_t base, int first, int count) {
    const std::size_t first_move = moves_.size();
    BeginBatch();
    int end = first;
    for (; end < count && asked_.size() < static_cast<std::size_t>(leaf_.batch()); ++end) {
      Chance& chance = chances_[base + end];
      chance.asked = 0;
      if (Settled(chance)) continue;
      Make(chance, position);
      const int player = Chooser(chance.child);
      if (player >= 0) chance.asked = AskLikely(chance, player);
    }
    FindValues();
    std::size_t place = 0;
    for (int i = first; i < end; ++i) {
      Chance& chance = chances_[base + i];
      if (chance.asked > 0) chance.probed = BestFound(place, chance);
      place += chance.asked;
    }
    moves_.Shrink(first_move);
    return end;
  }

  std::size_t AskLikely(const Chance& chance, int player) {
    if (!order_ || options_.probes != 1) return AskMoves(chance, player, options_.probes);
    Reply reply = KnownReply(chance, 1);
    if (reply.action == kNoAction) reply = {Likely(chance.child, player), kNoAction};
    Move& move = moves_.Push({reply.action, kNoAction, 0.0, model_.Child(chance.child, reply.action)});
    if (GoesOn(move.child, player)) {
      if (reply.then == kNoAction || !Allows(move.child, reply.then)) reply.then = Likely(move.child, player);
      move.child = model_.Child(move.child, reply.then);
    }
    RepliesTo(chance, 1).probed = reply;
    Ask(move.child, {chance.action, reply.action});
    return 1;
  }

  // The first of the moves that the heuristic likes best, or of all where there is none.
  int Likely(const Position& position, int player) {
    const std::size_t base = actions_.size();
    model_.Actions(position, actions_);
    int best = actions_[base];
    if (leaf_.guesses()) {
      double most = -kInfinity;
      for (std::size_t i = base; i < actions_.size(); ++i) {
        const Position child = model_.Child(position, actions_[i]);
        const double guess = model_.Player(child) == kTerminal ? model_.Utility(child) : leaf_.Guess(child, path_);
        const double own = player == 0 ? guess : -guess;
        if (own > most) {
          most = own;
          best = actions_[i];
        }
      }
    }
    actions_.resize(base);
    return best;
  }

  // The reply that was best the last time this outcome was searched in full, or else the one that was probed last; the
  // first of them that is legal.
  Reply KnownReply(const Chance& chance, int depth) {
    if (!order_ || options_.probes != 1) return {};
    const Replies& known = RepliesTo(chance, depth);
    for (const Reply& reply : {known.best, known.probed}) {
      if (reply.action != kNoAction && Allows(chance.child, reply.action)) return reply;
    }
    return {};
  }

  Replies& RepliesTo(const Chance& chance, int depth) {
    const auto level = static_cast<std::size_t>(depth), outcome = static_cast<std::size_t>(chance.action);
    if (level >= replies_.size()) replies_.resize(level + 1);
    if (outcome >= replies_[level].size()) replies_[level].resize(outcome + 1);
    return replies_[level][outcome];
  }

  // Whether a move that was legal elsewhere is so here.
  bool Allows(const Position& position, int action) {
    if constexpr (requires { model_.Allows(position, action); }) {
      return model_.Allows(position, action);
    } else {
      const std::size_t base = actions_.size();
      model_.Actions(position, actions_);
      const bool legal = std::binary_search(actions_.begin() + static_cast<std::ptrdiff_t>(base), actions_.end(), action);
      actions_.resize(base);
      return legal;
    }
  }

  void KeepReply(const Chance& chance, int depth) {
    if (!order_ || !batched_ || last_reply_.action == kNoAction) return;
    RepliesTo(chance, depth).best = last_reply_;
  }

  // Decision nodes.

  // Whether successors at the horizon are all valued, in whatever order.
  bool AllCounts(double alpha, double beta) const {
    return batched_ && (!options_.prune || (alpha < options_.lower && beta > options_.upper));
  }

  // `sorted`: where ordering is on; without it the order does not matter.
  MoveList ListMoves(const Position& position, int player, int depth, int hint, bool sorted = true) {
    const std::size_t base = actions_.size();
    model_.Actions(position, actions_);
    const int count = static_cast<int>(actions_.size() - base);
    const bool together = batched_ && depth == 1;
    if (!merge_ && !together && !SharedAt(depth) && !(order_ && sorted && OrdersByValue(depth))) {
      if (order_ && sorted && hint != kNoAction) MoveToFront(base, hint);
      return {false, base, base, count};
    }
    const std::size_t from = moves_.size();
    bool on = false;
    distinct_.Clear();
    for (int i = 0; i < count; ++i) {
      const int action = actions_[base + i];
      const Move& move = moves_.Push({action, kNoAction, 0.0, model_.Child(position, action)});
      if constexpr (Model::kKeyed) {
        if (table_ && depth > 1) table_->Prefetch(move.child);
      }
      on |= !DropTwin(from) && GoesOn(move.child, player);
    }
    actions_.resize(base);
    const std::size_t first = on && together ? ListEnds(from, player) : from;
    const MoveList list{true, from, first, static_cast<int>(moves_.size() - first)};
    if (order_ && sorted && list.count > 1) OrderMoves(list, player, depth, hint);
    return list;
  }

  void MoveToFront(std::size_t base, int action) {
    const auto begin = actions_.begin() + static_cast<std::ptrdiff_t>(base);
    const auto found = std::find(begin, actions_.end(), action);
    if (found != actions_.end()) std::rotate(begin, found, found + 1);
  }

  // Drops the move listed last where one from `first` on leads to an equal position, and merging is on.
  bool DropTwin(std::size_t first) {
    if constexpr (Model::kKeyed) {
      if (!merge_) return false;
      const Position& child = moves_[moves_.size() - 1].child;
      const std::size_t last = moves_.size() - 1 - first;
      const auto equal = [&](std::size_t other) { return Equal(moves_[first + other].child, child); };
      if (distinct_.Find(Hash(child), last, equal) == last) return false;
      ++counters_.merged_moves;
      moves_.Shrink(moves_.size() - 1);
      return true;
    }
    return false;
  }

  // Whether the same player decides once more before the evaluator sees the position.
  bool GoesOn(const Position& child, int player) const {
    return ends_ && !leaf_.Sees(child) && model_.Player(child) == player;
  }

  // Lists the moves from `from` on once more, with those that follow them before the evaluator sees the position;
  // returns where these begin. Whoever plays a double plays both halves.
  std::size_t ListEnds(std::size_t from, int player) {
    const std::size_t first = moves_.size();
    if constexpr (Model::kKeyed) {
      distinct_.Clear();
      for (std::size_t i = from; i < first; ++i) {
        const Move& move = moves_[i];
        if (!GoesOn(move.child, player)) {
          moves_.Push(Move(move));
          DropTwin(first);
          continue;
        }
        const std::size_t base = actions_.size();
        model_.Actions(move.child, actions_);
        for (std::size_t at = base; at < actions_.size(); ++at) {
          moves_.Push({move.action, actions_[at], 0.0, model_.Child(move.child, actions_[at])});
          DropTwin(first);
        }
        actions_.resize(base);
      }
    }
    return first;
  }

  void Drop(const MoveList& moves) {
    if (moves.made) {
      moves_.Shrink(moves.from);
    } else {
      actions_.resize(moves.from);
    }
  }

  bool OrdersByValue(int depth) const {
    return (depth >= 2 || batched_) && (leaf_.guesses() || (batched_ && depth >= 2));
  }

  // The table's move first, then by static value. Successors at the horizon are valued anyway; where values are dear, by
  // what is cheap.
  void OrderMoves(const MoveList& list, int player, int depth, int hint) {
    const bool by_value = OrdersByValue(depth);
    if (!by_value && hint == kNoAction) return;
    order_of_.clear();
    const auto count = static_cast<std::size_t>(list.count);
    if (by_value) {
      sorted_actions_.clear();
      for (int i = 0; i < list.count; ++i) sorted_actions_.push_back(moves_[list.base + i].action);
      const auto child = [&](std::size_t i) -> const Position& { return moves_[list.base + i].child; };
      Scores(child, sorted_actions_.data(), count, depth);
    }
    for (int i = 0; i < list.count; ++i) {
      double score = by_value ? scores_[static_cast<std::size_t>(i)] : 0.0;
      if (moves_[list.base + i].action == hint) score = player == 0 ? kInfinity : -kInfinity;
      order_of_.push_back({i, score});
    }
    SortMoves(order_of_.begin(), order_of_.end(), player);
    sorted_.clear();
    for (const Order& order : order_of_) sorted_.push_back(std::move(moves_[list.base + order.index]));
    for (int i = 0; i < list.count; ++i) moves_[list.base + i] = std::move(sorted_[i]);
  }

  template <class Iterator>
  static void SortMoves(Iterator begin, Iterator end, int player) {
    const auto before = [player](const Order& a, const Order& b) {
      return player == 0 ? a.score > b.score : a.score < b.score;
    };
    if (end - begin > kFew) {
      std::stable_sort(begin, end, before);
      return;
    }
    for (Iterator next = begin; next != end; ++next) {  // std::stable_sort asks for memory
      std::rotate(std::upper_bound(begin, next, *next, before), next, next + 1);
    }
  }

  // What the successors of a node at `depth` are worth before they are searched, into scores_: by the evaluator where it
  // values many together, sees them all, and each would cost a search; otherwise by what is cheap.
  template <class Child>
  void Scores(Child child, const int* actions, std::size_t count, int depth) {
    scores_.assign(count, 0.0);
    bool together = batched_ && depth >= 2;
    for (std::size_t i = 0; i < count && together; ++i) {
      together = leaf_.Sees(child(i)) || model_.Player(child(i)) == kTerminal;
    }
    if (together) BeginBatch();
    for (std::size_t i = 0; i < count; ++i) {
      const Position& position = child(i);
      if (model_.Player(position) == kTerminal) {
        scores_[i] = model_.Utility(position);
      } else if (together) {
        asked_.push_back(i);
        AddToBatch(position, {actions[i]});
      } else {
        scores_[i] = leaf_.Guess(position, path_);
      }
    }
    if (!together || asked_.empty()) return;
    leaf_.Values(batch_);
    ++counters_.batches;
    budget_->ReadClock();
    for (std::size_t i = 0; i < asked_.size(); ++i) scores_[asked_[i]] = batch_.values[i];
  }

  // The best of the first `limit` moves, for the maximising or the minimising player. With `consume`, `position`
  // is not needed after.
  template <bool kMax>
  double SearchMoves(Position& position, const MoveList& moves, int limit, bool consume, int depth, double alpha,
                     double beta, int* best_action) {
    if (batched_ && depth == 1) return SearchLeaves<kMax>(moves, limit, alpha, beta, best_action);
    if (moves.made && limit > 1 && SharedAt(depth - 1)) return SearchMovesApart<kMax>(moves, limit, depth, alpha, beta, best_action);
    last_reply_.then = kNoAction;
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

  // SearchMoves where other threads search too: what one of them is at work on is put off.
  template <bool kMax>
  double SearchMovesApart(const MoveList& moves, int limit, int depth, double alpha, double beta, int* best_action) {
    last_reply_.then = kNoAction;
    double best = kMax ? -kInfinity : kInfinity;
    std::vector<int> put_off;
    const int marked_depth = depth - 1;
    for (int place = 0; place < limit + static_cast<int>(put_off.size()); ++place) {
      const int i = place < limit ? place : put_off[static_cast<std::size_t>(place - limit)];
      Move& move = moves_[moves.base + i];
      const std::uint64_t mark = MarkOf(move.child, marked_depth);
      if (place > 0 && place < limit && shared_->Busy(mark)) {
        put_off.push_back(i);
        continue;
      }
      shared_->Begin(mark);
      path_.push_back(move.action);
      const double value = Node(move.child, depth - 1, alpha, beta);
      path_.pop_back();
      shared_->End(mark);
      if (kMax ? value <= best : value >= best) continue;
      best = value;
      *best_action = move.action;
      if (!options_.prune) continue;
      if (kMax ? best >= beta - kCutTolerance : best <= alpha + kCutTolerance) {
        ++counters_.decision_cutoffs;
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
      if (merge_ || Looked(depth)) {
        chance.child = model_.Child(position, outcome.action);
        chance.made = true;
      }
      if constexpr (Model::kKeyed) {
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
    if (SharedAt(depth)) return SumApart(base, count, depth);
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
    const bool again = again_;
    const int count = ListOutcomes(position, depth);
    counters_.outcomes += count;
    counters_.outcomes_again += again ? count : 0;
    const double value = SharedAt(depth) ? StarApart(base, count, depth, alpha, beta)
                                         : StarOutcomes(position, base, count, depth, alpha, beta);
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
    const bool probing = Probes(depth, all, alpha, beta);
    counters_.unprobed += options_.probes > 0 && !probing;
    const bool together = probing && batched_ && depth == 1;
    int probed = 0;  // outcomes probed together so far
    if (probing) {
      double sum_low = 0.0, sum_high = 0.0;  // of the outcomes before this one
      for (int i = 0; i < count; ++i) {
        Chance& chance = chances_[base + i];
        const double p = chance.probability;
        if (together && i == probed) probed = ProbeTogether(position, base, i, count);
        int player = kChance;
        if (!Settled(chance)) {
          Make(chance, position);
          player = Chooser(chance.child);
        }
        if (player == 0) {
          const double ceiling = std::min(options_.upper + slack_, (beta - (sum_low + chance.rest_low)) / p);
          const double value =
              together ? chance.probed : Probe(chance, player, depth, options_.lower - slack_, ceiling);
          chance.low = std::max(chance.low, value);
        } else if (player == 1) {
          const double floor = std::max(options_.lower - slack_, (alpha - (sum_high + chance.rest_high)) / p);
          const double value = together ? chance.probed : Probe(chance, player, depth, floor, options_.upper + slack_);
          chance.high = std::min(chance.high, value);
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
      const int player = model_.Player(chance.child);
      const double value = Node(chance.child, depth, std::max(floor, chance.low - slack_),
                                std::min(ceiling, chance.high + slack_));
      path_.pop_back();
      if (player >= 0) KeepReply(chance, depth);
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

  // Whether Star2 probes the successors of a chance node, whose mean lies in `all`.
  bool Probes(int depth, const Interval& all, double alpha, double beta) const {
    const int probed_from = batched_ ? 1 : options_.probe_depth;
    // Where values are dear, not under a window that no value leaves. At the horizon a successor may be quiet: then no
    // move of it counts.
    const bool open = batched_ && all.low > alpha && all.high < beta;
    return options_.probes > 0 && depth > 0 && (!order_ || depth >= probed_from) && !open;
  }

  // Chance nodes that several threads search at once, each the outcomes that no other is at work on. Every result goes
  // into the table, and what has come into it meanwhile is looked up before the next outcome.

  // SumChance.
  double SumApart(std::size_t base, int count, int depth) {
    std::vector<bool> done(static_cast<std::size_t>(count), false);
    for (int left = count; left > 0; --left) {
      const int i = NextApart(base, count, depth, [&](int j) { return !done[static_cast<std::size_t>(j)]; });
      Chance& chance = chances_[base + i];
      const std::uint64_t mark = MarkOf(chance.child, depth);
      shared_->Begin(mark);
      path_.push_back(chance.action);
      chance.low = Node(chance.child, depth, -kInfinity, kInfinity);
      path_.pop_back();
      shared_->End(mark);
      done[static_cast<std::size_t>(i)] = true;
    }
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += chances_[base + i].probability * chances_[base + i].low;
    chances_.Shrink(base);
    return sum;
  }

  // StarOutcomes.
  double StarApart(std::size_t base, int count, int depth, double alpha, double beta) {
    std::vector<bool> probed(static_cast<std::size_t>(count), false);
    bool begun = false, probing = false, after_probe = false;
    while (true) {
      TightenByTable(base, count, depth);
      const Interval all = SumRests(base, count);
      const bool high_enough = all.low >= beta - kCutTolerance;
      if (high_enough || all.high <= alpha + kCutTolerance) {
        ++counters_.chance_cutoffs;
        counters_.probes_won += after_probe;
        return high_enough ? all.low : all.high;
      }
      if (!begun) {
        begun = true;
        probing = Probes(depth, all, alpha, beta);
        counters_.unprobed += options_.probes > 0 && !probing;
        for (int i = 0; i < count; ++i) {
          probed[static_cast<std::size_t>(i)] = !probing || Chooser(chances_[base + i].child) < 0;
        }
      }
      const auto unsettled = [&](int i) { return !Settled(chances_[base + i]); };
      int i = NextApart(base, count, depth, [&](int j) { return unsettled(j) && !probed[static_cast<std::size_t>(j)]; });
      after_probe = i >= 0;
      if (i < 0) i = NextApart(base, count, depth, unsettled);
      if (i < 0) break;
      Chance& chance = chances_[base + i];
      const double p = chance.probability;
      double low = 0.0, high = 0.0;  // of the other outcomes
      for (int j = 0; j < count; ++j) {
        if (j == i) continue;
        low += chances_[base + j].probability * chances_[base + j].low;
        high += chances_[base + j].probability * chances_[base + j].high;
      }
      const double floor = (alpha - high) / p, ceiling = (beta - low) / p;
      const std::uint64_t mark = MarkOf(chance.child, depth);
      const int player = model_.Player(chance.child);
      shared_->Begin(mark);
      if (after_probe) {
        probed[static_cast<std::size_t>(i)] = true;
        ++counters_.probes;
        const std::int64_t horizon = counters_.horizon;
        Interval found{-kInfinity, kInfinity};
        if (player == 0) {
          found.low = Probe(chance, player, depth, options_.lower - slack_, std::min(options_.upper + slack_, ceiling));
          chance.low = std::max(chance.low, found.low);
        } else {
          found.high = Probe(chance, player, depth, std::max(options_.lower - slack_, floor), options_.upper + slack_);
          chance.high = std::min(chance.high, found.high);
        }
        if constexpr (kTabled) {
          const bool evaluated = counters_.horizon != horizon;
          table_->Store(KeyOf(chance.child), depth, found.low, found.high, kNoAction, evaluated);
        }
        shared_->End(mark);
        continue;
      }
      path_.push_back(chance.action);
      const double value = Node(chance.child, depth, std::max(floor, chance.low - slack_),
                                std::min(ceiling, chance.high + slack_));
      path_.pop_back();
      shared_->End(mark);
      if (player >= 0) KeepReply(chance, depth);
      if (value >= ceiling - kCutTolerance) {
        ++counters_.chance_cutoffs;
        return std::max(beta - kCutTolerance, low + p * std::max(value, chance.low));
      }
      if (value <= floor + kCutTolerance) {
        ++counters_.chance_cutoffs;
        return std::min(alpha + kCutTolerance, high + p * std::min(value, chance.high));
      }
      chance.low = chance.high = value;
    }
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += chances_[base + i].probability * chances_[base + i].low;
    return sum;
  }

  // The next of the outcomes that `wanted` takes, in this thread's order: one that no other thread is at work on, or
  // else the first. -1 where there is none.
  template <class Wanted>
  int NextApart(std::size_t base, int count, int depth, Wanted wanted) {
    int first = -1;
    for (int k = 0; k < count; ++k) {
      const int i = backwards_ ? count - 1 - k : k;
      if (!wanted(i)) continue;
      if (!shared_->Busy(MarkOf(chances_[base + i].child, depth))) return i;
      if (first < 0) first = i;
    }
    return first;
  }

  // Whether threads keep apart at nodes so far from the horizon: where to search one takes long enough.
  bool SharedAt(int depth) const {
    if constexpr (kTabled) {
      if (shared_ == nullptr || depth < std::max(kSharedDepth, Model::kTableDepth)) return false;
      const auto level = static_cast<std::size_t>(depth);
      if (level >= efforts_.size() || efforts_[level].searches < kSharedSample) return depth > kSharedDepth;
      return efforts_[level].nodes >= kSharedNodes * efforts_[level].searches;
    }
    return false;
  }

  void NoteEffort(int depth, std::int64_t nodes) {
    const auto level = static_cast<std::size_t>(depth);
    if (level >= efforts_.size()) efforts_.resize(level + 1);
    ++efforts_[level].searches;
    efforts_[level].nodes += nodes;
  }

  // What a search of a node goes by among the threads.
  std::uint64_t MarkOf(const Position& position, int depth) const {
    if constexpr (kTabled) return Hash(KeyOf(position)) + static_cast<std::uint64_t>(depth) * 0x9e3779b97f4a7c15u;
    return 0;
  }

  // A decision node whose player moves by a model. One who always moves by a policy is a chance node, and cut like one.
  double Modelled(const Position& position, int player, int depth, double alpha, double beta) {
    const std::size_t base = chances_.size();
    const int count = ListReplies(position, depth - 1);
    double value;
    if (batched_ && depth == 1) {
      value = RepliesTogether(position, player, base, count);
    } else if (!bounded_) {
      value = EveryReply(position, player, base, count, depth - 1);
    } else if (options_.error == 1.0) {
      value = StarOutcomes(position, base, count, depth - 1, alpha, beta);
    } else {
      value = StarMixture(position, player, base, count, depth - 1, alpha, beta);
    }
    chances_.Shrink(base);
    last_reply_ = {};
    return value;
  }

  // Appends the moves of a modelled player that count to chances_, with their probabilities by the policy; returns how
  // many there are. A move of probability 0 counts where it may be the best one. They are searched to `depth`.
  int ListReplies(const Position& position, int depth) {
    const std::size_t from = actions_.size();
    model_.Actions(position, actions_);
    const std::size_t moves = actions_.size() - from;
    const std::vector<double> policy = options_.policy ? options_.policy(path_) : std::vector<double>();
    const std::size_t base = chances_.size();
    distinct_.Clear();
    for (std::size_t i = 0; i < moves; ++i) {
      const double p = policy.empty() ? 1.0 / static_cast<double>(moves) : policy[i];
      if (p == 0.0 && options_.error == 1.0) continue;
      Chance& reply =
          chances_.Push({actions_[from + i], false, p, options_.lower, options_.upper, 0.0, 0.0, Position{}});
      if (merge_ || Looked(depth)) Make(reply, position);
      if constexpr (Model::kKeyed) {
        if (!merge_) continue;
        const std::size_t last = chances_.size() - 1 - base;
        const auto equal = [&](std::size_t other) { return Equal(chances_[base + other].child, reply.child); };
        const std::size_t twin = distinct_.Find(Hash(reply.child), last, equal);
        if (twin == last) continue;
        ++counters_.merged_moves;
        chances_[base + twin].probability += p;
        chances_.Shrink(chances_.size() - 1);
      }
    }
    actions_.resize(from);
    return static_cast<int>(chances_.size() - base);
  }

  // The replies one ply above the horizon, in one batch.
  double RepliesTogether(const Position& position, int player, std::size_t base, int count) {
    BeginBatch();
    for (int i = 0; i < count; ++i) {
      Chance& reply = chances_[base + i];
      Make(reply, position);
      Ask(reply.child, {reply.action});
    }
    FindValues();
    Mixture mixture(options_.error, player);
    for (int i = 0; i < count; ++i) mixture.Add(found_[static_cast<std::size_t>(i)], chances_[base + i].probability);
    return mixture.value();
  }

  double EveryReply(const Position& position, int player, std::size_t base, int count, int depth) {
    Mixture mixture(options_.error, player);
    for (int i = 0; i < count; ++i) {
      Chance& reply = chances_[base + i];
      Make(reply, position);
      path_.push_back(reply.action);
      mixture.Add(Node(reply.child, depth, -kInfinity, kInfinity), reply.probability);
      path_.pop_back();
    }
    return mixture.value();
  }

  // The value is a growing function of each reply's value, so bounds on the others say outside which window of one it
  // leaves (alpha, beta), as in Star1. All as a minimiser sees it; for a maximiser values change their signs.
  double StarMixture(const Position& position, int player, std::size_t base, int count, int depth, double alpha,
                     double beta) {
    const double sign = player == 0 ? -1.0 : 1.0, error = options_.error;
    const auto [lower, upper] = std::minmax({sign * options_.lower, sign * options_.upper});
    const auto [low_end, high_end] = std::minmax({sign * alpha, sign * beta});
    double best = kInfinity;  // of the replies before this one
    double searched = 0.0, left = 1.0;
    for (int i = 0; i < count; ++i) {
      Chance& reply = chances_[base + i];
      const bool is_last = i + 1 == count;
      const double p = reply.probability;
      left = is_last ? 0.0 : std::max(0.0, left - p);
      const double best_low = is_last ? best : std::min(best, lower), best_high = is_last ? best : std::min(best, upper);
      const double rest_low = searched + left * lower, rest_high = searched + left * upper;
      const double floor = MixtureReaches(low_end, error, p, best_high, rest_high);
      const double ceiling = MixtureReaches(high_end, error, p, best_low, rest_low);
      const double from = std::max(floor, lower - slack_);
      double to = std::min(ceiling, upper + slack_);
      if (p == 0.0) to = std::min(to, best);  // it only counts where it is the best one
      Make(reply, position);
      path_.push_back(reply.action);
      const double value = sign * Node(reply.child, depth, sign < 0 ? -to : from, sign < 0 ? -from : to);
      path_.pop_back();
      if (value >= ceiling - kCutTolerance) {
        counters_.decision_cutoffs += !is_last;
        const double bound = (1.0 - error) * std::min(value, best_low) + error * (p * value + rest_low);
        return sign * std::max(high_end - kCutTolerance, bound);
      }
      if (value <= floor + kCutTolerance) {
        counters_.decision_cutoffs += !is_last;
        const double bound = (1.0 - error) * std::min(value, best_high) + error * (p * value + rest_high);
        return sign * std::min(low_end + kCutTolerance, bound);
      }
      best = std::min(best, value);
      searched += p * value;
    }
    return sign * ((1.0 - error) * best + error * searched);
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
    if constexpr (kTabled) return table_ && depth >= table_depth_;
    return false;
  }

  // Whether an outcome's exact value is known already. Without a table every outcome is searched.
  bool Settled(const Chance& chance) const { return table_ && chance.low == chance.high; }

  // What is known of the outcomes without search: the table's intervals, and the utility of terminal ones.
  void TightenByTable(std::size_t base, int count, int depth) {
    if constexpr (kTabled) {
      if constexpr (Model::kKeyed) {
        for (int i = 0; i < count; ++i) table_->Prefetch(chances_[base + i].child);
      }
      for (int i = 0; i < count; ++i) {
        Chance& chance = chances_[base + i];
        if (Settled(chance)) continue;
        if (model_.Player(chance.child) == kTerminal) {
          ++counters_.nodes;
          budget_->Visit(counters_.nodes);
          chance.low = chance.high = Utility(chance.child);
        } else {
          int hint = kNoAction;
          if (const std::optional<Known> known = table_->Find(KeyOf(chance.child), depth, &hint)) {
            counters_.horizon += known->horizon;
            chance.low = std::max(chance.low, known->lower);
            chance.high = std::min(chance.high, known->upper);
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
    if constexpr (kTabled) {
      if (table_) table_->Find(KeyOf(chance.child), depth, &hint);
    }
    if (const int reply = batched_ ? KnownReply(chance, depth).action : kNoAction; reply != kNoAction) {
      Position child = model_.Child(chance.child, reply);
      path_.push_back(reply);
      const double value = Node(child, depth - 1, alpha, beta);
      path_.pop_back();
      path_.pop_back();
      return value;
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
  bool batched_ = false;
  double slack_ = 0.0;
  double size_ = 1.0;
  bool merge_ = false;
  bool order_ = false;
  bool ends_ = false;  // whether moves on to what the evaluator sees are listed as one
  bool values_last_ = false;  // whether the model values the moves of the last ply
  bool means_last_ = false;  // and the chance nodes before it
  int table_depth_ = Model::kTableDepth;
  Distinct distinct_;
  std::shared_ptr<Common> common_;
  std::shared_ptr<TableOfKeys> table_;
  Shared* shared_ = nullptr;  // null where this thread searches alone
  std::vector<Effort> efforts_;  // by depth
  bool backwards_;      // whether this thread takes outcomes from the other end
  bool again_ = false;  // whether the node to be searched next was searched before, to the same depth
  Counters counters_;
  std::vector<int> path_;
  std::vector<int> actions_;
  Stack<Move> moves_;
  Stack<Chance> chances_;
  std::vector<Outcome> outcomes_;
  std::vector<Order> order_of_;
  std::vector<Move> sorted_;
  std::vector<int> sorted_actions_;
  std::vector<double> scores_;
  Batch<Position> batch_;
  std::vector<double> found_;        // the values of what was asked for
  std::vector<std::size_t> asked_;   // which of them come from the evaluator
  Reply last_reply_;                 // the best move of the decision node searched last
  std::vector<std::vector<Replies>> replies_;  // by depth and outcome
};

}  // namespace starspiel
