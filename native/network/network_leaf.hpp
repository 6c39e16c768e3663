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

template <class Model>
class NetworkLeaf : public Leaf<typename Model::Position> {
 public:
  NetworkLeaf(const Model& model, ValuedNetwork valued)
      : model_(model), valued_(std::move(valued)), valuer_(model, *valued_.network, valued_.scale) {
    if (MakeEncoder(model).inputs() != valued_.network->inputs()) {
      throw std::invalid_argument("the network has other inputs than this game's encoder");
    }
  }

  double Value(const typename Model::Position& position, const std::vector<int>&) override {
    return valuer_.Value(position);
  }
  bool cheap() const override { return false; }

  // Moves are ordered by the heuristic, which is cheaper than the network by far.
  bool guesses() const override { return kGuesses; }
  double Guess(const typename Model::Position& position, const std::vector<int>&) override {
    if constexpr (kGuesses) return model_.Heuristic(position);
    return 0.0;
  }

 private:
  static constexpr bool kGuesses =
      Model::kKeyed && requires(const Model& m, const typename Model::Position& p) { m.Heuristic(p); };

  const Model& model_;
  ValuedNetwork valued_;
  Valuer<Model> valuer_;
};

}  // namespace starspiel
