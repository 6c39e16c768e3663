#include "engine.hpp"
#include <time.h>

namespace starspiel {
namespace {

constexpr std::int64_t kWorthThreads = 10000;  // nodes: some 10 ms

// Processor time used by the calling thread, in seconds.
double ThreadSeconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Adds the values of `found` whose actions `values` lacks.
void Join(const RootValues& found, RootValues& values) {
  for (const auto& value : found.values) {
    const auto same = [&](const auto& other) { return other.first == value.first; };
    if (std::none_of(values.values.begin(), values.values.end(), same)) values.values.push_back(value);
  }
}

}  // namespace

Engine::Engine(Traits traits, std::vector<std::unique_ptr<Seat>> seats, std::shared_ptr<Shared> shared)
    : traits_(traits), seats_(std::move(seats)), shared_(std::move(shared)), seconds_(seats_.size()) {}

RootValues Engine::Root(const Given& given, int depth, double margin, const std::vector<int>& first, Budget& budget) {
  for (const auto& seat : seats_) seat->Start(given);
  const Iteration iteration{depth, margin, first};
  const bool together = shared_ && depth > 1;
  const std::int64_t nodes = counters_.nodes, horizon = counters_.horizon;
  RootValues found{false, {}};
  // Small iterations run on one thread: starting the others would take longer.
  if (!together || depth != last_depth_ + 1 || last_nodes_ < kWorthThreads) {
    if (together) budget.EndAt(seats_.front()->counters().nodes + kWorthThreads);
    found = Iterate(iteration, 1, budget);
    if (together) budget.EndAt(std::nullopt);
  }
  if (together && !found.finished && !budget.TimeIsOver()) {
    counters_.horizon = horizon;  // the discarded attempt contributes to no value
    found = Iterate(iteration, seats_.size(), budget);
  }
  last_depth_ = depth;
  last_nodes_ = counters_.nodes - nodes;
  return found;
}

// Runs Search::Root on several threads. The first to finish ends the others; if none finishes, each has found some of
// the values.
RootValues Engine::Iterate(const Iteration& iteration, std::size_t threads, Budget& budget) {
  std::vector<std::int64_t> horizons;
  for (const auto& seat : seats_) {
    horizons.push_back(seat->counters().horizon);
    seat->ShareWork(threads > 1);
  }
  std::vector<RootValues> results(seats_.size());
  std::vector<std::exception_ptr> errors(seats_.size());
  std::atomic<bool> over = false;
  std::atomic<int> winner = -1;
  const auto run = [&](std::size_t seat, Budget& own) {
    const double began = ThreadSeconds();
    try {
      seats_[seat]->Root(iteration.depth, iteration.margin, iteration.first, own, results[seat]);
      int none = -1;
      winner.compare_exchange_strong(none, static_cast<int>(seat));
      over = true;
    } catch (const BudgetSpent&) {
      results[seat].finished = false;
    } catch (...) {
      errors[seat] = std::current_exception();
      over = true;
    }
    seconds_[seat] += ThreadSeconds() - began;
  };
  std::vector<std::thread> others;
  if (threads > 1) {
    shared_->Clear();
    budget.EndWith(over);
    for (std::size_t seat = 1; seat < threads; ++seat) {
      others.emplace_back([&run, &over, seat, own = Budget(budget, over)]() mutable { run(seat, own); });
    }
  }
  run(0, budget);
  if (winner < 0) over = true;
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  const auto shown = static_cast<std::size_t>(std::max(0, winner.load()));
  const std::int64_t horizon = counters_.horizon + seats_[shown]->counters().horizon - horizons[shown];
  counters_ = {};
  for (const auto& seat : seats_) counters_ += seat->counters();
  counters_.horizon = horizon;
  if (winner < 0) {
    for (std::size_t seat = 1; seat < threads; ++seat) Join(results[seat], results[0]);
  }
  return std::move(results[shown]);
}

std::vector<double> Engine::Evaluate(const Given& given, Budget& budget) {
  seats_.front()->Start(given);
  return seats_.front()->Evaluate(budget);
}

double Engine::Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) {
  return seats_.front()->Luck(given, actions, budget);
}

std::int64_t Engine::computed() const {
  std::int64_t computed = 0;
  for (const auto& seat : seats_) computed += seat->computed();
  return computed;
}

double Engine::size() const {
  double size = 1.0;
  for (const auto& seat : seats_) size = std::max(size, seat->size());
  return size;
}

}  // namespace starspiel
