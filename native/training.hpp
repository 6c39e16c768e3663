// What the trainers of networks and of n-tuples share: when to stop, and threads.
#pragma once

#include "standard.hpp"

namespace starspiel {

// Runs work(thread) on several threads. Calls `failed` if one throws; rethrows the exception of the first such thread
// after all have ended.
template <class Work>
void RunThreads(int threads, const Work& work, const std::function<void()>& failed = [] {}) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(threads));
  const auto run = [&](int thread) {
    try {
      work(thread);
    } catch (...) {  // exceptions, also OpenSpiel's, must not escape a thread
      errors[thread] = std::current_exception();
      failed();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

inline void CheckThreads(int threads) {
  if (threads < 1 || threads > 1024) throw std::invalid_argument("expected 1 to 1024 threads");
}

// How long to train, with threads that learn in parallel: reproducible only with one thread.
struct Length {
  int threads = 1;
  std::int64_t games = 0;  // number to play; 0 for as many as time allows
  double seconds = 0.0;    // wall-clock time; 0 for as long as the games take
  // Called about every 25 ms by thread 0: true ends training in the middle of a game. May throw (Ctrl-C).
  std::function<bool()> stop = nullptr;

  // Throws std::invalid_argument if a number is out of range, or if nothing ends the training.
  void Check() const {
    CheckThreads(threads);
    if (games < 0 || !(seconds >= 0.0 && seconds <= 1e300) || (games == 0 && seconds == 0.0)) {
      throw std::invalid_argument("expected how many games or seconds to train for");
    }
  }
};

// What is left of a Length, shared by all threads.
class Remaining {
 public:
  explicit Remaining(const Length& length) : length_(length), begun_(Clock::now()), asked_(begun_) {}

  // True if there is another game to play.
  bool Another() {
    if (ended_.load(std::memory_order_relaxed)) return false;
    if (length_.seconds > 0 && std::chrono::duration<double>(Clock::now() - begun_).count() >= length_.seconds)
      return false;
    return length_.games == 0 || played_++ < length_.games;
  }

  // Also ends the games in progress.
  void End() { ended_.store(true, std::memory_order_relaxed); }

  // True if training has ended. Thread 0 calls `stop` now and then.
  bool Ended(int thread) {
    if (thread == 0 && length_.stop && Clock::now() >= asked_ + kInterval) {
      if (length_.stop()) End();
      asked_ = Clock::now();
    }
    return ended_.load(std::memory_order_relaxed);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{25};

  const Length& length_;
  Clock::time_point begun_, asked_;
  std::atomic<std::int64_t> played_{0};
  std::atomic<bool> ended_{false};
};

}  // namespace starspiel
