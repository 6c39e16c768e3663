// The loops in which networks spend their time, compiled for registers of each width and run by the machine's widest.
//
// None adds up in another order than another: the numbers are the same for one row as for many, on every machine.
#pragma once

#include "standard.hpp"

namespace starspiel {

// Memory that begins where the widest registers' loads touch one line of it, and not two.
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

// How many numbers are computed side by side: 4, 8 or 16. No result depends on it.
int Lanes();
// Takes fewer than the machine has, for comparisons. Throws std::invalid_argument for what it has not.
void UseLanes(int count);

// The slope of a hidden unit below zero.
inline constexpr float kLeak = 0.01f;

// A row of weights, and how many times it counts.
template <class Number>
struct Times {
  Number count;
  const Number* row;
};

// to = from + the rows times their counts, in their order; the two may stand in the same place. Sums of whole numbers
// wrap around on the way. Those of 64 bits are for networks whose sums may not fit into 32, and slower.
void AddRows(const std::int32_t* from, std::span<const Times<std::int32_t>> rows, int out, std::int32_t* to);
void AddRows(const float* from, std::span<const Times<float>> rows, int out, float* to);
void AddRows(const std::int64_t* from, std::span<const Times<std::int32_t>> rows, int out, std::int64_t* to);
// values = leaky ReLU of sums, or of sums * unit. They may stand in the same place.
void Activate(const std::int32_t* sums, int count, float unit, float* values);
void Activate(const std::int64_t* sums, int count, float unit, float* values);
void LeakyRelu(const float* sums, int count, float* values);

// For each of `rows` rows, one after the other: outputs = bias + inputs * weights.
void Affine(const float* inputs, int rows, int in, const float* weights, const float* bias, int out, float* outputs);

// Of a step of Adam: how much each slope counts, the size of the step, and what the mean squares are multiplied by.
struct AdamRates {
  static constexpr float kMean = 0.9f, kSquare = 0.999f, kLeast = 1e-8f;
  float part, step, square;
};
// Takes slopes into their means and mean squares, moves the weights by these, and clears the slopes.
void AdamStep(const AdamRates& rates, int count, float* slopes, float* means, float* squares, float* weights);
// y += factor * x.
void Axpy(float factor, const float* x, int count, float* y);

}  // namespace starspiel
