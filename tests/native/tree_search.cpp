// Searches of explicit trees, for tests: built by conftest.py, no part of the package.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <tuple>
#include <utility>
#include <vector>

#include "evaluators.hpp"
#include "search.hpp"

namespace py = pybind11;
using starspiel::Outcome;

namespace {

// A game that is an explicit tree, or a graph whose shared nodes are equal positions.
class TreeModel {
 public:
  struct Position {
    std::int64_t node;
  };
  using State = Position;
  static constexpr bool kKeyed = true;
  static constexpr int kTableDepth = 1;

  // Player; the utility of a terminal node, the evaluator's value of any other; children, and of a chance node's their
  // probabilities.
  using Node = std::tuple<int, double, std::vector<int>, std::vector<double>>;

  explicit TreeModel(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

  int Player(const Position& position) const { return std::get<0>(At(position)); }
  double Utility(const Position& position) const { return std::get<1>(At(position)); }
  double Heuristic(const Position& position) const { return Utility(position); }
  bool Quiet(const Position& position) const { return Utility(position) >= 0.0; }

  void Actions(const Position& position, std::vector<int>& actions) const {
    for (std::size_t i = 0; i < Children(position).size(); ++i) actions.push_back(static_cast<int>(i));
  }
  void Outcomes(const Position& position, std::vector<Outcome>& outcomes) const {
    for (std::size_t i = 0; i < Children(position).size(); ++i) {
      outcomes.push_back({static_cast<int>(i), std::get<3>(At(position))[i]});
    }
  }
  Position Child(const Position& position, int action) const {
    return {Children(position)[static_cast<std::size_t>(action)]};
  }

 private:
  const Node& At(const Position& position) const { return nodes_[static_cast<std::size_t>(position.node)]; }
  const std::vector<int>& Children(const Position& position) const { return std::get<2>(At(position)); }

  std::vector<Node> nodes_;
};

py::tuple SearchTree(const std::vector<TreeModel::Node>& nodes, int root, int depth, bool share,
                     const starspiel::Options& options) {
  const TreeModel model(nodes);
  starspiel::HeuristicLeaf<TreeModel> leaf(model);
  starspiel::Search<TreeModel> search(model, leaf, options);
  starspiel::Budget budget(std::nullopt, std::nullopt, [] {});
  std::vector<std::pair<int, double>> values;
  search.Root({root}, depth, share, {}, budget, values);
  const starspiel::Counters& counted = search.counters();
  py::dict counts;
  counts["nodes"] = counted.nodes;
  counts["leaves"] = counted.leaves;
  counts["horizon"] = counted.horizon;
  counts["decision_cutoffs"] = counted.decision_cutoffs;
  counts["chance_cutoffs"] = counted.chance_cutoffs;
  counts["probes"] = counted.probes;
  counts["probes_won"] = counted.probes_won;
  counts["table_hits"] = counted.table_hits;
  counts["merged_outcomes"] = counted.merged_outcomes;
  counts["merged_moves"] = counted.merged_moves;
  return py::make_tuple(values, counts);
}

}  // namespace

PYBIND11_MODULE(_trees, m) {
  m.def("search_tree", &SearchTree, py::arg("nodes"), py::arg("root"), py::arg("depth"), py::arg("share"),
        py::arg("options"));
}
