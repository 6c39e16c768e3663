// A line of play as UCT follows it: the game from the root on, move by move, behind one interface. The search itself is
// compiled once; only this interface is compiled for each model.
#pragma once

#include "budget.hpp"
#include "model.hpp"

namespace starspiel::uct {

class Line {
 public:
  virtual ~Line() = default;
  // The size of a value: 1 for player 0's return, or one number for each player.
  virtual int width() const = 0;
  // Returns to the root.
  virtual void Begin() = 0;
  // The player to move, kChance or kTerminal.
  virtual int Mover() const = 0;
  // Append as model.hpp says; impossible outcomes are left out.
  virtual void Actions(std::vector<int>& actions) const = 0;
  virtual void Outcomes(std::vector<Outcome>& outcomes) const = 0;
  virtual void Move(int action) = 0;
  // Write a value: what has been collected so far, the returns at the end, and the leaf's value before the end.
  virtual void Collected(double* values) const = 0;
  virtual void Returns(double* values) const = 0;
  virtual void Value(double* values) = 0;
  // Passes the budget to a slow leaf.
  virtual void Watch(Budget& budget) = 0;
};

}  // namespace starspiel::uct
