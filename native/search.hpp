// Expectiminimax, Star1 and Star2 over a model (model.hpp): the same search as agents/search/expectiminimax.py and
// star.py, node for node while merging, ordering and the table are off.
//
// This file holds the plain search. Separate files hold move ordering (search/ordering.hpp), move filters
// (search/filters.hpp), speculative cuts of chance nodes (search/probcut.hpp), batched evaluation (search/batches.hpp),
// threads (search/threads.hpp), players who move by a model (search/opponents.hpp) and the table (table.hpp).
//
// Values are player 0's. Windows are fail-soft: a value inside (alpha, beta) is exact, one at or below alpha
// is an upper bound of the true value, one at or above beta a lower bound.
#pragma once

#include "budget.hpp"
#include "distinct.hpp"
#include "leaf.hpp"
#include "model.hpp"
#include "search/options.hpp"
#include "shared.hpp"
#include "stack.hpp"
#include "table.hpp"

namespace starspiel {

template <class Model>
class Search {
 public:
  using Position = typename Model::Position;
  using Key = typename KeyOfModel<Model>::Type;
  using TableOfKeys = Table<Key>;

  // State shared by the threads of one search; null if there is one thread.
  struct Common {
    explicit Common(const Options& options) : table(options.table_bytes, true, !options.filter) {}
    TableOfKeys table;
    Shared shared;
  };

  // `seat` numbers the threads of a search: 0, 1, and so on.
  Search(const Model& model, Leaf<Position>& leaf, const Options& options, std::shared_ptr<Common> common = nullptr,
         int seat = 0)
      : model_(model), leaf_(leaf), options_(options), common_(std::move(common)), backwards_(seat % 2 == 1) {
    bounded_ = options.prune && std::isfinite(options.lower) && std::isfinite(options.upper);
    slack_ = kSlack * std::max({1.0, std::abs(options.lower), std::abs(options.upper)});
    batched_ = options.batch && leaf.batch() > 1;
    if (batched_ && options.filter && options.filter->last_most > 0) small_ = leaf.small();
    if constexpr (kTabled) {
      if (!HasKeys(model)) return;
      if constexpr (Model::kKeyed) {
        // The table already recognises equal positions, so comparing them may not pay unless values are expensive.
        const bool always = batched_ || options.table_bytes == 0;
        merge_ = options.merge.value_or(always || MergePays<Model>());
      }
      order_ = options.order && options.prune;
      ends_ = batched_ && ((order_ && merge_) || small_ != nullptr);
      values_last_ = kValuesMoves && order_ && !batched_ && leaf.heuristic();
      if (values_last_) table_depth_ = std::max(table_depth_, 2);
      means_last_ = values_last_ && options_.opponent == kNobody;
      if (common_) {
        table_ = {common_, &common_->table};
      } else if (options.table_bytes > 0) {
        table_ = std::make_shared<TableOfKeys>(options.table_bytes, false, !options.filter);
      }
    }
  }

  // Sets whether other threads search the following iterations too. A thread that searches alone must not read the
  // window left by an earlier iteration.
  void ShareWork(bool shared) { shared_ = shared && table_ && common_ ? &common_->shared : nullptr; }

  void Root(const Position& root, int depth, double margin, const std::vector<int>& first, Budget& budget,
            std::vector<std::pair<int, double>>& values);
  const Counters& counters() const { return counters_; }
  // The greatest magnitude of a value at a leaf so far, at least 1.
  double size() const { return size_; }
  const std::vector<int>& path() const { return path_; }

