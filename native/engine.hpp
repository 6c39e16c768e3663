// A search of any game behind one interface: its iterations run on one thread or several.
#pragma once

#include "budget.hpp"
#include "open_spiel/spiel.h"
#include "rules/position.hpp"
#include "search/options.hpp"
#include "shared.hpp"

namespace starspiel {

struct RootValues {
  bool finished = true;  // false if a limit interrupted the iteration
  std::vector<std::pair<int, double>> values;
  std::vector<std::vector<double>> returns = {};  // max^n: every player's expected return, parallel to `values`
};

// The search and the evaluator of one thread.
class Seat {
 public:
  virtual ~Seat() = default;
  // Sets the root of the following calls: a state of the game that the engine was made for.
  virtual void Start(const Given& given) = 0;
  // The following forward to Search::ShareWork, Search::Root and so on.
  virtual void ShareWork(bool shared) = 0;
  virtual void Root(int depth, double margin, const std::vector<int>& first, Budget& budget, RootValues& found) = 0;
  // One value for the player whose return counts; one for each player in max^n.
  virtual std::vector<double> Evaluate(Budget& budget) = 0;
  virtual double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) = 0;
  virtual const Counters& counters() const = 0;
  virtual std::int64_t computed() const = 0;
  virtual double size() const = 0;
};

class Engine {
 public:
  // keyed: equal positions are recognised, so the table and merging work. merges: equal successors can be searched
  // once. by_position: the evaluator depends on the position alone and calls nothing external.
  struct Traits {
    bool keyed, merges, by_position;
  };

  // `shared` is null if there is only one seat.
  Engine(Traits traits, std::vector<std::unique_ptr<Seat>> seats, std::shared_ptr<Shared> shared);

  // Search::Root from a decision node.
  RootValues Root(const Given& given, int depth, double margin, const std::vector<int>& first, Budget& budget);
  // The evaluator's value of a non-terminal state; one for each player in max^n.
  std::vector<double> Evaluate(const Given& given, Budget& budget);
  // Player 0's luck in `actions`, which start at `given`, measured by the evaluator. The engine could have been made
  // for the state after the first action.
  double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget);

  const Traits& traits() const { return traits_; }
  // Summed over all threads, except that `horizon` is that of the first thread to finish.
  const Counters& counters() const { return counters_; }
  std::int64_t computed() const;
  double size() const;
  // Processor time spent searching, in seconds, by thread.
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
  int last_depth_ = 0;  // of the previous iteration, like last_nodes_
  std::int64_t last_nodes_ = 0;
  Counters counters_;
};

}  // namespace starspiel
