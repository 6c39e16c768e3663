// What a network's outputs are worth.
#pragma once

#include <cmath>
#include <stdexcept>

namespace starspiel {

// Player 0's return as the network's share of what can be won, and back.
struct Scale {
  double low = -1.0;
  double high = 1.0;

  // Throws std::invalid_argument where the two are not the returns of a zero-sum game.
  void Check() const {
    if (!std::isfinite(high) || high <= 0.0 || low != -high) {
      throw std::invalid_argument("expected a range from -x to x, for the two sides of a zero-sum game");
    }
  }

  double Value(int turn, double share) const {
    const double own = low + (high - low) * share;
    return turn == 0 ? own : low + high - own;
  }
  double Share(int turn, double value) const {
    const double own = (value - low) / (high - low);
    return turn == 0 ? own : 1.0 - own;
  }
};

}  // namespace starspiel