 private:
  static constexpr bool kTabled = Model::kKeyed || requires { typename Model::Key; };
  static constexpr bool kValuesMoves =
      requires(const Model& model, const Position& position) { model.BestByHeuristic(position, 0.0); };
  struct NoGain {};
  template <class Other>
  static auto GainOfModel() {
    if constexpr (requires { typename Other::Gain; }) {
      return typename Other::Gain{};
    } else {
      return NoGain{};
    }
  }
  using Gain = decltype(GainOfModel<Model>());
  static constexpr bool kGains = !std::is_same_v<Gain, NoGain>;
  static constexpr bool kMeansValues =
      requires(const Model& model, const Position& position) { model.MeanByHeuristic(position); };
  // Nodes of at least this depth may be worth the bookkeeping of threads; they are if a sample of searches takes this
  // many nodes on average.
  static constexpr int kSharedDepth = 2;
  static constexpr std::int64_t kSharedNodes = 1000, kSharedSample = 16;

  // A move of a decision node, with its successor if merging or ordering needs it.
  struct Move {
    int action;
    int then;  // the same player's next move, if both together lead to `child`
    double score;
    Position child;
  };
  struct Reply {
    int action = kNoAction;
    int then = kNoAction;
  };
  // Replies to an outcome, found at other nodes of the same depth.
  struct Replies {
    Reply best;    // at the last search of the outcome
    Reply probed;  // most recently, if `best` was not legal
  };
  // An outcome of a chance node; its value lies in [low, high]. The rests are the sums of probability times bound over
  // the later outcomes.
  struct Chance {
    int action;
    bool made;
    double probability;
    double low;
    double high;
    double rest_low;
    double rest_high;
    Position child;
    std::size_t asked = 0;  // how many of its moves were valued in the batch; `probed`: the best of them
    double probed = 0.0;
  };
  struct Interval {
    double low;
    double high;
  };
  // Totals over the searches of nodes at one depth.
  struct Effort {
    std::int64_t searches = 0;
    std::int64_t nodes = 0;
  };
  struct MoveList {
    bool made;         // true if they are in moves_, with their successors; otherwise they are in actions_
    std::size_t from;  // where Drop truncates; the list itself starts at `base`
    std::size_t base;
    int count;
  };

  std::size_t FirstEqual(const std::vector<Position>& children, const std::vector<Order>& turns, std::size_t turn) const;
  double Node(Position& position, int depth, double alpha, double beta);
  // The position itself if it is its own key.
  decltype(auto) KeyOf(const Position& position) const {
    if constexpr (Model::kKeyed) {
      return (position);
    } else {
      return model_.KeyOf(position);
    }
  }

  double TableNode(Position& position, int player, int depth, double alpha, double beta);
  double Inner(Position& position, int player, int depth, double alpha, double beta, int hint, int* best);

  // The player who chooses the best move here; kChance if there is none, or if a model moves.
  int Chooser(const Position& position) const {
    const int player = model_.Player(position);
    return player == options_.opponent ? kChance : player;
  }

  double Utility(const Position& position) {
    ++counters_.leaves;
    return Noted(model_.Utility(position));
  }

  double Noted(double value) {
    if (std::abs(value) > size_) [[unlikely]]
      size_ = std::abs(value);
    return value;
  }

  // Kept out of Evaluate, which runs at every leaf and must stay small enough to be inlined.
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

  // Counts and checks a value that the model computes in place of the evaluator.
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

  // search/batches.hpp
  void BeginBatch();
  [[gnu::noinline]] void Ask(const Position& position, std::initializer_list<int> way);
  void AddToBatch(const Position& position, std::initializer_list<int> way);
  [[gnu::noinline]] void FindValues();
  double SearchLeaves(bool max, const MoveList& moves, int limit, double alpha, double beta, int* best_action);
  double SumTogether(std::size_t base, int count, const Position& position);
  std::size_t ListEnds(std::size_t from, int player);
  void ListEndsByGains(std::size_t from, int player);
  std::size_t AskMoves(const Chance& chance, int player, int limit);
  double BestFound(std::size_t place, const Chance& chance) const;
  int ProbeTogether(const Position& position, std::size_t base, int first, int count);
  std::size_t AskLikely(const Chance& chance, int player);

