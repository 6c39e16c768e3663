// How the threads of one search divide the work: each searches what no other thread is searching. Every result goes
// into the table, and a thread looks up new results before each outcome.
#pragma once

#include "../search.hpp"

namespace starspiel {

// SearchMoves with other threads searching too: moves that one of them is searching are deferred.
template <class Model>
inline double Search<Model>::SearchMovesApart(bool max, const MoveList& moves, int limit, int depth, double alpha,
                                              double beta, int* best_action) {
  last_reply_.then = kNoAction;
  double best = max ? -kInfinity : kInfinity;
  std::vector<int> put_off;
  const int marked_depth = depth - 1;
  for (int place = 0; place < limit + static_cast<int>(put_off.size()); ++place) {
    const int i = place < limit ? place : put_off[place - limit];
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
    if (max ? value <= best : value >= best) continue;
    best = value;
    *best_action = move.action;
    if (!options_.prune) continue;
    if (max ? best >= beta - kCutTolerance : best <= alpha + kCutTolerance) {
      ++counters_.decision_cutoffs;
      return best;
    }
    if (max) {
      alpha = std::max(alpha, best);
    } else {
      beta = std::min(beta, best);
    }
  }
  return best;
}

// SumChance with other threads searching too.
template <class Model>
inline double Search<Model>::SumApart(std::size_t base, int count, int depth) {
  std::vector<bool> done(static_cast<std::size_t>(count), false);
  for (int left = count; left > 0; --left) {
    const int i = NextApart(base, count, depth, [&](int j) { return !done[j]; });
    Chance& chance = chances_[base + i];
    const std::uint64_t mark = MarkOf(chance.child, depth);
    shared_->Begin(mark);
    path_.push_back(chance.action);
    chance.low = Node(chance.child, depth, -kInfinity, kInfinity);
    path_.pop_back();
    shared_->End(mark);
    done[i] = true;
  }
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += chances_[base + i].probability * chances_[base + i].low;
  chances_.Shrink(base);
  return sum;
}

// StarOutcomes with other threads searching too.
template <class Model>
inline double Search<Model>::StarApart(std::size_t base, int count, int depth, double alpha, double beta) {
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
        probed[i] = !probing || Chooser(chances_[base + i].child) < 0;
      }
    }
    const auto unsettled = [&](int i) { return !Settled(chances_[base + i]); };
    int i = NextApart(base, count, depth, [&](int j) { return unsettled(j) && !probed[j]; });
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
      probed[i] = true;
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
    const double value =
        Node(chance.child, depth, std::max(floor, chance.low - slack_), std::min(ceiling, chance.high + slack_));
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

// The next outcome accepted by `wanted` in this thread's order: the first that no other thread is searching, or else
// the first of all. -1 if there is none.
template <class Model>
template <class Wanted>
inline int Search<Model>::NextApart(std::size_t base, int count, int depth, Wanted wanted) {
  int first = -1;
  for (int k = 0; k < count; ++k) {
    const int i = backwards_ ? count - 1 - k : k;
    if (!wanted(i)) continue;
    if (!shared_->Busy(MarkOf(chances_[base + i].child, depth))) return i;
    if (first < 0) first = i;
  }
  return first;
}

// True if threads divide the work at nodes of this depth: if searching one takes long enough.
template <class Model>
inline bool Search<Model>::SharedAt(int depth) const {
  if constexpr (kTabled) {
    if (shared_ == nullptr || depth < std::max(kSharedDepth, Model::kTableDepth)) return false;
    const auto level = static_cast<std::size_t>(depth);
    if (level >= efforts_.size() || efforts_[level].searches < kSharedSample) return depth > kSharedDepth;
    return efforts_[level].nodes >= kSharedNodes * efforts_[level].searches;
  }
  return false;
}

template <class Model>
inline void Search<Model>::NoteEffort(int depth, std::int64_t nodes) {
  const auto level = static_cast<std::size_t>(depth);
  if (level >= efforts_.size()) efforts_.resize(level + 1);
  ++efforts_[level].searches;
  efforts_[level].nodes += nodes;
}

// The mark by which threads recognise a node of this depth.
template <class Model>
inline std::uint64_t Search<Model>::MarkOf(const Position& position, int depth) const {
  if constexpr (kTabled) return Hash(KeyOf(position)) + static_cast<std::uint64_t>(depth) * 0x9e3779b97f4a7c15u;
  return 0;
}

}  // namespace starspiel
