// Calls Python functions of states, which are given by their paths.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include "rules/position.hpp"

namespace starspiel {

// Calls a Python function on states. The states on the path from the root are cached, so neighbouring leaves share
// their common prefix; the function owns the state it receives. Use only with the GIL released.
class PathCaller {
 public:
  explicit PathCaller(pybind11::function function) : function_(std::move(function)) {}

  void Start(const Given& root) {
    pybind11::gil_scoped_acquire gil;
    states_.assign(
        1, pybind11::reinterpret_borrow<pybind11::object>(static_cast<PyObject*>(const_cast<void*>(root.python))));
    made_.clear();
  }

  template <class Value>
  Value Call(const std::vector<int>& path) {
    pybind11::gil_scoped_acquire gil;
    return function_(StateAt(path)).cast<Value>();
  }

  // The same for many paths; the function receives their states as a list.
  template <class Value>
  std::vector<Value> Many(const std::vector<std::vector<int>>& paths) {
    pybind11::gil_scoped_acquire gil;
    pybind11::list states;
    for (const std::vector<int>& path : paths) states.append(StateAt(path));
    return function_(states).cast<std::vector<Value>>();
  }

 private:
  // The state at the end of a path, owned by the caller.
  pybind11::object StateAt(const std::vector<int>& path) {
    std::size_t same = 0;
    while (same < made_.size() && same < path.size() && made_[same] == path[same]) ++same;
    states_.resize(same + 1);
    made_.resize(same);
    for (std::size_t i = same; i < path.size(); ++i) {
      states_.push_back(states_.back().attr("child")(path[i]));
      made_.push_back(path[i]);
    }
    if (path.empty()) {
      const pybind11::object root = states_.back();  // OpenSpiel's states are mutable
      return pybind11::hasattr(root, "clone") ? root.attr("clone")() : root;
    }
    pybind11::object state = std::move(states_.back());
    states_.pop_back();
    made_.pop_back();
    return state;
  }

  pybind11::function function_;
  std::vector<pybind11::object> states_;
  std::vector<int> made_;
};

}  // namespace starspiel
