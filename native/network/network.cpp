#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace starspiel {
namespace {

constexpr float kScale = 262144.0f;  // 2^18

// The greatest weight of a count in the first layer, which 32 bits hold.
constexpr double kMost = 1000.0;

}  // namespace

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

int Layers::units() const { return std::accumulate(sizes.begin() + 1, sizes.end(), 0); }

void Outputs(const Layers& layers, float* values, int rows, float* outputs) {
  const auto& sizes = layers.sizes;
  for (std::size_t k = 1; k + 1 < sizes.size(); ++k) {
    float* next = values + static_cast<std::ptrdiff_t>(rows) * sizes[k];
    Affine(values, rows, sizes[k], layers.weights[k].data(), layers.biases[k].data(), sizes[k + 1], next);
    if (k + 2 < sizes.size()) LeakyRelu(next, rows * sizes[k + 1], next);
    values = next;
  }
  for (int r = 0; r < rows; ++r) outputs[r] = Sigmoid(values[r]);
}

Network::Network(Layers layers, const std::vector<float>& units) : layers_(std::move(layers)) {
  layers_.Check();
  if (units.size() != static_cast<std::size_t>(inputs())) throw std::invalid_argument("expected a unit for each input");
  const auto whole = [](double value) {
    if (std::abs(value) > kMost) throw std::invalid_argument("expected weights of the first layer within 1,000");
    return static_cast<std::int32_t>(std::lrint(value * kScale));
  };
  const int out = layers_.first();
  first_weights_.resize(layers_.weights[0].size());
  for (std::size_t i = 0; i < first_weights_.size(); ++i) {
    first_weights_[i] = whole(static_cast<double>(layers_.weights[0][i]) * units[i / static_cast<std::size_t>(out)]);
  }
  for (float bias : layers_.biases[0]) first_bias_.push_back(whole(bias));
  const auto greatest = [](auto begin, auto end) {
    return std::abs(*std::max_element(begin, end, [](Number a, Number b) { return std::abs(a) < std::abs(b); }));
  };
  greatest_bias_ = greatest(first_bias_.begin(), first_bias_.end());
  for (auto row = first_weights_.begin(); row != first_weights_.end(); row += out) {
    greatest_.push_back(greatest(row, row + out));
  }
}

std::span<const Times<Network::Number>> Network::RowsOf(std::span<const Feature> changes) const {
  thread_local std::vector<Times<Number>> rows;
  rows.clear();
  for (const Feature& change : changes) {
    rows.push_back({change.count, first_weights_.data() + static_cast<std::ptrdiff_t>(change.input) * layers_.first()});
  }
  return rows;
}

void Network::Activate(const Number* sums, float* values) const {
  starspiel::Activate(sums, layers_.first(), 1.0f / kScale, values);
}

void Network::Activate(const Wide* sums, float* values) const {
  starspiel::Activate(sums, layers_.first(), 1.0f / kScale, values);
}

}  // namespace starspiel
