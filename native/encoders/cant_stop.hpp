// Can't Stop as a network sees it before a throw: both sides' heights and the runners by column, columns won, runners
// left, and the chance that the throw allows a climb.
#pragma once

#include <algorithm>

#include "../models/cant_stop.hpp"
#include "../network/features.hpp"

namespace starspiel {

class CantStopEncoder {
 public:
  using Position = CantStopModel::Position;
  static constexpr const char* kName = "cant_stop";
  static constexpr int kVersion = 1;
  static constexpr int kChances = 256;  // the chance to climb is counted in these parts

  explicit CantStopEncoder(const CantStopModel& model) : model_(model) {
    for (int column = 0; column < model.columns(); ++column) board_ += model.length(column);
  }

  // Own heights, other heights and runners; columns won by each; runners left; the chance to climb.
  int inputs() const { return 3 * board_ + 2 + CantStopModel::kRunners + 2; }
  float Unit(int input) const { return input == inputs() - 1 ? 1.0f / kChances : 1.0f; }
  int Most(int input) const {
    if (input == inputs() - 1) return kChances;
    return input == 3 * board_ || input == 3 * board_ + 1 ? model_.columns() : 1;
  }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.acting == kChance; }

  void Encode(const Position& p, Features& features) const {
    const std::uint8_t* parts[] = {p.heights[p.mover], p.heights[1 - p.mover], p.runners};
    int base = 0;
    int won[3] = {};
    for (int part = 0; part < 3; ++part) {
      for (int column = 0; column < model_.columns(); ++column) {
        const int height = parts[part][column];
        if (height > 0) Add(features, base + height - 1, 1);
        won[part] += height == model_.length(column);
        base += model_.length(column);
      }
    }
    Add(features, base, won[0]);
    Add(features, base + 1, won[1]);
    Add(features, base + 2 + std::max(0, CantStopModel::kRunners - CantStopModel::Running(p)), 1);
    Add(features, inputs() - 1, static_cast<int>(model_.ThrowsThatClimb(p) * kChances / model_.every_throw()));
  }

 private:
  CantStopModel model_;
  int board_ = 0;  // steps of all columns
};

template <>
struct EncoderOf<CantStopModel> {
  using Type = CantStopEncoder;
};

}  // namespace starspiel
