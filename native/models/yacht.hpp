// OpenSpiel's yacht, as plain bytes: for one or two players, and for three to ten.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/yacht/yacht.h"
#include "private_member.hpp"
#include "several.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(YachtCurrent, open_spiel::yacht::YachtState, open_spiel::Player, cur_player_);
STARSPIEL_EXPOSE(YachtTurnPlayer, open_spiel::yacht::YachtState, open_spiel::Player, turn_player_);
STARSPIEL_EXPOSE(YachtMask, open_spiel::yacht::YachtState, int, pending_reroll_mask_);

template <int kSeats>
class YachtModelFor : public KeyedModel {
 public:
  using State = open_spiel::yacht::YachtState;
  static constexpr int kMaxDice = 8;
  static constexpr int kCategories = open_spiel::yacht::kNumCategories;
  static constexpr std::int64_t kMaxRolls = std::numeric_limits<std::int32_t>::max();
  struct Position {
    std::uint8_t dice[kMaxDice];  // 0: not rolled
    std::int16_t totals[kSeats];
    std::uint16_t used[kSeats];  // a bit for each category
    std::uint8_t roll_count;
    std::uint8_t turn_player;
    std::uint8_t rolling;
    std::uint8_t mask;  // the dice being rolled, while rolling
    std::uint8_t unused[4];
  };

  // With `sorted`, the dice of successors are sorted, so that positions that differ only in the order of the dice are
  // equal; reroll actions and roll outcomes then refer to the dice in that order.
  YachtModelFor(const State& state, bool sorted)
      : players_(state.NumPlayers()), sorted_(sorted || Game(state).SortDice()), reorders_(sorted) {
    const auto& game = Game(state);
    dice_ = game.NumDice();
    sides_ = game.DiceSides();
    rolls_ = game.RollsPerTurn();
    max_score_ = game.MaxPossibleScore();
    if (reorders_) {
      for (int count = 0; count <= dice_; ++count) distinct_.push_back(DistinctRolls(count));
    }
  }

  static bool Plays(const State& state) {
    const auto& game = Game(state);
    std::int64_t rolls = 1;
    for (int i = 0; i < game.NumDice() && rolls <= kMaxRolls; ++i) rolls *= game.DiceSides();
    return (state.NumPlayers() <= 2) == kForTwo && state.NumPlayers() <= kSeats && game.NumDice() <= kMaxDice && game.DiceSides() <= 20 && rolls <= kMaxRolls &&
           game.RollsPerTurn() <= std::numeric_limits<std::uint8_t>::max();
  }

  int players() const { return players_; }

  Position Read(const State& state) const {
    Position p{};
    for (int i = 0; i < std::min(dice_, kMaxDice); ++i) p.dice[i] = state.dice()[i];
    for (int player = 0; player < players_; ++player) {
      p.totals[player] = state.total_score(player);
      for (int category = 0; category < kCategories; ++category) {
        if (state.category_used(player, category)) p.used[player] |= 1 << category;
      }
    }
    p.roll_count = state.roll_count();
    p.turn_player = state.*Member(YachtTurnPlayer{});
    p.rolling = state.*Member(YachtCurrent{}) == kChance;
    p.mask = state.*Member(YachtMask{});
    return p;
  }

  int Player(const Position& p) const {
    if (IsOver(p)) return kTerminal;
    return p.rolling ? kChance : p.turn_player;
  }

  double Utility(const Position& p) const
    requires(kSeats == 2)
  {
    if (players_ == 1) return p.totals[0] / max_score_;
    return p.totals[0] > p.totals[1] ? 1.0 : p.totals[0] < p.totals[1] ? -1.0 : 0.0;
  }

  void Returns(const Position& p, double* returns) const
    requires(kSeats > 2)
  {
    const int most = *std::max_element(p.totals, p.totals + players_);
    const auto winners = static_cast<int>(std::count(p.totals, p.totals + players_, most));
    for (int player = 0; player < players_; ++player) {
      returns[player] = p.totals[player] == most ? 1.0 / winners : -1.0 / (players_ - winners);
      if (winners == players_) returns[player] = 0.0;
    }
  }

  void Actions(const Position& p, std::vector<int>& actions) const {
    if (p.roll_count >= rolls_) {
      for (int category = 0; category < kCategories; ++category) {
        if (!(p.used[p.turn_player] >> category & 1)) actions.push_back((1 << dice_) + category);
      }
    } else {
      for (int mask = 0; mask < 1 << dice_; ++mask) actions.push_back(mask);
    }
  }

