// Python bindings of the trainers and solvers.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include "bindings.hpp"
#include "floats.hpp"
#include "game.hpp"
#include "ntuple/trainer.hpp"
#include "solve/bearoff.hpp"
#include "solve/royal_game_of_ur.hpp"
#include "solve/values.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

using Cells = std::vector<std::vector<int>>;

py::list AsArrays(const Layers& layers) {
  py::list arrays;
  for (std::size_t k = 0; k < layers.weights.size(); ++k) {
    Floats weights({layers.sizes[k], layers.sizes[k + 1]});
    std::memcpy(weights.mutable_data(), layers.weights[k].data(), layers.weights[k].size() * sizeof(float));
    arrays.append(
        py::make_tuple(weights, Floats(static_cast<py::ssize_t>(layers.biases[k].size()), layers.biases[k].data())));
  }
  return arrays;
}

// A view of the numbers in place, which keeps their owner `self` alive.
template <class Owner, auto kNumbers>
py::array ViewOf(const py::object& self) {
  auto&& numbers = (self.cast<Owner&>().*kNumbers)();
  return py::array_t<std::decay_t<decltype(*numbers.data())>>(static_cast<py::ssize_t>(numbers.size()), numbers.data(),
                                                              self);
}

// A view of kCount numbers of each weight, starting with number kFirst.
template <int kCount, int kFirst>
py::array WeightsOf(const py::object& self) {
  ntuple::Weights& weights = self.cast<ntuple::Trainer&>().weights();
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(weights.size())}, strides{sizeof(ntuple::Weight)};
  if (kCount > 1) shape.push_back(kCount), strides.push_back(sizeof(float));
  return py::array_t<float>(shape, strides, &weights.data()->value + kFirst, self);
}

