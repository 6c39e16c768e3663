// A small multilayer perceptron: leaky ReLU between the layers, one output, squashed by a sigmoid.
//
// Its output is the share of what can be won that the player about to act expects: 0 the least utility, 1 the
// greatest. Equal to agents/evaluators/network.py within 1e-5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arithmetic.hpp"
#include "features.hpp"

namespace starspiel {

// Weights as they are trained and stored: layer k has sizes[k] inputs and sizes[k + 1] outputs, and the weight from
// input i to output j is weights[k][i * sizes[k + 1] + j].
struct Layers {
  std::vector<int> sizes;
  std::vector<Aligned<float>> weights;
  std::vector<Aligned<float>> biases;

  int inputs() const { return sizes.front(); }
  // The units of the first hidden layer.
  int first() const { return sizes[1]; }
  // The units of all layers after the inputs.
  int units() const;
  // Throws std::invalid_argument where the sizes and the numbers of weights do not fit, or one is not finite.
  void Check() const;
};

float Sigmoid(float x);

// The outputs, in (0, 1), for the first hidden layer's `values` of `rows` positions, one after the other. Behind them is
// room for the layers after it, of as many.
void Outputs(const Layers& layers, float* values, int rows, float* outputs);

// The arithmetic of a network in play. Learner (self_play.hpp) is that of one in training, with the same members.
class Network {
 public:
  // What the first layer's sums are: here whole numbers of 1 / 2^18.
  using Number = std::int32_t;
  // Whether sums that were found once are those of the same weights for good, to the last bit.
  static constexpr bool kLasting = true;

  // `units`: the encoder's, which the first layer takes up.
  Network(Layers layers, const std::vector<float>& units);

  const Layers& layers() const { return layers_; }
  int inputs() const { return layers_.inputs(); }

  // The first layer's sums.
  void Sum(std::span<const Feature> features, Number* sums) const;
  // Brings sums to another position, by what every input has gained.
  void Add(std::span<const Feature> changes, Number* sums) const;
  // The first hidden layer's values.
  void Activate(const Number* sums, float* values) const;

 private:
  void Add(const Number* from, std::span<const Feature> changes, Number* sums) const;

  Layers layers_;
  Aligned<Number> first_weights_;
  Aligned<Number> first_bias_;
};

}  // namespace starspiel
