// A search of any game behind one interface: the model, the evaluator and the search put together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "linear.hpp"
#include "luck.hpp"
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
  // kCallMany: the same as `call` for many paths at once.
  std::function<std::vector<double>(const std::vector<std::vector<int>>& paths)> call_many;
};

struct RootValues {
  bool finished = true;  // false where a limit ended the iteration
  std::vector<std::pair<int, double>> values;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Search::Root. `given` is a decision node of the game the engine was made for.
  virtual RootValues Root(const Given& given, int depth, bool share, Budget& budget) = 0;
  // The evaluator's value of a state that is not terminal.
  virtual double Evaluate(const Given& given, Budget& budget) = 0;
  // Player 0's luck in `actions`, which begin at `given`, by the evaluator. The state after the first of them is one
  // that the engine could have been made for.
  virtual double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) = 0;
  virtual const Counters& counters() const = 0;
  virtual std::int64_t computed() const = 0;  // Search::computed
  virtual double size() const = 0;  // Search::size
  // Whether equal positions are recognised, so that table and merging work.
  virtual bool keyed() const = 0;
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

template <class Model>
class ModelEngine : public Engine {
 public:
  using State = typename Model::State;

  ModelEngine(Model model, Evaluation evaluation, const Options& options)
      : model_(std::move(model)), leaf_(MakeLeaf(model_, std::move(evaluation))) {
    if (leaf_ == nullptr) throw std::invalid_argument("this game has no such native evaluator");
    search_.emplace(model_, *leaf_, options);
  }

  RootValues Root(const Given& given, int depth, bool share, Budget& budget) override {
    RootValues result;
    Start(given);
    try {
      search_->Root(model_.Read(As<State>(given)), depth, share, budget, result.values);
    } catch (const BudgetSpent&) {
      result.finished = false;
    }
    return result;
  }

  double Evaluate(const Given& given, Budget& budget) override {
    Start(given);
    leaf_->Watch(budget);
    return leaf_->Value(model_.Read(As<State>(given)), {});
  }

  double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) override {
    leaf_->Watch(budget);
    return starspiel::Luck(model_, *leaf_, As<State>(given), actions);
  }

  const Counters& counters() const override { return search_->counters(); }
  std::int64_t computed() const override { return search_->computed(); }
  double size() const override { return search_->size(); }
  bool keyed() const override { return Model::kKeyed; }

 private:
  void Start(const Given& given) {
    if constexpr (!OfRules<Model>) leaf_->Start(As<State>(given));
  }

  Model model_;
  std::unique_ptr<Leaf<typename Model::Position>> leaf_;
  std::optional<Search<Model>> search_;
};

// The engine of the state's game: over plain bytes where `plain` and there is such a model, otherwise over
// OpenSpiel's own states. Throws std::invalid_argument where there is no such evaluator.
std::unique_ptr<Engine> MakeEngine(const open_spiel::State& state, bool plain, Evaluation evaluation, Options options);

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

// How many inputs the encoder has that a network of the state's game sees by; 0 where there is none.
int EncoderInputs(const open_spiel::State& state);
int EncoderInputs(const RulesPosition& position);

// What a network sees of the state: (input, count), ascending by input. Throws std::invalid_argument where it does not
// see the state.
std::vector<std::pair<int, int>> FeaturesOf(const open_spiel::State& state);
std::vector<std::pair<int, int>> FeaturesOf(const RulesPosition& position);

}  // namespace starspiel
