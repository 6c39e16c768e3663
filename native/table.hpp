// The transposition table: intervals that hold a node's value, in a fixed amount of memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "model.hpp"

namespace starspiel {

inline constexpr int kNoAction = -1;

// The value of `position` searched to `depth` lies in [lower, upper]; `best` is the move to try first.
template <class Position>
struct Entry {
  Position position;
  double lower;
  double upper;
  std::int32_t best;
  std::int16_t depth;    // 0: the slot is empty (leaves are never stored)
  std::int16_t horizon;  // 1: an evaluator's value is in it, so it holds for this depth only
};

// Buckets of kWays entries; keys are compared in full. Starts small and doubles in place up to its budget, so
// that a short search touches little memory.
template <class Position>
class Table {
 public:
  // With `whole` it takes its room at once: to grow takes several milliseconds in one go.
  explicit Table(std::size_t bytes, bool whole) {
    const std::size_t room = bytes / sizeof(Bucket);
    while (most_ * 2 <= room) most_ *= 2;
    buckets_ = whole ? most_ : std::min<std::size_t>(most_, 128);
    data_ = static_cast<Bucket*>(std::calloc(buckets_, sizeof(Bucket)));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  ~Table() { std::free(data_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // An entry that holds for `position` at `depth`, or null. `hint` becomes the best move known at any depth.
  const Entry<Position>* Find(const Position& position, int depth, int* hint) const {
    const Bucket& bucket = data_[Hash(position) & (buckets_ - 1)];
    const Entry<Position>* found = nullptr;
    int hint_depth = 0;
    for (const Entry<Position>& entry : bucket.entries) {
      if (entry.depth == 0 || !Equal(entry.position, position)) continue;
      if (entry.depth == depth || (entry.depth < depth && !entry.horizon)) found = &entry;
      if (entry.best != kNoAction && entry.depth > hint_depth) {
        *hint = entry.best;
        hint_depth = entry.depth;
      }
    }
    return found;
  }

  // Narrows the entry of `position` at `depth` to [lower, upper], making room for it by dropping the
  // shallowest of its bucket.
  void Store(const Position& position, int depth, double lower, double upper, int best, bool horizon) {
    if (used_ * 2 > buckets_ * kWays && buckets_ < most_) Grow();
    Bucket& bucket = data_[Hash(position) & (buckets_ - 1)];
    Entry<Position>* slot = &bucket.entries[0];
    for (Entry<Position>& entry : bucket.entries) {
      if (entry.depth == depth && Equal(entry.position, position)) {
        entry.lower = std::max(entry.lower, lower);
        entry.upper = std::min(entry.upper, upper);
        entry.horizon |= static_cast<std::int16_t>(horizon);
        if (best != kNoAction) entry.best = best;
        return;
      }
      if (entry.depth < slot->depth) slot = &entry;
    }
    used_ += slot->depth == 0;
    *slot = {position, lower, upper, best, static_cast<std::int16_t>(depth), static_cast<std::int16_t>(horizon)};
  }

 private:
  static constexpr std::size_t kWays = 4;
  struct Bucket {
    Entry<Position> entries[kWays];
  };

  // Doubles the number of buckets: an entry of bucket i stays, or moves to the same place of bucket i + half.
  void Grow() {
    const std::size_t half = buckets_;
    void* grown = std::realloc(static_cast<void*>(data_), 2 * half * sizeof(Bucket));
    if (grown == nullptr) {  // Not that much memory after all: stay as large as we are.
      most_ = half;
      return;
    }
    data_ = static_cast<Bucket*>(grown);
    std::memset(static_cast<void*>(data_ + half), 0, half * sizeof(Bucket));
    buckets_ = 2 * half;
    for (std::size_t i = 0; i < half; ++i) {
      for (std::size_t way = 0; way < kWays; ++way) {
        Entry<Position>& entry = data_[i].entries[way];
        if (entry.depth == 0 || (Hash(entry.position) & half) == 0) continue;
        data_[i + half].entries[way] = entry;
        entry.depth = 0;
      }
    }
  }

  std::size_t most_ = 1;
  std::size_t buckets_ = 1;
  std::size_t used_ = 0;
  Bucket* data_ = nullptr;
};

}  // namespace starspiel
