// Rows: encoded positions for networks and functions of arrays, listed first and then valued all at once. A position
// that the encoder does not see is valued through positions that it sees: by the best move if dice have been rolled, by
// the mean over outcomes if they have yet to be.
#pragma once

#include "features.hpp"

namespace starspiel {

class Rows {
 public:
  virtual ~Rows() = default;

  // As in the encoder (features.hpp).
  virtual int Inputs() const = 0;
  virtual float Unit(int input) const = 0;
  virtual int Most(int input) const = 0;
  std::vector<float> Units() const {
    std::vector<float> units;
    for (int input = 0; input < Inputs(); ++input) units.push_back(Unit(input));
    return units;
  }

  std::size_t size() const { return turns_.size(); }
  // The player about to act.
  int turn(std::size_t row) const { return turns_[row]; }
  // Appends a row's encoding.
  virtual void Encode(std::size_t row, Features& features) const = 0;
  // Sets `features` to a row's encoding or, with `near`, to its changes since the row of the previous call, which has
  // the same turn.
  virtual void Follow(std::size_t row, bool near, Features& features) = 0;

  // Player 0's value of each listed position, from player 0's value of each row.
  void Values(const std::vector<double>& of_rows, std::vector<double>& values) const {
    Fold(of_rows, values, [](double utility) { return utility; }, [](double value) { return value; });
  }

  // The same for any type that can be added and scaled, such as vectors: `ended` makes it from player 0's utility, and
  // moves are chosen by its `worth` to player 0.
  template <class Value, class Ended, class Worth>
  void Fold(const std::vector<Value>& of_rows, std::vector<Value>& values, Ended ended, Worth worth) const {
    values.clear();
    for (const Step& step : steps_) {
      if (step.kind == Step::kRow) {
        values.push_back(of_rows[step.count]);
      } else if (step.kind == Step::kKnown) {
        values.push_back(ended(step.number));
      } else if (step.kind == Step::kTimes) {
        values.back() *= step.number;
      } else {
        const std::size_t base = values.size() - step.count;
        Value value = step.kind == Step::kSum ? Value{} : values[base];
        for (std::size_t i = base; i < values.size(); ++i) {
          if (step.kind == Step::kSum) {
            value += values[i];
          } else if (step.kind == Step::kMost ? worth(values[i]) > worth(value) : worth(values[i]) < worth(value)) {
            value = values[i];
          }
        }
        values.resize(base);
        values.push_back(value);
      }
    }
  }

 protected:
  // A step of the computation, on a stack of values.
  struct Step {
    enum Kind { kRow, kKnown, kTimes, kMost, kLeast, kSum } kind;
    std::size_t count;  // kRow: the row; kMost, kLeast and kSum: the number of operands
    double number;      // kKnown, kTimes
  };

  std::vector<int> turns_;
  std::vector<Step> steps_;
};

// Values rows, for player 0.
class RowEvaluator {
 public:
  virtual ~RowEvaluator() = default;
  virtual void Values(Rows& rows, std::vector<double>& of_rows) = 0;
  // The preferred minimum batch size.
  virtual int batch() const = 0;
  // The number of inputs up to the last one with a nonzero weight.
  virtual int used() const { return std::numeric_limits<int>::max(); }
};

}  // namespace starspiel
