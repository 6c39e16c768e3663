// Self-play that trains a network: TD(lambda) over the positions after moves, and exact one-ply targets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../rules/position.hpp"
#include "network.hpp"
#include "scale.hpp"

namespace starspiel {

struct Training {
  double rate = 0.05;     // of stochastic gradient descent
  double lambda = 0.5;    // of TD(lambda)
  double explore = 0.0;   // the probability of a random move
  bool exact = false;     // targets by the exact mean over the next outcomes, not by what was thrown
  int threads = 1;        // which learn side by side: repeatable with one only
  std::int64_t games = 0;  // to play; 0 for as many as there is time for
  double seconds = 0.0;    // wall-clock time; 0 for as long as the games take
  double heuristic = 0.0;  // the weight of the heuristic's value in each target
  double draws = 0.0;      // a drawn game counts as so much of what the heuristic says of its end
  // Asked about every 25 ms, by the thread that trains, whether to end in the midst of a game; may throw (Ctrl-C).
  std::function<bool()> stop = nullptr;

  // Throws std::invalid_argument where a setting has no meaning, or nothing ends the training.
  void Check() const;
};

struct Progress {
  std::int64_t games = 0;
  std::int64_t positions = 0;  // trained on
  double squared_error = 0.0;  // summed over them: of the network's share against its target
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual Progress Train(const Training& training, std::uint64_t seed) = 0;
  // The move that the network likes best. Throws std::invalid_argument where nobody decides, or of another game.
  virtual int Best(const Given& given) = 0;
  virtual const Layers& layers() const = 0;
  virtual void SetLayers(Layers layers) = 0;
};

// Layers of random weights, hidden ones of these sizes. Throws std::invalid_argument where a size is none.
Layers RandomLayers(int inputs, const std::vector<int>& hidden, std::uint64_t seed);

}  // namespace starspiel
