// Evaluators for games of several players: every player's expected return.
#pragma once

#include "evaluators.hpp"
#include "several.hpp"

namespace starspiel {

template <class Position>
class ReturnsLeaf {
 public:
  virtual ~ReturnsLeaf() = default;
  // Writes each player's expected return. `path` leads from the root to `position`.
  virtual void Value(const Position& position, const std::vector<int>& path, double* returns) = 0;
  // True if it prefers to value many positions together: by their paths, none terminal.
  virtual bool together() const { return false; }
  virtual std::vector<std::vector<double>> Values(const std::vector<std::vector<int>>&) { return {}; }
  // As in Leaf.
  virtual void Start(const Given&) {}
  virtual void Watch(Budget&) {}
  virtual bool cheap() const { return true; }
};

template <class Model>
using ReturnsLeafPointer = std::unique_ptr<ReturnsLeaf<typename Model::Position>>;

template <class Model, class Evaluator>
class ReturnsFormula : public ReturnsLeaf<typename Model::Position> {
 public:
  ReturnsFormula(const Model& model, Evaluator evaluator) : model_(model), evaluator_(std::move(evaluator)) {}
  void Value(const typename Model::Position& position, const std::vector<int>&, double* returns) override {
    evaluator_.Returns(model_, position, returns);
  }

 private:
  const Model& model_;
  Evaluator evaluator_;
};

template <class Model, class Evaluator>
  requires requires(const Model& model, const Evaluator& evaluator, const typename Model::Position& position,
                    double* returns) { evaluator.Returns(model, position, returns); }
ReturnsLeafPointer<Model> ReturnsLeafOf(const Model& model, const Evaluator& evaluator) {
  return std::make_unique<ReturnsFormula<Model, Evaluator>>(model, evaluator);
}

template <class Model>
class ReturnsCall : public ReturnsLeaf<typename Model::Position> {
 public:
  ReturnsCall(const Model& model, CallEvaluator evaluator)
      : players_(static_cast<std::size_t>(model.players())), evaluator_(std::move(evaluator)) {}
  void Start(const Given& root) override { evaluator_.start(root); }
  void Value(const typename Model::Position&, const std::vector<int>& path, double* returns) override {
    const std::vector<double> found = evaluator_.all(path);
    CheckNumber(found);
    std::copy(found.begin(), found.end(), returns);
  }
  bool together() const override { return evaluator_.all_many != nullptr; }
  std::vector<std::vector<double>> Values(const std::vector<std::vector<int>>& paths) override {
    std::vector<std::vector<double>> values = evaluator_.all_many(paths);
    if (values.size() != paths.size()) throw std::domain_error("expected one vector a state");
    for (const std::vector<double>& found : values) CheckNumber(found);
    return values;
  }
  bool cheap() const override { return false; }

 private:
  void CheckNumber(const std::vector<double>& found) const {
    if (found.size() != players_) throw std::domain_error("expected one number a player");
  }

  std::size_t players_;
  CallEvaluator evaluator_;
};

template <class Model>
ReturnsLeafPointer<Model> ReturnsLeafOf(const Model& model, const CallEvaluator& evaluator) {
  return std::make_unique<ReturnsCall<Model>>(model, evaluator);
}

// The mean returns of random rollouts.
template <class Model>
class ReturnsRollout : public ReturnsLeaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;
  ReturnsRollout(const Model& model, std::shared_ptr<Rollouts> rollouts)
      : model_(model), count_(rollouts->count), games_(model, std::move(rollouts)) {}
  void Value(const Position& position, const std::vector<int>&, double* returns) override {
    std::fill_n(returns, model_.players(), 0.0);
    games_.ForGames(position, [&](const Position& end, bool is_over) {
      double ended[kMostPlayers] = {};
      if (is_over) {
        model_.Returns(end, ended);
      } else if constexpr (requires { model_.AllCollected(end, ended); }) {
        model_.AllCollected(end, ended);
      }
      for (int player = 0; player < model_.players(); ++player) returns[player] += ended[player];
    });
    for (int player = 0; player < model_.players(); ++player) returns[player] /= count_;
  }
  void Watch(Budget& budget) override { games_.Watch(budget); }
  bool cheap() const override { return false; }

 private:
  const Model& model_;
  int count_;
  RolloutLeaf<Model> games_;
};

template <class Model>
ReturnsLeafPointer<Model> ReturnsLeafOf(const Model& model, const std::shared_ptr<Rollouts>& rollouts) {
  return std::make_unique<ReturnsRollout<Model>>(model, rollouts);
}

// The leaf of an evaluator for a model; null if the evaluator does not value every player.
template <class Model>
ReturnsLeafPointer<Model> MakeReturnsLeaf(const Model& model, const Evaluation& evaluation) {
  return std::visit(
      [&](const auto& evaluator) -> ReturnsLeafPointer<Model> {
        if constexpr (requires { ReturnsLeafOf(model, evaluator); }) return ReturnsLeafOf(model, evaluator);
        return nullptr;
      },
      evaluation);
}

}  // namespace starspiel
