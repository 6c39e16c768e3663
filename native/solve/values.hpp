// The values of a graph's positions, as agents/solve/values.py and times.py compute them on arrays.
#pragma once

#include "graph.hpp"

namespace starspiel {

struct GraphValues {
  std::vector<double> values;  // still to come, to player 0
  std::vector<double> times;   // as in agents/solve/times.py; empty if they do not converge
  double residual = 0.0;       // the greatest error in the equation of a value
  double change = 0.0;         // in the last sweep, if the values do not converge; otherwise 0
};

// For one-player games or two-player zero-sum games whose positions are all listed.
GraphValues ValuesOf(const Graph& graph, const Tell& tell);

}  // namespace starspiel
