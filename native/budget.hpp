// One clock for a whole search: node and time limits, and a regular look for Ctrl-C.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace starspiel {

// Thrown where a limit is met, caught at the root.
struct BudgetSpent {};

class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  // `poll` is called about every 25 ms and may throw (Ctrl-C).
  Budget(std::optional<std::int64_t> nodes, std::optional<double> seconds, std::function<void()> poll)
      : max_nodes_(nodes.value_or(std::numeric_limits<std::int64_t>::max() - 1)),
        deadline_(Clock::time_point::max()),
        next_poll_(Clock::now() + kPollInterval),
        poll_(std::move(poll)) {
    if (seconds && *seconds <= kLongest) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    check_at_ = std::min<std::int64_t>(1, max_nodes_ + 1);
  }

  // To be called at every node, with the number of nodes visited.
  void Visit(std::int64_t& nodes) {
    if (nodes >= check_at_) Check(nodes);
  }

  // To be called after anything slow.
  void ReadClock() {
    Clock::time_point now = Clock::now();
    if (now >= deadline_) throw BudgetSpent{};
    if (now >= next_poll_) {
      next_poll_ = now + kPollInterval;
      poll_();
    }
  }

 private:
  static constexpr std::int64_t kStride = 256;
  // Seconds (three years). Longer limits do not fit the clock's counter, and are none.
  static constexpr double kLongest = 1e8;
  static constexpr std::chrono::milliseconds kPollInterval{25};

  void Check(std::int64_t& nodes) {
    if (nodes > max_nodes_) {
      --nodes;  // The node that is refused was not visited.
      throw BudgetSpent{};
    }
    ReadClock();
    check_at_ = std::min(nodes + kStride, max_nodes_ + 1);
  }

  std::int64_t max_nodes_;
  std::int64_t check_at_;
  Clock::time_point deadline_;
  Clock::time_point next_poll_;
  std::function<void()> poll_;
};

}  // namespace starspiel
