// Games of more than two players, or two-player games that are not zero-sum.
//
// A model of such a game has, in addition to the members in model.hpp,
//
//   players()                       the number of players, at most kMostPlayers
//   Mover(position)                 the player to move, kChance or kTerminal
//   Returns(position, returns)      writes each player's return at a terminal position
//   Heuristics(position, returns)   writes each player's value by the evaluator "heuristic", if the game has one
//   SeenBy(player)                  makes the game two-sided: from then on Player is 0 for this player and 1 for all
//                                   others, and Utility and Heuristic are this player's. kNobody undoes this
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

// True if a player prefers a later action of own value `value` to an earlier one of own value `best`.
inline bool IsBetter(double value, double best) {
  return value > best + kTieTolerance * std::max(1.0, std::abs(best));
}

// The player whose return counts in a two-sided search.
class Perspective {
 public:
  explicit Perspective(int player = kNobody) : player_(player) {}
  // The side of the player to move.
  int Side(int mover) const { return player_ == kNobody || mover < 0 ? mover : static_cast<int>(mover != player_); }
  int player() const { return player_ == kNobody ? 0 : player_; }

 private:
  int player_;
};

// Adapts a model whose Player is the player to move to two-sided searches, as a model in the sense of model.hpp.
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

// Writes the players' expected returns from their holdings: each wins with probability proportional to exp(holding /
// unit), and the winner's return is `win`, the others' `lose`.
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
