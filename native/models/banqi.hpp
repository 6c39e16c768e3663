// OpenSpiel's banqi as plain bytes.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/games/banqi/banqi.h"
#include "private_member.hpp"

namespace starspiel {

using BanqiBoard = std::array<int, open_spiel::banqi::kNumSquares>;
using BanqiPool = std::array<int, open_spiel::banqi::kNumDistinctPieces>;
using BanqiColors = std::array<int, open_spiel::banqi::kNumPlayers>;
STARSPIEL_EXPOSE(BanqiBoardOf, open_spiel::banqi::BanqiState, BanqiBoard, board_);
STARSPIEL_EXPOSE(BanqiPoolOf, open_spiel::banqi::BanqiState, BanqiPool, remaining_pieces_);
STARSPIEL_EXPOSE(BanqiColorsOf, open_spiel::banqi::BanqiState, BanqiColors, player_color_);
STARSPIEL_EXPOSE(BanqiCurrent, open_spiel::banqi::BanqiState, open_spiel::Player, current_player_);
STARSPIEL_EXPOSE(BanqiOutcomeOf, open_spiel::banqi::BanqiState, open_spiel::Player, outcome_);
STARSPIEL_EXPOSE(BanqiDraw, open_spiel::banqi::BanqiState, bool, is_draw_);
STARSPIEL_EXPOSE(BanqiPending, open_spiel::banqi::BanqiState, int, pending_flip_square_);
STARSPIEL_EXPOSE(BanqiNoProgress, open_spiel::banqi::BanqiState, int, no_progress_count_);
STARSPIEL_EXPOSE(BanqiMaxNoProgress, open_spiel::banqi::BanqiState, int, max_no_progress_);

class BanqiModel : public KeyedModel {
 public:
  using State = open_spiel::banqi::BanqiState;
  struct Position {
    std::int8_t board[32];
    std::int8_t pool[14];  // of each piece, how many are face down
    std::int8_t face_down;
    std::int8_t color;  // player 0's, or kNoColor
    std::int8_t mover;
    std::int8_t pending;  // the square being flipped, or kNone
    std::int8_t ended;    // kGoesOn, kDraw or the winner
    std::int8_t red;      // the worth of red's pieces on the board less that of black's
    std::int32_t quiet;   // moves without flip or capture
  };
  static constexpr bool kMergePays = false;

  explicit BanqiModel(const State& state) : max_quiet_(state.*Member(BanqiMaxNoProgress{})) {}

  static bool Plays(const State&) { return true; }

  static Position Read(const State& state) {
    Position p{};
    for (int i = 0; i < kSquares; ++i) {
      p.board[i] = (state.*Member(BanqiBoardOf{}))[i];
      p.face_down = p.face_down + (p.board[i] == kFaceDown);
      p.red = p.red + RedWorth(p.board[i]);
    }
    for (int i = 0; i < kPieces; ++i) {
      p.pool[i] = (state.*Member(BanqiPoolOf{}))[i];
    }
    p.color = (state.*Member(BanqiColorsOf{}))[0];
    p.mover = state.*Member(BanqiCurrent{});
    p.pending = state.*Member(BanqiPending{});
    p.ended = kGoesOn;
    const int winner = state.*Member(BanqiOutcomeOf{});
    if (winner >= 0) p.ended = winner;
    if (state.*Member(BanqiDraw{})) p.ended = kDraw;
    p.quiet = state.*Member(BanqiNoProgress{});
    return p;
  }

  int Player(const Position& p) const {
    if (p.ended != kGoesOn) return kTerminal;
    return p.pending >= 0 ? kChance : p.mover;
  }

  double Utility(const Position& p) const { return p.ended == 0 ? 1.0 : p.ended == 1 ? -1.0 : 0.0; }

  void Actions(const Position& p, std::vector<int>& actions) const {
    if (p.face_down > 0) {
      for (int square = 0; square < kSquares; ++square) {
        if (p.board[square] == kFaceDown) actions.push_back(square);
      }
    }
    if (p.color == kNoColor) return;
    const int color = ColorOf(p, p.mover);
    for (int square = 0; square < kSquares; ++square) {
      if (p.board[square] < 0 || p.board[square] / kTypes != color) continue;
      ForTargets<false>(p, square, [&](int target) {
        actions.push_back(kSquares + square * kSquares + target);
        return false;
      });
    }
  }

