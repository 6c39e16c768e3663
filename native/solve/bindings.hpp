// What the Python module gets of games that are solved whole.
#pragma once

#include <pybind11/pybind11.h>

namespace starspiel {
void DefineSolvers(pybind11::module_& module);
}
