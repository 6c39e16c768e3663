// Evaluators of encoded positions: net(file=...) and functions of arrays.
#pragma once

#include "expansion.hpp"
#include "network.hpp"

namespace starspiel {

// Values are expensive, so moves are ordered by the far cheaper heuristic.
template <class Model>
class RowsLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;

  template <class Evaluator>
  RowsLeaf(const Model& model, const Evaluator& evaluator)
      : model_(model), expansion_(model), evaluator_(evaluator.Open(expansion_)) {
    expansion_.SetUsed(evaluator_->used());
    if constexpr (requires { evaluator.small; }) {
      if (evaluator.small) small_ = std::make_unique<RowsLeaf>(model, *evaluator.small);
    }
  }

  double Value(const Position& position, const std::vector<int>&) override {
    one_.positions.assign(1, &position);
    Values(one_);
    return one_.values.front();
  }

  void Values(Batch<Position>& batch) override {
    expansion_.Clear();
    for (const Position* position : batch.positions) expansion_.Add(*position);
    evaluator_->Values(expansion_, of_rows_);
    computed_ += static_cast<std::int64_t>(expansion_.size());
    expansion_.Rows::Values(of_rows_, batch.values);
  }

  int batch() const override { return evaluator_->batch(); }
  Leaf<Position>* small() override { return small_.get(); }
  bool Sees(const Position& position) const override { return model_.Sees(position); }
  std::int64_t computed() const override { return computed_; }
  bool cheap() const override { return false; }
  bool guesses() const override { return kHasHeuristic<Model>; }
  double Guess(const Position& position, const std::vector<int>&) override {
    if constexpr (kHasHeuristic<Model>) return model_.Heuristic(position);
    return 0.0;
  }

 private:
  const Model& model_;
  Expansion<Model> expansion_;
  std::unique_ptr<RowEvaluator> evaluator_;
  std::unique_ptr<RowsLeaf> small_;
  std::vector<double> of_rows_;
  Batch<Position> one_;
  std::int64_t computed_ = 0;
};

template <Encoded Model, class Evaluator>
  requires requires(const Evaluator& evaluator, const Rows& rows) { evaluator.Open(rows); }
LeafPointer<Model> LeafOf(const Model& model, const Evaluator& evaluator) {
  return std::make_unique<RowsLeaf<Model>>(model, evaluator);
}

}  // namespace starspiel
