#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

// The loops below are compiled for what the machine has; none adds up in another order, so all give the same numbers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STARSPIEL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STARSPIEL_CLONES
#endif

namespace starspiel {
namespace {

constexpr float kScale = 262144.0f;  // 2^18

// The greatest weight of a count in the first layer: sums of whole numbers then have room for eight such.
constexpr double kMost = 1000.0;

// Sums beyond 32 bits wrap around, as those of NumPy do.
STARSPIEL_CLONES void AddRow(const std::int32_t* __restrict row, std::int32_t count, int out,
                             std::int32_t* __restrict sums) {
  const auto times = static_cast<std::uint32_t>(count);
  for (int j = 0; j < out; ++j) {
    sums[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) +
                                        times * static_cast<std::uint32_t>(row[j]));
  }
}

STARSPIEL_CLONES void ToFloats(const std::int32_t* __restrict sums, int count, float* __restrict values) {
  for (int j = 0; j < count; ++j) {
    const float value = static_cast<float>(sums[j]) * (1.0f / kScale);
    values[j] = value > 0.0f ? value : kLeak * value;
  }
}

}  // namespace

STARSPIEL_CLONES void Affine(const float* __restrict inputs, int in, const float* __restrict weights,
                             const float* __restrict bias, int out, float* __restrict outputs) {
  if (out == 1) {
    // Eight sums side by side, added up at the end in a fixed order.
    float sums[8] = {};
    int i = 0;
    for (; i + 8 <= in; i += 8) {
      for (int lane = 0; lane < 8; ++lane) sums[lane] += inputs[i + lane] * weights[i + lane];
    }
    float sum = bias[0];
    for (float part : sums) sum += part;
    for (; i < in; ++i) sum += inputs[i] * weights[i];
    outputs[0] = sum;
    return;
  }
  for (int j = 0; j < out; ++j) outputs[j] = bias[j];
  for (int i = 0; i < in; ++i) {
    const float x = inputs[i];
    const float* row = weights + static_cast<std::ptrdiff_t>(i) * out;
    for (int j = 0; j < out; ++j) outputs[j] += x * row[j];
  }
}

STARSPIEL_CLONES void LeakyRelu(float* values, int count) {
  for (int j = 0; j < count; ++j) values[j] = values[j] > 0.0f ? values[j] : kLeak * values[j];
}

float Sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

void Layers::Check() const {
  if (sizes.size() < 3 || sizes.back() != 1) throw std::invalid_argument("a network has a hidden layer or more, and one output");
  if (weights.size() + 1 != sizes.size() || biases.size() + 1 != sizes.size()) {
    throw std::invalid_argument("expected weights and biases for every layer");
  }
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    if (sizes[k] < 1 || weights[k].size() != static_cast<std::size_t>(sizes[k]) * sizes[k + 1] ||
        biases[k].size() != static_cast<std::size_t>(sizes[k + 1])) {
      throw std::invalid_argument("layer " + std::to_string(k) + " does not have as many weights as its sizes say");
    }
    const auto finite = [](float weight) { return std::isfinite(weight); };
    if (!std::all_of(weights[k].begin(), weights[k].end(), finite) ||
        !std::all_of(biases[k].begin(), biases[k].end(), finite)) {
      throw std::invalid_argument("expected finite weights in layer " + std::to_string(k));
    }
  }
}

Network::Network(Layers layers, const std::vector<float>& units) : layers_(std::move(layers)) {
  layers_.Check();
  if (units.size() != static_cast<std::size_t>(inputs())) throw std::invalid_argument("expected a unit for each input");
  const auto whole = [](double value) {
    if (std::abs(value) > kMost) throw std::invalid_argument("expected weights of the first layer within 1,000");
    return static_cast<std::int32_t>(std::lrint(value * kScale));
  };
  const int out = first();
  first_weights_.resize(layers_.weights[0].size());
  for (std::size_t i = 0; i < first_weights_.size(); ++i) {
    first_weights_[i] = whole(static_cast<double>(layers_.weights[0][i]) * units[i / static_cast<std::size_t>(out)]);
  }
  for (float bias : layers_.biases[0]) first_bias_.push_back(whole(bias));
  for (std::size_t k = 1; k < layers_.sizes.size(); ++k) scratch_size_ += layers_.sizes[k];
}

void Network::Sum(const Features& features, std::int32_t* sums) const {
  const int out = first();
  std::copy(first_bias_.begin(), first_bias_.end(), sums);
  for (const Feature& feature : features) {
    AddRow(first_weights_.data() + static_cast<std::ptrdiff_t>(feature.input) * out, feature.count, out, sums);
  }
}

void Network::Change(const Features& from, const Features& to, std::int32_t* sums) const {
  const int out = first();
  const auto add = [&](int input, int count) {
    AddRow(first_weights_.data() + static_cast<std::ptrdiff_t>(input) * out, count, out, sums);
  };
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    if (j == to.size() || (i < from.size() && from[i].input < to[j].input)) {
      add(from[i].input, -from[i].count);
      ++i;
    } else if (i == from.size() || to[j].input < from[i].input) {
      add(to[j].input, to[j].count);
      ++j;
    } else {
      if (from[i].count != to[j].count) add(to[j].input, to[j].count - from[i].count);
      ++i, ++j;
    }
  }
}

float Network::Output(const std::int32_t* sums, float* scratch) const {
  const auto& sizes = layers_.sizes;
  ToFloats(sums, sizes[1], scratch);
  for (std::size_t k = 1; k + 1 < sizes.size(); ++k) {
    float* next = scratch + sizes[k];
    Affine(scratch, sizes[k], layers_.weights[k].data(), layers_.biases[k].data(), sizes[k + 1], next);
    if (k + 2 < sizes.size()) LeakyRelu(next, sizes[k + 1]);
    scratch = next;
  }
  return Sigmoid(*scratch);
}

}  // namespace starspiel
