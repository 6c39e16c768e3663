// The evaluators of the core. Each is a type with `kTraits` (leaf.hpp) and an alternative of `Evaluation`. It has
// either Value(model, position) or a LeafOf for the models that it supports. Evaluators with `kPython` are constructed
// from plain values in Python; the others are bound in evaluators.cpp.
#pragma once

#include "bearoff.hpp"
#include "leaf.hpp"
#include "network/rows_leaf.hpp"
#include "ntuple/leaf.hpp"
#include "rollout.hpp"
#include "solo.hpp"

namespace starspiel {

// Assumes that nothing more is scored: returns what player 0 has collected so far.
struct ZeroEvaluator {
  static constexpr EvaluatorTraits kTraits = kByPosition;
  static constexpr MadeOf<> kPython{"Zero"};
  template <class Model>
  static double Value(const Model& model, const typename Model::Position& position) {
    if constexpr (requires { model.Collected(position); }) return model.Collected(position);
    return 0.0;
  }
  template <class Model>
  static void Returns(const Model& model, const typename Model::Position& position, double* returns) {
    std::fill_n(returns, model.players(), 0.0);
    if constexpr (requires { model.AllCollected(position, returns); }) model.AllCollected(position, returns);
  }
};

struct HeuristicEvaluator {
  static constexpr EvaluatorTraits kTraits = kByPosition;
  static constexpr MadeOf<> kPython{"Heuristic"};
  template <class Model>
  static double Value(const Model& model, const typename Model::Position& position)
    requires requires { model.Heuristic(position); }
  {
    return model.Heuristic(position);
  }
  template <class Model>
  static void Returns(const Model& model, const typename Model::Position& position, double* returns)
    requires requires { model.Heuristics(position, returns); }
  {
    model.Heuristics(position, returns);
  }
};

// The leaf of an evaluator that has `Value(model, position)`.
template <class Model, class Evaluator>
class FormulaLeaf : public Leaf<typename Model::Position> {
 public:
  FormulaLeaf(const Model& model, const Evaluator& evaluator) : model_(model), evaluator_(evaluator) {}
  double Value(const typename Model::Position& position, const std::vector<int>&) override {
    return evaluator_.Value(model_, position);
  }
  bool heuristic() const override { return std::is_same_v<Evaluator, HeuristicEvaluator>; }
  bool cheap() const override { return true; }

 private:
  const Model& model_;
  const Evaluator evaluator_;
};

template <class Model, class Evaluator>
  requires requires(const Model& m, const Evaluator& e, const typename Model::Position& p) { e.Value(m, p); }
LeafPointer<Model> LeafOf(const Model& model, const Evaluator& evaluator) {
  return std::make_unique<FormulaLeaf<Model, Evaluator>>(model, evaluator);
}

// A function of the state at the end of a path from the root last passed to `start`. `many`, if set, values several
// paths at once; `all` and `all_many` return every player's expected return.
struct CallEvaluator {
  static constexpr EvaluatorTraits kTraits{};
  std::function<void(const Given&)> start;
  std::function<double(const std::vector<int>& path)> one;
  std::function<std::vector<double>(const std::vector<std::vector<int>>& paths)> many = nullptr;
  std::function<std::vector<double>(const std::vector<int>& path)> all = nullptr;
  std::function<std::vector<std::vector<double>>(const std::vector<std::vector<int>>& paths)> all_many = nullptr;
};

template <class Model>
class CallLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;
  explicit CallLeaf(CallEvaluator evaluator) : evaluator_(std::move(evaluator)) {}
  void Start(const Given& root) override { evaluator_.start(root); }
  double Value(const Position&, const std::vector<int>& path) override { return evaluator_.one(path); }
  void Values(Batch<Position>& batch) override { batch.values = evaluator_.many(batch.paths); }
  int batch() const override { return evaluator_.many ? kBatch : 1; }
  bool by_path() const override { return evaluator_.many != nullptr; }
  bool cheap() const override { return false; }

 private:
  static constexpr int kBatch = 1 << 16;  // enough for all successors of a node
  CallEvaluator evaluator_;
};

template <class Model>
LeafPointer<Model> LeafOf(const Model&, const CallEvaluator& evaluator) {
  return std::make_unique<CallLeaf<Model>>(evaluator);
}

struct BearoffEvaluator;

using Evaluation = std::variant<ZeroEvaluator, HeuristicEvaluator, std::shared_ptr<Rollouts>, ValuedNetwork,
                                std::shared_ptr<ntuple::Network>, std::shared_ptr<Solo>, ArrayEvaluator,
                                std::shared_ptr<BearoffEvaluator>, CallEvaluator>;

// Backgammon's bear-off tables in front of another evaluator.
struct BearoffEvaluator {
  std::shared_ptr<const Bearoff> tables;
  Evaluation other;
};

// Calls `visit` with the evaluator, or with the one behind the bear-off tables.
template <class Visit>
auto VisitEvaluator(const Evaluation& evaluation, Visit visit) {
  const Evaluation* found = &evaluation;
  while (const auto* tabled = std::get_if<std::shared_ptr<BearoffEvaluator>>(found)) found = &(*tabled)->other;
  return std::visit(visit, *found);
}

inline EvaluatorTraits TraitsOf(const Evaluation& evaluation) {
  return VisitEvaluator(evaluation, []<class Evaluator>(const Evaluator& evaluator) {
    if constexpr (requires { Evaluator::kTraits; }) {
      return Evaluator::kTraits;
    } else if constexpr (requires { evaluator->kTraits; }) {
      return evaluator->kTraits;
    } else {
      return EvaluatorTraits{};
    }
  });
}

inline bool IsHeuristic(const Evaluation& evaluation) {
  return VisitEvaluator(
      evaluation, []<class Evaluator>(const Evaluator&) { return std::is_same_v<Evaluator, HeuristicEvaluator>; });
}

template <class Model>
LeafPointer<Model> MakeLeaf(const Model& model, const Evaluation& evaluation);

template <BearsOff Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<BearoffEvaluator>& evaluator) {
  LeafPointer<Model> other = MakeLeaf(model, evaluator->other);
  return other == nullptr ? nullptr : std::make_unique<BearoffLeaf<Model>>(model, evaluator->tables, std::move(other));
}

// The leaf of an evaluator for a model; null if the evaluator does not support the model.
template <class Model>
LeafPointer<Model> MakeLeaf(const Model& model, const Evaluation& evaluation) {
  return std::visit(
      [&](const auto& evaluator) -> LeafPointer<Model> {
        if constexpr (requires { LeafOf(model, evaluator); }) return LeafOf(model, evaluator);
        return nullptr;
      },
      evaluation);
}

}  // namespace starspiel
