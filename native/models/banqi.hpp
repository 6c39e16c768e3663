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
    std::int8_t pool[14];  // how many of each piece are face down
    std::int8_t face_down;
    std::int8_t color;  // player 0's colour, or kNoColor
    std::int8_t mover;
    std::int8_t pending;  // the square being flipped, or kNone
    std::int8_t ended;    // kGoesOn, kDraw or the winner
    std::int8_t red;      // the worth of red's pieces on the board minus that of black's
    std::int32_t quiet;   // moves without a flip or capture
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
    const Occupied on = Look(p);
    std::array<int, kMostActions> found;
    std::size_t count = 0;
    ForBits(on.face_down(), [&](int square) { found[count++] = square; });
    if (p.color != kNoColor) {
      const Squares cannons = on.of(ColorOf(p, p.mover) * kTypes + kCannon);
      ForMoves(p, on, [&](int square, Squares targets) {
        const int stay = kSquares + square * kSquares + square;
        if (cannons >> square & 1) {
          ForBits(targets, [&](int target) { found[count++] = stay - square + target; });
          return false;
        }
        // Branchless, as random positions would mispredict branches: entries that are not targets are overwritten.
        const std::uint64_t around = (std::uint64_t{targets} << kColumns) >> square;
        for (int step : {-kColumns, -1, 1, kColumns}) {
          found[count] = stay + step;
          count += around >> (kColumns + step) & 1;
        }
        return false;
      });
    }
    actions.insert(actions.end(), found.begin(), found.begin() + count);
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

  double Heuristic(const Position& p) const {
    if (p.color == kNoColor) return 0.0;
    return ValueOf(p, p.red);
  }

  // Only the capture of greatest worth matters: while a piece is face down, some move leaves the value unchanged.
  std::optional<ValuedMove> BestByHeuristic(const Position& p, double enough) const {
    if (p.face_down == 0 || p.quiet + 1 >= max_quiet_) return std::nullopt;
    const auto* first = static_cast<const std::int8_t*>(std::memchr(p.board, kFaceDown, kSquares));
    ValuedMove best{static_cast<int>(first - p.board), Heuristic(p)};
    if (p.color == kNoColor || (p.mover == 0 ? best.value >= enough : best.value <= enough)) return best;
    const Occupied on = Look(p);
    int most = 0;
    ForMoves(p, on, [&](int square, Squares targets) {
      ForBits(targets & ~on.empty(), [&](int target) {
        const int worth = kWorth[p.board[target] % kTypes];
        if (worth <= most) return;
        most = worth;
        best.action = kSquares + square * kSquares + target;
      });
      return false;
    });
    best.value = ValueOf(p, ColorOf(p, p.mover) == 0 ? p.red + most : p.red - most);
    return best;
  }

  // Network encoding: own and other pieces by type and square, the face-down squares, and the pieces still to be
  // flipped.
  static constexpr int kSquares = 32;
  static constexpr int kTypes = 7;
  static constexpr int kSide = kTypes * kSquares;
  static constexpr int kDown = 2 * kSide;            // a face-down square
  static constexpr int kPending = kDown + kSquares;  // the square being flipped
  static constexpr int kPool = kPending + kSquares;  // face-down pieces of each kind: own, then the other's
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
  static constexpr int kMostActions = 256;  // 32 flips, and fewer than 14 moves of each of 16 pieces
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

  // The heuristic's value if red leads by `red`.
  static double ValueOf(const Position& p, int red) { return static_cast<double>(p.color == 0 ? red : -red) / kArmy; }

  static int ColorOf(const Position& p, int player) { return player == 0 ? p.color : 1 - p.color; }

  static bool CanMove(const Position& p) {
    if (p.face_down > 0) return true;
    const Occupied on = Look(p);
    const int own = ColorOf(p, p.mover) * kTypes;
    Squares mine = 0;
    for (int type = 0; type < kTypes; ++type) mine |= on.of(own + type);
    return (Beside(on.empty()) & mine) != 0 || ForMoves(p, on, [](int, Squares targets) { return targets != 0; });
  }

  // A bit for each square.
  using Squares = std::uint32_t;

  template <class Visit>
  static void ForBits(Squares squares, Visit visit) {
    for (; squares != 0; squares &= squares - 1) visit(std::countr_zero(squares));
  }

  // The squares by content.
  struct Occupied {
    std::array<Squares, 16> by;  // by the lower four bits of a square's content
    Squares of(int content) const { return by[static_cast<std::size_t>(content & 15)]; }
    Squares face_down() const { return of(kFaceDown); }
    Squares empty() const { return of(kEmpty); }
  };

  static Occupied Look(const Position& p) {
    static_assert((kFaceDown & 15) >= kPieces && (kEmpty & 15) >= kPieces && std::endian::native == std::endian::little);
    static constexpr std::uint64_t kOnes = 0x0101010101010101u, kGather = 0x0102040810204080u;
    std::array<Squares, 4> bits{};  // the squares that have each of the four bits set
    for (int row = 0; row < kSquares / kColumns; ++row) {
      std::uint64_t squares;
      std::memcpy(&squares, p.board + row * kColumns, sizeof(squares));
      for (int bit = 0; bit < 4; ++bit) {
        bits[bit] |= static_cast<Squares>((squares >> bit & kOnes) * kGather >> 56) << row * kColumns;
      }
    }
    Occupied on;
    for (int content = 0; content < 16; ++content) {
      on.by[content] = ~Squares{0};
      for (int bit = 0; bit < 4; ++bit) on.by[content] &= content >> bit & 1 ? bits[bit] : ~bits[bit];
    }
    return on;
  }

  // The squares adjacent to any of these.
  static constexpr Squares Beside(Squares squares) {
    constexpr Squares kFirst = 0x01010101u, kLast = kFirst << (kColumns - 1);
    return squares << kColumns | squares >> kColumns | (squares & ~kLast) << 1 | (squares & ~kFirst) >> 1;
  }

  // The squares adjacent to each square.
  static constexpr std::array<Squares, kSquares> FindBeside() {
    std::array<Squares, kSquares> beside{};
    for (int square = 0; square < kSquares; ++square) beside[square] = Beside(Squares{1} << square);
    return beside;
  }

  // Calls visit(square, targets) for the mover's pieces, by square, until it returns true; returns whether it did.
  template <class Visit>
  static bool ForMoves(const Position& p, const Occupied& on, Visit visit) {
    static constexpr std::array<Squares, kSquares> kBeside = FindBeside();
    const int color = ColorOf(p, p.mover), own = color * kTypes, other = kTypes - own;
    Squares mine = 0, theirs = 0;
    std::array<Squares, kTypes> steps{};  // by type of piece: the squares it may step to if adjacent
    for (int type = kTypes - 1; type >= 0; --type) {
      mine |= on.of(own + type);
      theirs |= on.of(other + type);
      steps[type] = on.empty() | theirs;  // empty, or of no higher rank
    }
    steps[kGeneral] &= ~on.of(other + kSoldier);
    steps[kSoldier] |= on.of(other + kGeneral);
    steps[kCannon] = on.empty();
    const Squares cannons = on.of(own + kCannon);
    for (Squares left = mine; left != 0; left &= left - 1) {
      const int square = std::countr_zero(left);
      Squares targets = kBeside[square] & steps[p.board[square] - own];
      if (cannons >> square & 1) targets |= Jumps(square, ~on.empty()) & theirs;
      if (visit(square, targets)) return true;
    }
    return false;
  }

  // The second occupied square in each direction.
  static Squares Jumps(int square, Squares taken) {
    const int column = square % kColumns;
    const Squares line = (Squares{0x01010101} << column), row = Squares{0xff} << (square - column);
    const Squares below = (Squares{1} << square) - 1, above = ~below & ~(Squares{1} << square);
    Squares found = 0;
    for (const Squares way : {line, row}) {
      Squares up = taken & way & above, down = taken & way & below;
      up &= up - 1;  // without the nearest
      found |= up & -up;
      if (down != 0) down ^= std::bit_floor(down);
      found |= std::bit_floor(down);
    }
    return found;
  }

  int max_quiet_;
};

}  // namespace starspiel
