// Max^n (Luckhardt & Irani 1986) over a model of several players (several.hpp): the same search as
// agents/search/maxn.py, node for node while merging and the table are off.
//
// Each player maximises their own return and takes the first of equally good moves. Pruning uses a floor: a player
// higher up does not choose a line that gives them no more than the floor. It is passed only to the next player's nodes
// (shallow pruning, Sturtevant & Korf 2000, by the sum of all returns) and to the outcomes of chance nodes.
#pragma once

#include "engine.hpp"
#include "returns_leaf.hpp"
#include "returns_table.hpp"
#include "search/options.hpp"
#include "several.hpp"
#include "stack.hpp"

namespace starspiel {

template <class Model>
class Maxn {
 public:
  using Position = typename Model::Position;

  Maxn(const Model& model, ReturnsLeaf<Position>& leaf, const Options& options)
      : model_(model), leaf_(leaf), options_(options), players_(model.players()) {
    if constexpr (Model::kKeyed) {
      merge_ = options.merge.value_or(options.table_bytes == 0 || MergePays<Model>());
      if (options.table_bytes > 0) table_ = std::make_unique<ReturnsTable<Position>>(options.table_bytes, players_);
    }
  }

  // Searches the actions of a decision node as Search::Root does. Each action is paired with its value to the player to
  // move; `returns` holds every player's expected return after it.
  void Root(const Position& root, int depth, double margin, const std::vector<int>& first, Budget& budget,
            RootValues& found);
  const Counters& counters() const { return counters_; }
  // The greatest magnitude of a return at a leaf so far, at least 1.
  double size() const { return size_; }

 private:
  // What `player`, who moves higher up, must exceed on a line in order to choose it.
  struct Floor {
    int player = kNobody;
    double least = -kInfinity;
  };
  struct Following {
    int action;
    double probability;
    double unseen;  // the total probability of the later ones
    Position child;
  };

  // Writes each player's expected return. If that of the floor's player does not exceed the floor, it is an upper
  // bound, and the other returns are meaningless. May consume `position`.
  void Node(Position& position, int depth, Floor floor, double* returns);
  bool InTable(const Position& position, int player, int depth, Floor floor, double* returns);
  void Inner(Position& position, int player, int depth, Floor floor, double* returns) {
    if (player == kChance) return Chance(position, depth, floor, returns);
    Decision(position, player, depth, floor, returns);
  }
  void Decision(Position& position, int player, int depth, Floor floor, double* returns);
  std::vector<double> LastPly(const Position& position, std::size_t from);
  void Chance(Position& position, int depth, Floor floor, double* returns);
  std::size_t ListOutcomes(Position& position);
  void Check(const double* returns);

  // True if all successors of a decision node are valued in one batch.
  bool IsTogether(int depth) const { return depth == 1 && leaf_.together(); }
  Position MakeChild(Position& position, int action, bool is_last) const {
    if constexpr (requires { model_.Become(position, action); }) {
      if (is_last) return model_.Become(position, action);
    }
    return model_.Child(position, action);
  }

