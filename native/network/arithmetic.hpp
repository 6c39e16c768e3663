// The loops in which networks spend their time, compiled for what the machine has.
//
// None adds up in another order than another: the numbers are the same for one row as for many, on every machine.
#pragma once

#include <cstdint>
#include <span>

namespace starspiel {

// The slope of a hidden unit below zero.
inline constexpr float kLeak = 0.01f;

// A row of weights, and how many times it counts.
template <class Number>
struct Times {
  Number count;
  const Number* row;
};

// to = from + the rows times their counts, in their order; the two may stand in the same place. Sums of whole numbers wrap around, as those of NumPy do.
void AddRows(const std::int32_t* from, std::span<const Times<std::int32_t>> rows, int out, std::int32_t* to);
void AddRows(const float* from, std::span<const Times<float>> rows, int out, float* to);
// values = leaky ReLU of sums, or of sums * unit. They may stand in the same place.
void Activate(const std::int32_t* sums, int count, float unit, float* values);
void LeakyRelu(const float* sums, int count, float* values);

// For each of `rows` rows, one after the other: outputs = bias + inputs * weights.
void Affine(const float* inputs, int rows, int in, const float* weights, const float* bias, int out, float* outputs);

// y += factor * x.
void Axpy(float factor, const float* x, int count, float* y);
// The dot product of deltas and row, and row -= step * deltas.
float DotStep(const float* deltas, float* row, int count, float step);

}  // namespace starspiel
