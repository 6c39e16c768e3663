// The natural logarithm of integers, bit for bit that of agents/bots/natural_log.py.
#pragma once

#include "standard.hpp"

namespace starspiel {

// Uses only operations that IEEE 754 rounds the same everywhere; the rounding of std::log depends on the C library.
inline double ComputedLog(std::uint32_t number) {
  static constexpr double kLn2 = 0.6931471805599453;
  static constexpr int kFirst = 21;  // highest power in the artanh series
  int exponent = 0;
  double mantissa = std::frexp(static_cast<double>(number), &exponent);
  if (mantissa < std::sqrt(0.5)) {
    mantissa *= 2.0;
    --exponent;
  }
  const double z = (mantissa - 1.0) / (mantissa + 1.0);
  double series = 0.0;
  for (int odd = kFirst; odd > 0; odd -= 2) series = series * (z * z) + 1.0 / odd;
  return exponent * kLn2 + 2.0 * z * series;
}

// ln(number), for a number of at least 1.
inline double NaturalLog(std::uint32_t number) {
  static constexpr std::uint32_t kListed = 1 << 14;
  static const std::vector<double> listed = [] {
    std::vector<double> logs(kListed);
    for (std::uint32_t n = 1; n < kListed; ++n) logs[n] = ComputedLog(n);
    return logs;
  }();
  return number < kListed ? listed[number] : ComputedLog(number);
}

}  // namespace starspiel
