#include "trainer.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

namespace starspiel {
namespace {

constexpr int kMostUnits = 65536;

}  // namespace

Layers RandomLayers(int inputs, const std::vector<int>& hidden, std::uint64_t seed) {
  if (hidden.empty()) throw std::invalid_argument("expected the sizes of one hidden layer or more");
  for (int size : hidden) {
    if (size < 1 || size > kMostUnits) {
      throw std::invalid_argument("expected hidden layers of 1 to " + std::to_string(kMostUnits) + " units, got " +
                                  std::to_string(size));
    }
  }
  Layers layers;
  layers.sizes.push_back(inputs);
  layers.sizes.insert(layers.sizes.end(), hidden.begin(), hidden.end());
  layers.sizes.push_back(1);
  std::mt19937_64 random(seed);
  for (std::size_t k = 0; k + 1 < layers.sizes.size(); ++k) {
    // About 32 inputs of a first layer are not zero.
    const double width = k == 0 ? std::sqrt(2.0 / 32) : std::sqrt(2.0 / layers.sizes[k]);
    std::normal_distribution<float> normal(0.0f, static_cast<float>(k + 2 < layers.sizes.size() ? width : 0.1 * width));
    Aligned<float> weights(static_cast<std::size_t>(layers.sizes[k]) * layers.sizes[k + 1]);
    for (float& weight : weights) weight = normal(random);
    layers.weights.push_back(std::move(weights));
    layers.biases.emplace_back(static_cast<std::size_t>(layers.sizes[k + 1]), 0.0f);
  }
  return layers;
}

void Training::Check() const {
  if (!std::isfinite(rate) || rate <= 0.0) throw std::invalid_argument("expected a rate above 0");
  if (!(lambda >= 0.0 && lambda <= 1.0)) throw std::invalid_argument("expected lambda from 0 to 1");
  if (!(explore >= 0.0 && explore <= 1.0)) throw std::invalid_argument("expected explore from 0 to 1");
  if (!(heuristic >= 0.0 && heuristic <= 1.0)) throw std::invalid_argument("expected the heuristic's weight from 0 to 1");
  if (!(draws >= 0.0 && draws <= 1.0)) throw std::invalid_argument("expected what draws are worth from 0 to 1");
  if (threads < 1 || threads > 1024) throw std::invalid_argument("expected 1 to 1024 threads");
  if (games < 0 || !std::isfinite(seconds) || seconds < 0.0 || (games == 0 && seconds == 0.0)) {
    throw std::invalid_argument("expected how many games or seconds to train for");
  }
}

}  // namespace starspiel
