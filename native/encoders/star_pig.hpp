// Star_pig as a network sees it: own score, other score, and own score with the turn's points, each as one of twenty
// parts of the goal and by points; and whether the die rolls.
#pragma once

#include <algorithm>

#include "../models/star_pig.hpp"
#include "../network/features.hpp"

namespace starspiel {

class StarPigEncoder {
 public:
  using Position = StarPigModel::Position;
  static constexpr const char* kName = "star_pig";
  static constexpr int kVersion = 1;
  static constexpr int kParts = 20;
  static constexpr int kScore = kParts + 2;  // the parts, the goal, the points
  static constexpr int kRolling = 3 * kScore;

  explicit StarPigEncoder(const StarPigModel& model) : goal_(model.goal()) {}

  int inputs() const { return kRolling + 1; }
  float Unit(int input) const { return input < kRolling && input % kScore == kScore - 1 ? 1.0f / goal_ : 1.0f; }
  int Most(int input) const { return input < kRolling && input % kScore == kScore - 1 ? goal_ : 1; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position&) { return true; }

  void Encode(const Position& p, Features& features) const {
    const int own = p.scores[p.mover];
    int base = 0;
    for (int points : {own, p.scores[1 - p.mover], own + p.turn_total}) {
      points = std::min(points, goal_);
      Add(features, base + points * kParts / goal_, 1);
      Add(features, base + kScore - 1, points);
      base += kScore;
    }
    Add(features, kRolling, p.acting == kChance);
  }

 private:
  int goal_;
};

template <>
struct EncoderOf<StarPigModel> {
  using Type = StarPigEncoder;
};

}  // namespace starspiel
