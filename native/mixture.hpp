// The value of a decision node whose player makes its best move but for errors: (1 - error) x the best of its moves'
// values + error x their mean. As agents/opponents/model.py and agents/search/star.py have it.
#pragma once

#include "standard.hpp"

namespace starspiel {

// Takes the moves' values one after the other.
class Mixture {
 public:
  Mixture(double error, int player) : error_(error), maximises_(player == 0) {}

  void Add(double value, double probability) {
    mean_ += probability * value;
    const bool better = none_ || (maximises_ ? value > best_ : value < best_);
    if (better) best_ = value;
    none_ = false;
  }

  double value() const { return error_ == 1.0 ? mean_ : (1.0 - error_) * best_ + error_ * mean_; }

 private:
  double error_;
  bool maximises_;
  bool none_ = true;
  double best_ = 0.0;
  double mean_ = 0.0;
};

// The x at which (1 - error) min(x, best) + error (p x + rest) comes to `target`; infinite if none does.
inline double MixtureReaches(double target, double error, double p, double best, double rest) {
  const double x = (target - error * rest) / (1.0 - error + error * p);
  if (x <= best) return x;
  if (p <= 0.0) return std::numeric_limits<double>::infinity();
  return (target - (1.0 - error) * best - error * rest) / (error * p);
}

}  // namespace starspiel
