// The trainers as Python has them.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "bindings.hpp"
#include "borrow.hpp"
#include "game.hpp"
#include "ntuple/trainer.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

using Cells = std::vector<std::vector<int>>;

py::list AsArrays(const Layers& layers) {
  py::list arrays;
  for (std::size_t k = 0; k < layers.weights.size(); ++k) {
    Floats weights({layers.sizes[k], layers.sizes[k + 1]});
    std::memcpy(weights.mutable_data(), layers.weights[k].data(), layers.weights[k].size() * sizeof(float));
    arrays.append(py::make_tuple(weights, Floats(static_cast<py::ssize_t>(layers.biases[k].size()), layers.biases[k].data())));
  }
  return arrays;
}

// The numbers where they are, for as long as `owner` lives.
py::array_t<float> View(ntuple::LargeArray& numbers, const py::object& owner) {
  return py::array_t<float>(static_cast<py::ssize_t>(numbers.size()), numbers.data(), owner);
}

}  // namespace

void DefineTrainers(py::module_& module) {
  module.def("lanes", &Lanes);
  module.def("use_lanes", &UseLanes, py::arg("count"));
  py::class_<Trainer>(module, "Trainer")
      .def(py::init([](py::handle state, const std::vector<int>& hidden, std::pair<double, double> range,
                       std::uint64_t seed) {
             const Scale scale{range.first, range.second};
             const Given start = Give(state);
             const auto* native = std::get_if<const open_spiel::State*>(&start);
             if (native != nullptr && !IsNative(*(*native)->GetGame())) {
               throw std::invalid_argument("expected a game written in C++; this one is written in Python");
             }
             return MakeTrainer(start, hidden, scale, seed);
           }),
           py::arg("state"), py::arg("hidden"), py::arg("range"), py::arg("seed"))
      .def(
          "train",
          [](Trainer& trainer, std::uint64_t seed, double rate, double lambda_, double explore, bool exact, int threads,
             std::int64_t games, double seconds, double heuristic, double draws, std::optional<py::function> stop) {
            const auto asked = [&stop] {
              py::gil_scoped_acquire gil;
              if (PyErr_CheckSignals() != 0) throw py::error_already_set();
              return stop && (*stop)().cast<bool>();
            };
            const Training training{rate, lambda_, explore, exact, threads, games, seconds, heuristic, draws, asked};
            Progress progress;
            {
              py::gil_scoped_release release;
              progress = trainer.Train(training, seed);
            }
            return py::make_tuple(progress.games, progress.positions, progress.squared_error);
          },
          py::kw_only(), py::arg("seed"), py::arg("rate"), py::arg("lambda_"), py::arg("explore") = 0.0,
          py::arg("exact") = false, py::arg("threads") = 1, py::arg("games") = 0, py::arg("seconds") = 0.0,
          py::arg("heuristic") = 0.0, py::arg("draws") = 0.0, py::arg("stop") = py::none())
      .def("best", [](Trainer& trainer, py::handle state) { return trainer.Best(Give(state)); })
      .def_property(
          "layers", [](const Trainer& trainer) { return AsArrays(trainer.layers()); },
          [](Trainer& trainer, const std::vector<std::pair<Floats, Floats>>& arrays) {
            trainer.SetLayers(FromArrays(arrays));
          });
  py::class_<ntuple::Trainer>(module, "NTupleTrainer")
      .def(py::init([](int rows, int columns, const Cells& cells, double optimism) {
             return std::make_unique<ntuple::Trainer>(ntuple::Patterns(rows, columns, cells), optimism);
           }),
           py::arg("rows"), py::arg("columns"), py::arg("cells"), py::arg("optimism") = 0.0)
      .def(
          "train",
          [](ntuple::Trainer& trainer, std::uint64_t seed, int threads, std::int64_t games, double seconds, double rate) {
            py::gil_scoped_release release;
            const auto progress = trainer.Train({rate, threads, games, seconds}, seed);
            return std::make_tuple(progress.games, progress.moves, progress.points);
          },
          py::kw_only(), py::arg("seed"), py::arg("threads") = 1, py::arg("games") = 0, py::arg("seconds") = 0.0,
          py::arg("rate") = 1.0)
      .def(
          "play",
          [](const ntuple::Trainer& trainer, int games, std::uint64_t seed) {
            py::gil_scoped_release release;
            return trainer.Play(games, seed);
          },
          py::arg("games"), py::arg("seed"))
      .def_property_readonly("weights", [](py::object self) { return View(self.cast<ntuple::Trainer&>().weights(), self); })
      .def_property_readonly("errors", [](py::object self) { return View(self.cast<ntuple::Trainer&>().errors(), self); });
}

}  // namespace starspiel
