// Self-play that trains an n-tuple network for 2048: TD(lambda) over the boards after moves, each game from its end
// backward, with steps by temporal coherence; then its second half is played again, and of that the second half, until
// that is short. Szubert and Jaskowski (2014), Jaskowski (2016), Matsuzaki (2017); optimistic first weights: Guei, Chen
// and Wu (2021).
#pragma once

#include "../training.hpp"
#include "patterns.hpp"

namespace starspiel::ntuple {

struct Progress {
  std::int64_t games = 0;  // from the start
  std::int64_t moves = 0;  // of all, halves played again among them
  double points = 0.0;     // summed over the games from the start
};

// Memory for numbers that are looked up all over it: zeros, in large pages if the system has them.
class LargeArray {
 public:
  explicit LargeArray(std::size_t count);
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float* data) const;
  };
  std::size_t size_;
  std::unique_ptr<float[], Free> data_;
};

class Trainer {
 public:
  // All weights begin so that every board is worth `optimism` points.
  Trainer(Patterns patterns, double optimism);

  // Threads write one set of weights without locks. `rate` times what temporal coherence says of each weight is its
  // step. Throws std::invalid_argument if a setting has no meaning.
  Progress Train(const Length& length, double rate, std::uint64_t seed);
  // The points of games played by the best move at one ply, without learning.
  std::vector<std::int64_t> Play(int games, std::uint64_t seed) const;

  const Patterns& patterns() const { return patterns_; }
  // The sums of the errors of each weight, and of their magnitudes.
  LargeArray& errors() { return errors_; }
  LargeArray& weights() { return weights_; }

 private:
  struct Step;
  struct Table;
  static constexpr int kTables = 4;             // games that a thread plays in turn
  static constexpr std::size_t kAhead = 4;      // boards whose weights are asked for before they are learnt
  static constexpr std::size_t kShortest = 10;  // boards of a game that is not played again
  static constexpr float kLambda = 0.5f;

  Progress TrainThread(double full_rate, std::uint64_t seed, Remaining& remaining);
  void Look(Table& table) const;
  int Best(const Table& table) const;
  float Value(const std::uint32_t* places) const;
  void LearnPath(const std::vector<Step>& path, float rate);
  float Learn(const std::uint32_t* places, float target, float rate);

  Patterns patterns_;
  int lookups_;
  LargeArray weights_, errors_;
};

}  // namespace starspiel::ntuple
