// A line of play, as UCT walks it: the game from the root on, move by move, behind one interface. The search itself is
// compiled once, and each model only what asks it.
#pragma once

#include "budget.hpp"
#include "model.hpp"

namespace starspiel::uct {

class Line {
 public:
  virtual ~Line() = default;
  // How many numbers a value has: one, player 0's return; or one for each player.
  virtual int width() const = 0;
  // Back to the root.
  virtual void Begin() = 0;
  // Who moves: a player, kChance or kTerminal.
  virtual int Mover() const = 0;
  // Append what model.hpp says; only what can happen.
  virtual void Actions(std::vector<int>& actions) const = 0;
  virtual void Outcomes(std::vector<Outcome>& outcomes) const = 0;
  virtual void Move(int action) = 0;
  // Write a value: what is collected on the way, the return at the end, and what the leaf says before the end.
  virtual void Collected(double* values) const = 0;
  virtual void Returns(double* values) const = 0;
  virtual void Value(double* values) = 0;
  // The clock of what takes long.
  virtual void Watch(Budget& budget) = 0;
};

}  // namespace starspiel::uct