  void Outcomes(const Position& p, std::vector<Outcome>& outcomes) const {
    int count = 1;
    for (int i = std::popcount(p.mask); i > 0; --i) count *= sides_;
    for (int i = 0; i < count; ++i) outcomes.push_back({i, 1.0 / count});
  }

  // Returns how many outcomes were merged. Which rolls are equal depends only on the number of dice rolled.
  int DistinctOutcomes(const Position& p, std::vector<Outcome>& outcomes) const {
    if (!reorders_) {
      Outcomes(p, outcomes);
      return 0;
    }
    const Rolls& rolls = distinct_[std::popcount(p.mask)];
    outcomes.insert(outcomes.end(), rolls.outcomes.begin(), rolls.outcomes.end());
    return rolls.merged;
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.rolling) {
      for (int i = 0; i < dice_; ++i) {
        if (!(p.mask >> i & 1)) continue;
        next.dice[i] = action % sides_ + 1;
        action /= sides_;
      }
      if (sorted_) Sort(next.dice, next.dice + dice_);
      ++next.roll_count;
      next.rolling = 0;
      next.mask = 0;
    } else if (action >= 1 << dice_) {
      const int category = action - (1 << dice_);
      next.totals[p.turn_player] = p.totals[p.turn_player] + Score(p, category);
      next.used[p.turn_player] |= 1 << category;
      next.turn_player = (p.turn_player + 1) % players_;
      next.roll_count = 0;
      next.rolling = 1;
      next.mask = (1 << dice_) - 1;
      std::fill_n(next.dice, dice_, std::uint8_t{0});
    } else if (action == 0) {
      next.roll_count = rolls_;
      if (reorders_) Sort(next.dice, next.dice + dice_);
    } else {
      next.rolling = 1;
      next.mask = action;
      if (reorders_) PutRolledFirst(next);
    }
    return next;
  }

  // The evaluator solo. `Solo` is that of native/solo.hpp.
  template <class Solo>
  double SoloValue(const Position& p, const Solo& solo) const
    requires(kSeats == 2)
  {
    double mean = 0.0, variance = 0.0;
    for (int player = 0; player < players_; ++player) {
      const auto moments = player == p.turn_player ? InTurn(p, solo) : solo.Before(p.used[player]);
      const double points = p.totals[player] + moments.mean;
      mean += player == 0 ? points : -points;
      variance += moments.square - moments.mean * moments.mean;
    }
    return players_ == 1 ? mean / max_score_ : Solo::LeadValue(mean, variance);
  }

  static bool HasHeuristic(const State& state) {
    const auto& game = Game(state);
    return state.NumPlayers() >= 2 && game.NumDice() == 5 && game.DiceSides() == 6 && game.RollsPerTurn() == 3;
  }

  double Heuristic(const Position& p) const
    requires(kSeats == 2)
  {
    double lead = Expected(p.totals[0], p.used[0]) - Expected(p.totals[1], p.used[1]);
    if (p.dice[0] != 0) lead += p.turn_player == 0 ? Bonus(p) : -Bonus(p);
    return std::clamp(lead / kDecisive, -1.0, 1.0);
  }

  void Heuristics(const Position& p, double* returns) const
    requires(kSeats > 2)
  {
    double points[kSeats] = {};
    int open = 0;  // open categories of all players
    for (int player = 0; player < players_; ++player) {
      points[player] = Expected(p.totals[player], p.used[player]);
      open += kCategories - std::popcount(p.used[player]);
    }
    if (p.dice[0] != 0) points[p.turn_player] += Bonus(p);
    const double unit = kUnit * std::sqrt(1.0 + static_cast<double>(open) / players_);
    ReturnsByShares(points, players_, unit, 1.0, -1.0 / (players_ - 1), returns);
  }

  std::optional<ValuedMove> BestByHeuristic(const Position& p, double enough) const
    requires(kSeats == 2)
  {
    if (p.roll_count < rolls_) return ValuedMove{0, Heuristic(p)};  // Dice to be rerolled count as they lie.
    const int mover = p.turn_player;
    const unsigned used = p.used[mover];
    if (p.used[1 - mover] == kAll && std::popcount(used) == kCategories - 1) return std::nullopt;
    const double other = Expected(p.totals[1 - mover], p.used[1 - mover]);
    int scores[kCategories];
    Scores(p, scores);
    ValuedMove best{kNoMove, 0.0};
    for (int category = 0; category < kCategories; ++category) {
      if (used >> category & 1) continue;
      const double own = Expected(p.totals[mover] + scores[category], used | 1u << category);
      const double value = std::clamp((mover == 0 ? own - other : other - own) / kDecisive, -1.0, 1.0);
      if (best.action != kNoMove && (mover == 0 ? value <= best.value : value >= best.value)) continue;
      best = {(1 << dice_) + category, value};
      if (mover == 0 ? value >= enough : value <= enough) break;
    }
    return best;
  }

  // Network encoding, seen before a throw by the player whose turn it is: the categories filled by each side, the
  // totals and their difference, the number of throws so far, and the count of each face kept.
  static constexpr int kTotals = 2 * kCategories;  // own, the other's, the difference
  static constexpr int kThrows = kTotals + 3;
  static constexpr int kMostThrows = 3;
  static constexpr int kFaces = kThrows + kMostThrows;

  int Inputs() const { return kFaces + sides_ * dice_; }
  static float Unit(int input) { return input >= kTotals && input < kThrows ? 1.0f / 50 : 1.0f; }
  static int Most(int input) { return input >= kTotals && input < kThrows ? 1 << 15 : 1; }
  static int Turn(const Position& p) { return p.turn_player; }
  static bool Sees(const Position& p) { return p.rolling; }

  void Encode(const Position& p, Features& features) const
    requires(kSeats == 2)
  {
    const int turn = p.turn_player;
    for (int side = 0; side < 2; ++side) {
      const std::uint16_t used = p.used[side == 0 ? turn : 1 - turn];
      for (int category = 0; category < kCategories; ++category) {
        if (used >> category & 1) Add(features, side * kCategories + category, 1);
      }
    }
    const std::int16_t totals[3] = {p.totals[turn], p.totals[1 - turn],
                                    static_cast<std::int16_t>(p.totals[turn] - p.totals[1 - turn])};
    for (int i = 0; i < 3; ++i) {
      Add(features, kTotals + i, totals[i]);
    }
    const int thrown = std::min<int>(p.roll_count, kMostThrows - 1);
    Add(features, kThrows + thrown, 1);
    int counts[32] = {};
    for (int i = 0; i < dice_; ++i) {
      if (!(p.mask >> i & 1)) ++counts[p.dice[i]];
    }
    for (int face = 1; face <= sides_; ++face) {
      if (counts[face] == 0) continue;
      Add(features, kFaces + (face - 1) * dice_ + counts[face] - 1, 1);
    }
  }

 private:
  struct Rolls {
    std::vector<Outcome> outcomes;
    int merged;
  };

  static constexpr bool kForTwo = kSeats == 2;
  static constexpr std::uint16_t kAll = (1 << kCategories) - 1;
  static constexpr double kDecisive = 100.0;
  static constexpr double kUnit = 10.0;  // points
  static constexpr int kNoMove = -1;
  static constexpr double kPar[kCategories] = {2.1065,  4.2130, 6.3194, 8.4259, 10.5324, 12.6389,
                                               23.3333, 5.6113, 7.0136, 5.9049, 5.9049,  2.3014};

  bool IsOver(const Position& p) const {
    if constexpr (kForTwo) return p.used[0] == kAll && (players_ == 1 || p.used[1] == kAll);
    return std::all_of(p.used, p.used + players_, [](std::uint16_t used) { return used == kAll; });
  }

  // By how much the dice on the table exceed the par of their best open category.
  double Bonus(const Position& p) const {
    double bonus = -1e9;
    int scores[kCategories];
    Scores(p, scores);
    for (int category = 0; category < kCategories; ++category) {
      if (!(p.used[p.turn_player] >> category & 1)) bonus = std::max(bonus, scores[category] - kPar[category]);
    }
    return bonus;
  }

  template <class Solo>
  auto InTurn(const Position& p, const Solo& solo) const {
    const unsigned used = p.used[p.turn_player];
    std::int64_t code = 0;
    for (int i = 0; i < dice_; ++i) {
      if (!p.rolling || !(p.mask >> i & 1)) code += solo.Code(p.dice[i]);
    }
    return p.rolling ? solo.Throwing(used, p.roll_count, code) : solo.Thrown(used, p.roll_count, code);
  }

  static const open_spiel::yacht::YachtGame& Game(const State& state) {
    return static_cast<const open_spiel::yacht::YachtGame&>(*state.GetGame());
  }

  static void Sort(std::uint8_t* begin, std::uint8_t* end) {
    for (std::uint8_t* i = begin; i < end; ++i) {
      for (std::uint8_t* j = i; j > begin && j[-1] > j[0]; --j) std::swap(j[-1], j[0]);
    }
  }

  // The dice being rolled first, both parts sorted. Dice being rolled keep their faces, which count for the evaluator.
  void PutRolledFirst(Position& p) const {
    std::uint8_t rolled[kMaxDice], kept[kMaxDice];
    int rolled_count = 0, kept_count = 0;
    for (int i = 0; i < dice_; ++i) {
      if (p.mask >> i & 1) {
        rolled[rolled_count++] = p.dice[i];
      } else {
        kept[kept_count++] = p.dice[i];
      }
    }
    Sort(rolled, rolled + rolled_count);
    Sort(kept, kept + kept_count);
    std::copy_n(rolled, rolled_count, p.dice);
    std::copy_n(kept, kept_count, p.dice + rolled_count);
    p.mask = (1 << rolled_count) - 1;
  }

  // One outcome for each multiset of dice, the lowest, in ascending order. There may be many more rolls than multisets.
  Rolls DistinctRolls(int count) const {
    Rolls rolls{{}, 1};
    for (int i = 0; i < count; ++i) rolls.merged *= sides_;
    AddRolls(count, {}, 1.0 / rolls.merged, rolls.outcomes);
    rolls.merged -= static_cast<int>(rolls.outcomes.size());
    return rolls;
  }

  // Adds the outcomes that start with this prefix: `count` digits, the last `run` of which are `digit`.
  struct Prefix {
    int outcome = 0;
    int count = 0;
    int digit = 0;
    int run = 0;
  };
  void AddRolls(int dice, const Prefix& prefix, double probability, std::vector<Outcome>& outcomes) const {
    if (prefix.count == dice) {
      outcomes.push_back({prefix.outcome, probability});
      return;
    }
    for (int digit = prefix.digit; digit < sides_; ++digit) {
      const int run = digit == prefix.digit ? prefix.run + 1 : 1;
      // Another die has `count` + 1 places among the others; placements among `run` equal dice are the same.
      AddRolls(dice, {prefix.outcome * sides_ + digit, prefix.count + 1, digit, run},
               probability * (prefix.count + 1) / run, outcomes);
    }
  }

  int Score(const Position& p, int category) const {
    int scores[kCategories];
    Scores(p, scores);
    return scores[category];
  }

  // What the dice score in each category (YachtState::ComputeCategoryScore).
  void Scores(const Position& p, int* scores) const {
    int counts[32] = {};
    int total = 0;
    for (int i = 0; i < dice_; ++i) {
      ++counts[p.dice[i]];
      total += p.dice[i];
    }
    bool four = false, three = false, two = false, five = false;
    for (int face = 1; face <= sides_; ++face) {
      const int count = counts[face];
      four |= count >= 4;
      if (count >= 3) {
        two |= three;
        three = true;
      }
      two |= count == 2 || count >= 5;
      five |= count >= 5;
    }
    for (int face = 1; face <= 6; ++face) scores[face - 1] = face <= sides_ ? counts[face] * face : 0;
    scores[6] = total;
    scores[7] = sides_ >= 3 && four ? total : 0;
    scores[8] = three && two ? total : 0;
    scores[9] = Straight(counts, 1, 5) ? 30 : 0;
    scores[10] = Straight(counts, 2, 6) ? 30 : 0;
    scores[11] = five ? 50 : 0;
  }

  bool Straight(const int* counts, int bottom, int top) const {
    if (top > sides_) return false;
    for (int face = bottom; face <= top; ++face) {
      if (counts[face] == 0) return false;
    }
    return true;
  }

  static double Expected(int total, unsigned used) { return total + pars_[kAll] - pars_[used]; }

  // The sum of the pars of each set of categories, in their order.
  static std::array<double, kAll + 1> SumPars() {
    std::array<double, kAll + 1> sums{};
    for (unsigned used = 0; used <= kAll; ++used) {
      for (int category = 0; category < kCategories; ++category) {
        if (used >> category & 1) sums[used] += kPar[category];
      }
    }
    return sums;
  }
  static inline const std::array<double, kAll + 1> pars_ = SumPars();

  int players_;
  bool sorted_;
  bool reorders_;
  int dice_ = 0;
  int sides_ = 0;
  int rolls_ = 0;
  double max_score_ = 0.0;
  std::vector<Rolls> distinct_;  // by the number of dice rolled
};

using YachtModel = YachtModelFor<2>;
using YachtOfManyModel = TwoSided<YachtModelFor<10>>;

}  // namespace starspiel
