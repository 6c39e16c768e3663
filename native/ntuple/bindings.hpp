// What the Python module gets of n-tuple networks and their training.
#pragma once

#include <pybind11/pybind11.h>

namespace starspiel {
void DefineNTuples(pybind11::module_& module);
}
