#include "arithmetic.hpp"

#define STARSPIEL_INLINE inline __attribute__((always_inline))

namespace starspiel {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STARSPIEL_WIDTHS
int Widest() { return __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("avx2") ? 8 : 4; }
#else
int Widest() { return 4; }
#endif

// The number of floats in the machine's widest registers: wider vectors would be split up through memory, an order of
// magnitude slower.
int used_lanes = Widest();

// Parallel partial sums of one dot product. Another number of them would change the order of additions.
constexpr int kParts = 8;

template <class Vector>
STARSPIEL_INLINE void Load(Vector& lanes, const void* from) {
  std::memcpy(&lanes, from, sizeof lanes);
}

// The slope is below 1, so the leaky ReLU is the maximum of a number and its multiple. Compilers do not find that.
template <class Number>
STARSPIEL_INLINE void Leaky(Number& value) {
  const Number part = value * kLeak;
  value = value > part ? value : part;
}

// Vectors of four-byte numbers. Vector attributes are lost if they depend on a template parameter.
template <int kLanes>
struct Vectors;

#define STARSPIEL_VECTORS(lanes)                                          \
  template <>                                                             \
  struct Vectors<lanes> {                                                 \
    typedef float Lanes __attribute__((vector_size(4 * lanes)));          \
    typedef std::uint32_t Wholes __attribute__((vector_size(4 * lanes))); \
    typedef std::int32_t Signed __attribute__((vector_size(4 * lanes)));  \
  };
STARSPIEL_VECTORS(4)
STARSPIEL_VECTORS(8)
STARSPIEL_VECTORS(16)

// The loops over vectors of `kLanes` numbers.
template <int kLanes>
struct Kernels {
  using Lanes = typename Vectors<kLanes>::Lanes;
  using Wholes = typename Vectors<kLanes>::Wholes;
  using Signed = typename Vectors<kLanes>::Signed;

  // `Width` vectors of sums, which stay in registers during the loop over the rows.
  template <class Vector, int Width, class Number, class Rows>
  static STARSPIEL_INLINE void SumBlock(const Number* from, const Rows& rows, int at, Number* to) {
    Vector sums[Width];
    for (int w = 0; w < Width; ++w) Load(sums[w], from + at + w * kLanes);
    for (const auto& each : rows) {
      const auto count = static_cast<Number>(each.count);
      for (int w = 0; w < Width; ++w) {
        Vector row;
        Load(row, each.row + at + w * kLanes);
        sums[w] += count * row;
      }
    }
    for (int w = 0; w < Width; ++w) std::memcpy(to + at + w * kLanes, &sums[w], sizeof(Vector));
  }

  template <class Vector, class Number, class Rows>
  static STARSPIEL_INLINE void SumRows(const Number* from, const Rows& rows, int out, Number* to) {
    constexpr int kWidth = kLanes == 16 ? 4 : 8;
    int j = 0;
    for (; j + kWidth * kLanes <= out; j += kWidth * kLanes) SumBlock<Vector, kWidth>(from, rows, j, to);
    for (; j + kLanes <= out; j += kLanes) SumBlock<Vector, 1>(from, rows, j, to);
    for (; j < out; ++j) {
      Number sum = from[j];
      for (const auto& each : rows) sum += static_cast<Number>(each.count) * static_cast<Number>(each.row[j]);
      to[j] = sum;
    }
  }

  static STARSPIEL_INLINE void AddRows(const std::int32_t* from, std::span<const Times<std::int32_t>> rows, int out,
                                       std::int32_t* to) {
    SumRows<Wholes>(reinterpret_cast<const std::uint32_t*>(from), rows, out, reinterpret_cast<std::uint32_t*>(to));
  }

  static STARSPIEL_INLINE void AddRows(const float* from, std::span<const Times<float>> rows, int out, float* to) {
    SumRows<Lanes>(from, rows, out, to);
  }

  static STARSPIEL_INLINE void Activate(const std::int32_t* sums, int count, float unit, float* values) {
    int j = 0;
    for (; j + kLanes <= count; j += kLanes) {
      Signed whole;
      Load(whole, sums + j);
      Lanes lanes = __builtin_convertvector(whole, Lanes) * unit;
      Leaky(lanes);
      std::memcpy(values + j, &lanes, sizeof lanes);
    }
    for (; j < count; ++j) {
      values[j] = static_cast<float>(sums[j]) * unit;
      Leaky(values[j]);
    }
  }

