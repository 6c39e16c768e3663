// Positions of games whose rules are written in Python, as the core's models receive them: integers.
//
// Such a model satisfies model.hpp and has
//
//   State = RulesPosition
//   kName                    its name in agents/native_positions.py
//   Plays(state)             true if the model supports these parameters; `state.model` is kName
//   Model(state)             from state.parameters
//   static Read(state)       the position of state.numbers; throws std::invalid_argument if they are invalid
#pragma once

#include "model.hpp"
#include "open_spiel/spiel.h"

namespace starspiel {

struct RulesPosition {
  std::string model;
  std::vector<std::int64_t> parameters;  // of the rules
  std::vector<std::int64_t> numbers;     // the position
};

// The start of a search: either `state` or `position`, and Python's own object if it comes from Python.
struct Given {
  const open_spiel::State* state = nullptr;
  const RulesPosition* position = nullptr;
  const void* python = nullptr;
};

template <class Model>
concept OfRules = std::is_same_v<typename Model::State, RulesPosition>;

// The start as the model's State type.
template <class State>
const State& As(const Given& given) {
  if constexpr (std::is_same_v<State, RulesPosition>) {
    return *given.position;
  } else {
    return static_cast<const State&>(*given.state);
  }
}

// Shared by most rules models: a position has `acting`, who acts next, and `mover`, whose turn it is.
struct RulesModel : KeyedModel {
  using State = RulesPosition;
  static int Player(const auto& p) { return p.acting; }
  static int Turn(const auto& p) { return p.mover; }
  static bool Sees(const auto& p) { return p.acting == kChance; }
};

// Reads the numbers of a position one by one, each within its limits. Throws std::invalid_argument if one is invalid.
class Numbers {
 public:
  explicit Numbers(const RulesPosition& position) : position_(position) {}

  // Reads the next number, from `least` to `greatest`.
  template <class Integer>
  void Take(std::int64_t least, std::int64_t greatest, Integer& to) {
    if (next_ == position_.numbers.size()) Refuse("more numbers");
    const std::int64_t number = position_.numbers[next_++];
    if (number < least || number > greatest) {
      Refuse("a number from " + std::to_string(least) + " to " + std::to_string(greatest) + ", got " +
             std::to_string(number));
    }
    to = static_cast<Integer>(number);
  }

  // Checks another condition, described by `expected`.
  void Check(bool so, const std::string& expected) const {
    if (!so) Refuse(expected);
  }

  // Checks that no numbers are left.
  void End() const {
    if (next_ != position_.numbers.size()) Refuse("fewer numbers");
  }

 private:
  [[noreturn]] void Refuse(const std::string& expected) const {
    throw std::invalid_argument("position of " + position_.model + ", number " + std::to_string(next_) + ": expected " +
                                expected);
  }

  const RulesPosition& position_;
  std::size_t next_ = 0;
};

}  // namespace starspiel