  // search/ordering.hpp
  int Likely(const Position& position, int player);
  Reply KnownReply(const Chance& chance, int depth);
  Replies& RepliesTo(const Chance& chance, int depth);
  bool Allows(const Position& position, int action);
  void KeepReply(const Chance& chance, int depth);
  bool AllCounts(double alpha, double beta) const;
  MoveList ListMoves(const Position& position, int player, int depth, int hint, bool sorted = true);
  void MoveToFront(std::size_t base, int action);
  bool DropDuplicate(std::size_t first);
  bool GoesOn(const Position& child, int player) const;
  void Drop(const MoveList& moves);
  bool OrdersByValue(int depth) const;
  void OrderMoves(const MoveList& list, int player, int depth, int hint);
  void TakeOrder(const MoveList& list);
  void Scores(const int* actions, int depth);

  // search/filters.hpp
  bool FiltersAt(int depth) const { return options_.filter && (depth >= 2 || (depth == 1 && small_ != nullptr)); }
  void FindKept(const int* actions, int player, int depth);
  void FindBySmall();
  MoveList FilterMoves(const MoveList& list, int player, int depth, int hint);

  // search/probcut.hpp
  bool FitsAt(int depth) const { return depth >= 2 && depth - 2 < static_cast<int>(options_.fits.size()); }
  std::optional<double> LikelyBound(Position& position, int depth, double alpha, double beta);

  // Decision nodes.
  template <bool kMax>
  double SearchMoves(Position& position, const MoveList& moves, int limit, bool consume, int depth, double alpha,
                     double beta, int* best_action);
  double SearchMovesApart(bool max, const MoveList& moves, int limit, int depth, double alpha, double beta,
                          int* best_action);
  Position MakeChild(Position& position, int action, bool consume) const {
    if constexpr (requires { model_.Become(position, action); }) {
      if (consume) return model_.Become(position, action);
    }
    return model_.Child(position, action);
  }

  // Chance nodes.
  int ListOutcomes(const Position& position, int depth);
  void Make(Chance& chance, const Position& position) {
    if (chance.made) return;
    chance.child = model_.Child(position, chance.action);
    chance.made = true;
  }

  double SumChance(Position& position, int depth);
  double StarChance(const Position& position, int depth, double alpha, double beta);
  double StarOutcomes(const Position& position, std::size_t base, int count, int depth, double alpha, double beta);
  bool Probes(int depth, const Interval& all, double alpha, double beta) const;

  // search/threads.hpp
  double SumApart(std::size_t base, int count, int depth);
  double StarApart(std::size_t base, int count, int depth, double alpha, double beta);
  template <class Wanted>
  int NextApart(std::size_t base, int count, int depth, Wanted wanted);
  bool SharedAt(int depth) const;
  void NoteEffort(int depth, std::int64_t nodes);
  std::uint64_t MarkOf(const Position& position, int depth) const;

  // search/opponents.hpp
  double Modelled(const Position& position, int depth, double alpha, double beta);
  int ListReplies(const Position& position, int depth);
  double RepliesTogether(const Position& position, std::size_t base, int count);
  double EveryReply(const Position& position, std::size_t base, int count, int depth);

  Interval SumRests(std::size_t base, int count);
  // True if the successors of a chance node are looked up in the table before they are searched.
  bool Looked(int depth) const {
    if constexpr (kTabled) return table_ && depth >= table_depth_;
    return false;
  }

  // True if an outcome's exact value is already known. Without a table every outcome is searched.
  bool Settled(const Chance& chance) const { return table_ && chance.low == chance.high; }

  void TightenByTable(std::size_t base, int count, int depth);
  double Probe(Chance& chance, int player, int depth, double alpha, double beta);

