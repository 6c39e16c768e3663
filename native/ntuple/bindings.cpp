#include "bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <stdexcept>

#include "network.hpp"
#include "trainer.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

using ntuple::Network;
using ntuple::Patterns;
using ntuple::Trainer;
using Cells = std::vector<std::vector<int>>;

// Keeps `weights` as they are, and refers to them.
std::shared_ptr<const Network> MakeNetwork(int rows, int columns, const Cells& cells,
                                           py::array_t<std::int16_t, py::array::c_style> weights, double base,
                                           double unit) {
  Patterns patterns(rows, columns, cells);
  if (weights.ndim() != 1 || static_cast<std::size_t>(weights.size()) != patterns.size()) {
    throw std::invalid_argument("expected one weight for each content of each pattern");
  }
  const std::int16_t* data = weights.data();
  const auto release = [](py::array* held) {
    py::gil_scoped_acquire gil;
    delete held;
  };
  std::shared_ptr<py::array> owner(new py::array(std::move(weights)), release);
  return std::make_shared<const Network>(std::move(patterns), data, std::move(owner), base, unit);
}

// The numbers where they are, for as long as `owner` lives.
py::array_t<float> View(ntuple::LargeArray& numbers, const py::object& owner) {
  return py::array_t<float>(static_cast<py::ssize_t>(numbers.size()), numbers.data(), owner);
}

}  // namespace

void DefineNTuples(py::module_& module) {
  py::class_<Network, std::shared_ptr<Network>>(module, "NTuples")
      .def(py::init([](int rows, int columns, const Cells& cells, py::array_t<std::int16_t, py::array::c_style> weights,
                       double base, double unit) {
             return std::const_pointer_cast<Network>(MakeNetwork(rows, columns, cells, std::move(weights), base, unit));
           }),
           py::arg("rows"), py::arg("columns"), py::arg("cells"), py::arg("weights").noconvert(), py::arg("base"),
           py::arg("unit"))
      .def("value", &Network::Value, py::arg("board"));
  py::class_<Trainer>(module, "NTupleTrainer")
      .def(py::init([](int rows, int columns, const Cells& cells, double optimism) {
             return std::make_unique<Trainer>(Patterns(rows, columns, cells), optimism);
           }),
           py::arg("rows"), py::arg("columns"), py::arg("cells"), py::arg("optimism") = 0.0)
      .def(
          "train",
          [](Trainer& trainer, std::uint64_t seed, int threads, std::int64_t games, double seconds, double rate) {
            py::gil_scoped_release release;
            const auto progress = trainer.Train({rate, threads, games, seconds}, seed);
            return std::make_tuple(progress.games, progress.moves, progress.points);
          },
          py::kw_only(), py::arg("seed"), py::arg("threads") = 1, py::arg("games") = 0, py::arg("seconds") = 0.0,
          py::arg("rate") = 1.0)
      .def(
          "play",
          [](const Trainer& trainer, int games, std::uint64_t seed) {
            py::gil_scoped_release release;
            return trainer.Play(games, seed);
          },
          py::arg("games"), py::arg("seed"))
      .def_property_readonly("weights", [](py::object self) { return View(self.cast<Trainer&>().weights(), self); })
      .def_property_readonly("errors", [](py::object self) { return View(self.cast<Trainer&>().errors(), self); });
}

}  // namespace starspiel