  static STARSPIEL_INLINE void LeakyRelu(const float* sums, int count, float* values) {
    int j = 0;
    for (; j + kLanes <= count; j += kLanes) {
      Lanes lanes;
      Load(lanes, sums + j);
      Leaky(lanes);
      std::memcpy(values + j, &lanes, sizeof lanes);
    }
    for (; j < count; ++j) {
      values[j] = sums[j];
      Leaky(values[j]);
    }
  }

  // `Rows` rows by `Width` vectors of outputs, which stay in registers during the loop over the inputs.
  template <int Rows, int Width>
  static STARSPIEL_INLINE void Block(const float* inputs, int in, const float* weights, const float* bias, int out,
                                     float* outputs) {
    Lanes sums[Rows][Width];
    for (int w = 0; w < Width; ++w) {
      Load(sums[0][w], bias + w * kLanes);
      for (int r = 1; r < Rows; ++r) sums[r][w] = sums[0][w];
    }
    for (int i = 0; i < in; ++i) {
      const float* row = weights + static_cast<std::ptrdiff_t>(i) * out;
      for (int w = 0; w < Width; ++w) {
        Lanes weight;
        Load(weight, row + w * kLanes);
        for (int r = 0; r < Rows; ++r) sums[r][w] += inputs[static_cast<std::ptrdiff_t>(r) * in + i] * weight;
      }
    }
    for (int r = 0; r < Rows; ++r) {
      for (int w = 0; w < Width; ++w) {
        std::memcpy(outputs + static_cast<std::ptrdiff_t>(r) * out + w * kLanes, &sums[r][w], sizeof(Lanes));
      }
    }
  }

  // The outputs of `Rows` rows from index `j` on: in as many vectors as remain, up to `Width` at a time.
  template <int Rows, int Width>
  static STARSPIEL_INLINE void Band(const float* inputs, int in, const float* weights, const float* bias, int out,
                                    float* outputs, int j = 0) {
    for (; j + Width * kLanes <= out; j += Width * kLanes) {
      Block<Rows, Width>(inputs, in, weights + j, bias + j, out, outputs + j);
    }
    if constexpr (Width > 1) return Band<Rows, Width / 2>(inputs, in, weights, bias, out, outputs, j);
    for (; j < out; ++j) {
      for (int r = 0; r < Rows; ++r) {
        float sum = bias[j];
        for (int i = 0; i < in; ++i) sum += inputs[r * in + i] * weights[static_cast<std::ptrdiff_t>(i) * out + j];
        outputs[r * out + j] = sum;
      }
    }
  }

  // The single output of a row: parallel partial sums, added up at the end in a fixed order.
  static STARSPIEL_INLINE float Single(const float* inputs, int in, const float* weights, float bias) {
    float sums[kParts] = {};
    int i = 0;
    for (; i + kParts <= in; i += kParts) {
      for (int lane = 0; lane < kParts; ++lane) sums[lane] += inputs[i + lane] * weights[i + lane];
    }
    float sum = bias;
    for (float part : sums) sum += part;
    for (; i < in; ++i) sum += inputs[i] * weights[i];
    return sum;
  }

  static STARSPIEL_INLINE void Affine(const float* inputs, int rows, int in, const float* weights, const float* bias,
                                      int out, float* outputs) {
    int r = 0;
    if (out == 1) {
      for (; r < rows; ++r) outputs[r] = Single(inputs + static_cast<std::ptrdiff_t>(r) * in, in, weights, bias[0]);
      return;
    }
    const auto band = [&](int at) { return inputs + static_cast<std::ptrdiff_t>(at) * in; };
    const auto into = [&](int at) { return outputs + static_cast<std::ptrdiff_t>(at) * out; };
    if constexpr (kLanes == 16) {  // thirty-two vector registers
      for (; r + 8 <= rows; r += 8) Band<8, 1>(band(r), in, weights, bias, out, into(r));
      for (; r + 4 <= rows; r += 4) Band<4, 1>(band(r), in, weights, bias, out, into(r));
      for (; r + 2 <= rows; r += 2) Band<2, 2>(band(r), in, weights, bias, out, into(r));
    } else {  // sixteen
      for (; r + 4 <= rows; r += 4) Band<4, 2>(band(r), in, weights, bias, out, into(r));
      for (; r + 2 <= rows; r += 2) Band<2, 4>(band(r), in, weights, bias, out, into(r));
    }
    for (; r < rows; ++r) Band<1, 8>(band(r), in, weights, bias, out, into(r));
  }

