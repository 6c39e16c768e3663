// OpenSpiel's maedn (Mensch aergere dich nicht), as plain bytes: for two players, and for three or four.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/maedn/maedn.h"
#include "private_member.hpp"
#include "several.hpp"

namespace starspiel {

STARSPIEL_EXPOSE(MaednCurrent, open_spiel::maedn::MaednState, open_spiel::Player, cur_player_);
STARSPIEL_EXPOSE(MaednPrevious, open_spiel::maedn::MaednState, open_spiel::Player, prev_player_);
STARSPIEL_EXPOSE(MaednOpposite, open_spiel::maedn::MaednState, const bool, two_players_opposite_);
STARSPIEL_EXPOSE(MaednDie, open_spiel::maedn::MaednState, int, dice_);
STARSPIEL_EXPOSE(MaednPreviousDie, open_spiel::maedn::MaednState, int, prev_dice_);
STARSPIEL_EXPOSE(MaednBoard, open_spiel::maedn::MaednState, std::vector<int>, board_);

template <int kSeats>
class MaednModelFor : public KeyedModel {
 public:
  using State = open_spiel::maedn::MaednState;
  struct Position {
    // Fields walked by each piece on the board from its player's start field (0 to 39, the goal 40 to 43), ascending;
    // pieces not in the game come first as kHome.
    std::int8_t pieces[kSeats][4];
    std::int8_t die;    // 0 before the roll; with `one_pass`, one value stands for all rolls that only allow a pass
    std::int8_t mover;  // who moves, or rolls next
    std::int8_t unused[6];
  };
  static constexpr bool kMergePays = false;
  static constexpr int kTableDepth = 2;
  static constexpr bool kDiceAtHorizon = false;

  // With `one_pass`, rolls that only allow a pass lead to one position, although OpenSpiel's states show the die.
  MaednModelFor(const State& state, bool one_pass) : players_(state.NumPlayers()), one_pass_(one_pass) {
    for (int player = 0; player < kSeats; ++player) seats_[player] = player;
    if (kForTwo && state.*Member(MaednOpposite{})) seats_[1] = 2;
  }

  static bool Plays(const State& state) { return (state.NumPlayers() == 2) == kForTwo && state.NumPlayers() <= kSeats; }

  int players() const { return kForTwo ? 2 : players_; }

  Position Read(const State& state) const {
    Position p{};
    const std::vector<int>& board = state.*Member(MaednBoard{});
    for (int player = 0; player < players(); ++player) {
      int count = 0;
      std::int8_t* own = p.pieces[player];
      for (int field = 0; field < kEnd; ++field) {
        if (board[Place(player, field)] == player + 1) own[count++] = field;
      }
      while (count < kPieces) own[count++] = kHome;
      std::sort(own, own + kPieces);
    }
    const int previous = state.*Member(MaednPrevious{});
    if (state.*Member(MaednCurrent{}) == kChance) {
      p.mover = static_cast<std::int8_t>(state.*Member(MaednPreviousDie{}) == 6 ? previous : After(previous));
    } else {
      p.mover = state.*Member(MaednCurrent{});
      Roll(p, state.*Member(MaednDie{}));
    }
    return p;
  }

  int Player(const Position& p) const {
    if (IsWon(p)) return kTerminal;
    return p.die == 0 ? kChance : p.mover;
  }

  double Utility(const Position& p) const
    requires(kSeats == 2)
  {
    return p.pieces[0][0] >= kGoal ? 1.0 : -1.0;
  }

  void Returns(const Position& p, double* returns) const {
    const int winner = Winner(p);
    for (int player = 0; player < players(); ++player) returns[player] = player == winner ? players() - 1 : -1;
  }

  void Actions(const Position& p, std::vector<int>& actions) const {
    const std::int8_t* own = p.pieces[p.mover];
    const bool at_home = own[0] == kHome;
    if (at_home) {
      if (Has(own, 0)) {  // The start field must be cleared while pieces wait at home.
        if (!Has(own, p.die)) {
          actions.push_back(kFieldOffset);
          return;
        }
      } else if (p.die == 6) {
        actions.push_back(kBringIn);
        return;
      }
    }
    const std::size_t before = actions.size();
    for (int i = 0; i < kPieces; ++i) {
      const int field = own[i];
      if (field != kHome && field + p.die < kEnd && !Has(own, field + p.die)) actions.push_back(field + kFieldOffset);
    }
    if (actions.size() == before) actions.push_back(kPass);
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    for (int i = 0; i < kFaces; ++i) outcomes.push_back({i, kChances});
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.die == 0) {
      Roll(next, action + 1);
      return next;
    }
    if (action != kPass) {
      const int from = action == kBringIn ? kHome : action - kFieldOffset;
      const int to = action == kBringIn ? 0 : from + p.die;
      Walk(next.pieces[p.mover], from, to);
      if (to < kGoal) {
        ForOthers(p.mover, [&](int other) {
          std::int8_t* others = next.pieces[other];
          const int met = Met(p.mover, to, other);
          if (Has(others, met)) Capture(others, met);
        });
      }
    }
    if (p.die != 6) next.mover = After(p.mover);
    next.die = 0;
    return next;
  }

