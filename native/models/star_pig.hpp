// The rules of envs/games/pig/rules.py, as plain bytes.
#pragma once

#include "../rules/position.hpp"
#include "model.hpp"
#include "network/features.hpp"

namespace starspiel {

class StarPigModel : public RulesModel {
 public:
  static constexpr const char* kName = "star_pig";
  struct Position {
    std::int32_t scores[2];
    std::int32_t turn_total;
    std::int16_t mover;
    std::int16_t acting;
  };

  static bool Plays(const State& state) { return state.parameters.size() == 3; }

  explicit StarPigModel(const State& state)
      : goal_(static_cast<int>(state.parameters[0])),
        sides_(static_cast<int>(state.parameters[1])),
        piglet_(state.parameters[2] != 0) {}

  static Position Read(const State& state) {
    static constexpr int kMost = 1 << 30;
    Position p{};
    Numbers numbers(state);
    for (std::int32_t& score : p.scores) numbers.Take(0, kMost, score);
    numbers.Take(0, kMost, p.turn_total);
    numbers.Take(0, 1, p.mover);
    numbers.Take(kTerminal, 1, p.acting);
    numbers.End();
    return p;
  }

  double Utility(const Position& p) const { return p.scores[0] >= goal_ ? 1.0 : -1.0; }

  void Actions(const Position& p, std::vector<int>& actions) const {
    if (p.scores[p.mover] + p.turn_total < goal_) actions.push_back(kRoll);
    actions.push_back(kStop);
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    const double chance = 1.0 / sides_;
    if (piglet_) {
      outcomes.push_back({0, chance});
      outcomes.push_back({1, 1.0 - chance});
    } else {
      for (int face = 0; face < sides_; ++face) outcomes.push_back({face, chance});
    }
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.acting == kChance) {
      if (action == 0) return Passed(next);
      next.turn_total += piglet_ ? 1 : action + 1;
      next.acting = p.mover;
      return next;
    }
    if (action == kRoll) {
      next.acting = kChance;
      return next;
    }
    next.scores[p.mover] += p.turn_total;
    if (next.scores[p.mover] < goal_) return Passed(next);
    next.turn_total = 0;
    next.acting = kTerminal;
    return next;
  }

  double Heuristic(const Position& p) const {
    double turn = p.turn_total;
    if (p.acting == kChance) {
      const double gain = piglet_ ? 1.0 : static_cast<double>(sides_ + 2) / 2;
      turn = (turn + gain) * (sides_ - 1) / sides_;
    }
    double scores[2] = {static_cast<double>(p.scores[0]), static_cast<double>(p.scores[1])};
    scores[p.mover] = std::min(scores[p.mover] + turn, static_cast<double>(goal_));
    const double lead = (scores[0] - scores[1]) / goal_;
    const double top = std::max(scores[0], scores[1]) / goal_;
    return std::tanh(1.35 * lead + 0.36 * (lead / (1.1 - top)));
  }

  // Network encoding: own score, other score, and own score plus the turn's points, each as one of twenty parts of the
  // goal and in points; and whether the die is being rolled.
  static constexpr int kParts = 20;
  static constexpr int kScore = kParts + 2;  // the parts, the goal, the points
  static constexpr int kRolling = 3 * kScore;

  int Inputs() const { return kRolling + 1; }
  float Unit(int input) const { return input < kRolling && input % kScore == kScore - 1 ? 1.0f / goal_ : 1.0f; }
  int Most(int input) const { return input < kRolling && input % kScore == kScore - 1 ? goal_ : 1; }
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
  static constexpr int kRoll = 0;
  static constexpr int kStop = 1;

  static Position Passed(Position next) {
    next.turn_total = 0;
    next.mover = 1 - next.mover;
    next.acting = next.mover;
    return next;
  }

  int goal_;
  int sides_;
  bool piglet_;
};

}  // namespace starspiel
