// A search of any game behind one interface: the model, the evaluator and the search put together.
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "evaluators.hpp"
#include "luck.hpp"
#include "open_spiel/spiel.h"
#include "rules/position.hpp"
#include "search.hpp"

namespace starspiel {

struct RootValues {
  bool finished = true;  // false where a limit ended the iteration
  std::vector<std::pair<int, double>> values;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Search::Root. `given` is a decision node of the game the engine was made for.
  virtual RootValues Root(const Given& given, int depth, bool share, const std::vector<int>& first, Budget& budget) = 0;
  // The evaluator's value of a state that is not terminal.
  virtual double Evaluate(const Given& given, Budget& budget) = 0;
  // Player 0's luck in `actions`, which begin at `given`, by the evaluator. The state after the first of them is one
  // that the engine could have been made for.
  virtual double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) = 0;
  // Of all threads; `horizon` is only that of the thread that was done first.
  virtual const Counters& counters() const = 0;
  virtual std::int64_t computed() const = 0;  // Search::computed
  virtual double size() const = 0;  // Search::size
  // Whether equal positions are recognised, so that table and merging work.
  virtual bool keyed() const = 0;
  // Whether equal successors can be searched once.
  virtual bool merges() const = 0;
  // Whether the evaluator goes by the position alone, and asks nobody else.
  virtual bool by_position() const = 0;
  // Seconds of processor time that each thread has searched for.
  virtual const std::vector<double>& thread_seconds() const = 0;
};

// Of processor time that the calling thread has used.
inline double ThreadSeconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

template <class Model>
class ModelEngine : public Engine {
 public:
  using State = typename Model::State;
  using Position = typename Model::Position;

  ModelEngine(Model model, const Evaluation& evaluation, const Options& options)
      : model_(std::move(model)), by_position_(ByPosition(evaluation)) {
    using Common = typename Search<Model>::Common;
    const bool divided = options.threads > 1 && options.table_bytes > 0 && HasKeys(model_) && Divides(evaluation) &&
                         !options.policy && !options.quiet;
    const std::shared_ptr<Common> common = divided ? std::make_shared<Common>(options) : nullptr;
    if (common) shared_ = {common, &common->shared};
    for (int seat = 0; seat < (divided ? options.threads : 1); ++seat) {
      leaves_.push_back(MakeLeaf(model_, evaluation));
      if (leaves_.back() == nullptr) throw std::invalid_argument("this game has no such native evaluator");
      searches_.push_back(std::make_unique<Search<Model>>(model_, *leaves_.back(), options, common, seat));
    }
    seconds_.resize(searches_.size());
  }

  RootValues Root(const Given& given, int depth, bool share, const std::vector<int>& first, Budget& budget) override {
    Start(given);
    const Position root = model_.Read(As<State>(given));
    const Iteration iteration{root, depth, share, first};
    const bool together = shared_ && depth > 1;
    const std::int64_t nodes = counters_.nodes, horizon = counters_.horizon;
    RootValues found{false, {}};
    // What one thread does in less time than others take to begin is done as one thread does it.
    if (!together || depth != last_depth_ + 1 || last_nodes_ < kWorthThreads) {
      if (together) budget.EndAt(searches_.front()->counters().nodes + kWorthThreads);
      found = Iterate(iteration, 1, budget);
      if (together) budget.EndAt(std::nullopt);
    }
    if (together && !found.finished && !budget.TimeIsOver()) {
      counters_.horizon = horizon;  // what was evaluated in vain is in no value
      found = Iterate(iteration, searches_.size(), budget);
    }
    last_depth_ = depth;
    last_nodes_ = counters_.nodes - nodes;
    return found;
  }

  double Evaluate(const Given& given, Budget& budget) override {
    Start(given);
    leaves_.front()->Watch(budget);
    return leaves_.front()->Value(model_.Read(As<State>(given)), {});
  }

  double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) override {
    leaves_.front()->Watch(budget);
    return starspiel::Luck(model_, *leaves_.front(), As<State>(given), actions);
  }

  const Counters& counters() const override { return counters_; }
  std::int64_t computed() const override {
    std::int64_t computed = 0;
    for (const auto& search : searches_) computed += search->computed();
    return computed;
  }
  double size() const override {
    double size = 1.0;
    for (const auto& search : searches_) size = std::max(size, search->size());
    return size;
  }
  bool keyed() const override { return HasKeys(model_); }
  bool merges() const override { return Model::kKeyed; }
  bool by_position() const override { return by_position_; }
  const std::vector<double>& thread_seconds() const override { return seconds_; }

 private:
  struct Iteration {
    const Position& root;
    int depth;
    bool share;
    const std::vector<int>& first;
  };

  // Search::Root of so many threads.
  RootValues Iterate(const Iteration& iteration, std::size_t threads, Budget& budget) {
    std::vector<Counters> before;
    for (const auto& search : searches_) before.push_back(search->counters());
    // The thread that is done first ends the others. Where none is, each has found some of the values.
    std::vector<RootValues> results(searches_.size());
    std::vector<std::exception_ptr> errors(searches_.size());
    std::atomic<bool> over = false;
    std::atomic<int> winner = -1;
    const auto run = [&](std::size_t seat, Budget& own) {
      const double began = ThreadSeconds();
      try {
        searches_[seat]->Root(iteration.root, iteration.depth, iteration.share, iteration.first, own, results[seat].values);
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
    for (const auto& search : searches_) search->ShareWork(threads > 1);
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
    for (std::size_t seat = 0; seat < threads; ++seat) {
      if (errors[seat]) std::rethrow_exception(errors[seat]);
    }
    const std::int64_t horizon = counters_.horizon;
    counters_ = {};
    for (const auto& search : searches_) counters_ += search->counters();
    const auto shown = static_cast<std::size_t>(std::max(0, winner.load()));
    counters_.horizon = horizon + searches_[shown]->counters().horizon - before[shown].horizon;
    if (winner >= 0) return std::move(results[shown]);
    for (std::size_t seat = 1; seat < threads; ++seat) Join(results[seat], results[0]);
    return std::move(results[0]);
  }

  void Start(const Given& given) {
    if constexpr (!OfRules<Model>) {
      for (const auto& leaf : leaves_) leaf->Start(As<State>(given));
    }
  }

  // Adds the values that `found` has and `values` has not.
  static void Join(const RootValues& found, RootValues& values) {
    for (const auto& value : found.values) {
      const auto same = [&](const auto& other) { return other.first == value.first; };
      if (std::none_of(values.values.begin(), values.values.end(), same)) values.values.push_back(value);
    }
  }

  static constexpr std::int64_t kWorthThreads = 10000;  // nodes: some 10 ms

  Model model_;
  bool by_position_;
  std::vector<LeafPointer<Model>> leaves_;
  std::vector<std::unique_ptr<Search<Model>>> searches_;  // one a thread
  std::vector<double> seconds_;
  std::shared_ptr<Shared> shared_;  // null where there is one thread
  int last_depth_ = 0;              // of the iteration before, and its nodes
  std::int64_t last_nodes_ = 0;
  Counters counters_;
};

}  // namespace starspiel
