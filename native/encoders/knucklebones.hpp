// Knucklebones as a network sees it before a roll: for each side, column and face how often the face lies there, how
// many dice lie in each column, and the scores.
#pragma once

#include "../models/knucklebones.hpp"
#include "../network/features.hpp"

namespace starspiel {

class KnucklebonesEncoder {
 public:
  using Position = KnucklebonesModel::Position;
  static constexpr const char* kName = "knucklebones";
  static constexpr int kVersion = 1;

  explicit KnucklebonesEncoder(const KnucklebonesModel& model)
      : model_(model), column_((model.sides() + 1) * model.rows()), side_(model.columns() * column_ + 1) {}

  int inputs() const { return 2 * side_; }
  float Unit(int input) const { return input % side_ == side_ - 1 ? 1.0f / 32 : 1.0f; }
  int Most(int input) const {
    if (input % side_ != side_ - 1) return 1;
    return model_.columns() * model_.sides() * model_.rows() * model_.rows();
  }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.acting == kChance; }

  void Encode(const Position& p, Features& features) const {
    const int rows = model_.rows();
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover;
      for (int column = 0; column < model_.columns(); ++column) {
        const int base = side * side_ + column * column_;
        for (int face = 1; face <= model_.sides(); ++face) {
          const int count = model_.Count(p.columns[player][column], face);
          if (count > 0) Add(features, base + (face - 1) * rows + count - 1, 1);
        }
        const int lying = p.lying[player][column];
        if (lying > 0) Add(features, base + model_.sides() * rows + lying - 1, 1);
      }
      Add(features, side * side_ + side_ - 1, p.scores[player]);
    }
  }

 private:
  KnucklebonesModel model_;
  int column_;  // inputs of a column: how often each face lies there, how many dice do
  int side_;    // inputs of a side: its columns, its score
};

template <>
struct EncoderOf<KnucklebonesModel> {
  using Type = KnucklebonesEncoder;
};

}  // namespace starspiel
