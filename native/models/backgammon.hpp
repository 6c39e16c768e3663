// OpenSpiel's backgammon as plain bytes, from the first move on.
#pragma once

#include "backgammon_rolls.hpp"
#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/backgammon/backgammon.h"
#include "private_member.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(BackgammonCurrent, open_spiel::backgammon::BackgammonState, open_spiel::Player, cur_player_);
STARSPIEL_EXPOSE(BackgammonPrevious, open_spiel::backgammon::BackgammonState, open_spiel::Player, prev_player_);
STARSPIEL_EXPOSE(BackgammonTurns, open_spiel::backgammon::BackgammonState, int, turns_);
STARSPIEL_EXPOSE(BackgammonDice, open_spiel::backgammon::BackgammonState, std::vector<int>, dice_);
STARSPIEL_EXPOSE(BackgammonScoring, open_spiel::backgammon::BackgammonState, open_spiel::backgammon::ScoringType,
                 scoring_type_);

class BackgammonModel : public KeyedModel {
 public:
  using State = open_spiel::backgammon::BackgammonState;
  struct Position {
    // Each player's checkers by distance: [1] to [24] the points still to go, [25] the bar, [0] borne off.
    std::int8_t checkers[2][26];
    std::int8_t low;  // the dice, low <= high; both 0 before the roll
    std::int8_t high;
    std::int8_t mover;        // who moves, or rolls next
    std::int8_t double_turn;  // whether this is the second half of a double
    std::int32_t turns;       // turns played so far: after too many the game ends undecided
    std::int32_t unused;
  };

  explicit BackgammonModel(const State& state) : scoring_(state.*Member(BackgammonScoring{})) {
    const auto& game = static_cast<const open_spiel::backgammon::BackgammonGame&>(*state.GetGame());
    checkers_ = game.NumCheckersPerPlayer();
    max_turns_ = game.MaxPlayerTurns();
  }

  // Before the opening roll the model does not apply; the 3-checker variant scores nothing.
  static bool Plays(const State& state) {
    const auto& game = static_cast<const open_spiel::backgammon::BackgammonGame&>(*state.GetGame());
    return state.*Member(BackgammonTurns{}) >= 0 && game.NumCheckersPerPlayer() == 15;
  }

  static Position Read(const State& state) {
    Position p{};
    for (int player = 0; player < 2; ++player) {
      for (int point = 0; point < kPoints; ++point) {
        p.checkers[player][Distance(player, point)] = state.board(player, point);
      }
      p.checkers[player][kBar] = state.bar(player);
      p.checkers[player][kOff] = state.score(player);
    }
    const std::vector<int>& dice = state.*Member(BackgammonDice{});
    if (!dice.empty()) {
      p.low = std::min(dice[0], dice[1]);
      p.high = std::max(dice[0], dice[1]);
    }
    const int current = state.*Member(BackgammonCurrent{});
    p.mover = static_cast<std::int8_t>(current == kChance ? 1 - state.*Member(BackgammonPrevious{}) : current);
    p.double_turn = state.double_turn();
    p.turns = state.*Member(BackgammonTurns{});
    return p;
  }

  int Player(const Position& p) const {
    if (p.turns > max_turns_ || p.checkers[0][kOff] == checkers_ || p.checkers[1][kOff] == checkers_) return kTerminal;
    return p.high == 0 ? kChance : p.mover;
  }

  static constexpr int kFar = 100;
  int Left(const Position& p) const { return max_turns_ + 1 - p.turns; }
  static void Bare(Position& p, bool uncounted) {
    if (uncounted) p.turns = 0;
  }

  // After more turns than this the game ends undecided.
  int most_turns() const { return max_turns_; }
  // True if a win counts more when the loser has borne off no checker.
  bool gammons() const { return scoring_ != open_spiel::backgammon::ScoringType::kWinLossScoring; }

  double Utility(const Position& p) const {
    if (p.checkers[0][kOff] == checkers_) return Worth(p, 1);
    if (p.checkers[1][kOff] == checkers_) return -Worth(p, 0);
    return 0.0;
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    for (int i = 0; i < 36; ++i) outcomes.push_back({i, 1.0 / 36});
  }

