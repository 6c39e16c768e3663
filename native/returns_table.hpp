// The transposition table of max^n: each player's expected return at a position, if a search found it exactly.
#pragma once

#include "model.hpp"

namespace starspiel {

// Each position has one slot, where it stays until another replaces it. Grows up to a fixed size.
template <class Key>
class ReturnsTable {
 public:
  struct Entry {
    Key key;
    int depth;     // 0: the slot is empty
    bool horizon;  // true if it depends on an evaluator's value, so that it holds for this depth only
  };

  ReturnsTable(std::size_t bytes, int players)
      : players_(static_cast<std::size_t>(players)), most_(bytes / (sizeof(Entry) + players_ * sizeof(double))) {
    Resize(std::min(kFirst, std::bit_floor(std::max<std::size_t>(most_, 1))));
  }

  std::size_t bytes() const { return entries_.size() * (sizeof(Entry) + players_ * sizeof(double)); }

  // Writes the stored returns for a search of `depth` plies; null if there are none.
  const Entry* Find(const Key& key, int depth, double* returns) const {
    const std::size_t place = Hash(key) & (entries_.size() - 1);
    const Entry& entry = entries_[place];
    if (entry.depth == 0 || (entry.horizon ? entry.depth != depth : entry.depth > depth)) return nullptr;
    if (!Equal(entry.key, key)) return nullptr;
    std::copy_n(returns_.begin() + static_cast<std::ptrdiff_t>(place * players_), players_, returns);
    return &entry;
  }

  void Store(const Entry& entry, const double* returns) {
    if (2 * used_ > entries_.size() && 2 * entries_.size() <= most_) Grow();
    Put(entry, returns);
  }

 private:
  static constexpr std::size_t kFirst = 1 << 10;  // a power of two, like all sizes

  void Put(const Entry& entry, const double* returns) {
    const std::size_t place = Hash(entry.key) & (entries_.size() - 1);
    used_ += entries_[place].depth == 0;
    entries_[place] = entry;
    std::copy_n(returns, players_, returns_.begin() + static_cast<std::ptrdiff_t>(place * players_));
  }

  void Resize(std::size_t size) {
    entries_.assign(size, Entry{});
    returns_.assign(size * players_, 0.0);
    used_ = 0;
  }

  void Grow() {
    const std::vector<Entry> entries = std::move(entries_);
    const std::vector<double> returns = std::move(returns_);
    Resize(2 * entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].depth > 0) Put(entries[i], &returns[i * players_]);
    }
  }

  std::size_t players_;
  std::size_t most_;
  std::size_t used_ = 0;
  std::vector<Entry> entries_;
  std::vector<double> returns_;  // of all players, parallel to entries_
};

}  // namespace starspiel
