// OpenSpiel's pig for two players, as plain bytes.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/pig/pig.h"
#include "private_member.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(PigHorizon, open_spiel::pig::PigState, int, horizon_);
STARSPIEL_EXPOSE(PigWinScore, open_spiel::pig::PigState, int, win_score_);
STARSPIEL_EXPOSE(PigPiglet, open_spiel::pig::PigState, bool, piglet_);
STARSPIEL_EXPOSE(PigTotalMoves, open_spiel::pig::PigState, int, total_moves_);
STARSPIEL_EXPOSE(PigCurrent, open_spiel::pig::PigState, open_spiel::Player, cur_player_);
STARSPIEL_EXPOSE(PigTurnPlayer, open_spiel::pig::PigState, int, turn_player_);
STARSPIEL_EXPOSE(PigTurnTotal, open_spiel::pig::PigState, int, turn_total_);

class PigModel : public KeyedModel {
 public:
  using State = open_spiel::pig::PigState;
  struct Position {
    std::int32_t scores[2];
    std::int32_t turn_total;
    std::int32_t moves;  // decisions made: the game ends undecided at the horizon
    std::int32_t turn_player;
    std::int32_t rolling;
  };
  static constexpr bool kMergePays = false;

  explicit PigModel(const State& state)
      : sides_(state.dice_outcomes()),
        horizon_(state.*Member(PigHorizon{})),
        win_score_(state.*Member(PigWinScore{})),
        piglet_(state.*Member(PigPiglet{})) {}

  static bool Plays(const State& state) { return state.NumPlayers() == 2; }

  static Position Read(const State& state) {
    return {{state.score(0), state.score(1)},
            state.*Member(PigTurnTotal{}),
            state.*Member(PigTotalMoves{}),
            state.*Member(PigTurnPlayer{}),
            state.*Member(PigCurrent{}) == kChance};
  }

  int Player(const Position& p) const {
    if (p.moves >= horizon_ || p.scores[0] >= win_score_ || p.scores[1] >= win_score_) return kTerminal;
    return p.rolling ? kChance : p.turn_player;
  }

  double Utility(const Position& p) const {
    return p.scores[0] >= win_score_ ? 1.0 : p.scores[1] >= win_score_ ? -1.0 : 0.0;
  }

  void Actions(const Position& p, std::vector<int>& actions) const {
    if (p.scores[p.turn_player] + p.turn_total < win_score_) actions.push_back(kRoll);
    actions.push_back(kStop);
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    if (piglet_) {
      outcomes.push_back({0, 1.0 / sides_});
      outcomes.push_back({1, 1.0 - 1.0 / sides_});
    } else {
      for (int i = 0; i < sides_; ++i) outcomes.push_back({i, 1.0 / sides_});
    }
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.rolling) {
      next.rolling = 0;
      if (action == 0) {
        next.turn_total = 0;
        next.turn_player = 1 - p.turn_player;
      } else {
        next.turn_total += piglet_ ? 1 : action + 1;
      }
      return next;
    }
    ++next.moves;
    if (action == kRoll) {
      next.rolling = 1;
    } else {
      next.scores[p.turn_player] += p.turn_total;
      next.turn_total = 0;
      next.turn_player = 1 - p.turn_player;
    }
    return next;
  }

  double Heuristic(const Position& p) const {
    // While the die rolls the turn total counts as its mean after the roll.
    const double gain = piglet_ ? 1.0 : static_cast<double>(sides_ + 2) / 2;
    const double kept = static_cast<double>(sides_ - 1) / sides_;
    const double turn = p.rolling ? (p.turn_total + gain) * kept : p.turn_total;
    const double lead = p.scores[0] - p.scores[1] + (p.turn_player == 0 ? turn : -turn);
    return std::clamp(lead / win_score_, -1.0, 1.0);
  }

  // Pig: scores, the turn total and what stopping would bring, as steps of a twentieth of the goal and as numbers;
  // whether the die is in the air. Seen by the player whose turn it is.
  static constexpr int kSteps = 20;
  static constexpr int kNumbers = 4;  // own score, the other's, turn total, own score with it
  static constexpr int kRolling = kNumbers * (kSteps + 1);
  static constexpr int kMost = 32767;

  static int Inputs() { return kRolling + 1; }
  float Unit(int input) const {
    return input % (kSteps + 1) == kSteps && input < kRolling ? 1.0f / static_cast<float>(win_score_) : 1.0f;
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
      const int step = static_cast<int>(std::min<std::int64_t>(kSteps - 1, std::int64_t{number} * kSteps / win_score_));
      Add(features, base + step, 1);
      if (number > 0) Add(features, base + kSteps, number);
    }
    if (p.rolling) Add(features, kRolling, 1);
  }

 private:
  static constexpr int kRoll = 0;
  static constexpr int kStop = 1;

  int sides_;
  int horizon_;
  int win_score_;
  bool piglet_;
};

}  // namespace starspiel