  double Heuristic(const Position& p) const
    requires(kSeats == 2)
  {
    return static_cast<double>(Lead(p)) / kFull;
  }

  void Heuristics(const Position& p, double* returns) const
    requires(kSeats > 2)
  {
    std::uint64_t tracks[kSeats] = {}, starts[kSeats] = {};  // pieces on the track; start fields of those at home
    for (int player = 0; player < players_; ++player) {
      for (const std::int8_t field : p.pieces[player]) {
        if (field == kHome) {
          starts[player] = std::uint64_t{1} << Place(player, 0);
        } else if (field < kGoal) {
          tracks[player] |= std::uint64_t{1} << Place(player, field);
        }
      }
    }
    double standing[kSeats] = {};
    for (int player = 0; player < players_; ++player) {
      std::uint64_t others = 0, coming = 0;
      ForOthers(player, [&](int other) {
        others |= tracks[other];
        coming |= starts[other];
      });
      int sum = 0;
      for (const std::int8_t field : p.pieces[player]) {
        const int walked = field - kHome;
        sum += 20 * walked;
        if (field >= kGoal) sum += 2000;
        if (field == kHome || field >= kGoal) continue;
        const int place = Place(player, field);
        sum += walked * walked;
        if (IsBehind(others, place) || (coming >> place & 1)) sum -= 10 * walked;
      }
      standing[player] = sum / 2000.0;
    }
    ReturnsByShares(standing, players_, 1.0, players_ - 1, -1.0, returns);
  }

  // The field of `other` that coincides with this player's `field`, which is not in the goal.
  int Met(int player, int field, int other) const {
    return (field + 10 * (seats_[player] - seats_[other]) + kGoal) % kGoal;
  }

  std::optional<ValuedMove> BestByHeuristic(const Position& p, double enough) const
    requires(kSeats == 2)
  {
    const std::int8_t* own = p.pieces[p.mover];
    if (own[1] >= kGoal) return std::nullopt;  // The last piece may reach the goal.
    const int lead = Lead(p);
    ValuedMove best{kPass, 0.0};
    int most = -1;
    ForGains(p, p.die, [&](int action, int gain) {
      if (gain <= most) return false;
      most = gain;
      best = {action, LeadAfter(p, lead, gain)};
      return p.mover == 0 ? best.value >= enough : best.value <= enough;
    });
    return best;
  }

  std::optional<double> MeanByHeuristic(const Position& p) const
    requires(kSeats == 2)
  {
    if (p.pieces[p.mover][1] >= kGoal) return std::nullopt;  // The last piece may reach the goal.
    const int lead = Lead(p);
    double mean = 0.0;
    for (int die = 1; die <= kFaces; ++die) {
      int most = 0;
      ForGains(p, die, [&](int, int gain) {
        most = std::max(most, gain);
        return false;
      });
      mean += kChances * LeadAfter(p, lead, most);
    }
    return mean;
  }

  // Network encoding: the fields of each side's pieces, counted from their own start, the number at home, and for each
  // piece how many of the other side's are close enough behind it to capture with one or two rolls.
  static constexpr int kFields = 44;
  static constexpr int kCommon = 40;
  static constexpr int kAtHome = kFields;       // one, two, three or four pieces at home
  static constexpr int kNear = kAtHome + 4;     // by a piece's field: how many may capture it with one roll
  static constexpr int kFar = kNear + kCommon;  // and how many with two
  static constexpr int kSide = kFar + kCommon;
  static constexpr int kInputs = 2 * kSide;

  int Inputs() const { return kInputs; }

  static int Most(int input) { return input % kSide < kNear ? 1 : 4; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position& p) { return p.die == 0; }

  void Encode(const Position& p, Features& features) const
    requires(kSeats == 2)
  {
    for (int side = 0; side < 2; ++side) {
      const int player = side == 0 ? p.mover : 1 - p.mover, first = side * kSide;
      int home = 0;
      for (const std::int8_t field : p.pieces[player]) {  // ascending
        if (field < 0) {
          ++home;
        } else {
          Add(features, first + field, 1);
        }
      }
      if (home > 0) Add(features, first + kAtHome + home - 1, 1);
      for (const auto [from, reach] : {Range{kNear, 1}, Range{kFar, 1 + kRoll}}) {
        for (const std::int8_t field : p.pieces[player]) {
          if (field < 0 || field >= kCommon) continue;
          const int met = (field + Met(player, 0, 1 - player)) % kCommon;
          Add(features, first + from + field, Behind(p.pieces[1 - player], met, reach));
        }
      }
    }
  }

  struct Range {
    int from, reach;
  };
  static constexpr int kRoll = 6;