  void Outcomes(const Position& p, std::vector<Outcome>& outcomes) const {
    for (int piece = 0; piece < kPieces; ++piece) {
      if (p.pool[piece] > 0) outcomes.push_back({piece, static_cast<double>(p.pool[piece]) / p.face_down});
    }
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.pending >= 0) {
      next.board[p.pending] = action;
      --next.pool[action];
      next.red = p.red + RedWorth(action);
      --next.face_down;
      next.pending = kNone;
      if (p.color == kNoColor) {
        const int shown = action / kTypes;
        next.color = static_cast<std::int8_t>(p.mover == 0 ? shown : 1 - shown);
      }
      next.quiet = 0;
    } else if (action < kSquares) {
      next.pending = action;
      return next;
    } else {
      const int from = (action - kSquares) / kSquares, to = action % kSquares;
      next.quiet = p.board[to] >= 0 ? 0 : p.quiet + 1;
      next.red = p.red - RedWorth(p.board[to]);
      next.board[to] = p.board[from];
      next.board[from] = kEmpty;
    }
    next.mover = 1 - p.mover;
    if (next.quiet >= max_quiet_) {
      next.ended = kDraw;
    } else if (next.color != kNoColor && !CanMove(next)) {
      next.ended = 1 - next.mover;
    }
    return next;
  }

  // Not if the player to move can capture.
  bool Quiet(const Position& p) const {
    if (p.pending >= 0 || p.color == kNoColor) return true;
    const int color = ColorOf(p, p.mover);
    for (int square = 0; square < kSquares; ++square) {
      if (p.board[square] < 0 || p.board[square] / kTypes != color) continue;
      if (ForTargets<true>(p, square, [](int) { return true; })) return false;
    }
    return true;
  }

  double Heuristic(const Position& p) const {
    if (p.color == kNoColor) return 0.0;
    return ValueOf(p, p.red);
  }

  // Only the capture of the greatest worth counts: with a piece face down there is a move that changes nothing.
  std::optional<ValuedMove> BestByHeuristic(const Position& p, double enough) const {
    if (p.face_down == 0 || p.quiet + 1 >= max_quiet_) return std::nullopt;
    const auto* first = static_cast<const std::int8_t*>(std::memchr(p.board, kFaceDown, kSquares));
    ValuedMove best{static_cast<int>(first - p.board), Heuristic(p)};
    if (p.color == kNoColor || (p.mover == 0 ? best.value >= enough : best.value <= enough)) return best;
    const int color = ColorOf(p, p.mover);
    int most = 0;
    for (int square = 0; square < kSquares; ++square) {
      const int piece = p.board[square];
      if (piece < color * kTypes || piece >= (color + 1) * kTypes) continue;
      ForTargets<true>(p, square, [&](int target) {
        const int worth = kWorth[p.board[target] % kTypes];
        if (worth > most) {
          most = worth;
          best.action = kSquares + square * kSquares + target;
        }
        return false;
      });
    }
    best.value = ValueOf(p, color == 0 ? p.red + most : p.red - most);
    return best;
  }

  // Banqi as a network sees it: own and other pieces by type and square, what lies face down where, and what is still
  // to be turned up.
  static constexpr int kSquares = 32;
  static constexpr int kTypes = 7;
  static constexpr int kSide = kTypes * kSquares;
  static constexpr int kDown = 2 * kSide;            // a square that is face down
  static constexpr int kPending = kDown + kSquares;  // the square being turned up
  static constexpr int kPool = kPending + kSquares;  // of each own, then each other piece, how many are face down
  static constexpr int kQuiet = kPool + 2 * kTypes;  // moves without progress
  static constexpr int kUnknown = kQuiet + 1;        // colours are not known yet
  static constexpr int kInputs = kUnknown + 1;

  int Inputs() const { return kInputs; }

  static float Unit(int input) { return input == kQuiet ? 1.0f / 32 : input >= kPool && input < kQuiet ? 0.25f : 1.0f; }
  static int Most(int input) { return input == kQuiet ? 100 : input >= kPool && input < kQuiet ? 5 : 1; }
  static int Turn(const Position& p) { return p.mover; }
  static bool Sees(const Position&) { return true; }

  static void Encode(const Position& p, Features& features) {
    const int color = p.color < 0 ? 0 : p.mover == 0 ? p.color : 1 - p.color;
    const std::size_t base = features.size();
    for (int square = 0; square < kSquares; ++square) {
      const int piece = p.board[square];
      if (piece >= 0) {
        const int side = piece / kTypes == color ? 0 : 1;
        Add(features, side * kSide + piece % kTypes * kSquares + square, 1);
      } else if (piece == open_spiel::banqi::kFaceDown) {
        Add(features, (p.pending == square ? kPending : kDown) + square, 1);
      }
    }
    for (int piece = 0; piece < 2 * kTypes; ++piece) {
      if (p.pool[piece] > 0)
        Add(features, kPool + (piece / kTypes == color ? 0 : kTypes) + piece % kTypes, p.pool[piece]);
    }
    if (p.quiet > 0) Add(features, kQuiet, std::min(p.quiet, 100));
    if (p.color < 0) Add(features, kUnknown, 1);
    std::sort(features.begin() + base, features.end(),
              [](const Feature& a, const Feature& b) { return a.input < b.input; });
  }

