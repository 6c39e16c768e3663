// What tests ask of the core, and nobody else: searches of explicit trees, what its models say of positions, and the
// keys of OpenSpiel's states. Built by conftest.py, which puts all models into models.hpp; no part of the package.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include "bindings.hpp"
#include "evaluators.hpp"
#include "maxn.hpp"
#include "model_of.hpp"
#include "models.hpp"
#include "models/text_key.hpp"
#include "search.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

// A game that is an explicit tree, or a graph whose shared nodes are equal positions.
template <class Value>
class TreeOf {
 public:
  struct Position {
    std::int64_t node;
  };
  using State = Position;
  static constexpr bool kKeyed = true;
  static constexpr int kTableDepth = 1;

  // Player; the utility of a terminal node, the evaluator's value of any other; children, and of a chance node's their
  // probabilities.
  using Node = std::tuple<int, Value, std::vector<int>, std::vector<double>>;

  explicit TreeOf(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

  int Mover(const Position& position) const { return std::get<0>(At(position)); }
  const Value& ValueOf(const Position& position) const { return std::get<1>(At(position)); }

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

class TreeModel : public TreeOf<double> {
 public:
  using TreeOf::TreeOf;
  int Player(const Position& position) const { return Mover(position); }
  double Utility(const Position& position) const { return ValueOf(position); }
  double Heuristic(const Position& position) const { return ValueOf(position); }
};

class VectorTreeModel : public TreeOf<std::vector<double>> {
 public:
  using TreeOf::TreeOf;
  int players() const { return static_cast<int>(ValueOf({0}).size()); }
  void Returns(const Position& position, double* returns) const {
    std::copy(ValueOf(position).begin(), ValueOf(position).end(), returns);
  }
  void Heuristics(const Position& position, double* returns) const { Returns(position, returns); }
};

py::dict AsDict(const Counters& counted) {
  py::dict counts;
  for (const auto& [name, count] : kCounters) counts[name] = counted.*count;
  return counts;
}

py::tuple SearchVectorTree(const std::vector<VectorTreeModel::Node>& nodes, int root, int depth, bool share,
                           const Options& options) {
  const VectorTreeModel model(nodes);
  ReturnsFormula<VectorTreeModel, HeuristicEvaluator> leaf(model, {});
  Maxn<VectorTreeModel> search(model, leaf, options);
  Budget budget(std::nullopt, std::nullopt, [] {});
  RootValues found;
  search.Root({root}, depth, share ? 0.0 : kInfinity, {}, budget, found);
  return py::make_tuple(found.values, found.returns, AsDict(search.counters()));
}

py::tuple SearchTree(const std::vector<TreeModel::Node>& nodes, int root, int depth, bool share,
                     const Options& options) {
  const TreeModel model(nodes);
  FormulaLeaf<TreeModel, HeuristicEvaluator> leaf(model, {});
  Search<TreeModel> search(model, leaf, options);
  Budget budget(std::nullopt, std::nullopt, [] {});
  std::vector<std::pair<int, double>> values;
  search.Root({root}, depth, share ? 0.0 : kInfinity, {}, budget, values);
  return py::make_tuple(values, AsDict(search.counters()));
}

Given Give(py::handle state) {
  if (!py::isinstance<PythonPosition>(state)) return {state.cast<const open_spiel::State*>()};
  return {nullptr, &state.cast<const PythonPosition&>()};
}

template <class Position>
py::bytes AsBytes(const Position& position) {
  return {reinterpret_cast<const char*>(&position), sizeof(position)};
}

// Adds to `said` what the model says of a position, if it plays from there.
template <class Model>
bool Describe(const Given& given, std::optional<double> enough, py::dict& said) {
  if (!PlaysFrom<Model>(given)) return false;
  const auto& state = As<typename Model::State>(given);
  const Model model = ModelOf<Model>(given);
  const auto at = model.Read(state);
  int player = kTerminal;
  if constexpr (SeveralPlayers<Model>) {
    player = model.Mover(at);
  } else {
    player = model.Player(at);
  }
  std::vector<Outcome> following;
  std::vector<int> actions;
  if (player == kChance) model.Outcomes(at, following);
  if (player >= 0) model.Actions(at, actions);
  for (int action : actions) following.push_back({action, 1.0});
  py::list next;
  for (const Outcome& each : following) {
    next.append(py::make_tuple(each.action, each.probability, AsBytes(model.Child(at, each.action))));
  }
  if constexpr (requires { model.Allows(at, 0); }) {
    actions.clear();
    for (int action = 0; player >= 0 && action < state.NumDistinctActions(); ++action) {
      if (model.Allows(at, action)) actions.push_back(action);
    }
  }
  said["player"] = player;
  said["bytes"] = AsBytes(at);
  said["next"] = next;
  said["allowed"] = actions;
  said["value"] = player == kTerminal ? model.Utility(at) : 0.0;
  if constexpr (SeveralPlayers<Model>) {
    std::vector<double> returns(static_cast<std::size_t>(model.players()));
    if (player == kTerminal) {
      model.Returns(at, returns.data());
    } else if (HasHeuristicFor<Model>(state)) {
      model.Heuristics(at, returns.data());
    }
    said["returns"] = returns;
  }
  for (const char* name : {"heuristic", "best", "mean"}) said[name] = py::none();
  if (player == kTerminal) return true;
  if constexpr (requires { model.Collected(at); }) said["value"] = model.Collected(at);
  if (!HasHeuristicFor<Model>(state)) return true;
  said["heuristic"] = model.Heuristic(at);
  if constexpr (requires { model.BestByHeuristic(at, 0.0); }) {
    const double most = player == 0 ? kInfinity : -kInfinity;
    const auto best = player >= 0 ? model.BestByHeuristic(at, enough.value_or(most)) : std::nullopt;
    if (best) said["best"] = py::make_tuple(best->action, best->value);
  }
  if constexpr (requires { model.MeanByHeuristic(at); }) {
    if (player == kChance) said["mean"] = model.MeanByHeuristic(at);
  }
  return true;
}

template <class... Models>
py::dict DescribeBy(py::handle state, std::optional<double> enough) {
  py::dict said;
  const Given given = Give(state);
  if ((Describe<Models>(given, enough, said) || ...)) return said;
  throw std::invalid_argument("the native core has no model for this form of the game");
}

py::tuple KeyOfText(py::handle state, const std::string& rule) {
  const TextKey key = KeyOf(*state.cast<const open_spiel::State*>(), RuleNamed(rule));
  return py::make_tuple(key.halves[0], key.halves[1]);
}

}  // namespace
}  // namespace starspiel

PYBIND11_MODULE(_probe, m) {
  using namespace starspiel;
  m.def("text_key", &KeyOfText, py::arg("state"), py::arg("rule"));
  m.def("describe", &DescribeBy<STARSPIEL_MODELS>, py::arg("state"), py::arg("enough") = py::none());
  m.def("search_tree", &SearchTree, py::arg("nodes"), py::arg("root"), py::arg("depth"), py::arg("share"),
        py::arg("options"));
  m.def("search_vector_tree", &SearchVectorTree, py::arg("nodes"), py::arg("root"), py::arg("depth"),
        py::arg("share"), py::arg("options"));
}
