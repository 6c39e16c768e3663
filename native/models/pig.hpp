// OpenSpiel's pig, as plain bytes: for two players, and for three to ten.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/pig/pig.h"
#include "private_member.hpp"
#include "several.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(PigHorizon, open_spiel::pig::PigState, int, horizon_);
STARSPIEL_EXPOSE(PigWinScore, open_spiel::pig::PigState, int, win_score_);
STARSPIEL_EXPOSE(PigPiglet, open_spiel::pig::PigState, bool, piglet_);
STARSPIEL_EXPOSE(PigTotalMoves, open_spiel::pig::PigState, int, total_moves_);
STARSPIEL_EXPOSE(PigCurrent, open_spiel::pig::PigState, open_spiel::Player, cur_player_);
STARSPIEL_EXPOSE(PigTurnPlayer, open_spiel::pig::PigState, int, turn_player_);
STARSPIEL_EXPOSE(PigTurnTotal, open_spiel::pig::PigState, int, turn_total_);

template <int kSeats>
class PigModelFor : public KeyedModel {
 public:
  using State = open_spiel::pig::PigState;
  struct Position {
    std::int32_t scores[kSeats];
    std::int32_t turn_total;
    std::int32_t moves;  // decisions made; at the horizon the game ends undecided
    std::int32_t turn_player;
    std::int32_t rolling;
  };
  static constexpr bool kMergePays = false;

  explicit PigModelFor(const State& state)
      : players_(state.NumPlayers()),
        sides_(state.dice_outcomes()),
        horizon_(state.*Member(PigHorizon{})),
        win_score_(state.*Member(PigWinScore{})),
        piglet_(state.*Member(PigPiglet{})) {}

  static bool Plays(const State& state) { return (state.NumPlayers() == 2) == kForTwo && state.NumPlayers() <= kSeats; }

  int players() const { return kForTwo ? 2 : players_; }

  Position Read(const State& state) const {
    Position p{};
    for (int player = 0; player < players(); ++player) p.scores[player] = state.score(player);
    p.turn_total = state.*Member(PigTurnTotal{});
    p.moves = state.*Member(PigTotalMoves{});
    p.turn_player = state.*Member(PigTurnPlayer{});
    p.rolling = state.*Member(PigCurrent{}) == kChance;
    return p;
  }

  int Player(const Position& p) const {
    if (p.moves >= horizon_ || IsWon(p)) return kTerminal;
    return p.rolling ? kChance : p.turn_player;
  }

  static constexpr int kFar = 100;
  int Left(const Position& p) const { return horizon_ - p.moves; }
  static void Bare(Position& p, bool uncounted) {
    if (uncounted) p.moves = 0;
  }

  double Utility(const Position& p) const
    requires(kSeats == 2)
  {
    return p.scores[0] >= win_score_ ? 1.0 : p.scores[1] >= win_score_ ? -1.0 : 0.0;
  }

  void Returns(const Position& p, double* returns) const {
    const int winner = Winner(p);
    for (int player = 0; player < players(); ++player) {
      returns[player] = winner < 0 ? 0.0 : player == winner ? 1.0 : -1.0 / (players() - 1);
    }
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
        next.turn_player = After(p.turn_player);
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
      next.turn_player = After(p.turn_player);
    }
    return next;
  }

  double Heuristic(const Position& p) const
    requires(kSeats == 2)
  {
    const double turn = Turned(p);
    const double lead = p.scores[0] - p.scores[1] + (p.turn_player == 0 ? turn : -turn);
    return std::clamp(lead / win_score_, -1.0, 1.0);
  }

  void Heuristics(const Position& p, double* returns) const
    requires(kSeats > 2)
  {
    double standing[kSeats] = {};
    for (int player = 0; player < players_; ++player) {
      const double points = p.scores[player] + (player == p.turn_player ? Turned(p) : 0.0);
      standing[player] = kSteepness * (std::min<double>(points, win_score_) / win_score_);
    }
    ReturnsByShares(standing, players_, 1.0, 1.0, -1.0 / (players_ - 1), returns);
  }

  // Network encoding, seen by the player whose turn it is: the scores, the turn total, and the score after stopping,
  // each as one of twenty steps to the goal and as a number; and whether the die is being rolled.
  static constexpr int kSteps = 20;
  static constexpr int kNumbers = 4;  // own score, the other's, turn total, own score plus turn total
  static constexpr int kRolling = kNumbers * (kSteps + 1);
  static constexpr int kMost = 32767;

  static int Inputs() { return kRolling + 1; }
  float Unit(int input) const {
    return input % (kSteps + 1) == kSteps && input < kRolling ? 1.0f / static_cast<float>(win_score_) : 1.0f;
  }
  static int Most(int input) { return input % (kSteps + 1) == kSteps && input < kRolling ? kMost : 1; }
  static int Turn(const Position& p) { return p.turn_player; }
  static bool Sees(const Position&) { return true; }

  void Encode(const Position& p, Features& features) const
    requires(kSeats == 2)
  {
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
  static constexpr bool kForTwo = kSeats == 2;
  static constexpr int kRoll = 0;
  static constexpr int kStop = 1;
  static constexpr double kSteepness = 4.5;

  int After(int player) const { return kForTwo ? 1 - player : (player + 1) % players_; }

  // A single branchless pass: searches call this at every position.
  bool IsWon(const Position& p) const {
    bool won = false;
    for (int player = 0; player < players(); ++player) won |= p.scores[player] >= win_score_;
    return won;
  }

  // The winner; -1 if there is none.
  int Winner(const Position& p) const {
    for (int player = 0; player < players(); ++player) {
      if (p.scores[player] >= win_score_) return player;
    }
    return -1;
  }

  // The turn total; during a roll, its mean after the roll.
  double Turned(const Position& p) const {
    const double gain = piglet_ ? 1.0 : static_cast<double>(sides_ + 2) / 2;
    const double kept = static_cast<double>(sides_ - 1) / sides_;
    return p.rolling ? (p.turn_total + gain) * kept : p.turn_total;
  }

  int players_;
  int sides_;
  int horizon_;
  int win_score_;
  bool piglet_;
};

using PigModel = PigModelFor<2>;
using PigOfManyModel = TwoSided<PigModelFor<10>>;

}  // namespace starspiel
