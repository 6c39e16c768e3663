// What bindings.cpp puts into the Python module, and the evaluators that it gets from Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <variant>

#include "evaluators.hpp"

namespace starspiel {

// A function of many states at once.
struct PythonStates {
  pybind11::function function;
};

// Backgammon's tables in front of another of these evaluators.
struct PythonBearoff {
  std::shared_ptr<const Bearoff> tables;
  pybind11::object other;
};

// Evaluation, but that what Python gets is a state, where C++ has a path. The function comes last: all else is tried
// before.
using PythonEvaluator =
    std::variant<ZeroEvaluator, HeuristicEvaluator, std::shared_ptr<Rollouts>, Linear, ValuedNetwork,
                 std::shared_ptr<ntuple::Network>, std::shared_ptr<Solo>, ArrayEvaluator, PythonStates, PythonBearoff,
                 pybind11::function>;

void DefineEvaluators(pybind11::module_& module);
void DefineTrainers(pybind11::module_& module);
void DefineSolvers(pybind11::module_& module);

}  // namespace starspiel
