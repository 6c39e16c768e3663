#include "bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <optional>
#include <stdexcept>

#include "../borrow.hpp"
#include "network_leaf.hpp"
#include "trainer.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

py::list AsArrays(const Layers& layers) {
  py::list arrays;
  for (std::size_t k = 0; k < layers.weights.size(); ++k) {
    Floats weights({layers.sizes[k], layers.sizes[k + 1]});
    std::memcpy(weights.mutable_data(), layers.weights[k].data(), layers.weights[k].size() * sizeof(float));
    arrays.append(py::make_tuple(weights, Floats(static_cast<py::ssize_t>(layers.biases[k].size()), layers.biases[k].data())));
  }
  return arrays;
}

Layers FromArrays(const std::vector<std::pair<Floats, Floats>>& arrays) {
  Layers layers;
  for (const auto& [weights, bias] : arrays) {
    if (weights.ndim() != 2 || bias.ndim() != 1) throw std::invalid_argument("expected (inputs, outputs) weights and a bias");
    if (layers.sizes.empty()) layers.sizes.push_back(static_cast<int>(weights.shape(0)));
    layers.sizes.push_back(static_cast<int>(weights.shape(1)));
    layers.weights.emplace_back(weights.data(), weights.data() + weights.size());
    layers.biases.emplace_back(bias.data(), bias.data() + bias.size());
  }
  layers.Check();
  return layers;
}

}  // namespace

void DefineNetworks(py::module_& module) {
  module.def("lanes", &Lanes);
  module.def("use_lanes", &UseLanes, py::arg("count"));
  py::class_<ValuedNetwork>(module, "Network")
      .def(py::init([](const std::vector<std::pair<Floats, Floats>>& layers, const std::vector<float>& units,
                       std::pair<double, double> range) {
             const Scale scale{range.first, range.second};
             scale.Check();
             return ValuedNetwork{std::make_shared<const Network>(FromArrays(layers), units), scale};
           }),
           py::arg("layers"), py::arg("units"), py::arg("range"));
  py::class_<Trainer>(module, "Trainer")
      .def(py::init([](py::handle state, const std::vector<int>& hidden, std::pair<double, double> range,
                       std::uint64_t seed) {
             const Scale scale{range.first, range.second};
             if (py::isinstance<PythonPosition>(state)) {
               return MakeTrainer(state.cast<const PythonPosition&>(), hidden, scale, seed);
             }
             const open_spiel::State& start = Borrow(state);
             if (!IsNative(*start.GetGame())) {
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
}

}  // namespace starspiel
