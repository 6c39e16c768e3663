// The Python module starspiel._native.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include "bindings.hpp"
#include "game.hpp"
#include "open_spiel/algorithms/minimax.h"
#include "open_spiel/games/backgammon/backgammon.h"
#include "open_spiel/spiel.h"
#include "path_caller.hpp"
#include "several.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

// The C++ state behind a pyspiel state, borrowed through pyspiel's own pybind11, whatever its version.
const open_spiel::State& Borrow(py::handle state) {
  const auto* lent = state.cast<const open_spiel::State*>();
  if (lent == nullptr) throw std::invalid_argument("expected a pyspiel.State, got None");
  return *lent;
}

// Sets up a backgammon decision in `state`, leaving its history unchanged. `board`: each player's checkers by
// OpenSpiel's points.
void SetBackgammon(py::handle state, int player, const std::vector<int>& dice, const std::vector<int>& bar,
                   const std::vector<int>& off, const std::vector<std::vector<int>>& board) {
  using open_spiel::backgammon::BackgammonState;
  const auto* lent = dynamic_cast<const BackgammonState*>(&Borrow(state));
  if (lent == nullptr) throw std::invalid_argument("expected a state of backgammon");
  const_cast<BackgammonState*>(lent)->SetState(player, /*double_turn=*/false, dice, bar, off, board);
}

// An Engine as Python sees it.
class PythonEngine {
 public:
  // `policy` is Options::policy as a function of a state.
  PythonEngine(py::handle state, bool plain, const Evaluation& evaluation, Options options,
               const std::optional<std::string>& rule, std::optional<py::function> policy) {
    if (policy) {
      policy_ = std::make_shared<PathCaller>(*policy);
      options.policy = [caller = policy_](const auto& path) { return caller->Call<std::vector<double>>(path); };
    }
    engine_ = MakeEngine(Give(state), plain, rule ? RuleNamed(*rule) : KeyRule::kNone, evaluation, options);
  }

  std::pair<bool, std::vector<std::pair<int, double>>> Root(py::handle state, int depth, double margin,
                                                            std::optional<std::int64_t> nodes,
                                                            std::optional<double> seconds,
                                                            const std::vector<int>& first) {
    const Given root = Give(state);
    if (policy_) policy_->Start(root);
    std::optional<std::int64_t> last;
    if (nodes) last = engine_->counters().nodes + *nodes;
    Budget budget(last, seconds, CheckSignals);
    RootValues result;
    {
      py::gil_scoped_release release;
      result = engine_->Root(root, depth, margin, first, budget);
    }
    returns_ = std::move(result.returns);
    return {result.finished, std::move(result.values)};
  }
  const std::vector<std::vector<double>>& returns() const { return returns_; }

  std::vector<double> Evaluate(py::handle state) {
    const Given root = Give(state);
    Budget budget(std::nullopt, std::nullopt, CheckSignals);
    py::gil_scoped_release release;
    return engine_->Evaluate(root, budget);
  }

  double Luck(py::handle state, const std::vector<open_spiel::Action>& actions) {
    const Given begin = Give(state);
    Budget budget(std::nullopt, std::nullopt, CheckSignals);
    py::gil_scoped_release release;
    return engine_->Luck(begin, actions, budget);
  }

  const Engine& engine() const { return *engine_; }

 private:
  std::shared_ptr<PathCaller> policy_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::vector<double>> returns_;
};

std::function<double(const open_spiel::State&)> ValueFunction(const open_spiel::State& state, bool heuristic) {
  if (!heuristic) return [](const open_spiel::State&) { return 0.0; };
  const Game* game = Find({&state});
  auto value = game == nullptr ? Heuristic() : game->Heuristic(state);
  if (!value) throw std::invalid_argument("there is no native heuristic for this game");
  return value;
}

// OpenSpiel's own search: expectiminimax, or alpha-beta for games without chance.
std::pair<double, int> OpenSpielMinimax(py::object state, int depth, bool heuristic) {
  const open_spiel::State& root = Borrow(state);
  const auto value = ValueFunction(root, heuristic);
  const auto game = root.GetGame();
  const bool chance = game->GetType().chance_mode != open_spiel::GameType::ChanceMode::kDeterministic;
  py::gil_scoped_release release;
  const auto [best, action] =
      chance ? open_spiel::algorithms::ExpectiminimaxSearch(*game, &root, value, depth, /*maximizing_player=*/0)
             : open_spiel::algorithms::AlphaBetaSearch(*game, &root, value, depth, /*maximizing_player=*/0,
                                                       /*use_undo=*/false);  // few games support it
  return {best, static_cast<int>(action)};
}

}  // namespace

Given Give(py::handle state) {
  if (!py::isinstance<PythonPosition>(state)) return {&Borrow(state), nullptr, state.ptr()};
  const auto& position = state.cast<const PythonPosition&>();
  return {nullptr, &position, position.state.ptr()};
}

void CheckSignals() {
  py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

bool IsNative(const open_spiel::Game& game) {
  const auto state = game.NewInitialState();
  const open_spiel::State& dynamic = *state;
  if (std::string_view(typeid(dynamic).name()).find("PyState") != std::string_view::npos) return false;
  for (const auto& [name, parameter] : game.GetParameters()) {
    if (parameter.has_game_value() && !IsNative(*open_spiel::LoadGame(parameter.game_value()))) return false;
  }
  return true;
}

}  // namespace starspiel

