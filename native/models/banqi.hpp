// OpenSpiel's banqi as plain bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model.hpp"
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

class BanqiModel {
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
    std::int8_t unused;
    std::int32_t quiet;  // moves without flip or capture
  };
  static constexpr bool kKeyed = true;
  static constexpr bool kMergePays = false;
  static constexpr int kTableDepth = 1;

  explicit BanqiModel(const State& state) : max_quiet_(state.*Member(BanqiMaxNoProgress{})) {}

  static bool Plays(const State&) { return true; }

  static Position Read(const State& state) {
    Position p{};
    for (int i = 0; i < kSquares; ++i) {
      p.board[i] = static_cast<std::int8_t>((state.*Member(BanqiBoardOf{}))[static_cast<std::size_t>(i)]);
      p.face_down = static_cast<std::int8_t>(p.face_down + (p.board[i] == kFaceDown));
    }
    for (int i = 0; i < kPieces; ++i) {
      p.pool[i] = static_cast<std::int8_t>((state.*Member(BanqiPoolOf{}))[static_cast<std::size_t>(i)]);
    }
    p.color = static_cast<std::int8_t>((state.*Member(BanqiColorsOf{}))[0]);
    p.mover = static_cast<std::int8_t>(state.*Member(BanqiCurrent{}));
    p.pending = static_cast<std::int8_t>(state.*Member(BanqiPending{}));
    p.ended = kGoesOn;
    const int winner = state.*Member(BanqiOutcomeOf{});
    if (winner >= 0) p.ended = static_cast<std::int8_t>(winner);
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
      const std::size_t first = actions.size();
      ForTargets(p, square, [&](int target) {
        actions.push_back(kSquares + square * kSquares + target);
        return false;
      });
      std::sort(actions.begin() + static_cast<std::ptrdiff_t>(first), actions.end());
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
      next.board[p.pending] = static_cast<std::int8_t>(action);
      --next.pool[action];
      --next.face_down;
      next.pending = kNone;
      if (p.color == kNoColor) {
        const int shown = action / kTypes;
        next.color = static_cast<std::int8_t>(p.mover == 0 ? shown : 1 - shown);
      }
      next.quiet = 0;
    } else if (action < kSquares) {
      next.pending = static_cast<std::int8_t>(action);
      return next;
    } else {
      const int from = (action - kSquares) / kSquares, to = action % kSquares;
      next.quiet = p.board[to] >= 0 ? 0 : p.quiet + 1;
      next.board[to] = p.board[from];
      next.board[from] = kEmpty;
    }
    next.mover = static_cast<std::int8_t>(1 - p.mover);
    if (next.quiet >= max_quiet_) {
      next.ended = kDraw;
    } else if (next.color != kNoColor && !CanMove(next)) {
      next.ended = static_cast<std::int8_t>(1 - next.mover);
    }
    return next;
  }

  // Not where the player to move can capture.
  bool Quiet(const Position& p) const {
    if (p.pending >= 0 || p.color == kNoColor) return true;
    const int color = ColorOf(p, p.mover);
    for (int square = 0; square < kSquares; ++square) {
      if (p.board[square] < 0 || p.board[square] / kTypes != color) continue;
      if (ForTargets(p, square, [&](int target) { return p.board[target] >= 0; })) return false;
    }
    return true;
  }

  double Heuristic(const Position& p) const {
    if (p.color == kNoColor) return 0.0;
    int red = 0;
    for (int square = 0; square < kSquares; ++square) {
      const int piece = p.board[square];
      if (piece >= 0) red += piece < kTypes ? kWorth[piece] : -kWorth[piece - kTypes];
    }
    return static_cast<double>(p.color == 0 ? red : -red) / kArmy;
  }

 private:
  static constexpr int kSquares = 32;
  static constexpr int kColumns = 8;
  static constexpr int kPieces = 14;
  static constexpr int kTypes = 7;
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

  static int ColorOf(const Position& p, int player) { return player == 0 ? p.color : 1 - p.color; }

  static bool Beats(int attacker, int defender) {
    if (attacker / kTypes == defender / kTypes) return false;
    attacker %= kTypes;
    defender %= kTypes;
    if (attacker == kCannon) return false;
    if (attacker == kSoldier && defender == kCannon) return false;
    if (attacker == kGeneral && defender == kSoldier) return false;
    if (attacker == kSoldier && defender == kGeneral) return true;
    return attacker <= defender;
  }

  // Calls visit(target) for every square the piece may go to, until it returns true; returns whether it did.
  template <class Visit>
  static bool ForTargets(const Position& p, int square, Visit visit) {
    static constexpr int kSteps[4] = {-kColumns, kColumns, -1, 1};
    const int piece = p.board[square];
    const int row = square / kColumns, column = square % kColumns;
    const int room[4] = {row, kSquares / kColumns - 1 - row, column, kColumns - 1 - column};
    for (int d = 0; d < 4; ++d) {
      if (room[d] == 0) continue;
      const int target = square + kSteps[d];
      if (p.board[target] == kEmpty || (p.board[target] >= 0 && Beats(piece, p.board[target]))) {
        if (visit(target)) return true;
      }
      if (piece % kTypes != kCannon) continue;
      bool screened = false;
      for (int i = 1; i <= room[d]; ++i) {
        const int other = square + i * kSteps[d];
        if (p.board[other] == kEmpty) continue;
        if (screened) {
          if (p.board[other] >= 0 && p.board[other] / kTypes != piece / kTypes && visit(other)) return true;
          break;
        }
        screened = true;
      }
    }
    return false;
  }

  static bool CanMove(const Position& p) {
    if (p.face_down > 0) return true;
    const int color = ColorOf(p, p.mover);
    for (int square = 0; square < kSquares; ++square) {
      if (p.board[square] < 0 || p.board[square] / kTypes != color) continue;
      if (ForTargets(p, square, [](int) { return true; })) return true;
    }
    return false;
  }

  int max_quiet_;
};

}  // namespace starspiel