  const Model& model_;
  ReturnsLeaf<Position>& leaf_;
  Options options_;
  int players_;
  bool merge_ = false;
  std::unique_ptr<ReturnsTable<Position>> table_;  // only for models with keys
  Budget* budget_ = nullptr;
  double size_ = 1.0;
  Counters counters_;
  std::vector<int> path_;
  std::vector<int> actions_;
  std::vector<Outcome> outcomes_;
  Stack<Following> following_;
};

template <class Model>
void Maxn<Model>::Root(const Position& root, int depth, double margin, const std::vector<int>& first, Budget& budget,
                       RootValues& found) {
  budget_ = &budget;
  leaf_.Watch(budget);
  path_.clear();
  following_.Shrink(0);
  ++counters_.nodes;
  budget_->Visit(counters_.nodes);
  const int player = model_.Mover(root);
  actions_.clear();
  model_.Actions(root, actions_);
  std::size_t placed = 0;
  for (int action : first) {
    const auto place = std::find(actions_.begin() + placed, actions_.end(), action);
    if (place != actions_.end()) std::rotate(actions_.begin() + placed++, place, place + 1);
  }
  const std::size_t count = actions_.size();
  std::vector<double> together;
  if (IsTogether(depth)) together = LastPly(root, 0);
  Floor floor;
  for (std::size_t i = 0; i < count; ++i) {
    const int action = actions_[i];
    std::vector<double> returns(static_cast<std::size_t>(players_));
    if (together.empty()) {
      Position child = model_.Child(root, action);
      path_.push_back(action);
      Node(child, depth - 1, floor, returns.data());
      path_.pop_back();
    } else {
      std::copy_n(together.begin() + i * players_, players_, returns.begin());
    }
    const double own = returns[player];
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (!(own > floor.least + kCutTolerance) || !std::all_of(returns.begin(), returns.end(), is_finite)) continue;
    found.values.emplace_back(action, own);
    found.returns.push_back(std::move(returns));
    if (options_.prune) floor = {player, std::max(floor.least, own - margin - 2 * kTieTolerance * size_)};
  }
}

template <class Model>
void Maxn<Model>::Node(Position& position, int depth, Floor floor, double* returns) {
  ++counters_.nodes;
  budget_->Visit(counters_.nodes);
  const int player = model_.Mover(position);
  if (player == kTerminal) {
    ++counters_.leaves;
    model_.Returns(position, returns);
    for (int i = 0; i < players_; ++i) size_ = std::max(size_, std::abs(returns[i]));
  } else if (depth == 0) {
    ++counters_.leaves;
    ++counters_.horizon;
    leaf_.Value(position, path_, returns);
    if (!leaf_.cheap()) budget_->ReadClock();
    Check(returns);
  } else if (!InTable(position, player, depth, floor, returns)) {
    Inner(position, player, depth, floor, returns);
  }
}

// Finds the node in the table, or searches and stores it; false if the table does not apply at this node.
template <class Model>
inline bool Maxn<Model>::InTable(const Position& position, int player, int depth, Floor floor, double* returns) {
  if constexpr (Model::kKeyed) {
    if (!table_ || depth < (player == kChance ? 1 : Model::kTableDepth)) return false;
    if (const auto* known = table_->Find(position, depth, returns)) {
      ++counters_.table_hits;
      counters_.horizon += known->horizon;
      return true;
    }
    const std::int64_t horizon = counters_.horizon;
    Position searched = position;
    Inner(searched, player, depth, floor, returns);
    if (floor.least > -kInfinity && returns[floor.player] <= floor.least + kCutTolerance) return true;
    table_->Store({position, depth, counters_.horizon != horizon}, returns);
    budget_->Reserve(table_->bytes());
    return true;
  }
  return false;
}

template <class Model>
void Maxn<Model>::Decision(Position& position, int player, int depth, Floor floor, double* returns) {
  const std::size_t base = actions_.size();
  model_.Actions(position, actions_);
  const std::size_t end = actions_.size();
  if (IsTogether(depth)) {
    const std::vector<double> together = LastPly(position, base);
    std::size_t best = 0;
    for (std::size_t i = 1; i < end - base; ++i) {
      if (IsBetter(together[i * players_ + player], together[best * players_ + player])) best = i;
    }
    std::copy_n(together.begin() + best * players_, players_, returns);
    actions_.resize(base);
    return;
  }
  const bool above = floor.player != player && floor.least > -kInfinity;
  // A line that gives this player no more than the floor is useless higher up too, if the floor is their own.
  Floor own{player, floor.player == player ? floor.least : -kInfinity};
  for (std::size_t i = base; i < end; ++i) {
    const bool is_last = i + 1 == end;
    double found[kMostPlayers];
    path_.push_back(actions_[i]);
    Position child = MakeChild(position, actions_[i], is_last);
    Node(child, depth - 1, own, found);
    path_.pop_back();
    if (i > base && !IsBetter(found[player], returns[player])) continue;
    std::copy_n(found, players_, returns);
    if (!options_.prune) continue;
    const double mine = found[player];
    if (mine >= options_.upper - kCutTolerance) {
      counters_.decision_cutoffs += !is_last;
      break;
    }
    if (above && options_.total - mine - (players_ - 2) * options_.lower <= floor.least) {
      counters_.decision_cutoffs += !is_last;
      returns[floor.player] = std::min(returns[floor.player], floor.least);
      break;
    }
    own.least = std::max(own.least, mine);
  }
  actions_.resize(base);
}

// All players' expected returns after each of the actions from index `from` on, concatenated.
template <class Model>
std::vector<double> Maxn<Model>::LastPly(const Position& position, std::size_t from) {
  const std::size_t count = actions_.size() - from;
  std::vector<double> found(count * players_);
  std::vector<std::vector<int>> paths;
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < count; ++i) {
    ++counters_.nodes;
    ++counters_.leaves;
    budget_->Visit(counters_.nodes);
    const Position child = model_.Child(position, actions_[from + i]);
    if (model_.Mover(child) == kTerminal) {
      model_.Returns(child, &found[i * players_]);
      for (int player = 0; player < players_; ++player) size_ = std::max(size_, std::abs(found[i * players_ + player]));
      continue;
    }
    asked.push_back(i);
    paths.push_back(path_);
    paths.back().push_back(actions_[from + i]);
  }
  if (asked.empty()) return found;
  counters_.horizon += static_cast<std::int64_t>(asked.size());
  ++counters_.batches;
  const std::vector<std::vector<double>> values = leaf_.Values(paths);
  budget_->ReadClock();
  for (std::size_t k = 0; k < asked.size(); ++k) {
    Check(values[k].data());
    std::copy(values[k].begin(), values[k].end(), found.begin() + asked[k] * players_);
  }
  return found;
}

