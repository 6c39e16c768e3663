// Decision nodes of a player who moves by a policy.
#pragma once

#include "../search.hpp"

namespace starspiel {

// Treats a decision node of a modelled player as a chance node, with the same cuts.
template <class Model>
inline double Search<Model>::Modelled(const Position& position, int depth, double alpha, double beta) {
  const std::size_t base = chances_.size();
  const int count = ListReplies(position, depth - 1);
  double value;
  if (batched_ && depth == 1) {
    value = RepliesTogether(position, base, count);
  } else if (bounded_) {
    value = StarOutcomes(position, base, count, depth - 1, alpha, beta);
  } else {
    value = EveryReply(position, base, count, depth - 1);
  }
  chances_.Shrink(base);
  last_reply_ = {};
  return value;
}

// Appends the possible moves of a modelled player to chances_, with their probabilities; returns their number. They are
// searched to `depth`.
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
    if (p == 0.0) continue;
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

// Values the replies one ply above the horizon in one batch.
template <class Model>
inline double Search<Model>::RepliesTogether(const Position& position, std::size_t base, int count) {
  BeginBatch();
  for (int i = 0; i < count; ++i) {
    Chance& reply = chances_[base + i];
    Make(reply, position);
    Ask(reply.child, {reply.action});
  }
  FindValues();
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += chances_[base + i].probability * found_[i];
  return sum;
}

template <class Model>
inline double Search<Model>::EveryReply(const Position& position, std::size_t base, int count, int depth) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    Chance& reply = chances_[base + i];
    Make(reply, position);
    path_.push_back(reply.action);
    sum += reply.probability * Node(reply.child, depth, -kInfinity, kInfinity);
    path_.pop_back();
  }
  return sum;
}

}  // namespace starspiel
