// Which moves of a decision node are searched: agents/search/move_filters.py.
#pragma once

#include "../search.hpp"

namespace starspiel {

// Values the successors in scored_, reached by `actions`, and lists those that the filter keeps in order_of_, the best
// for the player first. The values are counted in the nodes but are no part of a value.
template <class Model>
inline void Search<Model>::FindKept(const int* actions, int player) {
  const std::int64_t horizon = counters_.horizon;
  BeginBatch();
  for (std::size_t i = 0; i < scored_.size(); ++i) Ask(*scored_[i], {actions[i]});
  FindValues();
  counters_.horizon = horizon;
  order_of_.clear();
  for (std::size_t i = 0; i < scored_.size(); ++i) order_of_.push_back({static_cast<int>(i), found_[i]});
  SortMoves(order_of_, player);
  const Filter& filter = *options_.filter;
  const double best = order_of_.front().score;
  std::size_t kept = 1;
  for (int different = 1; kept < order_of_.size(); ++kept) {
    const double score = order_of_[kept].score;
    different += score != order_of_[kept - 1].score;
    if (different > filter.most || std::abs(score - best) > filter.margin) break;
  }
  counters_.filtered_moves += static_cast<std::int64_t>(order_of_.size() - kept);
  order_of_.resize(kept);
}

// Of the moves listed last, those that are searched.
template <class Model>
inline auto Search<Model>::FilterMoves(const MoveList& list, int player, int hint) -> MoveList {
  if (list.count == 1) return list;
  sorted_actions_.clear();
  scored_.clear();
  for (int i = 0; i < list.count; ++i) {
    sorted_actions_.push_back(moves_[list.base + i].action);
    scored_.push_back(&moves_[list.base + i].child);
  }
  FindKept(sorted_actions_.data(), player);
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
