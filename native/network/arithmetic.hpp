// The loops in which networks spend their time, compiled for each register width; the machine's widest is used.
//
// All add up in the same order: the results are the same for one row as for many, on every machine.
#pragma once

#include "standard.hpp"

namespace starspiel {

// Allocates memory aligned to cache lines, so that the widest registers' loads never touch two lines.
template <class Number>
struct AlignedAllocator {
  using value_type = Number;
  static constexpr std::align_val_t kLine{64};

  AlignedAllocator() = default;
  template <class Other>
  AlignedAllocator(const AlignedAllocator<Other>&) {}

  Number* allocate(std::size_t count) { return static_cast<Number*>(::operator new(count * sizeof(Number), kLine)); }
  void deallocate(Number* data, std::size_t) { ::operator delete(data, kLine); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class Number>
using Aligned = std::vector<Number, AlignedAllocator<Number>>;

// The number of numbers computed in parallel: 4, 8 or 16. No result depends on it.
int Lanes();
// Uses fewer lanes, for comparisons. Throws std::invalid_argument if the machine does not support `count`.
void UseLanes(int count);

// The slope of hidden units below zero.
inline constexpr float kLeak = 0.01f;

// A row of weights and its multiplier.
template <class Number>
struct Times {
  Number count;
  const Number* row;
};

// to = from + the sum of the rows times their counts, in order; `from` and `to` may be the same. Integer sums may wrap
// around on the way. The 64-bit version is for networks whose sums may overflow 32 bits; it is slower.
void AddRows(const std::int32_t* from, std::span<const Times<std::int32_t>> rows, int out, std::int32_t* to);
void AddRows(const float* from, std::span<const Times<float>> rows, int out, float* to);
void AddRows(const std::int64_t* from, std::span<const Times<std::int32_t>> rows, int out, std::int64_t* to);
// values = leaky ReLU of sums, or of sums * unit. `values` may alias `sums`.
void Activate(const std::int32_t* sums, int count, float unit, float* values);
void Activate(const std::int64_t* sums, int count, float unit, float* values);
void LeakyRelu(const float* sums, int count, float* values);

// For each of `rows` rows, stored one after the other: outputs = bias + inputs * weights.
void Affine(const float* inputs, int rows, int in, const float* weights, const float* bias, int out, float* outputs);

// The factors of an Adam step: for each gradient, for the mean gradients (the step size), and for the mean squares.
struct AdamRates {
  static constexpr float kMean = 0.9f, kSquare = 0.999f, kLeast = 1e-8f;
  float part, step, square;
};
// Updates the means and mean squares from the gradients in `slopes`, moves the weights by them, and clears `slopes`.
void AdamStep(const AdamRates& rates, int count, float* slopes, float* means, float* squares, float* weights);
// y += factor * x.
void Axpy(float factor, const float* x, int count, float* y);

}  // namespace starspiel
