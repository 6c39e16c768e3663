// Finds equal items with a hash table that is cleared in constant time.
#pragma once

#include "standard.hpp"

namespace starspiel {

class Distinct {
 public:
  Distinct() : slots_(kFirst) {}

  void Clear() {
    size_ = 0;
    if (++list_ == 0) {  // the list numbers wrapped around
      slots_.assign(slots_.size(), Slot{});
      list_ = 1;
    }
  }

  // The number of an equal item added earlier; otherwise adds the item as `number` and returns that. `equal(n)`
  // compares with item n, which has the same hash.
  template <class Equal>
  std::size_t Find(std::uint64_t hash, std::size_t number, Equal equal) {
    if (2 * size_ >= slots_.size()) Grow();
    Slot& slot = slots_[Place(hash, equal)];
    if (slot.list == list_) return slot.number;
    slot = {hash, list_, static_cast<std::uint32_t>(number)};
    ++size_;
    return number;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t list = 0;  // slots of earlier lists count as free
    std::uint32_t number = 0;
  };
  static constexpr std::size_t kFirst = 256;  // a power of two, like every later size

  // The slot of an equal item, or the free slot for a new one.
  template <class Equal>
  std::size_t Place(std::uint64_t hash, Equal equal) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    while (slots_[place].list == list_ && !(slots_[place].hash == hash && equal(slots_[place].number))) {
      place = (place + 1) & mask;
    }
    return place;
  }

  void Grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.list == list_) slots_[Place(slot.hash, [](std::size_t) { return false; })] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t list_ = 1;
  std::size_t size_ = 0;
};

}  // namespace starspiel