  // Outcomes 2k and 2k + 1 are the same roll for k < 15; 30 to 35 are the doubles.
  int DistinctOutcomes(const Position&, std::vector<Outcome>& outcomes) const {
    for (int i = 0; i < 30; i += 2) outcomes.push_back({i, 2.0 / 36});
    for (int i = 30; i < 36; ++i) outcomes.push_back({i, 1.0 / 36});
    return 15;
  }

  // Each order of playing the dice is a separate action.
  void Actions(const Position& p, std::vector<int>& actions) const {
    const std::size_t first = actions.size();
    const int most = ListPlays(p, actions);
    if (most == 0) actions.push_back(kPass * 26 + kPass + 676);
    SortActions(actions, first);
  }

  // What an action changes: the player's checkers by distance in four bits each, and the blots hit. Two actions, or two
  // sequences of two, lead to the same position if and only if their gains are equal: a blot is hit once.
  struct Gain {
    std::uint64_t near = 0;  // distances below 16
    std::uint64_t far = 0;   // the other distances in 40 bits, then the blots
    bool operator==(const Gain&) const = default;
    Gain operator+(const Gain& other) const { return {near + other.near, far + other.far}; }
    std::uint64_t Hash() const { return (near ^ far * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u >> 32; }

    void Add(int distance, std::uint64_t count) { (distance < 16 ? near : far) += count << (4 * (distance % 16)); }
  };

  // Appends the first action to each distinct successor, and its gain; returns how many actions are left out.
  int DistinctActions(const Position& p, std::vector<int>& actions, std::vector<Gain>& gains) const {
    static constexpr std::size_t kSlots = 1024;  // at most 2 * 15 * 15 actions
    static constexpr std::uint16_t kFree = 0xffff;
    const std::size_t base = actions.size();
    Actions(p, actions);
    const std::size_t first = gains.size();
    std::array<std::uint16_t, kSlots> slots;
    slots.fill(kFree);
    std::uint16_t kept = 0;
    for (std::size_t i = base; i < actions.size(); ++i) {
      const Gain gain = GainOf(p, actions[i]);
      std::size_t slot = gain.Hash() % kSlots;
      while (slots[slot] != kFree && gains[first + slots[slot]] != gain) slot = (slot + 1) % kSlots;
      if (slots[slot] != kFree) continue;
      slots[slot] = kept;
      gains.push_back(gain);
      actions[base + kept++] = actions[i];
    }
    const int others = static_cast<int>(actions.size() - base) - kept;
    actions.resize(base + kept);
    return others;
  }

  // True if an action is legal, found without listing them all.
  bool Allows(const Position& p, int action) const {
    const bool high_first = action < 676;
    const int code = high_first ? action : action - 676;
    const int first = code % 26, second = code / 26;
    if (first == kPass || second == kPass) {  // legal only if no play moves more checkers
      std::vector<int> actions;
      Actions(p, actions);
      return std::binary_search(actions.begin(), actions.end(), action);
    }
    if (p.low == p.high && !high_first) return false;
    const int die = high_first ? p.high : p.low, other = high_first ? p.low : p.high;
    const int from = FromCode(p.mover, first), next = FromCode(p.mover, second);
    const Points points = PointsOf(p, p.mover);
    return (Walks(points, die) & Bit(from)) && (Walks(After(p, points, from, die), other) & Bit(next));
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.high == 0) {
      static constexpr std::int8_t kRolls[15][2] = {{1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {2, 3}, {2, 4}, {2, 5},
                                                    {2, 6}, {3, 4}, {3, 5}, {3, 6}, {4, 5}, {4, 6}, {5, 6}};
      next.low = action < 30 ? kRolls[action / 2][0] : static_cast<std::int8_t>(action - 29);
      next.high = action < 30 ? kRolls[action / 2][1] : static_cast<std::int8_t>(action - 29);
      return next;
    }
    const bool high_first = action < 676;
    const int code = high_first ? action : action - 676;
    const int first = code % 26, second = code / 26;
    if (first != kPass) Walk(next, p.mover, FromCode(p.mover, first), high_first ? p.high : p.low);
    if (second != kPass) Walk(next, p.mover, FromCode(p.mover, second), high_first ? p.low : p.high);
    if (!p.double_turn) ++next.turns;
    if (!p.double_turn && p.low == p.high && first != kPass && second != kPass) {
      next.double_turn = 1;
    } else {
      next.double_turn = 0;
      next.low = next.high = 0;
      next.mover = 1 - p.mover;
    }
    return next;
  }

