// Pig: scores, the turn total and what stopping would bring, as steps of a twentieth of the goal and as numbers; whether
// the die is in the air. Seen by the player whose turn it is.
#pragma once

#include <algorithm>

#include "../models/pig.hpp"
#include "../network/features.hpp"

namespace starspiel {

class PigEncoder {
 public:
  using Position = PigModel::Position;
  static constexpr const char* kName = "pig";
  static constexpr int kVersion = 1;
  static constexpr int kSteps = 20;
  static constexpr int kNumbers = 4;  // own score, the other's, turn total, own score with it
  static constexpr int kRolling = kNumbers * (kSteps + 1);
  static constexpr int kMost = 32767;

  explicit PigEncoder(const PigModel& model) : goal_(model.win_score()) {}

  static int inputs() { return kRolling + 1; }
  float Unit(int input) const {
    return input % (kSteps + 1) == kSteps && input < kRolling ? 1.0f / static_cast<float>(goal_) : 1.0f;
  }
  static int Most(int input) { return input % (kSteps + 1) == kSteps && input < kRolling ? kMost : 1; }
  static int Turn(const Position& p) { return p.turn_player; }
  static bool Sees(const Position&) { return true; }

  void Encode(const Position& p, Features& features) const {
    const std::int32_t own = p.scores[p.turn_player], other = p.scores[1 - p.turn_player];
    const std::int32_t numbers[kNumbers] = {own, other, p.turn_total, own + p.turn_total};
    for (int i = 0; i < kNumbers; ++i) {
      const int base = i * (kSteps + 1);
      const int number = std::clamp(numbers[i], 0, kMost);
      const int step = static_cast<int>(std::min<std::int64_t>(kSteps - 1, std::int64_t{number} * kSteps / goal_));
      features.push_back({static_cast<std::uint16_t>(base + step), 1});
      if (number > 0) features.push_back({static_cast<std::uint16_t>(base + kSteps), static_cast<std::int16_t>(number)});
    }
    if (p.rolling) features.push_back({static_cast<std::uint16_t>(kRolling), 1});
  }

 private:
  int goal_;
};

template <>
struct EncoderOf<PigModel> {
  using Type = PigEncoder;
};

}  // namespace starspiel
