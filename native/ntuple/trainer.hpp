// Self-play that trains an n-tuple network for 2048: TD(lambda) over the boards after moves, each game from its end
// backward, with temporal coherence steps. The second half of a game is then replayed, then the second half of that,
// until it is short. Szubert and Jaskowski (2014), Jaskowski (2016), Matsuzaki (2017).
#pragma once

#include "../training.hpp"
#include "patterns.hpp"

namespace starspiel::ntuple {

struct Progress {
  std::int64_t games = 0;  // from the start
  std::int64_t moves = 0;  // in all games, including replays
  double points = 0.0;     // summed over the games from the start
};

// A weight, the sum of its errors and that of their magnitudes: adjacent, so that one cache line holds all three.
struct alignas(16) Weight {
  float value = 0.0f, error = 0.0f, magnitude = 0.0f;
};

// Weights accessed all over their memory: initially zero, in huge pages if the system has them.
class Weights {
 public:
  explicit Weights(std::size_t count);
  Weight* data() { return data_.get(); }
  const Weight* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(Weight* data) const;
  };
  std::size_t size_;
  std::unique_ptr<Weight[], Free> data_;
};

class Trainer {
 public:
  explicit Trainer(Patterns patterns);

  // Threads update one set of weights without locks. Throws std::invalid_argument if a setting is out of range.
  Progress Train(const Length& length, std::uint64_t seed);
  // The scores of games played by the best move at one ply, without learning.
  std::vector<std::int64_t> Play(int games, std::uint64_t seed) const;

  const Patterns& patterns() const { return patterns_; }
  Weights& weights() { return weights_; }

 private:
  struct Step;
  struct Table;
  static constexpr int kTables = 2;             // games that a thread alternates between
  static constexpr std::size_t kAhead = 4;      // boards whose weights are prefetched before they are learnt
  static constexpr std::size_t kShortest = 10;  // boards of a game that is not replayed
  static constexpr float kLambda = 0.5f;

  Progress TrainThread(std::uint64_t seed, Remaining& remaining);
  void Look(Table& table) const;
  int Best(const Table& table) const;
  float Value(const std::uint32_t* places) const;
  void LearnPath(const std::vector<Step>& path);
  float Learn(const std::uint32_t* places, float target);

  Patterns patterns_;
  int lookups_;
  Weights weights_;
};

}  // namespace starspiel::ntuple
