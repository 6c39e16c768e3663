// The values of a graph's positions: what agents/solve/values.py and times.py compute on arrays.
#pragma once

#include "graph.hpp"

namespace starspiel {

struct GraphValues {
  std::vector<double> values;  // to go, of player 0
  std::vector<double> times;   // as in agents/solve/times.py; empty if they are not that simple
  double residual = 0.0;       // the greatest error of a value's equation
  double change = 0.0;         // of the last sweep, if values do not converge; otherwise 0
};

// Of a game for one player or a zero-sum one for two, whose positions are all listed.
GraphValues ValuesOf(const Graph& graph, const Tell& tell);

}  // namespace starspiel
