// What the files share that put the core into the Python module.
#pragma once

#include <pybind11/pybind11.h>

#include "rules/position.hpp"

namespace starspiel {

// A position of rules with the state that Python has of it, for evaluators that are written in Python.
struct PythonPosition : RulesPosition {
  pybind11::object state;
};

// What a search starts from, lent by Python: a pyspiel state or a position of rules.
Given Give(pybind11::handle state);

// Throws what a signal handler of Python's throws (Ctrl-C). Takes the GIL.
void CheckSignals();

// Whether a game and those it wraps are written in C++. One written in Python needs the GIL at every call.
bool IsNative(const open_spiel::Game& game);

void DefineEvaluators(pybind11::module_& module);
void DefineTrainers(pybind11::module_& module);
void DefineUCT(pybind11::module_& module);

}  // namespace starspiel
