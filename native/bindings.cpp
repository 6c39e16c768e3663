// The Python module starspiel._native.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "borrow.hpp"
#include "engine.hpp"
#include "models/tree.hpp"
#include "network/bindings.hpp"
#include "ntuple/bindings.hpp"
#include "solve/bindings.hpp"
#include "open_spiel/algorithms/minimax.h"
#include "open_spiel/spiel.h"

namespace py = pybind11;

namespace starspiel {
namespace {

// Leaves of the full tree to `depth` actions, chance outcomes included.
std::int64_t Perft(const open_spiel::State& state, int depth) {
  if (depth == 0 || state.IsTerminal()) return 1;
  std::int64_t leaves = 0;
  for (open_spiel::Action action : state.IsChanceNode() ? state.LegalChanceOutcomes() : state.LegalActions()) {
    leaves += Perft(*state.Child(action), depth - 1);
  }
  return leaves;
}

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

  double operator()(const std::vector<int>& path) { return Call<double>(path); }

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

// The function of a BatchEvaluator over arrays of so many inputs. Only called with the GIL released around it.
struct PythonArrays {
  py::function function;
  int inputs;

  ArrayFunction Function() const {
    return [function = std::make_shared<py::function>(function)](std::size_t rows, int inputs,
                                                                 const std::function<void(float*)>& fill) {
      py::gil_scoped_acquire gil;
      py::array_t<float> array({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(inputs)});
      fill(array.mutable_data());
      const auto values = (*function)(array).cast<py::array_t<double, py::array::c_style>>();
      if (static_cast<std::size_t>(values.size()) != rows) throw std::invalid_argument("expected one value a row");
      return std::vector<double>(values.data(), values.data() + rows);
    };
  }
};

// The function of an evaluator that values many states at once.
struct PythonStates {
  py::function function;
};

// Backgammon's tables in front of any other evaluator.
struct BearoffFirst {
  std::shared_ptr<Bearoff> tables;
  py::object other;
};

// An Engine as Python sees it.
class PythonEngine {
 public:
  // `policy` and `quiet` are Options', as functions of a state.
  PythonEngine(py::handle state, bool plain, py::object evaluator, Options options, KeyRule rule,
               std::optional<py::function> policy, std::optional<py::function> quiet) {
    if (policy) {
      options.policy = [caller = Caller(*policy)](const std::vector<int>& path) {
        return caller->Call<std::vector<double>>(path);
      };
    }
    if (quiet) {
      options.quiet = [caller = Caller(*quiet)](const std::vector<int>& path) { return caller->Call<bool>(path); };
    }
    Evaluation evaluation;
    evaluation.kind = Evaluation::Kind::kZero;
    if (py::isinstance<BearoffFirst>(evaluator)) {
      const auto& first = evaluator.cast<const BearoffFirst&>();
      evaluation.bearoff = first.tables;
      evaluator = py::object(first.other);
    }
    if (py::isinstance<py::str>(evaluator)) {
      if (evaluator.cast<std::string>() == "heuristic") evaluation.kind = Evaluation::Kind::kHeuristic;
    } else if (py::isinstance<Rollouts>(evaluator)) {
      evaluation.kind = Evaluation::Kind::kRollout;
      evaluation.rollouts = evaluator.cast<std::shared_ptr<Rollouts>>();
    } else if (py::isinstance<Linear>(evaluator)) {
      evaluation.kind = Evaluation::Kind::kLinear;
      evaluation.linear = evaluator.cast<Linear>();
      if (static_cast<int>(evaluation.linear.weights.size()) != Borrow(state).GetGame()->ObservationTensorSize()) {
        throw std::invalid_argument("the weights are not as many as the entries of an observation");
      }
    } else if (py::isinstance<ntuple::Network>(evaluator)) {
      evaluation.kind = Evaluation::Kind::kNTuple;
      evaluation.ntuples = evaluator.cast<std::shared_ptr<ntuple::Network>>();
    } else if (py::isinstance<ValuedNetwork>(evaluator)) {
      evaluation.kind = Evaluation::Kind::kNetwork;
      evaluation.network = evaluator.cast<ValuedNetwork>();
    } else if (py::isinstance<Solo>(evaluator)) {
      evaluation.kind = Evaluation::Kind::kSolo;
      evaluation.solo = evaluator.cast<std::shared_ptr<Solo>>();
    } else if (py::isinstance<PythonArrays>(evaluator)) {
      evaluation.kind = Evaluation::Kind::kArray;
      evaluation.array = evaluator.cast<PythonArrays>().Function();
      evaluation.array_inputs = evaluator.cast<PythonArrays>().inputs;
    } else if (py::isinstance<PythonStates>(evaluator)) {
      evaluation.kind = Evaluation::Kind::kCallMany;
      evaluation.call_many = [caller = Caller(evaluator.cast<PythonStates>().function)](const std::vector<std::vector<int>>& paths) {
        return caller->Many(paths);
      };
    } else {
      evaluation.kind = Evaluation::Kind::kCall;
      evaluation.call = [caller = Caller(evaluator.cast<py::function>())](const std::vector<int>& path) { return (*caller)(path); };
    }
    if (py::isinstance<PythonPosition>(state)) {
      engine_ = MakeEngine(state.cast<const PythonPosition&>(), std::move(evaluation), options);
    } else {
      engine_ = MakeEngine(Borrow(state), plain, rule, std::move(evaluation), options);
    }
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
                    std::optional<bool> merge, bool order, std::size_t table_bytes, int probe_depth, bool deeper,
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
  options.deeper = deeper;
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

using TreeNode = std::tuple<int, double, std::vector<int>, std::vector<double>>;

py::tuple SearchTree(const std::vector<TreeNode>& nodes, int root, int depth, bool share, const Options& options) {
  std::vector<TreeModel::Node> tree;
  for (const auto& [player, value, children, probabilities] : nodes) {
    tree.push_back({player, value, children, probabilities});
  }
  const TreeModel model(std::move(tree));
  HeuristicLeaf<TreeModel> leaf(model);
  Search<TreeModel> search(model, leaf, options);
  Budget budget(std::nullopt, std::nullopt, PollForCtrlC);
  std::vector<std::pair<int, double>> values;
  search.Root({root}, depth, share, {}, budget, values);
  return py::make_tuple(values, AsDict(search.counters()));
}

std::function<double(const open_spiel::State&)> ValueFunction(const open_spiel::State& state, bool heuristic) {
  if (!heuristic) return [](const open_spiel::State&) { return 0.0; };
  auto value = HeuristicOf(state);
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

  m.attr("open_spiel_version") = STARSPIEL_OPEN_SPIEL_VERSION;
  m.attr("interface") = STARSPIEL_INTERFACE;
  m.def("is_native", [](py::handle state) { return starspiel::IsNative(*starspiel::Borrow(state).GetGame()); });
  m.def("perft", [](py::handle state, int depth) { return starspiel::Perft(starspiel::Borrow(state), depth); });
  m.def("model_mismatch", [](py::handle state) { return starspiel::Mismatch(starspiel::Borrow(state)); });
  m.def("heuristic", [](py::handle state) -> std::optional<double> {
    const open_spiel::State& native = starspiel::Borrow(state);
    const auto heuristic = starspiel::HeuristicOf(native);
    if (!heuristic) return std::nullopt;
    return heuristic(native);
  });
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
  m.def("search_tree", &starspiel::SearchTree, py::arg("nodes"), py::arg("root"), py::arg("depth"), py::arg("share"),
        py::arg("options"));

  m.def("quiet", [](py::handle state) {
    return std::visit([](const auto* given) { return starspiel::QuietAt(*given); }, starspiel::Give(state));
  });

  starspiel::DefineNetworks(m);
  starspiel::DefineSolvers(m);
  m.def("encoder_inputs", [](py::handle state) {
    return std::visit([](const auto* given) { return starspiel::EncoderInputs(*given); }, starspiel::Give(state));
  });
  starspiel::DefineNTuples(m);
  m.def("features", [](py::handle state) {
    return std::visit([](const auto* given) { return starspiel::FeaturesOf(*given); }, starspiel::Give(state));
  });
  py::class_<starspiel::PythonPosition>(m, "RulesPosition")
      .def(py::init([](std::string model, std::vector<std::int64_t> parameters, std::vector<std::int64_t> numbers,
                       py::object state) {
             starspiel::PythonPosition position{{std::move(model), std::move(parameters), std::move(numbers)},
                                                std::move(state)};
             starspiel::BytesOf(position);  // is it one?
             return position;
           }),
           py::arg("model"), py::arg("parameters"), py::arg("numbers"), py::arg("state"))
      .def_property_readonly("bytes", [](const starspiel::PythonPosition& position) {
        return py::bytes(starspiel::BytesOf(position));
      });
  m.def("describe", [](const starspiel::PythonPosition& position) {
    const starspiel::Described described = starspiel::Describe(position);
    py::list next;
    for (const auto& [action, probability, bytes] : described.next) {
      next.append(py::make_tuple(action, probability, py::bytes(bytes)));
    }
    return py::make_tuple(described.player, described.value, next);
  });
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
           py::arg("probe_depth") = Options{}.probe_depth, py::arg("deeper") = Options{}.deeper,
           py::arg("batch") = Options{}.batch, py::arg("threads") = Options{}.threads,
           py::arg("opponent") = Options{}.opponent, py::arg("error") = Options{}.error,
           py::arg("extension") = Options{}.extension);

  py::class_<starspiel::Rollouts, std::shared_ptr<starspiel::Rollouts>>(m, "Rollouts")
      .def(py::init([](int count) { return std::make_shared<starspiel::Rollouts>(starspiel::Rollouts{count, {}}); }),
           py::arg("count"))
      .def_property(
          "random_state", [](const starspiel::Rollouts& rollouts) { return rollouts.random.Get(); },
          [](starspiel::Rollouts& rollouts, const starspiel::PythonRandom::State& state) {
            if (state.size() != starspiel::PythonRandom::kWords + 1 ||
                state.back() > starspiel::PythonRandom::kWords) {
              throw std::invalid_argument("expected random.getstate()[1]");
            }
            rollouts.random.Set(state);
          });

  using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
  py::class_<starspiel::Bearoff, std::shared_ptr<starspiel::Bearoff>>(m, "Bearoff")
      .def(py::init([](const Doubles& one_sided, const Doubles& two_sided) {
             if (one_sided.ndim() != 2 || two_sided.ndim() != 2) throw std::invalid_argument("expected two tables");
             return std::make_shared<starspiel::Bearoff>(
                 std::vector<double>(one_sided.data(), one_sided.data() + one_sided.size()),
                 std::vector<double>(two_sided.data(), two_sided.data() + two_sided.size()),
                 static_cast<std::size_t>(one_sided.shape(1)), static_cast<std::size_t>(two_sided.shape(0)));
           }),
           py::arg("one_sided"), py::arg("two_sided"));
  py::class_<starspiel::BearoffFirst>(m, "BearoffFirst")
      .def(py::init([](std::shared_ptr<starspiel::Bearoff> tables, py::object other) {
             return starspiel::BearoffFirst{std::move(tables), std::move(other)};
           }),
           py::arg("tables"), py::arg("other"));
  py::class_<starspiel::Solo, std::shared_ptr<starspiel::Solo>>(m, "Solo")
      .def(py::init([](int dice, int throws, int first_roll, std::vector<std::int64_t> codes,
                       std::vector<std::int32_t> index, std::vector<std::vector<double>> scores,
                       std::vector<std::vector<double>> chances, std::vector<std::vector<std::int32_t>> choices,
                       std::vector<double> means, std::vector<double> squares) {
             return std::make_shared<starspiel::Solo>(
                 starspiel::Solo::Rules{dice, throws, first_roll, std::move(codes), std::move(index), std::move(scores),
                                        std::move(chances), std::move(choices)},
                 std::move(means), std::move(squares));
           }),
           py::kw_only(), py::arg("dice"), py::arg("throws"), py::arg("first_roll"), py::arg("codes"), py::arg("index"),
           py::arg("scores"), py::arg("chances"), py::arg("choices"), py::arg("means"), py::arg("squares"));
  py::class_<starspiel::Linear>(m, "Linear")
      .def(py::init([](std::vector<double> weights, double bias, std::pair<double, double> range) {
             return starspiel::Linear{std::move(weights), bias, range.first, range.second};
           }),
           py::arg("weights"), py::arg("bias"), py::arg("range"));

  py::class_<starspiel::PythonArrays>(m, "Arrays")
      .def(py::init([](py::function function, int inputs) {
             return starspiel::PythonArrays{std::move(function), inputs};
           }),
           py::arg("function"), py::arg("inputs"));
  py::class_<starspiel::PythonStates>(m, "States")
      .def(py::init([](py::function function) { return starspiel::PythonStates{std::move(function)}; }),
           py::arg("function"));
  py::class_<PythonEngine>(m, "Engine")
      .def(py::init<py::object, bool, py::object, Options, KeyRule, std::optional<py::function>,
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
      .def_property_readonly("thread_seconds",
                             [](const PythonEngine& engine) { return engine.engine().thread_seconds(); });
}