 private:
  static constexpr int kColumns = 8;
  static constexpr int kPieces = 14;
  static constexpr int kGeneral = 0;
  static constexpr int kCannon = 5;
  static constexpr int kSoldier = 6;
  static constexpr std::int8_t kEmpty = open_spiel::banqi::kEmpty;
  static constexpr std::int8_t kFaceDown = open_spiel::banqi::kFaceDown;
  static constexpr std::int8_t kNoColor = open_spiel::banqi::kNoColor;
  static constexpr std::int8_t kNone = -1;
  static constexpr std::int8_t kGoesOn = -1;
  static constexpr std::int8_t kDraw = 2;
  static constexpr int kWorth[kTypes] = {10, 5, 4, 3, 2, 4, 1};
  static constexpr int kArmy = 10 + 2 * (5 + 4 + 3 + 2 + 4) + 5;

  // What a piece on the board adds to red's lead.
  static int RedWorth(int piece) {
    if (piece < 0) return 0;
    return piece < kTypes ? kWorth[piece] : -kWorth[piece - kTypes];
  }

  // The heuristic if red leads by so much.
  static double ValueOf(const Position& p, int red) { return static_cast<double>(p.color == 0 ? red : -red) / kArmy; }

  static int ColorOf(const Position& p, int player) { return player == 0 ? p.color : 1 - p.color; }

  static constexpr bool Beats(int attacker, int defender) {
    if (attacker / kTypes == defender / kTypes) return false;
    attacker %= kTypes;
    defender %= kTypes;
    if (attacker == kCannon) return false;
    if (attacker == kSoldier && defender == kCannon) return false;
    if (attacker == kGeneral && defender == kSoldier) return false;
    if (attacker == kSoldier && defender == kGeneral) return true;
    return attacker <= defender;
  }

  // By piece, and by what is on a square, from -2 on: whether the piece may step there.
  using Steps = std::array<std::array<bool, kPieces + 2>, kPieces>;
  static constexpr Steps FindSteps(bool captures) {
    Steps steps{};
    for (int piece = 0; piece < kPieces; ++piece) {
      for (int other = 0; other < kPieces; ++other) steps[piece][other + 2] = Beats(piece, other);
      if (!captures) steps[piece][kEmpty + 2] = true;
    }
    return steps;
  }

  // Calls visit(target) for every square the piece may go to, or capture on, until it returns true; returns whether it
  // did. The squares are ascending.
  template <bool kCaptures, class Visit>
  static bool ForTargets(const Position& p, int square, Visit visit) {
    static constexpr Steps kStepsTo = FindSteps(kCaptures);
    static constexpr int kSteps[4] = {-kColumns, -1, 1, kColumns};
    const int piece = p.board[square];
    const bool cannon = piece % kTypes == kCannon;
    const auto& steps_to = kStepsTo[piece];
    const int row = square / kColumns, column = square % kColumns;
    const int room[4] = {row, column, kColumns - 1 - column, kSquares / kColumns - 1 - row};
    for (int d = 0; d < 4; ++d) {
      if (room[d] == 0) continue;
      if (cannon && kSteps[d] < 0 && JumpsTo(p, square, kSteps[d], room[d], visit)) return true;
      const int target = square + kSteps[d];
      if (steps_to[p.board[target] + 2] && visit(target)) return true;
      if (cannon && kSteps[d] > 0 && JumpsTo(p, square, kSteps[d], room[d], visit)) return true;
    }
    return false;
  }

  // The cannon's capture over one piece.
  template <class Visit>
  static bool JumpsTo(const Position& p, int square, int step, int room, Visit visit) {
    bool screened = false;
    for (int i = 1; i <= room; ++i) {
      const int other = square + i * step;
      if (p.board[other] == kEmpty) continue;
      if (screened) return p.board[other] >= 0 && p.board[other] / kTypes != p.board[square] / kTypes && visit(other);
      screened = true;
    }
    return false;
  }

  static bool CanMove(const Position& p) {
    if (p.face_down > 0) return true;
    const int color = ColorOf(p, p.mover);
    for (int square = 0; square < kSquares; ++square) {
      if (p.board[square] < 0 || p.board[square] / kTypes != color) continue;
      if (ForTargets<false>(p, square, [](int) { return true; })) return true;
    }
    return false;
  }

  int max_quiet_;
};

}  // namespace starspiel
