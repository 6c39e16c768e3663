// The transposition table: intervals that contain a node's value, in a fixed amount of memory.
#pragma once

#include "memory.hpp"
#include "model.hpp"

namespace starspiel {

inline constexpr int kNoAction = -1;

// The value of the position with this key, searched to `depth`, lies in [lower, upper]; `best` is the move to try
// first.
template <class Key>
struct Entry {
  Key key;
  double lower;
  double upper;
  std::int32_t best;
  std::int16_t depth;    // 0: the slot is empty (leaves are never stored)
  std::int16_t horizon;  // 1: depends on an evaluator's value, so it holds for this depth only
};

// The result of a lookup.
struct Known {
  double lower;
  double upper;
  bool horizon;
};

// Buckets of kWays entries; keys are compared in full. Grows by splitting bucket after bucket (linear
// hashing, Litwin 1980), so that a short search touches little memory and no store takes long.
//
// A table shared by several threads has its full size from the start, and a fixed number of locks over its buckets.
template <class Key>
class Table {
 public:
  // `deeper`: whether an entry that depends on no evaluator's value also holds for deeper searches.
  Table(std::size_t bytes, bool shared, bool deeper = true)
      : memory_(bytes), room_(std::max<std::size_t>(1, bytes / sizeof(Bucket))), deeper_(deeper) {
    data_ = static_cast<Bucket*>(memory_.data());
    while (level_ * 2 <= (shared ? room_ : std::min<std::size_t>(room_, kFirst))) level_ *= 2;
    buckets_ = shared ? room_ : level_;
    if (shared) locks_ = std::make_unique<std::atomic<bool>[]>(kLocks);
  }

  // Bytes written to so far.
  std::size_t touched() const { return buckets_ * sizeof(Bucket); }

  // Prefetches the bucket of `key`, so that looking at other keys first hides the latency.
  void Prefetch(const Key& key) const {
    const char* bucket = reinterpret_cast<const char*>(&data_[Place(Hash(key))]);
    for (std::size_t line = 0; line < sizeof(Bucket); line += kLine) __builtin_prefetch(bucket + line);
  }

  // What is known for a search of `depth` plies, if anything. `hint` becomes the best move known at any depth.
  std::optional<Known> Find(const Key& key, int depth, int* hint) const {
    const std::size_t place = Place(Hash(key));
    const Lock lock(*this, place);
    std::optional<Known> found;
    int hint_depth = 0;
    for (const Entry<Key>& entry : data_[place].entries) {
      if (entry.depth == 0 || !Equal(entry.key, key)) continue;
      if (entry.depth == depth || (entry.depth < depth && !entry.horizon && deeper_)) {
        found = {entry.lower, entry.upper, entry.horizon != 0};
      }
      if (entry.best != kNoAction && entry.depth > hint_depth) {
        *hint = entry.best;
        hint_depth = entry.depth;
      }
    }
    return found;
  }

  // Narrows the entry of `key` at `depth` to [lower, upper]. If there is none, replaces the shallowest entry of the
  // bucket.
  void Store(const Key& key, int depth, double lower, double upper, int best, bool horizon) {
    if (!locks_ && used_ * 2 > buckets_ * kWays) Grow();
    const std::size_t place = Place(Hash(key));
    const Lock lock(*this, place);
    Entry<Key>* slot = &data_[place].entries[0];
    for (Entry<Key>& entry : data_[place].entries) {
      if (entry.depth == depth && Equal(entry.key, key)) {
        entry.lower = std::max(entry.lower, lower);
        entry.upper = std::min(entry.upper, upper);
        entry.horizon |= horizon;
        if (best != kNoAction) entry.best = best;
        return;
      }
      if (entry.depth < slot->depth) slot = &entry;
    }
    if (!locks_) used_ += slot->depth == 0;
    *slot = {key, lower, upper, best, static_cast<std::int16_t>(depth), static_cast<std::int16_t>(horizon)};
  }

 private:
  static constexpr std::size_t kWays = 4;
  struct Bucket {
    Entry<Key> entries[kWays];
  };

  static constexpr std::size_t kFirst = 64, kStep = 64;
  static constexpr std::size_t kLine = 64;        // bytes
  static constexpr std::size_t kLocks = 1 << 12;  // a power of two

  // A spin lock on a bucket of a shared table: reading or writing a bucket takes less time than sleeping.
  class Lock {
   public:
    Lock(const Table& table, std::size_t place) : lock_(table.locks_ ? &table.locks_[place & (kLocks - 1)] : nullptr) {
      if (lock_ == nullptr) return;
      while (lock_->exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    }
    ~Lock() {
      if (lock_ != nullptr) lock_->store(false, std::memory_order_release);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    std::atomic<bool>* lock_;
  };

  // Of `level_` buckets, the first `buckets_ - level_` have been split in two.
  std::size_t Place(std::uint64_t hash) const {
    const std::size_t place = hash & (2 * level_ - 1);
    return place < buckets_ ? place : place - level_;
  }

  // Splits the next bucket: each entry stays, or moves to the same slot of the bucket `level_` further on.
  void Split() {
    Bucket& split = data_[buckets_ - level_];
    Bucket& made = data_[buckets_];
    for (std::size_t way = 0; way < kWays; ++way) {
      Entry<Key>& entry = split.entries[way];
      if (entry.depth == 0 || (Hash(entry.key) & level_) == 0) continue;
      made.entries[way] = entry;
      entry.depth = 0;
    }
    if (++buckets_ == 2 * level_) level_ = buckets_;
  }

  // Adds several buckets at a time, which are adjacent in memory.
  void Grow() {
    const std::size_t enough = std::min(room_, buckets_ + kStep);
    while (buckets_ < enough) Split();
  }

  ZeroedMemory memory_;
  std::size_t room_;
  bool deeper_;
  std::size_t level_ = 1;  // a power of two with level_ <= buckets_ < 2 * level_
  std::size_t buckets_;
  std::size_t used_ = 0;
  Bucket* data_;
  std::unique_ptr<std::atomic<bool>[]> locks_;  // null if the table is not shared
};

}  // namespace starspiel
