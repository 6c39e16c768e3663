// The moves of a decision node in search order: duplicates removed, promising ones first.
#pragma once

#include "../search.hpp"

namespace starspiel {

// The first turn at the root that leads to an equal position, if merging is on.
template <class Model>
inline std::size_t Search<Model>::FirstEqual(const std::vector<Position>& children, const std::vector<Order>& turns,
                                            std::size_t turn) const {
  if constexpr (Model::kKeyed) {
    if (merge_) {
      std::size_t duplicate = 0;
      while (!Equal(children[turns[duplicate].index], children[turns[turn].index])) ++duplicate;
      return duplicate;
    }
  }
  return turn;
}

// The first of the moves with the best cheap estimate, or the first of all if there are no estimates.
template <class Model>
inline int Search<Model>::Likely(const Position& position, int player) {
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

// The best reply when this outcome was last searched in full, or else the one probed last; the first of them that is
// legal here.
template <class Model>
inline auto Search<Model>::KnownReply(const Chance& chance, int depth) -> Reply {
  if (!order_ || options_.probes != 1) return {};
  const Replies& known = RepliesTo(chance, depth);
  for (const Reply& reply : {known.best, known.probed}) {
    if (reply.action != kNoAction && Allows(chance.child, reply.action)) return reply;
  }
  return {};
}

template <class Model>
inline auto Search<Model>::RepliesTo(const Chance& chance, int depth) -> Replies& {
  const auto level = static_cast<std::size_t>(depth), outcome = static_cast<std::size_t>(chance.action);
  if (level >= replies_.size()) replies_.resize(level + 1);
  if (outcome >= replies_[level].size()) replies_[level].resize(outcome + 1);
  return replies_[level][outcome];
}

// True if a move that was legal elsewhere is legal here.
template <class Model>
inline bool Search<Model>::Allows(const Position& position, int action) {
  if constexpr (requires { model_.Allows(position, action); }) {
    return model_.Allows(position, action);
  } else {
    const std::size_t base = actions_.size();
    model_.Actions(position, actions_);
    const bool legal = std::binary_search(actions_.begin() + base, actions_.end(), action);
    actions_.resize(base);
    return legal;
  }
}

template <class Model>
inline void Search<Model>::KeepReply(const Chance& chance, int depth) {
  if (!order_ || !batched_ || last_reply_.action == kNoAction) return;
  RepliesTo(chance, depth).best = last_reply_;
}

// True if all successors at the horizon are valued whatever their order.
template <class Model>
inline bool Search<Model>::AllCounts(double alpha, double beta) const {
  return batched_ && (!options_.prune || (alpha < options_.lower && beta > options_.upper));
}

// `sorted`: whether to order the moves, if ordering is on.
template <class Model>
inline auto Search<Model>::ListMoves(const Position& position, int player, int depth, int hint, bool sorted)
    -> MoveList {
  const std::size_t base = actions_.size();
  const bool distinct = kGains && merge_;
  if constexpr (kGains) {
    gains_.clear();
    if (distinct) counters_.merged_moves += model_.DistinctActions(position, actions_, gains_);
  }
  if (!distinct) model_.Actions(position, actions_);
  const int count = static_cast<int>(actions_.size() - base);
  const bool together = batched_ && depth == 1;
  const bool filtered = FiltersAt(depth);
  if (!filtered && !merge_ && !together && !SharedAt(depth) && !(order_ && sorted && OrdersByValue(depth))) {
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
    on |= (distinct || !DropDuplicate(from)) && GoesOn(move.child, player);
  }
  actions_.resize(base);
  const std::size_t first = on && together ? ListEnds(from, player) : from;
  const MoveList list{true, from, first, static_cast<int>(moves_.size() - first)};
  if (filtered) return FilterMoves(list, player, depth, hint);
  if (order_ && sorted && list.count > 1) OrderMoves(list, player, depth, hint);
  return list;
}

template <class Model>
inline void Search<Model>::MoveToFront(std::size_t base, int action) {
  const auto begin = actions_.begin() + base;
  const auto found = std::find(begin, actions_.end(), action);
  if (found != actions_.end()) std::rotate(begin, found, found + 1);
}

// If merging is on, drops the move listed last if one from `first` on leads to an equal position.
template <class Model>
inline bool Search<Model>::DropDuplicate(std::size_t first) {
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

// True if the same player moves again before the evaluator sees the position.
template <class Model>
inline bool Search<Model>::GoesOn(const Position& child, int player) const {
  return ends_ && !leaf_.Sees(child) && model_.Player(child) == player;
}

template <class Model>
inline void Search<Model>::Drop(const MoveList& moves) {
  if (moves.made) {
    moves_.Shrink(moves.from);
  } else {
    actions_.resize(moves.from);
  }
}

template <class Model>
inline bool Search<Model>::OrdersByValue(int depth) const {
  return (depth >= 2 || batched_) && (leaf_.guesses() || (batched_ && depth >= 2));
}

// The table's move first, then by static value. Successors at the horizon are valued anyway; if values are expensive,
// they are ordered by cheap estimates.
template <class Model>
inline void Search<Model>::OrderMoves(const MoveList& list, int player, int depth, int hint) {
  const bool by_value = OrdersByValue(depth);
  if (!by_value && hint == kNoAction) return;
  order_of_.clear();
  const auto count = static_cast<std::size_t>(list.count);
  if (by_value) {
    sorted_actions_.clear();
    scored_.clear();
    for (int i = 0; i < list.count; ++i) {
      sorted_actions_.push_back(moves_[list.base + i].action);
      scored_.push_back(&moves_[list.base + i].child);
    }
    Scores(sorted_actions_.data(), depth);
  }
  for (int i = 0; i < list.count; ++i) {
    double score = by_value ? scores_[i] : 0.0;
    if (moves_[list.base + i].action == hint) score = player == 0 ? kInfinity : -kInfinity;
    order_of_.push_back({i, score});
  }
  SortMoves(order_of_, player);
  TakeOrder(list);
}

// Puts the moves in the order of order_of_; moves that it omits are lost.
template <class Model>
inline void Search<Model>::TakeOrder(const MoveList& list) {
  sorted_.clear();
  for (const Order& order : order_of_) sorted_.push_back(std::move(moves_[list.base + order.index]));
  for (std::size_t i = 0; i < sorted_.size(); ++i) moves_[list.base + i] = std::move(sorted_[i]);
}

// Writes static values of the successors of a node at `depth`, listed in scored_, to scores_: the evaluator's if it
// values batches, sees all of them, and searching each would be costly; otherwise cheap estimates.
template <class Model>
inline void Search<Model>::Scores(const int* actions, int depth) {
  const std::size_t count = scored_.size();
  scores_.assign(count, 0.0);
  bool together = batched_ && depth >= 2;
  for (std::size_t i = 0; i < count && together; ++i) {
    together = leaf_.Sees(*scored_[i]) || model_.Player(*scored_[i]) == kTerminal;
  }
  if (together) BeginBatch();
  for (std::size_t i = 0; i < count; ++i) {
    const Position& position = *scored_[i];
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

}  // namespace starspiel
