// A small multilayer perceptron: leaky ReLU between the layers, one output, squashed by a sigmoid.
//
// Its output is the share of what can be won that the player about to act expects: 0 the least utility, 1 the
// greatest. Equal to agents/evaluators/network.py within 1e-5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
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
  // What the first layer's sums are: here whole numbers of 1 / 2^18. Wide ones hold every sum.
  using Number = std::int32_t;
  using Wide = std::int64_t;
  // Whether sums that were found once are those of the same weights for good, to the last bit.
  static constexpr bool kLasting = true;

  // `units`: the encoder's, which the first layer takes up.
  Network(Layers layers, const std::vector<float>& units);

  const Layers& layers() const { return layers_; }
  int inputs() const { return layers_.inputs(); }

  // Whether all sums fit into a Number, with counts up to the encoder's.
  template <class Encoder>
  bool Fits(const Encoder& encoder) const {
    std::int64_t most = greatest_bias_;
    for (int input = 0; input < inputs(); ++input) most += std::int64_t{greatest_[input]} * encoder.Most(input);
    return most <= std::numeric_limits<Number>::max();
  }

  // The first layer's sums.
  template <class Sums>
  void Sum(std::span<const Feature> features, Sums* sums) const {
    if constexpr (std::is_same_v<Sums, Number>) {
      AddRows(first_bias_.data(), RowsOf(features), layers_.first(), sums);
    } else {
      std::copy(first_bias_.begin(), first_bias_.end(), sums);
      Add(features, sums);
    }
  }
  // Brings sums to another position, by what every input has gained.
  template <class Sums>
  void Add(std::span<const Feature> changes, Sums* sums) const {
    AddRows(sums, RowsOf(changes), layers_.first(), sums);
  }
  // The first hidden layer's values.
  void Activate(const Number* sums, float* values) const;
  void Activate(const Wide* sums, float* values) const;

 private:
  // The weights of inputs, and by how much each counts; good until the thread's next call.
  std::span<const Times<Number>> RowsOf(std::span<const Feature> changes) const;

  Layers layers_;
  Aligned<Number> first_weights_;
  Aligned<Number> first_bias_;
  std::vector<Number> greatest_;  // by input, the size of its greatest weight
  Number greatest_bias_ = 0;
};

}  // namespace starspiel
