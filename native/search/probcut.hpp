// ChanceProbCut; see agents/search/probcut.py.
#pragma once

#include "../search.hpp"

namespace starspiel {

// alpha or beta if a search one ply shallower suggests that the chance node's value lies beyond it.
template <class Model>
inline std::optional<double> Search<Model>::LikelyBound(Position& position, int depth, double alpha, double beta) {
  outcomes_.clear();
  PossibleOutcomes(model_, position, outcomes_);
  const int player = model_.Player(model_.Child(position, outcomes_.front().action));
  if (player != 0 && player != 1) return std::nullopt;
  const DepthFit& fit = options_.fits[static_cast<std::size_t>(depth - 2)];
  const double offset = player == 0 ? fit.offset : -fit.offset;
  const double low = (alpha - offset - fit.margin) / fit.slope;
  const double high = (beta - offset + fit.margin) / fit.slope;
  if (low <= options_.lower && high >= options_.upper) return std::nullopt;
  const bool again = again_;
  const double value = Node(position, depth - 1, low, high);  // Star2 does not consume a chance node.
  again_ = again;
  if (low + kCutTolerance < value && value < high - kCutTolerance) return std::nullopt;
  ++counters_.probcuts;
  return value >= high - kCutTolerance ? beta : alpha;
}

}  // namespace starspiel