  // The number of these pieces `reach` to `reach` + 5 fields behind `field`, counted from their start. A piece at home
  // enters at its start by rolling a six: all pieces at home count as one, six fields before it.
  static int Behind(const std::int8_t (&pieces)[4], int field, int reach) {
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      if (pieces[i] < 0 && i > 0) continue;
      const int way = field - (pieces[i] < 0 ? -kRoll : pieces[i]);
      count += way >= reach && way < reach + kRoll;
    }
    return count;
  }

 private:
  static constexpr bool kForTwo = kSeats == 2;
  static constexpr int kPieces = 4;
  static constexpr int kGoal = 40;
  static constexpr int kEnd = 44;
  static constexpr std::int8_t kHome = -1;
  static constexpr int kPass = 0;
  static constexpr int kBringIn = 1;
  static constexpr int kFieldOffset = 2;
  static constexpr int kFull = 41 + 42 + 43 + 44;
  static constexpr int kFaces = 6;
  static constexpr double kChances = 1.0 / kFaces;

  int After(int player) const { return kForTwo ? 1 - player : (player + 1) % players_; }

  template <class Visit>
  void ForOthers(int player, Visit visit) const {
    if constexpr (kForTwo) {
      visit(1 - player);
    } else {
      for (int other = 0; other < players_; ++other) {
        if (other != player) visit(other);
      }
    }
  }

  // True if one of the pieces is at most six fields behind a place on the common track.
  static bool IsBehind(std::uint64_t pieces, int place) {
    const std::uint64_t window =
        place >= kRoll ? pieces >> (place - kRoll) : pieces << (kRoll - place) | pieces >> (kGoal - kRoll + place);
    return (window & ((1u << kRoll) - 1)) != 0;
  }

  // A single branchless pass: searches call this at every position.
  bool IsWon(const Position& p) const {
    bool won = false;
    for (int player = 0; player < players(); ++player) won |= p.pieces[player][0] >= kGoal;
    return won;
  }

  // The winner; -1 if there is none.
  int Winner(const Position& p) const {
    for (int player = 0; player < players(); ++player) {
      if (p.pieces[player][0] >= kGoal) return player;
    }
    return -1;
  }

  static bool Has(const std::int8_t* own, int field) {
    return own[0] == field || own[1] == field || own[2] == field || own[3] == field;
  }

  static void Walk(std::int8_t* own, int from, int to) {
    int i = 0;
    while (own[i] != from) ++i;
    for (; i + 1 < kPieces && own[i + 1] < to; ++i) own[i] = own[i + 1];
    own[i] = to;
  }

  static void Capture(std::int8_t* own, int at) {
    int i = 0;
    while (own[i] != at) ++i;
    for (; i > 0; --i) own[i] = own[i - 1];
    own[0] = kHome;
  }

  static int Lead(const Position& p) {
    int lead = 0;
    for (int i = 0; i < kPieces; ++i) lead += p.pieces[0][i] - p.pieces[1][i];
    return lead;
  }

  // Calls `note(action, gain)` for each legal move of this roll, until it returns true. `gain` is the increase in the
  // mover's lead, in fields.
  template <class Note>
  void ForGains(const Position& p, int die, Note note) const {
    const std::int8_t* own = p.pieces[p.mover];
    if (own[0] == kHome) {
      if (Has(own, 0)) {
        if (!Has(own, die)) {
          note(kFieldOffset, die + Captured(p, die));
          return;
        }
      } else if (die == 6) {
        note(kBringIn, 1 + Captured(p, 0));
        return;
      }
    }
    bool passes = true;
    for (int i = 0; i < kPieces; ++i) {
      const int from = own[i], to = from + die;
      if (from == kHome || to >= kEnd || Has(own, to)) continue;
      passes = false;
      if (note(from + kFieldOffset, die + (to < kGoal ? Captured(p, to) : 0))) return;
    }
    if (passes) note(kPass, 0);
  }

  static double LeadAfter(const Position& p, int lead, int gain) {
    return static_cast<double>(p.mover == 0 ? lead + gain : lead - gain) / kFull;
  }

  // The number of fields that the other player loses by a move to `to`, which is not in the goal.
  int Captured(const Position& p, int to) const {
    const int met = Met(p.mover, to, 1 - p.mover);
    return Has(p.pieces[1 - p.mover], met) ? met - kHome : 0;
  }

  // A player's field in OpenSpiel's numbering of the board.
  int Place(int player, int field) const {
    const int seat = seats_[player];
    return field < kGoal ? (field + 10 * seat) % kGoal : 4 * seat + field;
  }

  void Roll(Position& p, int die) const {
    p.die = die;
    if (!one_pass_ || die == 6 || CanWalk(p, die)) return;  // After a six the same player rolls again, pass or not.
    p.die = 1;
    while (CanWalk(p, p.die)) ++p.die;  // The least roll that only allows a pass; `die` is one.
  }

  static bool CanWalk(const Position& p, int die) {
    const std::int8_t* own = p.pieces[p.mover];
    for (int i = 0; i < kPieces; ++i) {
      if (own[i] != kHome && own[i] + die < kEnd && !Has(own, own[i] + die)) return true;
    }
    return false;
  }

  int players_;
  int seats_[kSeats];
  bool one_pass_;
};

using MaednModel = MaednModelFor<2>;
using MaednOfManyModel = TwoSided<MaednModelFor<4>>;

}  // namespace starspiel
