// Games of more than two players, or of two whose returns do not add up to nothing.
//
// A model of such a game has beside what model.hpp lists
//
//   players()                       how many there are, at most kMostPlayers
//   Mover(position)                 who moves: one of them, kChance or kTerminal
//   Returns(position, returns)      writes each player's return at a terminal position
//   Heuristics(position, returns)   writes what the evaluator "heuristic" says of each, if it has one
//   SeenBy(player)                  makes the game one of two sides: from then on Player is 0 for this player and 1 for
//                                   all others, and Utility and Heuristic are this player's. kNobody: not so
#pragma once

#include "model.hpp"
#include "search/options.hpp"

namespace starspiel {

inline constexpr int kMostPlayers = 16;

template <class Model>
concept SeveralPlayers = requires(const Model& model, const typename Model::Position& position, double* returns) {
  { model.players() } -> std::convertible_to<int>;
  { model.Mover(position) } -> std::convertible_to<int>;
  model.Returns(position, returns);
};

// Whether a player prefers a later action with `value` for them to an earlier one with `best`.
inline bool IsBetter(double value, double best) {
  return value > best + kTieTolerance * std::max(1.0, std::abs(best));
}

// Whose return counts in a search of two sides.
class Perspective {
 public:
  explicit Perspective(int player = kNobody) : player_(player) {}
  // The side of who moves.
  int Side(int mover) const { return player_ == kNobody || mover < 0 ? mover : static_cast<int>(mover != player_); }
  int player() const { return player_ == kNobody ? 0 : player_; }

 private:
  int player_;
};

// A model whose Player is who moves, as searches of two sides see it: a model in the sense of model.hpp.
template <class Model>
class TwoSided : public Model {
 public:
  using typename Model::Position;
  using Model::Model;

  void SeenBy(int player) { seen_ = Perspective(player); }
  int Mover(const Position& p) const { return Model::Player(p); }
  int Player(const Position& p) const { return seen_.Side(Model::Player(p)); }

  double Utility(const Position& p) const {
    double returns[kMostPlayers];
    Model::Returns(p, returns);
    return returns[seen_.player()];
  }

  double Heuristic(const Position& p) const {
    double returns[kMostPlayers];
    Model::Heuristics(p, returns);
    return returns[seen_.player()];
  }

 private:
  Perspective seen_;
};

// Writes what players expect who have so much, in numbers of which `unit` more is a chance e times as great: the
// winner's return and the losers', by their shares of the chances.
inline void ReturnsByShares(const double* holdings, int players, double unit, double win, double lose,
                            double* returns) {
  const double most = *std::max_element(holdings, holdings + players);
  double sum = 0.0;
  for (int player = 0; player < players; ++player) {
    returns[player] = std::exp((holdings[player] - most) / unit);
    sum += returns[player];
  }
  for (int player = 0; player < players; ++player) returns[player] = lose + (win - lose) * (returns[player] / sum);
}

}  // namespace starspiel