  static STARSPIEL_INLINE void Axpy(float factor, const float* __restrict x, int count, float* __restrict y) {
    for (int j = 0; j < count; ++j) y[j] += factor * x[j];
  }

  static STARSPIEL_INLINE void AdamStep(const AdamRates& rates, int count, float* __restrict slopes,
                                        float* __restrict means, float* __restrict squares, float* __restrict weights) {
    for (int j = 0; j < count; ++j) {
      const float slope = slopes[j] * rates.part;
      means[j] += (slope - means[j]) * (1.0f - AdamRates::kMean);
      squares[j] += (slope * slope - squares[j]) * (1.0f - AdamRates::kSquare);
      weights[j] += rates.step * means[j] / (std::sqrt(squares[j] * rates.square) + AdamRates::kLeast);
      slopes[j] = 0.0f;
    }
  }
};

}  // namespace

int Lanes() { return used_lanes; }

void AddRows(const std::int64_t* from, std::span<const Times<std::int32_t>> rows, int out, std::int64_t* to) {
  if (from != to) std::copy_n(from, out, to);
  for (const auto& each : rows) {
    for (int j = 0; j < out; ++j) to[j] += std::int64_t{each.count} * each.row[j];
  }
}

void Activate(const std::int64_t* sums, int count, float unit, float* values) {
  for (int j = 0; j < count; ++j) {
    values[j] = static_cast<float>(sums[j]) * unit;
    Leaky(values[j]);
  }
}

void UseLanes(int count) {
  if ((count != 4 && count != 8 && count != 16) || count > Widest()) {
    throw std::invalid_argument("this machine computes with 4 to " + std::to_string(Widest()) + " lanes, got " +
                                std::to_string(count));
  }
  used_lanes = count;
}

// Defines a function of the header, which dispatches on the lanes in use.
#ifdef STARSPIEL_WIDTHS
#define STARSPIEL_KERNEL(Result, Name, parameters, ...)                                                             \
  static __attribute__((target("avx512f"))) Result Name##By16 parameters { return Kernels<16>::Name(__VA_ARGS__); } \
  static __attribute__((target("avx2"))) Result Name##By8 parameters { return Kernels<8>::Name(__VA_ARGS__); }      \
  Result Name parameters {                                                                                          \
    if (used_lanes == 16) return Name##By16(__VA_ARGS__);                                                           \
    if (used_lanes == 8) return Name##By8(__VA_ARGS__);                                                             \
    return Kernels<4>::Name(__VA_ARGS__);                                                                           \
  }
#else
#define STARSPIEL_KERNEL(Result, Name, parameters, ...) \
  Result Name parameters { return Kernels<4>::Name(__VA_ARGS__); }
#endif

STARSPIEL_KERNEL(void, AddRows,
                 (const std::int32_t* from, std::span<const Times<std::int32_t>> rows, int out, std::int32_t* to), from,
                 rows, out, to)
STARSPIEL_KERNEL(void, AddRows, (const float* from, std::span<const Times<float>> rows, int out, float* to), from, rows,
                 out, to)
STARSPIEL_KERNEL(void, Activate, (const std::int32_t* sums, int count, float unit, float* values), sums, count, unit,
                 values)
STARSPIEL_KERNEL(void, LeakyRelu, (const float* sums, int count, float* values), sums, count, values)
STARSPIEL_KERNEL(void, Affine,
                 (const float* inputs, int rows, int in, const float* weights, const float* bias, int out,
                  float* outputs),
                 inputs, rows, in, weights, bias, out, outputs)
STARSPIEL_KERNEL(void, Axpy, (float factor, const float* __restrict x, int count, float* __restrict y), factor, x,
                 count, y)
STARSPIEL_KERNEL(void, AdamStep,
                 (const AdamRates& rates, int count, float* __restrict slopes, float* __restrict means,
                  float* __restrict squares, float* __restrict weights),
                 rates, count, slopes, means, squares, weights)

}  // namespace starspiel
