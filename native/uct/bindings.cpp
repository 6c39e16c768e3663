// Python bindings of UCT.
#include "bindings.hpp"
#include <pybind11/stl.h>
#include "game.hpp"
#include "uct/search.hpp"

namespace py = pybind11;

namespace starspiel {
namespace {

class PythonUCT {
 public:
  // Without an evaluator, leaves are valued by `rollouts`; all random numbers come from it.
  PythonUCT(py::handle state, const std::optional<Evaluation>& evaluation, std::shared_ptr<Rollouts> rollouts,
            const uct::Settings& settings, bool vectors)
      : search_(MakeLine(Give(state), evaluation ? *evaluation : Evaluation(rollouts), vectors), settings, rollouts) {}

  std::int64_t Run(std::int64_t simulations, std::optional<double> seconds) {
    Budget opening(std::nullopt, std::nullopt, CheckSignals), budget(std::nullopt, seconds, CheckSignals);
    py::gil_scoped_release release;
    return search_.Run(simulations, opening, budget);
  }

  std::vector<std::tuple<int, std::uint32_t, double, std::optional<double>>> Tried() const {
    std::vector<std::tuple<int, std::uint32_t, double, std::optional<double>>> all;
    for (const uct::Tried& tried : search_.tried()) {
      all.emplace_back(tried.action, tried.visits, tried.mean, tried.proven);
    }
    return all;
  }

 private:
  uct::Search search_;
};

}  // namespace

void DefineUCT(py::module_& module) {
  py::class_<PythonUCT>(module, "UCT")
      .def(py::init([](py::object state, const std::optional<Evaluation>& evaluator, std::uint64_t seed, int rollouts,
                       int rollout_moves, double uct_c, bool solve, std::int64_t most_nodes,
                       std::pair<double, double> bounds, bool scaled, bool vectors) {
             auto games = std::make_shared<Rollouts>(Rollouts{rollouts, {}, rollout_moves});
             games->random.Seed(seed);
             const uct::Settings settings{uct_c, solve, most_nodes, bounds.first, bounds.second, scaled};
             return std::make_unique<PythonUCT>(state, evaluator, std::move(games), settings, vectors);
           }),
           py::arg("state"), py::kw_only(), py::arg("evaluator"), py::arg("seed"), py::arg("rollouts"),
           py::arg("rollout_moves"), py::arg("uct_c"), py::arg("solve"), py::arg("most_nodes"), py::arg("bounds"),
           py::arg("scaled"), py::arg("vectors"))
      .def("run", &PythonUCT::Run, py::arg("simulations"), py::arg("seconds"))
      .def("tried", &PythonUCT::Tried);
}

}  // namespace starspiel
