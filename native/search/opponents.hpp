// Nodes whose player moves by a model: its best move, but for errors.
#pragma once

#include "../search.hpp"

namespace starspiel {

// A decision node whose player moves by a model. One who always moves by a policy is a chance node, and cut like one.
template <class Model>
inline double Search<Model>::Modelled(const Position& position, int player, int depth, double alpha, double beta) {
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
// many there are. A move of probability 0 counts if it may be the best one. They are searched to `depth`.
template <class Model>
inline int Search<Model>::ListReplies(const Position& position, int depth) {
  const std::size_t from = actions_.size();
  model_.Actions(position, actions_);
  const std::size_t moves = actions_.size() - from;
  const std::vector<double> policy = options_.policy ? options_.policy(path_) : std::vector<double>();
  const std::size_t base = chances_.size();
  distinct_.Clear();
  for (std::size_t i = 0; i < moves; ++i) {
    const double p = policy.empty() ? 1.0 / static_cast<double>(moves) : policy[i];
    if (p == 0.0 && options_.error == 1.0) continue;
    Chance& reply = chances_.Push({actions_[from + i], false, p, options_.lower, options_.upper, 0.0, 0.0, Position{}});
    if (merge_ || Looked(depth)) Make(reply, position);
    if constexpr (Model::kKeyed) {
      if (!merge_) continue;
      const std::size_t last = chances_.size() - 1 - base;
      const auto equal = [&](std::size_t other) { return Equal(chances_[base + other].child, reply.child); };
      const std::size_t duplicate = distinct_.Find(Hash(reply.child), last, equal);
      if (duplicate == last) continue;
      ++counters_.merged_moves;
      chances_[base + duplicate].probability += p;
      chances_.Shrink(chances_.size() - 1);
    }
  }
  actions_.resize(from);
  return static_cast<int>(chances_.size() - base);
}

// The replies one ply above the horizon, in one batch.
template <class Model>
inline double Search<Model>::RepliesTogether(const Position& position, int player, std::size_t base, int count) {
  BeginBatch();
  for (int i = 0; i < count; ++i) {
    Chance& reply = chances_[base + i];
    Make(reply, position);
    Ask(reply.child, {reply.action});
  }
  FindValues();
  Mixture mixture(options_.error, player);
  for (int i = 0; i < count; ++i) mixture.Add(found_[i], chances_[base + i].probability);
  return mixture.value();
}

template <class Model>
inline double Search<Model>::EveryReply(const Position& position, int player, std::size_t base, int count, int depth) {
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
template <class Model>
inline double Search<Model>::StarMixture(const Position& position, int player, std::size_t base, int count, int depth,
                                         double alpha, double beta) {
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
    if (p == 0.0) to = std::min(to, best);  // it only counts if it is the best one
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

}  // namespace starspiel
