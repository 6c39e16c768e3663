// Adam (Kingma and Ba 2015): steps by mean gradients, scaled up where these are small.
#pragma once

#include "network.hpp"

namespace starspiel {

class Adam {
 public:
  explicit Adam(const Layers& layers) : slopes_(Zeros(layers)), means_(slopes_), squares_(slopes_) {}

  // Where gradients accumulate, with the sign of steps that lower the error.
  Layers& slopes() { return slopes_; }

  // Updates the weights by the accumulated gradients of `count` positions, and clears these.
  void Step(float rate, int count, Layers& weights) {
    mean_ *= AdamRates::kMean;
    square_ *= AdamRates::kSquare;
    const AdamRates rates{1.0f / static_cast<float>(count), rate / (1.0f - mean_), 1.0f / (1.0f - square_)};
    for (std::size_t k = 0; k < weights.weights.size(); ++k) {
      Step(rates, slopes_.weights[k], means_.weights[k], squares_.weights[k], weights.weights[k]);
      Step(rates, slopes_.biases[k], means_.biases[k], squares_.biases[k], weights.biases[k]);
    }
  }

 private:
  static Layers Zeros(Layers layers) {
    for (auto& weights : layers.weights) std::fill(weights.begin(), weights.end(), 0.0f);
    for (auto& biases : layers.biases) std::fill(biases.begin(), biases.end(), 0.0f);
    return layers;
  }
  static void Step(const AdamRates& rates, Aligned<float>& slopes, Aligned<float>& means, Aligned<float>& squares,
                   Aligned<float>& weights) {
    AdamStep(rates, static_cast<int>(weights.size()), slopes.data(), means.data(), squares.data(), weights.data());
  }

  Layers slopes_, means_, squares_;
  float mean_ = 1.0f, square_ = 1.0f;  // the share of the initial zeros in means_ and squares_
};

}  // namespace starspiel
