// What the Python module gets of networks and their training.
#pragma once

#include <pybind11/pybind11.h>

namespace starspiel {
void DefineNetworks(pybind11::module_& module);
}
