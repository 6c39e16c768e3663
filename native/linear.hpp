// A linear function of player 0's observation tensor, number for number as in agents/evaluators/linear.py.
#pragma once

#include "open_spiel/spiel.h"
#include "leaf.hpp"

namespace starspiel {

struct Linear {
  static constexpr EvaluatorTraits kTraits{.divides = true};
  using Range = std::pair<double, double>;
  static constexpr MadeOf<std::vector<double>, double, Range> kPython{"Linear", {"weights", "bias", "range"}};
  std::vector<double> weights;
  double bias;
  Range range;
};

// OpenSpiel's states along a path from the root, kept so that neighbouring leaves share their way.
class StatePath {
 public:
  void Start(const open_spiel::State& root) {
    states_.clear();
    made_.clear();
    states_.push_back(root.Clone());
  }

  const open_spiel::State& At(const std::vector<int>& path) {
    const auto differs = std::mismatch(made_.begin(), made_.end(), path.begin(), path.end());
    made_.resize(static_cast<std::size_t>(differs.first - made_.begin()));
    states_.resize(made_.size() + 1);
    for (std::size_t i = made_.size(); i < path.size(); ++i) {
      states_.push_back(states_.back()->Child(path[i]));
      made_.push_back(path[i]);
    }
    return *states_.back();
  }

 private:
  std::vector<std::unique_ptr<open_spiel::State>> states_;
  std::vector<int> made_;
};

template <class Model>
class LinearLeaf : public Leaf<typename Model::Position> {
 public:
  explicit LinearLeaf(Linear linear) : linear_(std::move(linear)), observation_(linear_.weights.size()) {}

  void Start(const Given& root) override { states_.Start(*root.state); }

  double Value(const typename Model::Position& position, const std::vector<int>& path) override {
    if constexpr (std::is_same_v<typename Model::Position, std::unique_ptr<open_spiel::State>>) {
      return Of(*position);
    } else {
      return Of(states_.At(path));
    }
  }
  bool cheap() const override { return false; }

 private:
  double Of(const open_spiel::State& state) {
    std::fill(observation_.begin(), observation_.end(), 0.0f);  // some games write only the entries that are not 0
    state.ObservationTensor(0, absl::MakeSpan(observation_));
    double value = linear_.bias;
    for (std::size_t i = 0; i < observation_.size(); ++i) value += linear_.weights[i] * observation_[i];
    return std::clamp(value, linear_.range.first, linear_.range.second);
  }

  Linear linear_;
  std::vector<float> observation_;
  StatePath states_;
};

template <class Model>
  requires(!OfRules<Model>)
LeafPointer<Model> LeafOf(const Model&, const Linear& linear) {
  return std::make_unique<LinearLeaf<Model>>(linear);
}

}  // namespace starspiel