template <class Number>
py::array_t<Number> AsArray(const std::vector<Number>& numbers) {
  return py::array_t<Number>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

template <class Number>
std::vector<Number> AsVector(const py::array_t<Number, py::array::c_style | py::array::forcecast>& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

// The result of `play`: the features of all positions, their end offsets, the targets, and the games' end offsets.
using LessonArrays = std::tuple<py::array_t<Feature, py::array::c_style>, py::array_t<std::uint32_t>, Floats,
                                py::array_t<std::uint32_t>>;

Lessons FromArrays(const LessonArrays& arrays) {
  const auto& [features, feature_ends, targets, game_ends] = arrays;
  return {AsVector<Feature>(features), AsVector<std::uint32_t>(feature_ends), AsVector<float>(targets),
          AsVector<std::uint32_t>(game_ends)};
}

// Calls a Python function, after checking for Ctrl-C.
std::function<bool()> Asking(const std::optional<py::function>& stop) {
  return [&stop] {
    CheckSignals();
    py::gil_scoped_acquire gil;
    return stop && (*stop)().cast<bool>();
  };
}

std::tuple<std::int64_t, std::int64_t, double> Told(const Progress& progress) {
  return {progress.games, progress.positions, progress.squared_error};
}

template <double (UrSolver::*kSweep)(int, int)>
double Swept(UrSolver& solver, int layer, int threads) {
  if (layer < 0 || static_cast<std::size_t>(layer) >= solver.layers().size()) {
    throw std::invalid_argument("there is no such layer");
  }
  CheckThreads(threads);
  const py::gil_scoped_release release;
  return (solver.*kSweep)(layer, threads);
}

struct Solved : Graph, GraphValues {};

template <auto kNumbers>
py::array FieldOf(const py::object& self) {
  const auto& numbers = self.cast<const Solved&>().*kNumbers;
  return py::array_t<std::decay_t<decltype(*numbers.data())>>(static_cast<py::ssize_t>(numbers.size()), numbers.data(),
                                                              self);
}

Solved Solve(py::handle state, std::size_t most_bytes, const std::function<void(const char*, std::size_t)>& tell) {
  const Given start = Give(state);
  const auto telling = [&tell](const char* what) {
    return [&tell, what](std::size_t done) {
      CheckSignals();
      py::gil_scoped_acquire gil;
      tell(what, done);
    };
  };
  const py::gil_scoped_release release;
  Solved solved;
  static_cast<Graph&>(solved) = Modelled(start).Enumerate(start, most_bytes, telling("positions"));
  const bool in_numbers = solved.ending.size() == solved.player.size();
  if (in_numbers && solved.waiting == 0) static_cast<GraphValues&>(solved) = ValuesOf(solved, telling("solved"));
  return solved;
}

// The table that `make` returns, computed without the GIL.
template <class Make>
py::array_t<double> Made(std::size_t rows, std::size_t columns, const Make& make) {
  std::vector<double> table;
  {
    const py::gil_scoped_release release;
    table = make();
  }
  return py::array_t<double>({rows, columns}, table.data());
}

}  // namespace

void DefineTrainers(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(Feature, input, count);
  module.def("lanes", &Lanes);
  module.def("use_lanes", &UseLanes, py::arg("count"));
  py::class_<Trainer>(module, "Trainer")
      .def(py::init([](py::handle state, const std::vector<int>& hidden, std::vector<double> returns,
                       std::uint64_t seed) {
             const Scale scale{std::move(returns)};
             const Given start = Give(state);
             if (start.state != nullptr && !IsNative(*start.state->GetGame())) {
               throw std::invalid_argument("expected a game written in C++; this one is written in Python");
             }
             scale.Check();
             return std::make_unique<Trainer>(MakeTrainedGame(start), hidden, scale, seed);
           }),
           py::arg("state"), py::arg("hidden"), py::arg("returns"), py::arg("seed"))
      .def(
          "train",
          [](Trainer& trainer, std::uint64_t seed, double rate, double lambda_, double explore, bool exact, int threads,
             std::int64_t games, double seconds, double heuristic, double draws,
             const std::optional<py::function>& stop) {
            const Length length{threads, games, seconds, Asking(stop)};
            const Training training{length, rate, lambda_, explore, exact, heuristic, draws};
            py::gil_scoped_release release;
            return Told(trainer.Train(training, seed));
          },
          py::kw_only(), py::arg("seed"), py::arg("rate"), py::arg("lambda_"), py::arg("explore") = 0.0,
          py::arg("exact") = false, py::arg("threads") = 1, py::arg("games") = 0, py::arg("seconds") = 0.0,
          py::arg("heuristic") = 0.0, py::arg("draws") = 0.0, py::arg("stop") = py::none())
      .def(
          "play",
          [](Trainer& trainer, std::uint64_t seed, double lambda_, double explore, bool exact, std::int64_t games,
             double seconds, double heuristic, double draws) {
            Lessons lessons;
            {
              py::gil_scoped_release release;
              const Training training{{1, games, seconds}, 1.0, lambda_, explore, exact, heuristic, draws};
              lessons = trainer.Play(training, seed);
            }
            return py::make_tuple(AsArray(lessons.features), AsArray(lessons.feature_ends), AsArray(lessons.targets),
                                  AsArray(lessons.game_ends));
          },
          py::kw_only(), py::arg("seed"), py::arg("lambda_"), py::arg("explore") = 0.0, py::arg("exact") = false,
          py::arg("games") = 0, py::arg("seconds") = 0.0, py::arg("heuristic") = 0.0, py::arg("draws") = 0.0)
      .def(
          "fit",
          [](Trainer& trainer, const std::vector<LessonArrays>& several, double rate, std::uint64_t seed, int threads,
             const std::optional<py::function>& stop) {
            Lessons lessons;
            for (const LessonArrays& arrays : several) lessons.Append(FromArrays(arrays));
            py::gil_scoped_release release;
            return Told(trainer.Fit(lessons, rate, seed, threads, Asking(stop)));
          },
          py::arg("lessons"), py::kw_only(), py::arg("rate"), py::arg("seed"), py::arg("threads") = 1,
          py::arg("stop") = py::none())
      .def("best", [](Trainer& trainer, py::handle state) { return trainer.Best(Give(state)); })
      .def_property(
          "layers", [](const Trainer& trainer) { return AsArrays(trainer.layers()); },
          [](Trainer& trainer, const std::vector<std::pair<Floats, Floats>>& arrays) {
            trainer.SetLayers(FromArrays(arrays));
          });
  py::class_<ntuple::Trainer>(module, "NTupleTrainer")
      .def(py::init([](int rows, int columns, const Cells& cells) {
             return std::make_unique<ntuple::Trainer>(ntuple::Patterns(rows, columns, cells));
           }),
           py::arg("rows"), py::arg("columns"), py::arg("cells"))
      .def(
          "train",
          [](ntuple::Trainer& trainer, std::uint64_t seed, int threads, std::int64_t games, double seconds) {
            py::gil_scoped_release release;
            const auto progress = trainer.Train({threads, games, seconds}, seed);
            return std::make_tuple(progress.games, progress.moves, progress.points);
          },
          py::kw_only(), py::arg("seed"), py::arg("threads") = 1, py::arg("games") = 0, py::arg("seconds") = 0.0)
      .def(
          "play",
          [](const ntuple::Trainer& trainer, int games, std::uint64_t seed) {
            py::gil_scoped_release release;
            return trainer.Play(games, seed);
          },
          py::arg("games"), py::arg("seed"))
      .def_property_readonly("weights", &WeightsOf<1, 0>)
      .def_property_readonly("errors", &WeightsOf<2, 1>);
  module.def(
      "bearoff_one_sided",
      [](std::size_t done) {
        if (done < 1 || done > BearoffCount(kBearoffMen)) throw std::invalid_argument("expected 1 to 54264 positions");
        return Made(BearoffCount(kBearoffMen), kBearoffRolls, [done] { return MakeBearoffOneSided(done); });
      },
      py::arg("done") = 1);
  module.def(
      "bearoff_two_sided",
      [](int men) {
        if (men < 1 || men > kBearoffMen) throw std::invalid_argument("expected 1 to 15 men");
        return Made(BearoffCount(men), BearoffCount(men), [men] { return MakeBearoffTwoSided(men); });
      },
      py::arg("men"));
  py::class_<Solved>(module, "Solved")
      .def_property_readonly("player", &FieldOf<&Graph::player>)
      .def_property_readonly("ending", &FieldOf<&Graph::ending>)
      .def_property_readonly("first", &FieldOf<&Graph::first>)
      .def_property_readonly("target", &FieldOf<&Graph::target>)
      .def_property_readonly("weight", &FieldOf<&Graph::weight>)
      .def_property_readonly("reward", &FieldOf<&Graph::reward>)
      .def_property_readonly("hashes", &FieldOf<&Graph::hashes>)
      .def_property_readonly("values", &FieldOf<&GraphValues::values>)
      .def_property_readonly("times", &FieldOf<&GraphValues::times>)
      .def_readonly("waiting", &Solved::waiting)
      .def_readonly("mixed", &Solved::mixed)
      .def_readonly("residual", &Solved::residual)
      .def_readonly("change", &Solved::change);
  module.def("solve", &Solve, py::arg("state"), py::arg("most_bytes"), py::arg("tell"));
  module.def("position_hashes", [](py::handle state) {
    const Given given = Give(state);
    return Modelled(given).Hashes(given);
  });
  py::class_<UrPlaces>(module, "UrPlaces")
      .def(py::init<int>(), py::arg("pieces"))
      .def_property_readonly("count", &UrPlaces::positions)
      .def_property_readonly("layers", &UrPlaces::layers)
      .def("range", &UrPlaces::Range, py::arg("home"), py::arg("other_home"))
      .def("place", [](const UrPlaces& places, py::handle state) {
        return places.Index(RoyalGameOfUrModel::Read(As<RulesPosition>(Give(state))));
      });
  py::class_<UrSolver, UrPlaces>(module, "UrSolver")
      .def(py::init([](py::handle state) { return std::make_unique<UrSolver>(As<RulesPosition>(Give(state))); }),
           py::arg("state"))
      .def_property_readonly("values", &ViewOf<UrSolver, &UrSolver::values>)
      .def_property_readonly("throws", &ViewOf<UrSolver, &UrSolver::throws>)
      .def("improve", &Swept<&UrSolver::Improve>, py::arg("layer"), py::arg("threads"))
      .def("evaluate", &Swept<&UrSolver::Evaluate>, py::arg("layer"), py::arg("threads"))
      .def("evaluate_throws", &Swept<&UrSolver::EvaluateThrows>, py::arg("layer"), py::arg("threads"));
}

}  // namespace starspiel
