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
  std::vector<std::vector<float>> weights;
  std::vector<std::vector<float>> biases;

  int inputs() const { return sizes.front(); }
  // Throws std::invalid_argument where the sizes and the numbers of weights do not fit, or one is not finite.
  void Check() const;
};

float Sigmoid(float x);

class Network {
 public:
  // `units`: the encoder's, which the first layer takes up.
  Network(Layers layers, const std::vector<float>& units);

  int inputs() const { return layers_.inputs(); }
  // The units of the first hidden layer.
  int first() const { return layers_.sizes[1]; }

  // The first layer's sums, in whole numbers of 1 / 2^18.
  void Sum(const Features& features, std::int32_t* sums) const;
  // The sums of `to` from those of `from`, which are `known`; they may be written over.
  void Change(const Features& from, const std::int32_t* known, const Features& to, std::int32_t* sums) const;
  // The outputs, in (0, 1), for the sums of `rows` positions, one after the other. `scratch` holds at least
  // rows * scratch_size() floats.
  void Outputs(const std::int32_t* sums, int rows, float* scratch, float* outputs) const;
  int scratch_size() const { return scratch_size_; }

 private:
  using Rows = std::vector<Times<std::int32_t>>;
  Times<std::int32_t> Row(int input, int count) const {
    return {count, first_weights_.data() + static_cast<std::ptrdiff_t>(input) * first()};
  }

  Layers layers_;
  std::vector<std::int32_t> first_weights_;
  std::vector<std::int32_t> first_bias_;
  int scratch_size_ = 0;
};

}  // namespace starspiel
