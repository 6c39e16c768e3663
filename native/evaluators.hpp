// How states at the horizon are valued: the evaluators of the core, each with the leaf (leaf.hpp) that it is of a model.
//
// An evaluator is a type in `Evaluation`, and a LeafOf of the models that it values; evaluators.cpp shows it to Python.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bearoff.hpp"
#include "leaf.hpp"
#include "linear.hpp"
#include "network/array_leaf.hpp"
#include "network/network_leaf.hpp"
#include "ntuple/leaf.hpp"
#include "rollout.hpp"
#include "rules/position.hpp"
#include "solo.hpp"

namespace starspiel {

struct ZeroEvaluator {};
struct HeuristicEvaluator {};

// A function over rows of an encoder's inputs.
struct ArrayEvaluator {
  ArrayFunction function;
  int inputs;
};

// Values the state that `path` leads to from the state given to Engine::Root.
struct CallEvaluator {
  std::function<double(const std::vector<int>& path)> call;
};

// The same for many paths at once.
struct CallManyEvaluator {
  std::function<std::vector<double>(const std::vector<std::vector<int>>& paths)> call;
};

struct BearoffEvaluator;

using Evaluation = std::variant<ZeroEvaluator, HeuristicEvaluator, std::shared_ptr<Rollouts>, Linear, ValuedNetwork,
                                std::shared_ptr<ntuple::Network>, std::shared_ptr<Solo>, ArrayEvaluator, CallEvaluator,
                                CallManyEvaluator, std::shared_ptr<BearoffEvaluator>>;

// Backgammon's tables in front of another evaluator.
struct BearoffEvaluator {
  std::shared_ptr<const Bearoff> tables;
  Evaluation other;
};

template <class Evaluator, class... Others>
inline constexpr bool kIsOneOf = (std::is_same_v<Evaluator, Others> || ...);

// Calls test.operator()<Evaluator>() with the type of the evaluator, behind the tables where they come before it.
template <class Test>
bool Is(const Evaluation& evaluation, Test test) {
  if (const auto* tabled = std::get_if<std::shared_ptr<BearoffEvaluator>>(&evaluation)) return Is((*tabled)->other, test);
  return std::visit([&]<class Evaluator>(const Evaluator&) { return test.template operator()<Evaluator>(); }, evaluation);
}

// Whether it goes by the position alone, without the path to it, and asks nobody else.
inline bool ByPosition(const Evaluation& evaluation) {
  return Is(evaluation, []<class Evaluator>() {
    return kIsOneOf<Evaluator, ZeroEvaluator, HeuristicEvaluator, ValuedNetwork, std::shared_ptr<ntuple::Network>,
                    std::shared_ptr<Solo>>;
  });
}

// Whether several threads may have one each.
inline bool Divides(const Evaluation& evaluation) {
  return ByPosition(evaluation) || Is(evaluation, []<class Evaluator>() { return std::is_same_v<Evaluator, Linear>; });
}

// Whether it goes by what an encoder sees.
inline bool Encodes(const Evaluation& evaluation) {
  return Is(evaluation, []<class Evaluator>() { return kIsOneOf<Evaluator, ValuedNetwork, ArrayEvaluator>; });
}

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
  explicit CallLeaf(CallEvaluator evaluator) : evaluator_(std::move(evaluator)) {}
  double Value(const typename Model::Position&, const std::vector<int>& path) override { return evaluator_.call(path); }
  bool cheap() const override { return false; }

 private:
  CallEvaluator evaluator_;
};

template <class Model>
class CallManyLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;
  explicit CallManyLeaf(CallManyEvaluator evaluator) : evaluator_(std::move(evaluator)) {}
  double Value(const Position&, const std::vector<int>& path) override { return evaluator_.call({path}).front(); }
  void Values(Batch<Position>& batch) override { batch.values = evaluator_.call(batch.paths); }
  int batch() const override { return kBatch; }
  bool by_path() const override { return true; }
  bool cheap() const override { return false; }

 private:
  static constexpr int kBatch = 1 << 16;  // all successors
  CallManyEvaluator evaluator_;
};

template <class Model>
using LeafPointer = std::unique_ptr<Leaf<typename Model::Position>>;

// The leaf that an evaluator is of a model; null where it values no such model.
template <class Model, class Evaluator>
LeafPointer<Model> LeafOf(const Model&, const Evaluator&) {
  return nullptr;
}
template <class Model>
LeafPointer<Model> LeafOf(const Model& model, const ZeroEvaluator&) {
  return std::make_unique<ZeroLeaf<Model>>(model);
}
template <class Model>
  requires requires(const Model& model, const typename Model::Position& p) { model.Heuristic(p); }
LeafPointer<Model> LeafOf(const Model& model, const HeuristicEvaluator&) {
  return std::make_unique<HeuristicLeaf<Model>>(model);
}
template <class Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<Rollouts>& rollouts) {
  return std::make_unique<RolloutLeaf<Model>>(model, rollouts);
}
template <class Model>
  requires(!OfRules<Model>)
LeafPointer<Model> LeafOf(const Model&, const Linear& linear) {
  return std::make_unique<LinearLeaf<Model>>(linear);
}
template <Encoded Model>
LeafPointer<Model> LeafOf(const Model& model, const ValuedNetwork& network) {
  return std::make_unique<NetworkLeaf<Model>>(model, network);
}
template <OfBoards Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<ntuple::Network>& network) {
  return std::make_unique<NTupleLeaf<Model>>(model, network);
}
template <PlaysSolo Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<Solo>& solo) {
  return std::make_unique<SoloLeaf<Model>>(model, solo);
}
template <Encoded Model>
LeafPointer<Model> LeafOf(const Model& model, const ArrayEvaluator& evaluator) {
  return std::make_unique<ArrayLeaf<Model>>(model, evaluator.function, evaluator.inputs);
}
template <class Model>
LeafPointer<Model> LeafOf(const Model&, const CallEvaluator& evaluator) {
  return std::make_unique<CallLeaf<Model>>(evaluator);
}
template <class Model>
LeafPointer<Model> LeafOf(const Model&, const CallManyEvaluator& evaluator) {
  return std::make_unique<CallManyLeaf<Model>>(evaluator);
}

template <class Model>
LeafPointer<Model> MakeLeaf(const Model& model, const Evaluation& evaluation);

template <BearsOff Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<BearoffEvaluator>& evaluator) {
  LeafPointer<Model> other = MakeLeaf(model, evaluator->other);
  return other == nullptr ? nullptr : std::make_unique<BearoffLeaf<Model>>(model, evaluator->tables, std::move(other));
}

template <class Model>
LeafPointer<Model> MakeLeaf(const Model& model, const Evaluation& evaluation) {
  return std::visit([&](const auto& evaluator) { return LeafPointer<Model>(LeafOf(model, evaluator)); }, evaluation);
}

}  // namespace starspiel
