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

#include "bearoff.hpp"
#include "budget.hpp"
#include "linear.hpp"
#include "luck.hpp"
#include "models/text_key.hpp"
#include "network/array_leaf.hpp"
#include "network/network_leaf.hpp"
#include "ntuple/leaf.hpp"
#include "open_spiel/spiel.h"
#include "rollout.hpp"
#include "rules/position.hpp"
#include "search.hpp"
#include "solo.hpp"

namespace starspiel {

// How states at the horizon are valued.
struct Evaluation {
  enum class Kind { kZero, kHeuristic, kRollout, kLinear, kNetwork, kNTuple, kSolo, kArray, kCall, kCallMany };
  Kind kind;
  // kCall: values the state that `path` leads to from the state given to Engine::Root.
  std::function<double(const std::vector<int>& path)> call;
  std::shared_ptr<Rollouts> rollouts;  // kRollout
  Linear linear;                       // kLinear
  ValuedNetwork network;               // kNetwork
  std::shared_ptr<const ntuple::Network> ntuples;  // kNTuple
  std::shared_ptr<Solo> solo;          // kSolo
  ArrayFunction array;                 // kArray: over rows of so many inputs
  int array_inputs = 0;
  std::shared_ptr<const Bearoff> bearoff;  // backgammon's tables, which come before any of them; null for none
  // kCallMany: the same as `call` for many paths at once.
  std::function<std::vector<double>(const std::vector<std::vector<int>>& paths)> call_many;

  // Whether it goes by the position and asks nobody else, so that several threads may have one each.
  bool divides() const {
    return kind == Kind::kZero || kind == Kind::kHeuristic || kind == Kind::kLinear || kind == Kind::kNetwork ||
           kind == Kind::kNTuple || kind == Kind::kSolo;
  }
};

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
  // Seconds of processor time that each thread has searched for.
  virtual const std::vector<double>& thread_seconds() const = 0;
};

// Nothing more is to come: what player 0 has collected so far.
template <class Model>
class ZeroLeaf : public Leaf<typename Model::Position> {
 public:
  explicit ZeroLeaf(const Model& model) : model_(model) {}
  double Value(const typename Model::Position& position, const std::vector<int>&) override {
    if constexpr (requires { model_.Collected(position); }) return model_.Collected(position);
    return 0.0;
  }
  bool cheap() const override { return true; }

 private:
  const Model& model_;
};

template <class Model>
class HeuristicLeaf : public Leaf<typename Model::Position> {
 public:
  explicit HeuristicLeaf(const Model& model) : model_(model) {}
  double Value(const typename Model::Position& position, const std::vector<int>&) override {
    return model_.Heuristic(position);
  }
  bool heuristic() const override { return true; }
  bool cheap() const override { return true; }

 private:
  const Model& model_;
};

template <class Model>
class CallLeaf : public Leaf<typename Model::Position> {
 public:
  using Call = std::function<double(const std::vector<int>&)>;
  explicit CallLeaf(Call call) : call_(std::move(call)) {}
  double Value(const typename Model::Position&, const std::vector<int>& path) override { return call_(path); }
  bool cheap() const override { return false; }

 private:
  Call call_;
};

template <class Model>
class CallManyLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;
  using Call = std::function<std::vector<double>(const std::vector<std::vector<int>>&)>;
  explicit CallManyLeaf(Call call) : call_(std::move(call)) {}
  double Value(const Position&, const std::vector<int>& path) override { return call_({path}).front(); }
  void Values(Batch<Position>& batch) override { batch.values = call_(batch.paths); }
  int batch() const override { return kBatch; }
  bool by_path() const override { return true; }
  bool cheap() const override { return false; }

 private:
  static constexpr int kBatch = 1 << 16;  // all successors
  Call call_;
};

