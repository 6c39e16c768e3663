// The C++ states behind pyspiel's, and positions of rules as Python hands them over.
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string_view>
#include <typeinfo>

#include "open_spiel/spiel.h"
#include "rules/position.hpp"

namespace starspiel {

// The C++ state behind a pyspiel state, lent by pyspiel's own pybind11 whatever its version.
inline const open_spiel::State& Borrow(pybind11::handle state) {
  const auto* lent = state.cast<const open_spiel::State*>();
  if (lent == nullptr) throw std::invalid_argument("expected a pyspiel.State, got None");
  return *lent;
}

// A position of rules with the state that Python has of it, for evaluators that are written in Python.
struct PythonPosition : RulesPosition {
  pybind11::object state;
};

// What a search starts from, lent by Python: a pyspiel state or a position of rules.
inline Given Give(pybind11::handle state) {
  if (pybind11::isinstance<PythonPosition>(state)) return &state.cast<const PythonPosition&>();
  return &Borrow(state);
}

// Python's own state of it.
inline pybind11::object PythonState(const pybind11::object& state) {
  return pybind11::isinstance<PythonPosition>(state) ? state.cast<const PythonPosition&>().state : state;
}

// Whether a game and those it wraps are written in C++. One written in Python needs the GIL at every call.
inline bool IsNative(const open_spiel::Game& game) {
  const auto state = game.NewInitialState();
  const open_spiel::State& dynamic = *state;
  if (std::string_view(typeid(dynamic).name()).find("PyState") != std::string_view::npos) return false;
  for (const auto& [name, parameter] : game.GetParameters()) {
    if (parameter.has_game_value() && !IsNative(*open_spiel::LoadGame(parameter.game_value()))) return false;
  }
  return true;
}

}  // namespace starspiel
