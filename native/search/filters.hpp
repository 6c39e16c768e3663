// Which moves of a decision node are searched; see agents/search/move_filters.py.
#pragma once

#include "../search.hpp"

namespace starspiel {

// Values the successors in scored_, reached by `actions` from a node at `depth`, and lists those that pass the filter
// in order_of_, best for the player first. They count as nodes, but not as horizon values.
template <class Model>
inline void Search<Model>::FindKept(const int* actions, int player, int depth) {
  const bool last = depth == 1;
  if (last) {
    FindBySmall();
  } else {
    const std::int64_t horizon = counters_.horizon;
    BeginBatch();
    for (std::size_t i = 0; i < scored_.size(); ++i) Ask(*scored_[i], {actions[i]});
    FindValues();
    counters_.horizon = horizon;
  }
  const std::vector<double>& values = last ? scores_ : found_;
  order_of_.clear();
  for (std::size_t i = 0; i < scored_.size(); ++i) order_of_.push_back({static_cast<int>(i), values[i]});
  SortMoves(order_of_, player);
  const Filter& filter = *options_.filter;
  const int most = last ? filter.last_most : filter.most;
  const double margin = last ? filter.last_margin : filter.margin, best = order_of_.front().score;
  std::size_t kept = 1;
  for (int different = 1; kept < order_of_.size(); ++kept) {
    const double score = order_of_[kept].score;
    different += score != order_of_[kept - 1].score;
    if (different > most || std::abs(score - best) > margin) break;
  }
  counters_.filtered_moves += static_cast<std::int64_t>(order_of_.size() - kept);
  order_of_.resize(kept);
}

// Writes the small evaluator's values of the successors in scored_ to scores_. Leaves the main evaluator's batch
// untouched.
template <class Model>
inline void Search<Model>::FindBySmall() {
  scores_.assign(scored_.size(), 0.0);
  small_batch_.positions.clear();
  for (std::size_t i = 0; i < scored_.size(); ++i) {
    ++counters_.nodes;
    budget_->Visit(counters_.nodes);
    if (model_.Player(*scored_[i]) == kTerminal) {
      scores_[i] = Utility(*scored_[i]);
    } else {
      small_batch_.positions.push_back(scored_[i]);
    }
  }
  if (small_batch_.positions.empty()) return;
  small_->Values(small_batch_);
  budget_->ReadClock();
  auto next = small_batch_.values.begin();
  for (std::size_t i = 0; i < scored_.size(); ++i) {
    if (model_.Player(*scored_[i]) != kTerminal) scores_[i] = *next++;
  }
}

// Filters the moves listed last; returns those to search.
template <class Model>
inline auto Search<Model>::FilterMoves(const MoveList& list, int player, int depth, int hint) -> MoveList {
  if (list.count == 1) return list;
  sorted_actions_.clear();
  scored_.clear();
  for (int i = 0; i < list.count; ++i) {
    sorted_actions_.push_back(moves_[list.base + i].action);
    scored_.push_back(&moves_[list.base + i].child);
  }
  FindKept(sorted_actions_.data(), player, depth);
  if (order_ && hint != kNoAction) {
    const auto found = std::find_if(order_of_.begin(), order_of_.end(), [&](const Order& order) {
      return moves_[list.base + order.index].action == hint;
    });
    if (found != order_of_.end()) std::rotate(order_of_.begin(), found, found + 1);
  }
  TakeOrder(list);
  moves_.Shrink(list.base + order_of_.size());
  return {true, list.from, list.base, static_cast<int>(order_of_.size())};
}

}  // namespace starspiel
