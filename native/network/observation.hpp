// Games without an encoder of their own: the observation tensor of the player about to act, in 256ths, and whether
// that is the second player.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "../models/state.hpp"
#include "features.hpp"

namespace starspiel {

class ObservationEncoder {
 public:
  using Position = StateModel::Position;
  static constexpr int kMost = 65535;  // inputs are numbered by 16 bits

  explicit ObservationEncoder(const StateModel& model)
      : size_(model.observation_size()), observation_(static_cast<std::size_t>(size_)) {
    if (size_ < 1) throw std::invalid_argument("there is no observation tensor of this game for a network to see");
    if (size_ > kMost) {
      throw std::invalid_argument("expected an observation tensor of at most 65,535 entries, got " +
                                  std::to_string(size_));
    }
  }

  int inputs() const { return size_ + 1; }
  // Of the observations seen so far, whose entries know no bounds.
  int Most(int) const { return met_; }
  float Unit(int input) const { return input == size_ ? 1.0f : 1.0f / 256; }
  static int Turn(const Position& p) { return p->CurrentPlayer(); }
  static bool Sees(const Position& p) { return p->CurrentPlayer() >= 0; }

  void Encode(const Position& p, Features& features) const {
    std::fill(observation_.begin(), observation_.end(), 0.0f);  // some games do not clear it
    const int turn = Turn(p);
    p->ObservationTensor(turn, absl::MakeSpan(observation_));
    for (int input = 0; input < size_; ++input) {
      const float value = observation_[static_cast<std::size_t>(input)];
      if (value == 0.0f) continue;
      const auto count = static_cast<std::int16_t>(std::lrint(std::clamp(value * 256.0f, -32768.0f, 32767.0f)));
      met_ = std::max(met_, std::abs(int{count}));
      if (count != 0) features.push_back({static_cast<std::uint16_t>(input), count});
    }
    if (turn == 1) features.push_back({static_cast<std::uint16_t>(size_), 1});
  }

 private:
  int size_;
  mutable std::vector<float> observation_;
  mutable int met_ = 1;
};

template <>
struct EncoderOf<StateModel> : EncodedBy<ObservationEncoder> {};

}  // namespace starspiel