  const Model& model_;
  Leaf<Position>& leaf_;
  Leaf<Position>* small_ = nullptr;  // filters the moves of the last ply; null if they are not filtered
  Options options_;
  Budget* budget_ = nullptr;
  bool bounded_ = false;
  bool batched_ = false;
  double slack_ = 0.0;
  double size_ = 1.0;
  bool merge_ = false;
  bool order_ = false;
  bool ends_ = false;         // whether consecutive moves up to a position that the evaluator sees are listed as one
  bool values_last_ = false;  // whether the model values the moves of the last ply
  bool means_last_ = false;   // and the chance nodes above it
  int table_depth_ = Model::kTableDepth;
  Distinct distinct_;
  std::shared_ptr<Common> common_;
  std::shared_ptr<TableOfKeys> table_;
  Shared* shared_ = nullptr;     // null if this thread searches alone
  std::vector<Effort> efforts_;  // by depth
  bool backwards_;               // whether this thread takes outcomes in reverse order
  bool again_ = false;           // whether the next node was searched before, to the same depth
  Counters counters_;
  std::vector<int> path_;
  std::vector<int> actions_;
  std::vector<Gain> gains_, end_gains_;
  Stack<Move> moves_;
  Stack<Chance> chances_;
  std::vector<Outcome> outcomes_;
  std::vector<Order> order_of_;
  std::vector<Move> sorted_;
  std::vector<int> sorted_actions_;
  std::vector<const Position*> scored_;
  std::vector<double> scores_;
  Batch<Position> batch_, small_batch_;
  std::vector<double> found_;                  // the requested values
  std::vector<std::size_t> asked_;             // the indices in found_ that the evaluator fills
  Reply last_reply_;                           // the best move of the decision node searched last
  std::vector<std::vector<Replies>> replies_;  // by depth and outcome
};

// Searches the actions of a decision node, each to `depth` - 1, and appends (action, value) for those whose value is
// exact: all that are at most `margin` worse than the best, with a little slack so that ties are seen. Actions proven
// worse are left out. The actions in `first` are searched first, in this order; with a filter, a nonempty `first`
// excludes all others. Appended values survive a BudgetSpent.
template <class Model>
inline void Search<Model>::Root(const Position& root, int depth, double margin, const std::vector<int>& first,
                                Budget& budget, std::vector<std::pair<int, double>>& values) {
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
  std::size_t count = actions_.size();
  std::vector<Position> children(count);
  std::vector<Order> turns(count);
  for (std::size_t i = 0; i < count; ++i) {
    children[i] = model_.Child(root, actions_[i]);
    budget_->ReadClock();
    turns[i] = {static_cast<int>(i), 0.0};
  }
  if (order_ && depth >= 2 && (batched_ || leaf_.guesses())) {
    scored_.clear();
    for (const Position& child : children) scored_.push_back(&child);
    Scores(actions_.data(), depth);
    for (std::size_t i = 0; i < count; ++i) turns[i].score = scores_[i];
    SortMoves(turns, player);
  }
  std::size_t placed = 0;
  for (int action : first) {
    for (std::size_t turn = placed; turn < count; ++turn) {
      if (actions_[turns[turn].index] != action) continue;
      std::rotate(turns.begin() + placed, turns.begin() + turn, turns.begin() + turn + 1);
      ++placed;
      break;
    }
  }
  if (options_.filter && placed > 0) count = placed;
  std::vector<std::size_t> duplicate_of;  // for each turn, the first turn that leads to an equal position
  for (std::size_t turn = 0; turn < count; ++turn) duplicate_of.push_back(FirstEqual(children, turns, turn));
  const bool together = batched_ && depth == 1;
  if (together) {
    BeginBatch();
    for (std::size_t turn = 0; turn < count; ++turn) {
      if (duplicate_of[turn] == turn) Ask(children[turns[turn].index], {actions_[turns[turn].index]});
    }
    FindValues();
  }
  std::size_t next_found = 0;
  double alpha = -kInfinity, beta = kInfinity;
  const bool shares = std::isfinite(margin);
  std::vector<std::size_t> put_off;
  for (std::size_t place = 0; place < count + put_off.size(); ++place) {
    const std::size_t turn = place < count ? place : put_off[place - count];
    if (duplicate_of[turn] < turn) {  // Moves that lead to the same position have the same value.
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
    if (marked && shares) {
      alpha = std::max(alpha, shared_->alpha());
      beta = std::min(beta, shared_->beta());
    }
    if (marked) shared_->Begin(mark);
    path_.push_back(actions_[i]);
    const double value = together ? found_[next_found++] : Node(children[i], depth - 1, alpha, beta);
    path_.pop_back();
    if (marked) shared_->End(mark);
    if (!(alpha + kCutTolerance < value && value < beta - kCutTolerance)) continue;
    for (std::size_t duplicate = turn; duplicate < count; ++duplicate) {
      if (duplicate_of[duplicate] == turn) values.emplace_back(actions_[turns[duplicate].index], value);
    }
    const double below = 2 * kTieTolerance * size_ + margin;
    if (player == 0) alpha = std::max(alpha, value - below);
    if (player == 1) beta = std::min(beta, value + below);
    if (marked && shares) {
      shared_->RaiseAlpha(alpha);
      shared_->LowerBeta(beta);
    }
  }
}

// Searches `position` and may consume it: the last successor may be made in place.
template <class Model>
inline double Search<Model>::Node(Position& position, int depth, double alpha, double beta) {
  ++counters_.nodes;
  budget_->Visit(counters_.nodes);
  const int player = model_.Player(position);
  if (player == kTerminal) {
    return Utility(position);
  }
  if (depth == 0) return Evaluate(position);

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

// Looks a node up in the table before searching it, and stores the result.
template <class Model>
inline double Search<Model>::TableNode(Position& position, int player, int depth, double alpha, double beta) {
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

template <class Model>
inline double Search<Model>::Inner(Position& position, int player, int depth, double alpha, double beta, int hint,
                                   int* best) {
  if (player == kChance) {
    if (!bounded_) return SumChance(position, depth);
    if (FitsAt(depth)) {
      if (const std::optional<double> likely = LikelyBound(position, depth, alpha, beta)) return *likely;
    }
    return StarChance(position, depth, alpha, beta);
  }
  if (player == options_.opponent) return Modelled(position, depth, alpha, beta);
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
  const double value = player == 0 ? SearchMoves<true>(position, moves, moves.count, true, depth, alpha, beta, best)
                                   : SearchMoves<false>(position, moves, moves.count, true, depth, alpha, beta, best);
  Drop(moves);
  last_reply_.action = *best;
  return value;
}

// The best of the first `limit` moves, for the maximising or the minimising player. With `consume`, may make the last
// successor in place from `position`.
template <class Model>
template <bool kMax>
inline double Search<Model>::SearchMoves(Position& position, const MoveList& moves, int limit, bool consume, int depth,
                                         double alpha, double beta, int* best_action) {
  if (batched_ && depth == 1) return SearchLeaves(kMax, moves, limit, alpha, beta, best_action);
  if (moves.made && limit > 1 && SharedAt(depth - 1))
    return SearchMovesApart(kMax, moves, limit, depth, alpha, beta, best_action);
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

template <class Model>
inline double Search<Model>::SumChance(Position& position, int depth) {
  const std::size_t base = chances_.size();
  const int count = ListOutcomes(position, depth);
  if (SharedAt(depth)) return SumApart(base, count, depth);
  double sum = 0.0;
  if (batched_ && depth == 1 && !table_) {
    sum = SumTogether(base, count, position);
    chances_.Shrink(base);
    return sum;
  }
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

template <class Model>
inline double Search<Model>::StarChance(const Position& position, int depth, double alpha, double beta) {
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

template <class Model>
inline double Search<Model>::StarOutcomes(const Position& position, std::size_t base, int count, int depth,
                                          double alpha, double beta) {
  // Step 1. Before any search each value lies in [low, high], and so does their mean.
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

  // With a small evaluator, the moves of the last ply that pass its filter are valued in one batch.
  if (small_ != nullptr && depth == 1) return SumTogether(base, count, position);

  // Step 2. Star2: one move of a successor bounds its value from its player's side; enough bounds cause a cut-off.
  const bool probing = Probes(depth, all, alpha, beta);
  counters_.unprobed += options_.probes > 0 && !probing;
  const bool together = probing && batched_ && depth == 1;
  int probed = 0;  // outcomes probed together so far
  if (probing) {
    double sum_low = 0.0, sum_high = 0.0;  // of the earlier outcomes
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
        const double value = together ? chance.probed : Probe(chance, player, depth, options_.lower - slack_, ceiling);
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

  // Step 3. Star1: search each outcome with the window outside which the mean leaves (alpha, beta). The searched values
  // are summed apart from the bounds of the rest: adding and subtracting a wide bound would leave its rounding error in
  // the value.
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
    const double value =
        Node(chance.child, depth, std::max(floor, chance.low - slack_), std::min(ceiling, chance.high + slack_));
    path_.pop_back();
    if (player >= 0) KeepReply(chance, depth);
    if (value >= ceiling - kCutTolerance) {
      counters_.chance_cutoffs += i + 1 < count;
      // Rounding must not put the bound inside the window, where it would count as exact.
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

// True if Star2 probes the successors of a chance node whose mean lies in `all`.
template <class Model>
inline bool Search<Model>::Probes(int depth, const Interval& all, double alpha, double beta) const {
  const int probed_from = batched_ ? 1 : options_.probe_depth;
  // With expensive values, not if none can leave the window. A modelled reply at the horizon has no moves to probe.
  const bool open = batched_ && all.low > alpha && all.high < beta;
  return options_.probes > 0 && depth > 0 && (!order_ || depth >= probed_from) && !open;
}

template <class Model>
inline double Search<Model>::Probe(Chance& chance, int player, int depth, double alpha, double beta) {
  path_.push_back(chance.action);
  int hint = kNoAction;
  if constexpr (kTabled) {
    if (table_) table_->Find(KeyOf(chance.child), depth, &hint);
  }
  const bool known = batched_ && !FiltersAt(depth);  // a filter might leave the known reply out
  if (const int reply = known ? KnownReply(chance, depth).action : kNoAction; reply != kNoAction) {
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

// Appends the outcomes to chances_; returns their number.
template <class Model>
inline int Search<Model>::ListOutcomes(const Position& position, int depth) {
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
    Chance& chance = chances_.Push(
        {outcome.action, false, outcome.probability, options_.lower, options_.upper, 0.0, 0.0, Position{}});
    if (merge_ || Looked(depth)) {
      chance.child = model_.Child(position, outcome.action);
      chance.made = true;
    }
    if constexpr (Model::kKeyed) {
      if (!merge_ || distinct) continue;
      for (std::size_t duplicate = base; duplicate + 1 < chances_.size(); ++duplicate) {
        if (Equal(chances_[duplicate].child, chance.child)) {
          ++counters_.merged_outcomes;
          chances_[duplicate].probability += chance.probability;
          chances_.Shrink(chances_.size() - 1);
          break;
        }
      }
    }
  }
  return static_cast<int>(chances_.size() - base);
}

// Stores in each outcome the bounds of the later ones; returns the bounds of all.
template <class Model>
inline auto Search<Model>::SumRests(std::size_t base, int count) -> Interval {
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

// Applies what is known of the outcomes without search: the table's intervals, and the utility of terminal ones.
template <class Model>
inline void Search<Model>::TightenByTable(std::size_t base, int count, int depth) {
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

}  // namespace starspiel

#include "search/batches.hpp"
#include "search/filters.hpp"
#include "search/opponents.hpp"
#include "search/ordering.hpp"
#include "search/probcut.hpp"
#include "search/threads.hpp"
