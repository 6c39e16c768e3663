// Self-play that trains a network: TD(lambda) over the positions after moves, and exact one-ply targets.
// All games of a round are played with the weights as they are, and then learnt several times, by Adam.
#pragma once

#include "../model.hpp"
#include "../rules/position.hpp"
#include "../training.hpp"
#include "learner.hpp"

namespace starspiel {

struct Training : Length {
  double rate = 0.002;     // Adam's
  double lambda = 0.9;     // of TD(lambda), and of exact targets
  double explore = 0.0;    // the probability of a random move
  // Targets by exact means over the next outcomes, without the luck of the dice, also after one other move a decision.
  bool exact = false;
  double heuristic = 0.0;  // the weight of the heuristic's value in each target
  double draws = 0.0;      // a drawn game counts as so much of what the heuristic says of its end

  // Throws std::invalid_argument if a setting has no meaning, or nothing ends the training.
  void Check() const;
};

struct Progress {
  std::int64_t games = 0;
  std::int64_t positions = 0;  // trained on
  double squared_error = 0.0;  // summed over them: of the network's outputs against their targets
};

// What was met in games, and is to be learnt.
struct Lessons {
  Features features;                        // of all positions, one after the other
  std::vector<std::uint32_t> feature_ends;  // of each position, in `features`
  std::vector<float> targets;               // of the outputs at each position
  std::vector<std::uint32_t> game_ends;     // of each game, in positions

  std::size_t positions() const { return feature_ends.size(); }
  std::span<const Feature> FeaturesOf(std::size_t position) const {
    const std::size_t from = position == 0 ? 0 : feature_ends[position - 1];
    return std::span(features).subspan(from, feature_ends[position] - from);
  }
  Shares TargetsOf(std::size_t position, int outputs) const {
    Shares shares;
    std::copy_n(targets.data() + position * static_cast<std::size_t>(outputs), outputs, shares.of.data());
    return shares;
  }

  void Append(const Lessons& others);
  // Throws std::invalid_argument unless they are for a network of so many inputs and outputs.
  void Check(int inputs, int outputs) const;
};

// Draws from [0, 1).
using Unit = std::function<double()>;

// A game of a model as it is trained on: a position, those remembered since the game's beginning, and the rows of what
// is listed of them.
class TrainedGame {
 public:
  virtual ~TrainedGame() = default;
  // Another of the same game, for another thread.
  virtual std::unique_ptr<TrainedGame> Copy() const = 0;
  virtual bool has_heuristic() const = 0;
  virtual void SetDraws(double draws) = 0;

  // The position is then the first, of a game that forgets what it remembers, or a given one. The latter throws
  // std::invalid_argument if it is of another game.
  virtual void Begin(const Unit& unit) = 0;
  virtual void Read(const Given& given) = 0;
  virtual int player() const = 0;
  virtual double Utility() const = 0;
  // Whether an encoder sees the position, and what.
  virtual bool Sees() const = 0;
  virtual int Turn() const = 0;
  virtual void Encode(Features& features) const = 0;
  // The position's moves, or its outcomes.
  virtual void Actions(std::vector<int>& actions) const = 0;
  virtual void Outcomes(std::vector<Outcome>& outcomes) const = 0;
  virtual void Play(int action) = 0;

  // Restore goes back to the position that was kept.
  virtual void Keep() = 0;
  virtual void Restore() = 0;
  virtual void Remember() = 0;
  virtual double Heuristic(std::size_t remembered) const = 0;
  // Lists what each move leads to, which `actions` become; and what follows a remembered position.
  virtual void ListMoves(std::vector<int>& actions) = 0;
  virtual void ListAhead(std::size_t remembered) = 0;
  virtual Rows& rows() = 0;
};

// Layers of random weights, hidden ones of these sizes. Throws std::invalid_argument if a size is none.
Layers RandomLayers(int inputs, const std::vector<int>& hidden, int outputs, std::uint64_t seed);

class Trainer {
 public:
  // With random weights.
  Trainer(std::unique_ptr<TrainedGame> game, const std::vector<int>& hidden, Scale scale, std::uint64_t seed);

  // One round.
  Progress Train(const Training& training, std::uint64_t seed);
  // Plays in one thread as Train does, but leaves the learning to Fit, of this trainer or another: each position's
  // target is as the weights here have it.
  Lessons Play(const Training& training, std::uint64_t seed);
  // There are no games if it was stopped. Throws std::invalid_argument if the lessons are another network's. With several
  // threads each learns on weights of its own and adds what it has learnt to those of all after each batch: one set of
  // weights that all write to costs two threads a third of their time, for each other's cache lines.
  Progress Fit(const Lessons& lessons, double rate, std::uint64_t seed, int threads, const std::function<bool()>& stop);
  // The move that the network likes best. Throws std::invalid_argument if nobody decides, or of another game.
  int Best(const Given& given);
  const Layers& layers() const { return learner_->layers(); }
  void SetLayers(Layers layers) { learner_->Set(std::move(layers)); }

 private:
  void CheckKnown(const Training& training) const;
  // Until there are as many lessons as are wanted at most.
  void PlayGames(const Training& training, std::uint64_t seed, Remaining& remaining, int thread, std::size_t most,
                 Lessons& lessons) const;

  std::unique_ptr<TrainedGame> game_;
  Scale scale_;
  std::vector<float> units_;
  std::shared_ptr<Learner> learner_;
  double playing_ = 0.15;  // the part of a round's time that goes to playing: at first little, then as the last round was
};

}  // namespace starspiel