PYBIND11_MODULE(_native, m) {
  using namespace starspiel;

  m.attr("open_spiel_version") = STARSPIEL_OPEN_SPIEL_VERSION;
  m.attr("interface") = STARSPIEL_INTERFACE;
  m.attr("most_players") = kMostPlayers;
  DefineEvaluators(m);
  DefineTrainers(m);
  DefineUCT(m);

  m.def("set_backgammon", &SetBackgammon, py::arg("state"), py::kw_only(), py::arg("player"), py::arg("dice"),
        py::arg("bar"), py::arg("off"), py::arg("board"));
  m.def("is_native", [](py::handle state) { return IsNative(*Borrow(state).GetGame()); });
  m.def("open_spiel_minimax", &OpenSpielMinimax, py::arg("state"), py::arg("depth"), py::arg("heuristic"));
  m.def("encoder_inputs", [](py::handle state) { return EncoderInputs(Give(state)); });
  m.def("features", [](py::handle state) { return FeaturesOf(Give(state)); });

  py::class_<PythonPosition>(m, "RulesPosition")
      .def(py::init([](std::string model, std::vector<std::int64_t> parameters, std::vector<std::int64_t> numbers,
                       py::object state) {
             PythonPosition position{{std::move(model), std::move(parameters), std::move(numbers)}, std::move(state)};
             const Given given{nullptr, &position};
             Modelled(given).Check(given);
             return position;
           }),
           py::arg("model"), py::arg("parameters"), py::arg("numbers"), py::arg("state"));
  py::class_<Options>(m, "Options")
      .def(py::init([](bool prune, int probes, std::pair<double, double> bounds, std::pair<double, double> value_range,
                       std::optional<bool> merge, bool order, std::size_t table_bytes, int probe_depth, bool batch,
                       int threads, int opponent, int perspective, bool maxn, double total,
                       std::optional<std::tuple<int, double, int, double>> filter,
                       const std::vector<std::tuple<double, double, double>>& fits) {
             std::vector<DepthFit> depth_fits;
             for (const auto& fit : fits) depth_fits.push_back(std::make_from_tuple<DepthFit>(fit));
             std::optional<Filter> told;
             if (filter) told = std::make_from_tuple<Filter>(*filter);
             return Options{.prune = prune,
                            .probes = probes,
                            .probe_depth = probe_depth,
                            .lower = bounds.first,
                            .upper = bounds.second,
                            .value_lower = value_range.first,
                            .value_upper = value_range.second,
                            .merge = merge,
                            .order = order,
                            .table_bytes = table_bytes,
                            .threads = threads,
                            .batch = batch,
                            .opponent = opponent,
                            .policy = nullptr,
                            .filter = told,
                            .fits = std::move(depth_fits),
                            .perspective = perspective,
                            .maxn = maxn,
                            .total = total};
           }),
           py::kw_only(), py::arg("prune"), py::arg("probes"), py::arg("bounds"), py::arg("value_range"),
           py::arg("merge"), py::arg("order"), py::arg("table_bytes"), py::arg("probe_depth") = Options{}.probe_depth,
           py::arg("batch") = Options{}.batch, py::arg("threads") = Options{}.threads,
           py::arg("opponent") = Options{}.opponent,
           py::arg("perspective") = Options{}.perspective, py::arg("maxn") = Options{}.maxn,
           py::arg("total") = Options{}.total, py::arg("filter") = py::none(),
           py::arg("fits") = std::vector<std::tuple<double, double, double>>{});
  py::class_<PythonEngine>(m, "Engine")
      .def(py::init<py::handle, bool, const Evaluation&, Options, const std::optional<std::string>&,
                    std::optional<py::function>>(),
           py::arg("state"), py::arg("plain"), py::arg("evaluator"), py::arg("options"), py::arg("key") = py::none(),
           py::arg("policy") = py::none())
      .def("root", &PythonEngine::Root, py::arg("state"), py::arg("depth"), py::arg("margin"), py::arg("nodes"),
           py::arg("seconds"), py::arg("first") = std::vector<int>{})
      .def_property_readonly("returns", &PythonEngine::returns)
      .def(
          "evaluate", [](PythonEngine& engine, py::handle state) { return engine.Evaluate(state).front(); },
          py::arg("state"))
      .def("evaluate_all", &PythonEngine::Evaluate, py::arg("state"))
      .def("luck", &PythonEngine::Luck, py::arg("state"), py::arg("actions"))
      .def("counters",
           [](const PythonEngine& python) {
             py::dict counters;
             const Counters& counted = python.engine().counters();
             for (const auto& [name, count] : kCounters) counters[name] = counted.*count;
             counters["computed"] = python.engine().computed();
             return counters;
           })
      .def_property_readonly("size", [](const PythonEngine& engine) { return engine.engine().size(); })
      .def_property_readonly("keyed", [](const PythonEngine& engine) { return engine.engine().traits().keyed; })
      .def_property_readonly("merges", [](const PythonEngine& engine) { return engine.engine().traits().merges; })
      .def_property_readonly("by_position",
                             [](const PythonEngine& engine) { return engine.engine().traits().by_position; })
      .def_property_readonly("thread_seconds",
                             [](const PythonEngine& engine) { return engine.engine().thread_seconds(); });
}
