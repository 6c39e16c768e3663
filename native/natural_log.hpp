// The natural logarithm of whole numbers: agents/bots/natural_log.py, bit for bit.
#pragma once

#include "standard.hpp"

namespace starspiel {

// By operations that IEEE 754 rounds alike everywhere; std::log rounds as the C library does.
inline double ComputedLog(std::uint32_t number) {
  static constexpr double kLn2 = 0.6931471805599453;
  static constexpr int kFirst = 21;  // of the series of artanh
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

// ln(number) of a number of at least 1.
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
