// The transposition table: intervals that hold a node's value, in a fixed amount of memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory.hpp"
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

// Buckets of kWays entries; keys are compared in full. Grows by splitting bucket after bucket (linear
// hashing, Litwin 1980), so that a short search touches little memory and no store takes long.
template <class Position>
class Table {
 public:
  // With `deeper` an entry of a deeper search holds too.
  Table(std::size_t bytes, bool deeper) : deeper_(deeper), memory_(bytes), room_(std::max<std::size_t>(1, bytes / sizeof(Bucket))) {
    data_ = static_cast<Bucket*>(memory_.data());
    while (level_ * 2 <= std::min<std::size_t>(room_, kFirst)) level_ *= 2;
    buckets_ = level_;
  }

  // Bytes that were written to.
  std::size_t touched() const { return buckets_ * sizeof(Bucket); }

  // An entry that holds for `position` at `depth`, or null. `hint` becomes the best move known at any depth.
  const Entry<Position>* Find(const Position& position, int depth, int* hint) const {
    const Bucket& bucket = data_[Place(Hash(position))];
    const Entry<Position>* found = nullptr;
    int hint_depth = 0;
    for (const Entry<Position>& entry : bucket.entries) {
      if (entry.depth == 0 || !Equal(entry.position, position)) continue;
      if (entry.depth == depth || (entry.depth < depth ? !entry.horizon : deeper_)) found = &entry;
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
    if (used_ * 2 > buckets_ * kWays) Grow();
    Bucket& bucket = data_[Place(Hash(position))];
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

  static constexpr std::size_t kFirst = 64, kStep = 64;

  // Of `level_` buckets, those below the first `buckets_ - level_` were split in two.
  std::size_t Place(std::uint64_t hash) const {
    const std::size_t place = hash & (2 * level_ - 1);
    return place < buckets_ ? place : place - level_;
  }

  // Splits the next bucket: an entry stays, or moves to the same place of the bucket `level_` further on.
  void Split() {
    Bucket& split = data_[buckets_ - level_];
    Bucket& made = data_[buckets_];
    for (std::size_t way = 0; way < kWays; ++way) {
      Entry<Position>& entry = split.entries[way];
      if (entry.depth == 0 || (Hash(entry.position) & level_) == 0) continue;
      made.entries[way] = entry;
      entry.depth = 0;
    }
    if (++buckets_ == 2 * level_) level_ = buckets_;
  }

  // By several at a time, which lie side by side in memory.
  void Grow() {
    const std::size_t enough = std::min(room_, buckets_ + kStep);
    while (buckets_ < enough) Split();
  }

  bool deeper_;
  ZeroedMemory memory_;
  std::size_t room_;
  std::size_t level_ = 1;  // a power of two; there are at least as many buckets, and less than twice as many
  std::size_t buckets_;
  std::size_t used_ = 0;
  Bucket* data_;
};

}  // namespace starspiel
