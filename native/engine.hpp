// A search of any game behind one interface: the iterations of one thread or of several.
#pragma once

#include "budget.hpp"
#include "open_spiel/spiel.h"
#include "rules/position.hpp"
#include "search/options.hpp"
#include "shared.hpp"

namespace starspiel {

struct RootValues {
  bool finished = true;  // false if a limit ended the iteration
  std::vector<std::pair<int, double>> values;
  std::vector<std::vector<double>> returns = {};  // max^n: beside each value, what every player expects
};

// The search and the evaluator of one thread.
class Seat {
 public:
  virtual ~Seat() = default;
  // The root of what follows: a state of the game that the engine was made for.
  virtual void Start(const Given& given) = 0;
  // Search::ShareWork, Search::Root and so on.
  virtual void ShareWork(bool shared) = 0;
  virtual void Root(int depth, double margin, const std::vector<int>& first, Budget& budget, RootValues& found) = 0;
  // Of who counts; of each player in max^n.
  virtual std::vector<double> Evaluate(Budget& budget) = 0;
  virtual double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) = 0;
  virtual const Counters& counters() const = 0;
  virtual std::int64_t computed() const = 0;
  virtual double size() const = 0;
};

class Engine {
 public:
  // Whether equal positions are recognised, so that table and merging work; whether equal successors can be searched
  // once; whether the evaluator goes by the position alone, and asks nobody else.
  struct Traits {
    bool keyed, merges, by_position;
  };

  // `shared`: null if there is one seat.
  Engine(Traits traits, std::vector<std::unique_ptr<Seat>> seats, std::shared_ptr<Shared> shared);

  // Search::Root from a decision node.
  RootValues Root(const Given& given, int depth, double margin, const std::vector<int>& first, Budget& budget);
  // The evaluator's value of a state that is not terminal; each player's in max^n.
  std::vector<double> Evaluate(const Given& given, Budget& budget);
  // Player 0's luck in `actions`, which begin at `given`, by the evaluator. The state after the first of them is one
  // that the engine could have been made for.
  double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget);

  const Traits& traits() const { return traits_; }
  // Of all threads; `horizon` is only that of the thread that was done first.
  const Counters& counters() const { return counters_; }
  std::int64_t computed() const;
  double size() const;
  // Seconds of processor time that each thread has searched for.
  const std::vector<double>& thread_seconds() const { return seconds_; }

 private:
  struct Iteration {
    int depth;
    double margin;
    const std::vector<int>& first;
  };
  RootValues Iterate(const Iteration& iteration, std::size_t threads, Budget& budget);

  Traits traits_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::shared_ptr<Shared> shared_;
  std::vector<double> seconds_;
  int last_depth_ = 0;  // of the iteration before, and its nodes
  std::int64_t last_nodes_ = 0;
  Counters counters_;
};

}  // namespace starspiel
