// A game that is an explicit tree, or a graph whose shared nodes are equal positions: for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "model.hpp"

namespace starspiel {

class TreeModel {
 public:
  struct Position {
    std::int64_t node;
  };
  static constexpr bool kKeyed = true;
  static constexpr int kTableDepth = 1;

  struct Node {
    int player;
    double value;  // the utility of a terminal node, the evaluator's value of any other
    std::vector<int> children;
    std::vector<double> probabilities;  // of a chance node's children
  };

  explicit TreeModel(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

  int Player(const Position& position) const { return At(position).player; }
  double Utility(const Position& position) const { return At(position).value; }
  double Heuristic(const Position& position) const { return At(position).value; }

  bool Quiet(const Position& position) const { return At(position).value >= 0.0; }

  void Actions(const Position& position, std::vector<int>& actions) const {
    for (std::size_t i = 0; i < At(position).children.size(); ++i) actions.push_back(static_cast<int>(i));
  }

  void Outcomes(const Position& position, std::vector<Outcome>& outcomes) const {
    const Node& node = At(position);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      outcomes.push_back({static_cast<int>(i), node.probabilities[i]});
    }
  }

  Position Child(const Position& position, int action) const {
    return {At(position).children[static_cast<std::size_t>(action)]};
  }

 private:
  const Node& At(const Position& position) const { return nodes_[static_cast<std::size_t>(position.node)]; }

  std::vector<Node> nodes_;
};

}  // namespace starspiel
