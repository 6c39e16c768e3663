// One clock for a whole search: node and time limits, and a regular check for Ctrl-C.
#pragma once

#include "standard.hpp"

namespace starspiel {

// Thrown when a limit is reached; caught at the root.
struct BudgetSpent {};

class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  // `poll` is called about every 25 ms and may throw (Ctrl-C).
  Budget(std::optional<std::int64_t> nodes, std::optional<double> seconds, std::function<void()> poll)
      : max_nodes_(nodes.value_or(std::numeric_limits<std::int64_t>::max() - 1)),
        deadline_(Clock::time_point::max()),
        read_(Clock::now()),
        next_poll_(read_ + kPollInterval),
        poll_(std::move(poll)) {
    if (seconds && *seconds <= kLongest)
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    check_at_ = std::min<std::int64_t>(1, max_nodes_ + 1);
  }

  // The budget of another thread of the same search: the same deadline, no node limit, and `over` as the only other
  // stop signal.
  Budget(const Budget& first, const std::atomic<bool>& over)
      : max_nodes_(std::numeric_limits<std::int64_t>::max() - 1),
        check_at_(1),
        deadline_(first.deadline_),
        kept_(first.kept_),
        read_(Clock::now()),
        next_poll_(Clock::time_point::max()),
        over_(&over) {}

  // Ends the search soon after `over` is set, as a limit does.
  void EndWith(const std::atomic<bool>& over) { over_ = &over; }

  // Sets the node limit; nullopt removes it.
  void EndAt(std::optional<std::int64_t> nodes) {
    max_nodes_ = nodes.value_or(std::numeric_limits<std::int64_t>::max() - 1);
    check_at_ = 1;
  }

  // Call at every node, with the number of nodes visited.
  void Visit(std::int64_t& nodes) {
    if (nodes >= check_at_) Check(nodes);
  }

  // True if the deadline had passed when the clock was last read.
  bool TimeIsOver() const { return read_ >= deadline_ - kept_; }

  // Call with the number of bytes to free after the search: the time that takes is reserved before the deadline.
  void Reserve(std::size_t bytes) { kept_ = std::chrono::nanoseconds(bytes / kBytesFreedInNanosecond); }

  // Call after anything slow.
  void ReadClock() {
    read_ = Clock::now();
    if (over_ != nullptr && over_->load(std::memory_order_relaxed)) throw BudgetSpent{};
    if (read_ >= deadline_ - kept_) throw BudgetSpent{};
    if (read_ >= next_poll_) {
      next_poll_ = read_ + kPollInterval;
      poll_();
    }
  }

 private:
  // Nodes between two clock reads: at most kStride, and no more than take about kPatience if nodes are slow.
  static constexpr std::int64_t kStride = 256;
  static constexpr std::chrono::microseconds kPatience{200};
  // A tenth of a millisecond per megabyte: two to three times what freeing takes on an idle machine.
  static constexpr std::size_t kBytesFreedInNanosecond = 10;
  // Seconds (three years). Longer limits overflow the clock's counter and count as no limit.
  static constexpr double kLongest = 1e8;
  static constexpr std::chrono::milliseconds kPollInterval{25};

  void Check(std::int64_t& nodes) {
    if (nodes > max_nodes_) {
      --nodes;  // The refused node was not visited.
      throw BudgetSpent{};
    }
    const Clock::time_point before = read_;
    ReadClock();
    stride_ = read_ - before > kPatience ? std::max<std::int64_t>(1, stride_ / 4) : std::min(kStride, 2 * stride_);
    check_at_ = std::min(nodes + stride_, max_nodes_ + 1);
  }

  std::int64_t max_nodes_;
  std::int64_t check_at_;
  std::int64_t stride_ = 1;
  Clock::time_point deadline_;
  Clock::duration kept_{};
  Clock::time_point read_;  // when the clock was last read
  Clock::time_point next_poll_;
  std::function<void()> poll_;
  const std::atomic<bool>* over_ = nullptr;
};

}  // namespace starspiel
