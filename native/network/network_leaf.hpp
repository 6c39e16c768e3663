// The evaluator net(file=...) of a search.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../search.hpp"
#include "valuer.hpp"

namespace starspiel {

// A network with what its outputs are worth.
struct ValuedNetwork {
  std::shared_ptr<const Network> network;
  Scale scale;
};

// A leaf whose values are dear: moves are ordered by the heuristic, which is cheaper by far.
template <class Model>
class LeafByHeuristic : public Leaf<typename Model::Position> {
 public:
  explicit LeafByHeuristic(const Model& model) : model_(model) {}
  bool cheap() const override { return false; }
  bool guesses() const override { return kGuesses; }
  double Guess(const typename Model::Position& position, const std::vector<int>&) override {
    if constexpr (kGuesses) return model_.Heuristic(position);
    return 0.0;
  }

 private:
  static constexpr bool kGuesses =
      Model::kKeyed && requires(const Model& m, const typename Model::Position& p) { m.Heuristic(p); };
  const Model& model_;
};

template <class Model>
class NetworkLeaf : public LeafByHeuristic<Model> {
 public:
  NetworkLeaf(const Model& model, ValuedNetwork valued)
      : LeafByHeuristic<Model>(model),
        valued_(std::move(valued)),
        valuer_(model, *valued_.network, valued_.scale) {
    if (valuer_.encoder().inputs() != valued_.network->inputs()) {
      throw std::invalid_argument("the network has other inputs than this game's encoder");
    }
  }

  double Value(const typename Model::Position& position, const std::vector<int>&) override {
    return valuer_.Value(position);
  }
  void Values(Batch<typename Model::Position>& batch) override { valuer_.Values(batch.positions, batch.values); }
  bool Sees(const typename Model::Position& position) const override { return valuer_.encoder().Sees(position); }
  int batch() const override { return kBatch; }
  std::int64_t computed() const override { return valuer_.computed(); }

 private:
  // Of one decision node's successors: enough to fill the arithmetic, few enough to leave out what is cut off.
  static constexpr int kBatch = 16;

  ValuedNetwork valued_;
  Valuer<Model> valuer_;
};

}  // namespace starspiel