// Null where the model has no such evaluator at all.
template <class Model>
std::unique_ptr<Leaf<typename Model::Position>> MakeLeaf(const Model& model, Evaluation evaluation) {
  if (const auto tables = std::exchange(evaluation.bearoff, nullptr)) {
    auto other = MakeLeaf(model, std::move(evaluation));
    if constexpr (std::is_same_v<Model, BackgammonModel>) {
      return other == nullptr ? nullptr : std::make_unique<BearoffLeaf>(model, tables, std::move(other));
    }
    return nullptr;
  }
  switch (evaluation.kind) {
    case Evaluation::Kind::kZero:
      return std::make_unique<ZeroLeaf<Model>>(model);
    case Evaluation::Kind::kHeuristic:
      if constexpr (requires(const typename Model::Position& p) { model.Heuristic(p); }) {
        return std::make_unique<HeuristicLeaf<Model>>(model);
      }
      return nullptr;
    case Evaluation::Kind::kRollout:
      return std::make_unique<RolloutLeaf<Model>>(model, std::move(evaluation.rollouts));
    case Evaluation::Kind::kLinear:
      if constexpr (!OfRules<Model>) return std::make_unique<LinearLeaf<Model>>(std::move(evaluation.linear));
      return nullptr;
    case Evaluation::Kind::kNetwork:
      if constexpr (Encoded<Model>) return std::make_unique<NetworkLeaf<Model>>(model, std::move(evaluation.network));
      return nullptr;
    case Evaluation::Kind::kNTuple:
      if constexpr (OfBoards<Model>) return std::make_unique<NTupleLeaf<Model>>(model, std::move(evaluation.ntuples));
      return nullptr;
    case Evaluation::Kind::kSolo:
      if constexpr (PlaysSolo<Model>) return std::make_unique<SoloLeaf<Model>>(model, std::move(evaluation.solo));
      return nullptr;
    case Evaluation::Kind::kArray:
      if constexpr (Encoded<Model>) {
        return std::make_unique<ArrayLeaf<Model>>(model, std::move(evaluation.array), evaluation.array_inputs);
      }
      return nullptr;
    case Evaluation::Kind::kCallMany:
      return std::make_unique<CallManyLeaf<Model>>(std::move(evaluation.call_many));
    case Evaluation::Kind::kCall:
      return std::make_unique<CallLeaf<Model>>(std::move(evaluation.call));
  }
  return nullptr;
}

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

  ModelEngine(Model model, Evaluation evaluation, const Options& options) : model_(std::move(model)) {
    using Common = typename Search<Model>::Common;
    const bool divided = options.threads > 1 && options.table_bytes > 0 && HasKeys(model_) && evaluation.divides() &&
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
  std::vector<std::unique_ptr<Leaf<typename Model::Position>>> leaves_;
  std::vector<std::unique_ptr<Search<Model>>> searches_;  // one a thread
  std::vector<double> seconds_;
  std::shared_ptr<Shared> shared_;  // null where there is one thread
  int last_depth_ = 0;              // of the iteration before, and its nodes
  std::int64_t last_nodes_ = 0;
  Counters counters_;
};

// The engine of the state's game: over plain bytes where `plain` and there is such a model, otherwise over
// OpenSpiel's own states, which `rule` has keys of. Throws std::invalid_argument where there is no such evaluator.
std::unique_ptr<Engine> MakeEngine(const open_spiel::State& state, bool plain, KeyRule rule, Evaluation evaluation,
                                   Options options);

// The same over the model of a game whose rules are written in Python. Throws std::invalid_argument where there is no
// such evaluator.
std::unique_ptr<Engine> MakeEngine(const RulesPosition& position, Evaluation evaluation, Options options);

// The position as its model holds it. Throws std::invalid_argument where the core has no model for the game with these
// parameters, or where the numbers are no position of it.
std::string BytesOf(const RulesPosition& position);

// What a model says of a position, for the test that it plays the rules it is a twin of.
struct Described {
  int player;
  double value;  // player 0's return so far
  struct Next {
    int action;
    double probability;  // of an outcome; 1 for a move
    std::string bytes;   // the position after it
  };
  std::vector<Next> next;
};
Described Describe(const RulesPosition& position);

// Compares the model of the state's game with OpenSpiel at this state and its successors; returns what differs, or
// nothing. Throws std::invalid_argument where there is no model.
std::string Mismatch(const open_spiel::State& state);

// The evaluator "heuristic" for states of the same game; empty where there is none.
std::function<double(const open_spiel::State&)> HeuristicOf(const open_spiel::State& state);

// Whether the core's model says of positions of the state's game whether they are quiet; and what it says of this one.
// Nothing where it does not.
std::optional<bool> QuietAt(const open_spiel::State& state);
std::optional<bool> QuietAt(const RulesPosition& position);

// How many inputs the encoder has that a network of the state's game sees by; 0 where there is none.
int EncoderInputs(const open_spiel::State& state);
int EncoderInputs(const RulesPosition& position);

// What a network sees of the state: (input, count), ascending by input. Throws std::invalid_argument where it does not
// see the state.
std::vector<std::pair<int, int>> FeaturesOf(const open_spiel::State& state);
std::vector<std::pair<int, int>> FeaturesOf(const RulesPosition& position);

}  // namespace starspiel
