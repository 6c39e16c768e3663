// The evaluator ntuple(file=...).
#pragma once

#include "../leaf.hpp"
#include "network.hpp"

namespace starspiel {

// A model with boards for n-tuple networks.
template <class Model>
concept OfBoards = requires(const Model& model, const typename Model::Position& position) {
  { model.Tiles(position) } -> std::same_as<ntuple::Board>;
};

// The points collected and still to come: after a move from the tables, before one by the best move.
template <OfBoards Model>
class NTupleLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;

  NTupleLeaf(const Model& model, std::shared_ptr<const ntuple::Network> network)
      : model_(model), network_(std::move(network)) {
    const ntuple::Geometry& geometry = network_->patterns().geometry();
    if (geometry.rows() != model.rows() || geometry.columns() != model.columns()) {
      throw std::invalid_argument("the network is for a board of another size");
    }
  }

  double Value(const Position& position, const std::vector<int>&) override {
    if (model_.Player(position) == kChance) return After(position);
    actions_.clear();
    model_.Actions(position, actions_);
    double best = After(model_.Child(position, actions_.front()));
    for (int action : actions_) best = std::max(best, After(model_.Child(position, action)));
    return best;
  }
  bool cheap() const override { return true; }

 private:
  double After(const Position& position) const {
    return model_.Collected(position) + network_->Value(model_.Tiles(position));
  }

  const Model& model_;
  std::shared_ptr<const ntuple::Network> network_;
  std::vector<int> actions_;
};

template <OfBoards Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<ntuple::Network>& network) {
  return std::make_unique<NTupleLeaf<Model>>(model, network);
}

}  // namespace starspiel