template <class Model>
void Maxn<Model>::Chance(Position& position, int depth, Floor floor, double* returns) {
  const std::size_t base = following_.size();
  const std::size_t end = ListOutcomes(position);
  std::fill_n(returns, players_, 0.0);
  for (std::size_t i = base; i < end; ++i) {
    Following& next = following_[i];
    const double p = next.probability, rest = next.unseen * options_.upper;
    Floor needed{floor.player, -kInfinity};
    if (floor.least > -kInfinity) {
      needed.least = (floor.least - returns[floor.player] - rest) / p;
      if (needed.least < options_.lower) needed.least = -kInfinity;  // no outcome gives less
    }
    double found[kMostPlayers];
    path_.push_back(next.action);
    Node(next.child, depth, needed, found);
    path_.pop_back();
    for (int player = 0; player < players_; ++player) returns[player] += p * found[player];
    if (floor.least > -kInfinity && returns[floor.player] + rest <= floor.least + kCutTolerance) {
      counters_.chance_cutoffs += i + 1 < end;
      returns[floor.player] += rest;
      break;
    }
  }
  following_.Shrink(base);
}

// Appends the outcomes with their successors, equal ones once if merging is on; returns the end index.
template <class Model>
std::size_t Maxn<Model>::ListOutcomes(Position& position) {
  outcomes_.clear();
  bool distinct = false;
  if constexpr (requires { model_.DistinctOutcomes(position, outcomes_); }) {
    if (merge_) counters_.merged_outcomes += model_.DistinctOutcomes(position, outcomes_);
    distinct = merge_;
  }
  if (!distinct) PossibleOutcomes(model_, position, outcomes_);
  const std::size_t base = following_.size();
  for (const Outcome& outcome : outcomes_) {
    Following& next = following_.Push({outcome.action, outcome.probability, 0.0,
                                       MakeChild(position, outcome.action, &outcome == &outcomes_.back())});
    if constexpr (Model::kKeyed) {
      if (!merge_ || distinct) continue;
      for (std::size_t other = base; other + 1 < following_.size(); ++other) {
        if (!Equal(following_[other].child, next.child)) continue;
        ++counters_.merged_outcomes;
        following_[other].probability += outcome.probability;
        following_.Shrink(following_.size() - 1);
        break;
      }
    }
  }
  double unseen = 0.0;
  for (std::size_t i = following_.size(); i-- > base;) {
    following_[i].unseen = unseen;
    unseen += following_[i].probability;
  }
  return following_.size();
}

template <class Model>
void Maxn<Model>::Check(const double* returns) {
  for (int player = 0; player < players_; ++player) {
    const double value = returns[player];
    if (!(options_.value_lower <= value && value <= options_.value_upper) || std::isinf(value)) {
      std::ostringstream message;
      message << "it returned " << value << " for player " << player << "; expected a number in ["
              << options_.value_lower << ", " << options_.value_upper << "] (its range)";
      throw std::domain_error(message.str());
    }
    size_ = std::max(size_, std::abs(value));
  }
}

}  // namespace starspiel
