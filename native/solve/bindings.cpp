#include "../bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <stdexcept>

#include "bearoff.hpp"
#include "royal_game_of_ur.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

// The numbers themselves, which live as long as the array does.
py::array_t<double> View(UrSolver& solver, std::vector<double>& numbers, py::object owner) {
  return py::array_t<double>(static_cast<py::ssize_t>(solver.positions()), numbers.data(), std::move(owner));
}

template <double (UrSolver::*kSweep)(int, int)>
double Swept(UrSolver& solver, int layer, int threads) {
  if (layer < 0 || static_cast<std::size_t>(layer) >= solver.layers().size()) {
    throw std::invalid_argument("there is no such layer");
  }
  if (threads < 1 || threads > 1024) throw std::invalid_argument("expected 1 to 1024 threads");
  const py::gil_scoped_release release;
  return (solver.*kSweep)(layer, threads);
}

// `make`'s numbers, made without the GIL.
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

void DefineSolvers(py::module_& module) {
  module.def("bearoff_one_sided", [] {
    return Made(BearoffCount(kBearoffMen), kBearoffRolls, [] { return MakeBearoffOneSided(); });
  });
  module.def(
      "bearoff_two_sided",
      [](int men) {
        if (men < 1 || men > kBearoffMen) throw std::invalid_argument("expected 1 to 15 men");
        return Made(BearoffCount(men), BearoffCount(men), [men] { return MakeBearoffTwoSided(men); });
      },
      py::arg("men"));
  py::class_<UrSolver>(module, "UrSolver")
      .def(py::init<int, int>(), py::arg("pieces"), py::arg("dice"))
      .def_property_readonly("layers", &UrSolver::layers)
      .def("range", &UrSolver::Range, py::arg("home"), py::arg("other_home"))
      .def_property_readonly("values",
                             [](py::object self) {
                               UrSolver& solver = self.cast<UrSolver&>();
                               return View(solver, solver.values(), self);
                             })
      .def_property_readonly("throws",
                             [](py::object self) {
                               UrSolver& solver = self.cast<UrSolver&>();
                               return View(solver, solver.throws(), self);
                             })
      .def("improve", &Swept<&UrSolver::Improve>, py::arg("layer"), py::arg("threads"))
      .def("evaluate", &Swept<&UrSolver::Evaluate>, py::arg("layer"), py::arg("threads"))
      .def("evaluate_throws", &Swept<&UrSolver::EvaluateThrows>, py::arg("layer"), py::arg("threads"));
}

}  // namespace starspiel