  double Heuristic(const Position& p) const {
    const double own = EffectivePips(p, 0), other = EffectivePips(p, 1);
    return (other - own) / (other + own);
  }

  // Network encoding: Tesauro's four inputs per point and side (1995), bar, checkers off, pips, contact, and what the
  // next roll can do for each side.
  static constexpr int kSide = 24 * 4 + 3;  // points, bar, off, pips
  static constexpr int kContact = 2 * kSide;
  static constexpr int kRolls = kContact + 1;
  static constexpr std::array<int, 6> kMostOfRolls{36, 36 * 24, 36, 36 * 15, 36, 36 * 7};
  static constexpr int kOfRolls = kMostOfRolls.size();
  static constexpr int kInputs = kRolls + 2 * kOfRolls;

  int Inputs() const { return kInputs; }

  static float Unit(int input) {
    if (input == kContact) return 1.0f;
    if (input >= kRolls) return 1.0f / kMostOfRolls[(input - kRolls) % kOfRolls];
    const int own = input % kSide;
    if (own == 96) return 0.5f;         // on the bar
    if (own == 97) return 1.0f / 15;    // borne off
    if (own == 98) return 1.0f / 100;   // pips
    return own % 4 == 3 ? 0.5f : 1.0f;  // checkers beyond three
  }

  static int Most(int input) {
    if (input >= kRolls) return kMostOfRolls[(input - kRolls) % kOfRolls];
    const int own = input % kSide;
    if (own < 96) return own % 4 == 3 ? 12 : 1;  // includes contact
    return own == 98 ? 15 * 25 : 15;
  }

  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.high == 0; }

  static void Encode(const Position& p, Features& features) {
    for (int side = 0; side < 2; ++side) {
      const std::int8_t* men = p.checkers[side == 0 ? p.mover : 1 - p.mover];
      const int base = side * kSide;
      int pips = 25 * men[25];
      for (int distance = 1; distance <= 24; ++distance) {
        const int count = men[distance];
        if (count == 0) continue;
        pips += distance * count;
        const int first = base + 4 * (distance - 1);
        Add(features, first + std::min(count, 3) - 1, 1);
        if (count > 3) Add(features, first + 3, count - 3);
      }
      if (men[25] > 0) Add(features, base + 96, men[25]);
      if (men[0] > 0) Add(features, base + 97, men[0]);
      Add(features, base + 98, pips);
    }
    if (!Contact(p)) return;
    Add(features, kContact, 1);
    const Last rolls = LastInputs(p);
    for (std::size_t i = 0; i < rolls.size(); ++i) starspiel::Add(features, kRolls + static_cast<int>(i), rolls[i]);
  }

