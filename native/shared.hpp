// What the threads of one search share besides the table: the nodes being searched, and the root's window.
#pragma once

#include "standard.hpp"

namespace starspiel {

// Threads search the same tree and find each other's results in the table. Two things keep them apart: a node that
// another thread is searching is deferred until nothing else is left (after Kerrigan's simplified form of ABDADA, Weill
// 1996), and every other thread takes the outcomes of a chance node in reverse order.
class Shared {
 public:
  // Call before each iteration.
  void Clear() {
    for (std::atomic<std::uint64_t>& slot : slots_) slot.store(0, std::memory_order_relaxed);
    alpha_.store(-std::numeric_limits<double>::infinity());
    beta_.store(std::numeric_limits<double>::infinity());
  }

  // True if another thread seems to be searching the node: a hint, which may be wrong.
  bool Busy(std::uint64_t node) const { return SlotOf(node).load(std::memory_order_relaxed) == node; }
  void Begin(std::uint64_t node) { SlotOf(node).store(node, std::memory_order_relaxed); }
  void End(std::uint64_t node) {
    std::atomic<std::uint64_t>& slot = SlotOf(node);
    if (slot.load(std::memory_order_relaxed) == node) slot.store(0, std::memory_order_relaxed);
  }

  double alpha() const { return alpha_.load(std::memory_order_relaxed); }
  double beta() const { return beta_.load(std::memory_order_relaxed); }
  void RaiseAlpha(double value) {
    double known = alpha();
    while (known < value && !alpha_.compare_exchange_weak(known, value)) {
    }
  }
  void LowerBeta(double value) {
    double known = beta();
    while (known > value && !beta_.compare_exchange_weak(known, value)) {
    }
  }

 private:
  static constexpr std::size_t kSlots = 1 << 12;  // a power of two

  std::atomic<std::uint64_t>& SlotOf(std::uint64_t node) { return slots_[node & (kSlots - 1)]; }
  const std::atomic<std::uint64_t>& SlotOf(std::uint64_t node) const { return slots_[node & (kSlots - 1)]; }

  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
  std::atomic<double> alpha_{0.0};
  std::atomic<double> beta_{0.0};
};

}  // namespace starspiel
