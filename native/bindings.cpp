// The Python module starspiel._native.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "open_spiel/spiel.h"

namespace py = pybind11;

namespace starspiel {
namespace {

// Leaves of the full tree to `depth` actions, chance outcomes included.
long Perft(const open_spiel::State& state, int depth) {
  if (depth == 0 || state.IsTerminal()) return 1;
  long leaves = 0;
  for (open_spiel::Action action :
       state.IsChanceNode() ? state.LegalChanceOutcomes() : state.LegalActions()) {
    leaves += Perft(*state.Child(action), depth - 1);
  }
  return leaves;
}

}  // namespace
}  // namespace starspiel

PYBIND11_MODULE(_native, m) {
  m.attr("open_spiel_version") = STARSPIEL_OPEN_SPIEL_VERSION;
  m.def("perft", [](py::handle state, int depth) {
    return starspiel::Perft(*state.cast<const open_spiel::State*>(), depth);
  });
}
