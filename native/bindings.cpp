// The Python module starspiel._native.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "borrow.hpp"
#include "game.hpp"
#include "open_spiel/algorithms/minimax.h"
#include "open_spiel/spiel.h"

namespace py = pybind11;

namespace starspiel {
namespace {

// The calls of a search of `state` and nothing else: lists, makes and values every state of the tree, the last
// successor out of the state itself. For profiling.
double Walk(std::unique_ptr<open_spiel::State> state, int depth,
            const std::function<double(const open_spiel::State&)>& value) {
  const open_spiel::Player player = state->CurrentPlayer();
  if (player == kTerminal) return state->PlayerReturn(0);
  if (depth == 0) return value(*state);
  std::vector<open_spiel::Action> actions;
  if (player == kChance) {
    for (const auto& [action, probability] : state->ChanceOutcomes()) actions.push_back(action);
  } else {
    actions = state->LegalActions();
    --depth;
  }
  const open_spiel::Action last = actions.back();
  actions.pop_back();
  double sum = 0.0;
  for (open_spiel::Action action : actions) sum += Walk(state->Child(action), depth, value);
  state->ApplyAction(last);
  return sum + Walk(std::move(state), depth, value);
}

void PollForCtrlC() {
  py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// Values states for a Python callable. It gets Python's own states: those on the path from the root are kept,
// so that neighbouring leaves share their way; the one it gets is its own. Only used with the GIL released around
// it.
class PathCaller {
 public:
  explicit PathCaller(py::function function) : function_(std::move(function)) {}

  void Start(py::object root) {
    states_.assign(1, std::move(root));
    made_.clear();
  }

  template <class Value>
  Value Call(const std::vector<int>& path) {
    py::gil_scoped_acquire gil;
    return function_(StateAt(path)).cast<Value>();
  }

  // The same for many paths, whose states the function gets as a list.
  std::vector<double> Many(const std::vector<std::vector<int>>& paths) {
    py::gil_scoped_acquire gil;
    py::list states;
    for (const std::vector<int>& path : paths) states.append(StateAt(path));
    return function_(states).cast<std::vector<double>>();
  }

 private:
  // The state at the end of a path, which belongs to the function.
  py::object StateAt(const std::vector<int>& path) {
    std::size_t same = 0;
    while (same < made_.size() && same < path.size() && made_[same] == path[same]) ++same;
    states_.resize(same + 1);
    made_.resize(same);
    for (std::size_t i = same; i < path.size(); ++i) {
      states_.push_back(states_.back().attr("child")(path[i]));
      made_.push_back(path[i]);
    }
    if (path.empty()) {
      const py::object root = states_.back();  // OpenSpiel's can be changed
      return py::hasattr(root, "clone") ? root.attr("clone")() : root;
    }
    py::object state = std::move(states_.back());
    states_.pop_back();
    made_.pop_back();
    return state;
  }

  py::function function_;
  std::vector<py::object> states_;
  std::vector<int> made_;
};

// An Engine as Python sees it.
class PythonEngine {
 public:
  // `policy` and `quiet` are Options', as functions of a state.
  PythonEngine(py::object state, bool plain, const PythonEvaluator& evaluator, Options options, KeyRule rule,
               std::optional<py::function> policy, std::optional<py::function> quiet) {
    if (policy) {
      options.policy = [caller = Caller(*policy)](const std::vector<int>& path) {
        return caller->Call<std::vector<double>>(path);
      };
    }
    if (quiet) {
      options.quiet = [caller = Caller(*quiet)](const std::vector<int>& path) { return caller->Call<bool>(path); };
    }
    engine_ = MakeEngine(Give(state), plain, rule, Evaluated(evaluator), options);
  }

  std::pair<bool, std::vector<std::pair<int, double>>> Root(py::object state, int depth, bool share,
                                                            std::optional<std::int64_t> nodes,
                                                            std::optional<double> seconds,
                                                            std::optional<py::function> poll,
                                                            const std::vector<int>& first) {
    const Given root = Give(state);
    Start(state);
    std::optional<std::int64_t> last;
    if (nodes) last = engine_->counters().nodes + *nodes;
    Budget budget(last, seconds, [&poll] {
      py::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (poll) (*poll)();
    });
    RootValues result;
    {
      py::gil_scoped_release release;
      result = engine_->Root(root, depth, share, first, budget);
    }
    return {result.finished, std::move(result.values)};
  }

  double Evaluate(py::object state) {
    const Given root = Give(state);
    Start(state);
    Budget budget(std::nullopt, std::nullopt, PollForCtrlC);
    py::gil_scoped_release release;
    return engine_->Evaluate(root, budget);
  }

  double Luck(py::object state, const std::vector<open_spiel::Action>& actions) {
    const Given begin = Give(state);
    Budget budget(std::nullopt, std::nullopt, PollForCtrlC);
    py::gil_scoped_release release;
    return engine_->Luck(begin, actions, budget);
  }

  const Engine& engine() const { return *engine_; }

 private:
  // The evaluator with its functions of states made functions of paths.
  Evaluation Evaluated(const PythonEvaluator& evaluator) {
    return std::visit([this](const auto& each) { return Evaluation(Called(each)); }, evaluator);
  }

  template <class Evaluator>
  const Evaluator& Called(const Evaluator& evaluator) {
    return evaluator;
  }
  CallEvaluator Called(const py::function& function) {
    return {[caller = Caller(function)](const std::vector<int>& path) { return caller->Call<double>(path); }};
  }
  CallManyEvaluator Called(const PythonStates& states) {
    return {[caller = Caller(states.function)](const auto& paths) { return caller->Many(paths); }};
  }
  std::shared_ptr<BearoffEvaluator> Called(const PythonBearoff& bearoff) {
    const Evaluation other = Evaluated(bearoff.other.cast<PythonEvaluator>());
    return std::make_shared<BearoffEvaluator>(BearoffEvaluator{bearoff.tables, other});
  }

  std::shared_ptr<PathCaller> Caller(py::function function) {
    callers_.push_back(std::make_shared<PathCaller>(std::move(function)));
    return callers_.back();
  }

  void Start(const py::object& state) {
    for (const auto& caller : callers_) caller->Start(PythonState(state));
  }

  std::vector<std::shared_ptr<PathCaller>> callers_;
  std::unique_ptr<Engine> engine_;
};

Options MakeOptions(bool prune, int probes, std::pair<double, double> bounds, std::pair<double, double> value_range,
                    std::optional<bool> merge, bool order, std::size_t table_bytes, int probe_depth,
                    bool batch, int threads, int opponent, double error, int extension) {
  Options options;
  options.prune = prune;
  options.probes = probes;
  std::tie(options.lower, options.upper) = bounds;
  std::tie(options.value_lower, options.value_upper) = value_range;
  options.merge = merge;
  options.order = order;
  options.table_bytes = table_bytes;
  options.probe_depth = probe_depth;
  options.batch = batch;
  options.threads = threads;
  options.opponent = opponent;
  options.error = error;
  options.extension = extension;
  return options;
}

py::dict AsDict(const Counters& counters) {
  py::dict dict;
  dict["nodes"] = counters.nodes;
  dict["leaves"] = counters.leaves;
  dict["horizon"] = counters.horizon;
  dict["decision_cutoffs"] = counters.decision_cutoffs;
  dict["chance_cutoffs"] = counters.chance_cutoffs;
  dict["probes"] = counters.probes;
  dict["probes_won"] = counters.probes_won;
  dict["unprobed"] = counters.unprobed;
  dict["table_hits"] = counters.table_hits;
  dict["merged_outcomes"] = counters.merged_outcomes;
  dict["merged_moves"] = counters.merged_moves;
  dict["batches"] = counters.batches;
  dict["outcomes"] = counters.outcomes;
  dict["outcomes_again"] = counters.outcomes_again;
  return dict;
}

// The game that has a model; throws std::invalid_argument where there is none.
const Game& Modelled(const Given& given) {
  if (const Game* game = Find(given)) return *game;
  const auto* position = std::get_if<const RulesPosition*>(&given);
  throw std::invalid_argument("the native core has no model for this form of " +
                              (position == nullptr ? "the game" : (*position)->model));
}

py::dict AsDict(const Described& described) {
  py::list next;
  for (const auto& [action, probability, bytes] : described.next) {
    next.append(py::make_tuple(action, probability, py::bytes(bytes)));
  }
  py::dict dict;
  dict["player"] = described.player;
  dict["value"] = described.value;
  dict["bytes"] = py::bytes(described.bytes);
  dict["next"] = next;
  dict["allowed"] = described.allowed;
  dict["heuristic"] = described.heuristic;
  dict["best"] = py::none();
  if (described.best) dict["best"] = py::make_tuple(described.best->action, described.best->value);
  dict["mean"] = described.mean;
  return dict;
}

std::function<double(const open_spiel::State&)> ValueFunction(const open_spiel::State& state, bool heuristic) {
  if (!heuristic) return [](const open_spiel::State&) { return 0.0; };
  const Game* game = Find(&state);
  auto value = game == nullptr ? Heuristic() : game->Heuristic(state);
  if (!value) throw std::invalid_argument("there is no native heuristic for this game");
  return value;
}

std::pair<double, int> OpenSpielExpectiminimax(py::object state, int depth, bool heuristic) {
  const open_spiel::State& root = Borrow(state);
  const auto value = ValueFunction(root, heuristic);
  py::gil_scoped_release release;
  const auto [best, action] =
      open_spiel::algorithms::ExpectiminimaxSearch(*root.GetGame(), &root, value, depth, /*maximizing_player=*/0);
  return {best, static_cast<int>(action)};
}

}  // namespace
}  // namespace starspiel

PYBIND11_MODULE(_native, m) {
  using starspiel::KeyRule;
  using starspiel::Options;
  using starspiel::PythonEngine;
  using starspiel::PythonPosition;

  m.attr("open_spiel_version") = STARSPIEL_OPEN_SPIEL_VERSION;
  m.attr("interface") = STARSPIEL_INTERFACE;
  starspiel::DefineEvaluators(m);
  starspiel::DefineTrainers(m);
  starspiel::DefineSolvers(m);

  m.def("is_native", [](py::handle state) { return starspiel::IsNative(*starspiel::Borrow(state).GetGame()); });
  m.def("open_spiel_expectiminimax", &starspiel::OpenSpielExpectiminimax, py::arg("state"), py::arg("depth"),
        py::arg("heuristic"));
  m.def(
      "walk",
      [](py::object state, int depth, bool heuristic) {
        const open_spiel::State& root = starspiel::Borrow(state);
        const auto value = starspiel::ValueFunction(root, heuristic);
        py::gil_scoped_release release;
        return starspiel::Walk(root.Clone(), depth, value);
      },
      py::arg("state"), py::arg("depth"), py::arg("heuristic"));
  m.def("quiet", [](py::handle state) -> std::optional<bool> {
    const starspiel::Given given = starspiel::Give(state);
    const starspiel::Game* game = starspiel::Find(given);
    return game == nullptr ? std::nullopt : game->Quiet(given);
  });
  m.def("encoder_inputs", [](py::handle state) { return starspiel::EncoderInputs(starspiel::Give(state)); });
  m.def("features", [](py::handle state) { return starspiel::FeaturesOf(starspiel::Give(state)); });

  py::class_<PythonPosition>(m, "RulesPosition")
      .def(py::init([](std::string model, std::vector<std::int64_t> parameters, std::vector<std::int64_t> numbers,
                       py::object state) {
             PythonPosition position{{std::move(model), std::move(parameters), std::move(numbers)}, std::move(state)};
             starspiel::Modelled(&position).Bytes(&position);  // is it one?
             return position;
           }),
           py::arg("model"), py::arg("parameters"), py::arg("numbers"), py::arg("state"));
  m.def(
      "describe",
      [](py::handle state, std::optional<double> enough) {
        const starspiel::Given given = starspiel::Give(state);
        return starspiel::AsDict(starspiel::Modelled(given).Describe(given, enough));
      },
      py::arg("state"), py::arg("enough") = py::none());
  py::enum_<KeyRule>(m, "KeyRule")
      .value("NONE", KeyRule::kNone)
      .value("TEXT", KeyRule::kText)
      .value("TEXT_AND_MOVE", KeyRule::kTextAndMove)
      .value("TEXT_AND_OBSERVATION", KeyRule::kTextAndObservation);
  m.def("text_key", [](py::handle state, KeyRule rule) {
    const starspiel::TextKey key = starspiel::KeyOf(starspiel::Borrow(state), rule);
    return py::make_tuple(key.halves[0], key.halves[1]);
  });
  py::class_<Options>(m, "Options")
      .def(py::init(&starspiel::MakeOptions), py::kw_only(), py::arg("prune"), py::arg("probes"), py::arg("bounds"),
           py::arg("value_range"), py::arg("merge"), py::arg("order"), py::arg("table_bytes"),
           py::arg("probe_depth") = Options{}.probe_depth, py::arg("batch") = Options{}.batch,
           py::arg("threads") = Options{}.threads, py::arg("opponent") = Options{}.opponent,
           py::arg("error") = Options{}.error, py::arg("extension") = Options{}.extension);
  py::class_<PythonEngine>(m, "Engine")
      .def(py::init<py::object, bool, const starspiel::PythonEvaluator&, Options, KeyRule, std::optional<py::function>,
                    std::optional<py::function>>(),
           py::arg("state"), py::arg("plain"), py::arg("evaluator"), py::arg("options"),
           py::arg("key") = KeyRule::kNone, py::arg("policy") = py::none(), py::arg("quiet") = py::none())
      .def("root", &PythonEngine::Root, py::arg("state"), py::arg("depth"), py::arg("share"), py::arg("nodes"),
           py::arg("seconds"), py::arg("poll") = py::none(), py::arg("first") = std::vector<int>{})
      .def("evaluate", &PythonEngine::Evaluate, py::arg("state"))
      .def("luck", &PythonEngine::Luck, py::arg("state"), py::arg("actions"))
      .def("counters", [](const PythonEngine& engine) {
             py::dict counters = starspiel::AsDict(engine.engine().counters());
             counters["computed"] = engine.engine().computed();
             return counters;
           })
      .def_property_readonly("size", [](const PythonEngine& engine) { return engine.engine().size(); })
      .def_property_readonly("keyed", [](const PythonEngine& engine) { return engine.engine().keyed(); })
      .def_property_readonly("merges", [](const PythonEngine& engine) { return engine.engine().merges(); })
      .def_property_readonly("by_position", [](const PythonEngine& engine) { return engine.engine().by_position(); })
      .def_property_readonly("thread_seconds",
                             [](const PythonEngine& engine) { return engine.engine().thread_seconds(); });
}
