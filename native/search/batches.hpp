// Batched evaluation of positions at the horizon, for evaluators that prefer it.
#pragma once

#include "../search.hpp"

namespace starspiel {

template <class Model>
inline void Search<Model>::BeginBatch() {
  batch_.positions.clear();
  batch_.paths.clear();
  found_.clear();
  asked_.clear();
}

// Visits a node at the horizon, reached by `way` from the end of path_. Its value takes the next place of found_, which
// FindValues fills; the position must stay in place until then.
template <class Model>
inline void Search<Model>::Ask(const Position& position, std::initializer_list<int> way) {
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

template <class Model>
inline void Search<Model>::AddToBatch(const Position& position, std::initializer_list<int> way) {
  batch_.positions.push_back(&position);
  if (!leaf_.by_path()) return;
  batch_.paths.push_back(path_);
  batch_.paths.back().insert(batch_.paths.back().end(), way);
}

template <class Model>
inline void Search<Model>::FindValues() {
  if (asked_.empty()) return;
  leaf_.Values(batch_);
  ++counters_.batches;
  counters_.leaves += static_cast<std::int64_t>(asked_.size());
  counters_.horizon += static_cast<std::int64_t>(asked_.size());
  budget_->ReadClock();
  for (std::size_t i = 0; i < asked_.size(); ++i) found_[asked_[i]] = Checked(batch_.values[i]);
}

// The best of the first `limit` moves of a decision node one ply above the horizon. Values are found in batches of the
// evaluator's preferred size, until one leaves the window.
template <class Model>
inline double Search<Model>::SearchLeaves(bool max, const MoveList& moves, int limit, double alpha, double beta,
                                          int* best_action) {
  const int stride = AllCounts(alpha, beta) ? limit : leaf_.batch();
  double best = max ? -kInfinity : kInfinity;
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
      const double value = found_[i - first];
      if (max ? value <= best : value >= best) continue;
      best = value;
      *best_action = moves_[moves.base + i].action;
      then = moves_[moves.base + i].then;
    }
    last_reply_.then = then;
    if (options_.prune && (max ? best >= beta - kCutTolerance : best <= alpha + kCutTolerance)) {
      counters_.decision_cutoffs += end < limit;
      return best;
    }
  }
  return best;
}

// Lists the moves from `from` on again, each extended by the same player's next moves if the evaluator does not see the
// position between; returns where the new list begins. Whoever plays a double plays both halves.
template <class Model>
inline std::size_t Search<Model>::ListEnds(std::size_t from, int player) {
  const std::size_t first = moves_.size();
  if constexpr (kGains) {
    if (merge_) {
      ListEndsByGains(from, player);
      return first;
    }
  }
  if constexpr (Model::kKeyed) {
    distinct_.Clear();
    for (std::size_t i = from; i < first; ++i) {
      const Move& move = moves_[i];
      if (!GoesOn(move.child, player)) {
        moves_.Push(Move(move));
        DropDuplicate(first);
        continue;
      }
      const std::size_t base = actions_.size();
      model_.Actions(move.child, actions_);
      for (std::size_t at = base; at < actions_.size(); ++at) {
        moves_.Push({move.action, actions_[at], 0.0, model_.Child(move.child, actions_[at])});
        DropDuplicate(first);
      }
      actions_.resize(base);
    }
  }
  return first;
}

// The same from the gains of the listed moves: duplicate successors are never made.
template <class Model>
inline void Search<Model>::ListEndsByGains(std::size_t from, int player) {
  const std::size_t first = moves_.size(), moves = gains_.size();
  distinct_.Clear();
  end_gains_.clear();
  const auto is_new = [&](const auto& gain) {
    const std::size_t number = end_gains_.size();
    const auto equal = [&](std::size_t other) { return end_gains_[other] == gain; };
    const bool found = distinct_.Find(gain.Hash(), number, equal) != number;
    if (!found) end_gains_.push_back(gain);
    counters_.merged_moves += found;
    return !found;
  };
  for (std::size_t i = 0; i < moves; ++i) {
    const Move& move = moves_[from + i];
    if (!GoesOn(move.child, player)) {
      if (is_new(gains_[i])) moves_.Push(Move(move));
      continue;
    }
    const std::size_t base = actions_.size();
    counters_.merged_moves += model_.DistinctActions(move.child, actions_, gains_);
    for (std::size_t at = base; at < actions_.size(); ++at) {
      if (!is_new(gains_[i] + gains_[moves + at - base])) continue;
      moves_.Push({move.action, actions_[at], 0.0, model_.Child(move.child, actions_[at])});
    }
    actions_.resize(base);
    gains_.resize(moves);
  }
}

// The mean of the outcomes listed one ply above the horizon: the moves after all of them are valued in one batch.
template <class Model>
inline double Search<Model>::SumTogether(std::size_t base, int count, const Position& position) {
  const std::size_t first_move = moves_.size();
  BeginBatch();
  for (int i = 0; i < count; ++i) {
    Chance& chance = chances_[base + i];
    chance.asked = 0;
    if (Settled(chance)) continue;
    Make(chance, position);
    const int player = Chooser(chance.child);
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
  for (int i = 0; i < count; ++i) {  // Outcomes that are known, terminal or followed by another chance node.
    Chance& chance = chances_[base + i];
    if (chance.asked > 0) continue;
    path_.push_back(chance.action);
    sum += chance.probability * (Settled(chance) ? chance.low : Node(chance.child, 1, -kInfinity, kInfinity));
    path_.pop_back();
  }
  moves_.Shrink(first_move);
  return sum;
}

// Asks for the values of the first `limit` moves after an outcome; returns their number.
template <class Model>
inline std::size_t Search<Model>::AskMoves(const Chance& chance, int player, int limit) {
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

template <class Model>
inline double Search<Model>::BestFound(std::size_t place, const Chance& chance) const {
  const auto begin = found_.begin() + place;
  const auto end = begin + static_cast<std::ptrdiff_t>(chance.asked);
  return model_.Player(chance.child) == 0 ? *std::max_element(begin, end) : *std::min_element(begin, end);
}

// Star2's probes one ply above the horizon, in one batch: probes outcomes from `first` on, up to the evaluator's
// preferred batch size, and sets their `probed`. Returns the first that was not probed.
template <class Model>
inline int Search<Model>::ProbeTogether(const Position& position, std::size_t base, int first, int count) {
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

template <class Model>
inline std::size_t Search<Model>::AskLikely(const Chance& chance, int player) {
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

}  // namespace starspiel
