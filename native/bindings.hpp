// Declarations shared by the files that bind the core to Python.
#pragma once

#include <pybind11/pybind11.h>

#include "rules/position.hpp"

namespace starspiel {

// A position of a rules model with its Python state, for evaluators written in Python.
struct PythonPosition : RulesPosition {
  pybind11::object state;
};

// The start of a search, borrowed from Python: a pyspiel state or a position of a rules model.
Given Give(pybind11::handle state);

// Rethrows the exception of a Python signal handler (Ctrl-C). Acquires the GIL.
void CheckSignals();

// True if a game and the games it wraps are written in C++. A game written in Python needs the GIL at every call.
bool IsNative(const open_spiel::Game& game);

void DefineEvaluators(pybind11::module_& module);
void DefineTrainers(pybind11::module_& module);
void DefineUCT(pybind11::module_& module);

}  // namespace starspiel
