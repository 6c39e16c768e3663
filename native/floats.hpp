// Converts a network's layers from NumPy arrays.
#pragma once

#include <pybind11/numpy.h>
#include "network/network.hpp"

namespace starspiel {

using Floats = pybind11::array_t<float, pybind11::array::c_style | pybind11::array::forcecast>;

inline Layers FromArrays(const std::vector<std::pair<Floats, Floats>>& arrays) {
  Layers layers;
  for (const auto& [weights, bias] : arrays) {
    if (weights.ndim() != 2 || bias.ndim() != 1)
      throw std::invalid_argument("expected (inputs, outputs) weights and a bias");
    if (layers.sizes.empty()) layers.sizes.push_back(static_cast<int>(weights.shape(0)));
    layers.sizes.push_back(static_cast<int>(weights.shape(1)));
    layers.weights.emplace_back(weights.data(), weights.data() + weights.size());
    layers.biases.emplace_back(bias.data(), bias.data() + bias.size());
  }
  layers.Check();
  return layers;
}

}  // namespace starspiel
