// Implements Line for a model.
#pragma once

#include "line.hpp"
#include "returns_leaf.hpp"

namespace starspiel::uct {

// Shared by the lines of all models. `Leaves` is Leaf or ReturnsLeaf of the model's positions.
template <class Model, class Leaves>
class LineOver : public Line {
 public:
  using Position = typename Model::Position;

  LineOver(std::shared_ptr<const Model> model, std::unique_ptr<Leaves> leaf, const Given& root)
      : model_(std::move(model)), leaf_(std::move(leaf)), root_(model_->Read(As<typename Model::State>(root))) {
    leaf_->Start(root);
  }

  void Begin() override {
    path_.clear();
    if constexpr (std::is_copy_assignable_v<Position>) {
      position_ = root_;
    } else {
      position_ = root_->Clone();
    }
  }
  void Actions(std::vector<int>& actions) const override { model_->Actions(position_, actions); }
  void Outcomes(std::vector<Outcome>& outcomes) const override { PossibleOutcomes(*model_, position_, outcomes); }
  void Move(int action) override {
    path_.push_back(action);
    if constexpr (requires { model_->Become(position_, action); }) {
      position_ = model_->Become(position_, action);
    } else {
      position_ = model_->Child(position_, action);
    }
  }
  void Watch(Budget& budget) override { leaf_->Watch(budget); }

 protected:
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Leaves> leaf_;
  Position root_;
  Position position_{};
  std::vector<int> path_;  // from the root to the position
};

// For games of one player or two sides: values are player 0's.
template <class Model>
class LineOfSides : public LineOver<Model, Leaf<typename Model::Position>> {
 public:
  using LineOver<Model, Leaf<typename Model::Position>>::LineOver;

  int width() const override { return 1; }
  int Mover() const override { return this->model_->Player(this->position_); }
  void Collected(double* values) const override {
    *values = 0.0;
    if constexpr (requires { this->model_->Collected(this->position_); }) {
      *values = this->model_->Collected(this->position_);
    }
  }
  void Returns(double* values) const override { *values = this->model_->Utility(this->position_); }
  void Value(double* values) override { *values = this->leaf_->Value(this->position_, this->path_); }
};

// For games in which each player's own return counts.
template <SeveralPlayers Model>
class LineOfSeveral : public LineOver<Model, ReturnsLeaf<typename Model::Position>> {
 public:
  using LineOver<Model, ReturnsLeaf<typename Model::Position>>::LineOver;

  int width() const override { return this->model_->players(); }
  int Mover() const override { return this->model_->Mover(this->position_); }
  void Collected(double* values) const override {
    std::fill_n(values, width(), 0.0);
    if constexpr (requires { this->model_->AllCollected(this->position_, values); }) {
      this->model_->AllCollected(this->position_, values);
    }
  }
  void Returns(double* values) const override { this->model_->Returns(this->position_, values); }
  void Value(double* values) override { this->leaf_->Value(this->position_, this->path_, values); }
};

// The line of a model from a root, with the evaluator's leaf. `vectors`: whether each player's own return counts.
// Throws std::invalid_argument if there is no such leaf, or if the model does not support vectors.
template <class Model>
std::unique_ptr<Line> MakeLineOf(Model made, const Evaluation& evaluation, bool vectors, const Given& root) {
  auto model = std::make_shared<const Model>(std::move(made));
  const auto line = [&]<class Type>(std::type_identity<Type>, auto leaf) -> std::unique_ptr<Line> {
    if (leaf == nullptr) throw std::invalid_argument("the native core has no such evaluator for this game");
    return std::make_unique<Type>(model, std::move(leaf), root);
  };
  if constexpr (SeveralPlayers<Model>) {
    if (vectors) return line(std::type_identity<LineOfSeveral<Model>>(), MakeReturnsLeaf(*model, evaluation));
  }
  if (vectors) throw std::invalid_argument("the native core does not know all players' returns in this game");
  return line(std::type_identity<LineOfSides<Model>>(), MakeLeaf(*model, evaluation));
}

}  // namespace starspiel::uct
