// Keys of OpenSpiel's own states, for games whose text shows the whole position.
//
// envs/openspiel/keys.py says which games these are, by the same rules.
#pragma once

#include "model.hpp"
#include "open_spiel/spiel.h"

namespace starspiel {

enum class KeyRule {
  kNone,                // no sound key is known
  kText,                // the player to move, and the text
  kTextAndMove,         // kText, and the number of moves made
  kTextAndObservation,  // kText, and the observation, if it tells evaluators more
};

// The rule with this name in envs/openspiel/keys.py.
inline KeyRule RuleNamed(const std::string& name) {
  if (name == "text") return KeyRule::kText;
  if (name == "text and move") return KeyRule::kTextAndMove;
  if (name == "text and observation") return KeyRule::kTextAndObservation;
  throw std::invalid_argument("there is no rule of keys called " + name);
}

// A 128-bit hash. Among a billion positions, two share one with a probability below 1e-20.
struct TextKey {
  std::uint64_t halves[2];
};

// Hashes a sequence of words. Each step is one-to-one in the word, and in the previous state.
class TextHash {
 public:
  void Add(std::uint64_t word) {
    first_ = (first_ ^ word) * 0xbf58476d1ce4e5b9u;
    first_ ^= first_ >> 31;
    second_ = (second_ ^ word) * 0xd6e8feb86659fd93u;
    second_ ^= second_ >> 32;
  }

  void Add(std::string_view text) {
    Add(text.size());
    for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, std::min(sizeof(word), text.size() - at));
      Add(word);
    }
  }

  TextKey Key() const { return {{first_, second_}}; }

 private:
  std::uint64_t first_ = 0x9e3779b97f4a7c15u;
  std::uint64_t second_ = 0x243f6a8885a308d3u;
};

// The key of a state by a rule other than kNone.
inline TextKey KeyOf(const open_spiel::State& state, KeyRule rule) {
  TextHash hash;
  const int player = state.CurrentPlayer();
  hash.Add(static_cast<std::uint64_t>(player));
  if (player == kTerminal) {
    std::uint64_t word;
    const double value = state.PlayerReturn(0);
    std::memcpy(&word, &value, sizeof(word));
    hash.Add(word);
    return hash.Key();
  }
  if (rule == KeyRule::kTextAndMove) hash.Add(static_cast<std::uint64_t>(state.MoveNumber()));
  if (rule == KeyRule::kTextAndObservation) {
    const std::vector<float> observation = state.ObservationTensor(std::max(0, player));
    for (std::size_t at = 0; at < observation.size(); at += 2) {
      std::uint64_t word = 0;
      std::memcpy(&word, &observation[at], std::min<std::size_t>(2, observation.size() - at) * sizeof(float));
      hash.Add(word);
    }
  }
  hash.Add(state.ToString());
  return hash.Key();
}

}  // namespace starspiel
