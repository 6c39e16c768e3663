// A network in training, with its arithmetic.
#pragma once

#include "adam.hpp"

namespace starspiel {

// The weights being trained, and their arithmetic. Inputs are multiplied by their units here rather than in the
// weights. Members that Network has too mean the same.
class Learner {
 public:
  using Number = float;
  using Wide = float;
  static constexpr bool kLasting = false;

  Learner(Layers layers, std::vector<float> units) : layers_(std::move(layers)), units_(std::move(units)) {
    layers_.Check();
    size_ = static_cast<std::size_t>(layers_.units());
  }

  const Layers& layers() const { return layers_; }
  // Replaces the weights by others of the same sizes.
  void Set(Layers layers) {
    layers.Check();
    if (layers.sizes != layers_.sizes) throw std::invalid_argument("the layers are of other sizes");
    layers_ = std::move(layers);
  }

  bool Fits(const Rows&) const { return true; }
  void Sum(std::span<const Feature> features, Number* sums) const { Add(layers_.biases[0].data(), features, sums); }
  void Add(std::span<const Feature> changes, Number* sums) const { Add(sums, changes, sums); }
  void Activate(const Number* sums, float* values) const { LeakyRelu(sums, layers_.first(), values); }

  // Adds the changes of these weights since `before` to those of `other`, and adopts the result.
  void Exchange(Layers& before, Learner& other) {
    for (std::size_t k = 0; k < layers_.weights.size(); ++k) {
      Exchange(before.weights[k], layers_.weights[k], other.layers_.weights[k]);
      Exchange(before.biases[k], layers_.biases[k], other.layers_.biases[k]);
    }
  }

  // One thread's buffers for a forward and backward pass.
  struct Pass {
    Aligned<float> values;  // outputs of all layers, after the ReLU
    Aligned<float> deltas;
    std::array<float, kMostOutputs> shares;
  };
  Pass MakePass() const { return {Aligned<float>(size_), Aligned<float>(size_), {}}; }

  // The outputs for a position, stored in the pass.
  const float* SharesOf(std::span<const Feature> features, Pass& pass) const {
    Sum(features, pass.values.data());
    Activate(pass.values.data(), pass.values.data());
    Outputs(layers_, pass.values.data(), 1, pass.shares.data());
    return pass.shares.data();
  }

  // Adds the negative gradient of the outputs' cross-entropy against `targets` to `to`, which has the sizes of the
  // layers; returns the squared error.
  float Descend(std::span<const Feature> features, const Shares& targets, Pass& pass, Layers& to) const {
    const float* shares = SharesOf(features, pass);
    const std::size_t last = layers_.sizes.size() - 1;
    std::size_t end = size_ - static_cast<std::size_t>(layers_.outputs());  // where the output layer's values begin
    float squared_error = 0.0f;
    for (int k = 0; k < layers_.outputs(); ++k) {
      const float error = shares[k] - static_cast<float>(targets.of[k]);
      pass.deltas[end + static_cast<std::size_t>(k)] = error;
      squared_error += error * error;
    }
    for (std::size_t k = last - 1; k >= 1; --k) {
      const int in = layers_.sizes[k], out = layers_.sizes[k + 1];
      const std::size_t begin = end - static_cast<std::size_t>(in);
      BackLayer(pass.values.data() + begin, in, layers_.weights[k].data(), out, pass.deltas.data() + end,
                pass.deltas.data() + begin, to.weights[k].data());
      Axpy(-1.0f, pass.deltas.data() + end, out, to.biases[k].data());
      end = begin;
    }
    const int out = layers_.first();
    Axpy(-1.0f, pass.deltas.data(), out, to.biases[0].data());
    for (const Feature& f : features) {
      Axpy(-static_cast<float>(f.count) * units_[f.input], pass.deltas.data(), out,
           to.weights[0].data() + static_cast<std::ptrdiff_t>(f.input) * out);
    }
    return squared_error;
  }
  void Step(Adam& adam, float rate, int positions) { adam.Step(rate, positions, layers_); }

 private:
  void Add(const Number* from, std::span<const Feature> changes, Number* sums) const {
    thread_local std::vector<Times<Number>> rows;
    rows.clear();
    for (const Feature& f : changes) {
      rows.push_back({static_cast<float>(f.count) * units_[f.input],
                      layers_.weights[0].data() + static_cast<std::ptrdiff_t>(f.input) * layers_.first()});
    }
    AddRows(from, rows, layers_.first(), sums);
  }
  static void Exchange(Aligned<float>& before, Aligned<float>& own, Aligned<float>& all) {
    for (std::size_t i = 0; i < own.size(); ++i) before[i] = own[i] = all[i] += own[i] - before[i];
  }

  // Computes a layer's input deltas from its output deltas, and adds the negative gradient of its weights to `to`.
  static void BackLayer(const float* inputs, int in, const float* weights, int out, const float* deltas,
                        float* input_deltas, float* to) {
    for (int i = 0; i < in; ++i, weights += out, to += out) {
      float back = 0.0f;
      Affine(deltas, 1, out, weights, &back, 1, &back);
      Axpy(-inputs[i], deltas, out, to);
      input_deltas[i] = inputs[i] > 0.0f ? back : kLeak * back;
    }
  }

  Layers layers_;
  std::vector<float> units_;
  std::size_t size_ = 0;
};

}  // namespace starspiel