  static void Changes(const Position& from, const Position& to, Features& changes) {
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? to.mover : 1 - to.mover;
      const int base = side * kSide;
      int pips = 0;
      ForDifferent(from.checkers[player], to.checkers[player], [&](int distance, int before, int after) {
        pips += distance * (after - before);
        if (distance == 0 || distance == 25) {
          Add(changes, base + (distance == 0 ? 97 : 96), after - before);
          return;
        }
        const int first = base + 4 * (distance - 1);
        const int had = std::min(before, 3), has = std::min(after, 3);
        if (had != has) {
          if (had > 0) Add(changes, first + had - 1, -1);
          if (has > 0) Add(changes, first + has - 1, 1);
        }
        if (before > 3 || after > 3) starspiel::Add(changes, first + 3, (after - has) - (before - had));
      });
      if (pips != 0) Add(changes, base + 98, pips);
    }
    starspiel::Add(changes, kContact, Contact(to) - Contact(from));
  }

  // What the next roll can do for each side; all 0 without contact.
  using Last = std::array<int, 2 * kOfRolls>;
  static Last LastInputs(const Position& p) {
    Last all{};
    if (!Contact(p)) return all;
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover;
      const std::int8_t* men = p.checkers[player];
      const BackgammonRolls rolls(men, p.checkers[1 - player]);
      const auto shots = rolls.CountShots();
      int* own = all.data() + side * kOfRolls;
      own[0] = shots.rolls;
      own[1] = shots.pips;
      own[2] = rolls.Blocked(Farthest(men));
      own[3] = rolls.BlockedMen();
      for (int distance = 13; distance <= kBar; ++distance) {
        const int blocked = rolls.Blocked(distance);
        own[4] = std::max(own[4], blocked);
        if (distance >= 19) own[5] += blocked;
      }
    }
    return all;
  }

  static_assert(std::endian::native == std::endian::little, "the first checkers are taken for a word's lowest bytes");

  // Calls visit(distance, before, after) for each distance where a player's checkers differ.
  template <class Visit>
  static void ForDifferent(const std::int8_t* from, const std::int8_t* to, Visit visit) {
    for (const int first : {0, 8, 16, 18}) {
      std::uint64_t different = Word(from + first) ^ Word(to + first);
      if (first == 18) different &= ~(~std::uint64_t{0} >> 16);  // the others belong to the previous word
      while (different != 0) {
        const int byte = std::countr_zero(different) / 8;
        visit(first + byte, from[first + byte], to[first + byte]);
        different &= ~(std::uint64_t{0xff} << (8 * byte));
      }
    }
  }

  static std::uint64_t Word(const std::int8_t* men) {
    std::uint64_t word;
    std::memcpy(&word, men, sizeof word);
    return word;
  }

  // The distance of a player's rearmost checker.
  static int Farthest(const std::int8_t* men) {
    for (const int first : {18, 10, 2}) {
      const std::uint64_t word = Word(men + first);
      if (word != 0) return first + (std::bit_width(word) - 1) / 8;
    }
    return men[1] > 0 ? 1 : 0;
  }

  static int Contact(const Position& p) { return Farthest(p.checkers[0]) + Farthest(p.checkers[1]) > 25; }

  static void Add(Features& features, int input, int count) {
    features.push_back({static_cast<std::uint16_t>(input), static_cast<std::int16_t>(count)});
  }

 private:
  static constexpr int kPoints = 24;
  static constexpr int kBar = 25;
  static constexpr int kOff = 0;
  static constexpr int kActions = 2 * 26 * 26;
  static constexpr int kPass = 25;  // in an action's code; 24 is the bar, 0 to 23 are points

  // Player 0 moves up the points, player 1 down.
  static int Distance(int player, int point) { return player == 0 ? kPoints - point : point + 1; }
  static int FromCode(int player, int code) { return code == 24 ? kBar : Distance(player, code); }
  static int ToCode(int player, int distance) {
    if (distance == kBar) return 24;
    return player == 0 ? kPoints - distance : distance - 1;
  }

  static Gain GainOf(const Position& p, int action) {
    const bool high_first = action < 676;
    const int code = high_first ? action : action - 676;
    const int dice[2] = {high_first ? p.high : p.low, high_first ? p.low : p.high};
    const int codes[2] = {code % 26, code / 26};
    Gain gain;
    std::uint64_t hits = 0;
    for (int turn = 0; turn < 2; ++turn) {
      if (codes[turn] == kPass) continue;
      const int from = FromCode(p.mover, codes[turn]), to = std::max(from - dice[turn], 0);
      gain.Add(from, ~std::uint64_t{0});
      gain.Add(to, 1);
      if (to != kOff && p.checkers[1 - p.mover][kBar - to] == 1) hits |= std::uint64_t{1} << (39 + to);
    }
    gain.far += hits;
    return gain;
  }

  static bool Walk(Position& p, int player, int from, int pips) {
    const int to = std::max(from - pips, 0);
    --p.checkers[player][from];
    ++p.checkers[player][to];
    if (to == kOff || p.checkers[1 - player][kBar - to] != 1) return false;
    p.checkers[1 - player][kBar - to] = 0;
    ++p.checkers[1 - player][kBar];
    return true;
  }

  static int Farthest(const Position& p, int player) {
    int distance = kBar;
    while (distance > 0 && p.checkers[player][distance] == 0) --distance;
    return distance;
  }

  // Points by distance, including the bar, as bits.
  struct Points {
    std::uint32_t own;    // where the player has checkers
    std::uint32_t taken;  // where the opponent has two or more
  };

  static Points PointsOf(const Position& p, int player) {
    Points points{0, 0};
    for (int distance = 1; distance <= kBar; ++distance) {
      points.own |= static_cast<std::uint32_t>(p.checkers[player][distance] > 0) << distance;
      points.taken |= static_cast<std::uint32_t>(p.checkers[1 - player][kBar - distance] > 1) << distance;
    }
    points.taken &= ~(Bit(kOff) | Bit(kBar));
    return points;
  }

  static constexpr std::uint32_t Bit(int distance) { return std::uint32_t{1} << distance; }

  // The distances from which a checker may move `pips`.
  static std::uint32_t Walks(const Points& points, int pips) {
    if (points.own & Bit(kBar))
      return points.taken & Bit(kBar - pips) ? 0 : Bit(kBar);  // Checkers on the bar move first.
    const std::uint32_t home = Bit(pips + 1) - 1;              // distances from which `pips` bear off
    std::uint32_t walks = points.own & ~home & ~(points.taken << pips);
    if (points.own < Bit(7)) {
      walks |= points.own & Bit(pips);
      if (points.own < Bit(pips)) walks |= std::bit_floor(points.own);
    }
    return walks;
  }

  // The points after the player's checker on `from` has moved.
  static Points After(const Position& p, Points points, int from, int pips) {
    if (p.checkers[p.mover][from] == 1) points.own &= ~Bit(from);
    if (from > pips) points.own |= Bit(from - pips);
    return points;
  }

  // Appends the plays of the most checkers (2, 1 or none), unordered; of one-checker plays, those with the higher die.
  int ListPlays(const Position& p, std::vector<int>& actions) const {
    const int player = p.mover;
    const std::size_t base = actions.size();
    const Points points = PointsOf(p, player);
    int most = 0;
    int singles_die = 0;
    for (int turn = 0; turn < (p.low == p.high ? 1 : 2); ++turn) {
      const bool high_first = turn == 0;
      const int die = high_first ? p.high : p.low, other = high_first ? p.low : p.high;
      const int offset = high_first ? 0 : 676;
      for (std::uint32_t walks = Walks(points, die); walks != 0; walks &= walks - 1) {
        const int from = std::countr_zero(walks);
        const int code = ToCode(player, from) + offset;
        std::uint32_t seconds = Walks(After(p, points, from, die), other);
        if (seconds != 0) {
          if (most < 2) {
            most = 2;
            actions.resize(base);
          }
          for (; seconds != 0; seconds &= seconds - 1) {
            actions.push_back(ToCode(player, std::countr_zero(seconds)) * 26 + code);
          }
        } else if (most < 2 && die >= singles_die) {
          if (die > singles_die) {
            singles_die = die;
            actions.resize(base);
          }
          most = 1;
          actions.push_back(kPass * 26 + code);
        }
      }
    }
    return most;
  }

  // Sorts the actions from `first` on, which are all different.
  static void SortActions(std::vector<int>& actions, std::size_t first) {
    std::uint64_t listed[kActions / 64 + 1] = {};
    for (std::size_t i = first; i < actions.size(); ++i)
      listed[actions[i] / 64] |= std::uint64_t{1} << (actions[i] % 64);
    std::size_t at = first;
    for (int word = 0; word <= kActions / 64; ++word) {
      for (std::uint64_t bits = listed[word]; bits != 0; bits &= bits - 1) {
        actions[at++] = 64 * word + std::countr_zero(bits);
      }
    }
  }

  // The pips to go, plus a quarter of the cost of being hit for each blot that an opponent's checker has yet to pass.
  static double EffectivePips(const Position& p, int player) {
    const int passed = kBar - Farthest(p, 1 - player);
    int pips = kBar * p.checkers[player][kBar];
    int at_risk = 0;
    for (int distance = 1; distance < kBar; ++distance) {
      const int count = p.checkers[player][distance];
      pips += distance * count;
      at_risk += count == 1 && distance > passed ? kBar - distance : 0;
    }
    return pips + 0.25 * at_risk;
  }

  double Worth(const Position& p, int loser) const {
    using open_spiel::backgammon::ScoringType;
    if (scoring_ == ScoringType::kWinLossScoring || p.checkers[loser][kOff] > 0) return 1.0;
    if (scoring_ == ScoringType::kEnableGammons) return 2.0;
    // A backgammon: a checker on the bar or in the winner's home board.
    return Farthest(p, loser) > 18 ? 3.0 : 2.0;
  }

  open_spiel::backgammon::ScoringType scoring_;
  int checkers_ = 15;
  int max_turns_ = 0;
};

}  // namespace starspiel
