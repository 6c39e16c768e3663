// Self-play that trains a network: TD(lambda) over the positions after moves, and exact one-ply targets. All games of a
// round are played with fixed weights; their positions are then learnt several times, by Adam.
#pragma once

#include "../model.hpp"
#include "../rules/position.hpp"
#include "../training.hpp"
#include "learner.hpp"

namespace starspiel {

struct Training : Length {
  double rate = 0.002;     // learning rate of Adam
  double lambda = 0.9;     // of TD(lambda), and of exact targets
  double explore = 0.0;    // the probability of a random move
  // Exact targets: means over the next outcomes, without the luck of the dice, also after one other move per decision.
  bool exact = false;
  double heuristic = 0.0;  // the weight of the heuristic's value in each target
  double draws = 0.0;      // the utility of a drawn game, as a fraction of the heuristic's value at its end

  // Throws std::invalid_argument if a setting is out of range, or if nothing ends the training.
  void Check() const;
};

struct Progress {
  std::int64_t games = 0;
  std::int64_t positions = 0;  // trained on
  double squared_error = 0.0;  // summed over these positions, of the network's outputs against their targets
};

// The positions of games and their targets, to be learnt.
struct Lessons {
  Features features;                        // of all positions, concatenated
  std::vector<std::uint32_t> feature_ends;  // of each position, in `features`
  std::vector<float> targets;               // of each position's outputs
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
  // Throws std::invalid_argument unless the lessons are for a network of this many inputs and outputs.
  void Check(int inputs, int outputs) const;
};

// Returns a random number in [0, 1).
using Unit = std::function<double()>;

// A model's game in training: the current position, those remembered since the start of the game, and the rows listed
// from them.
class TrainedGame {
 public:
  virtual ~TrainedGame() = default;
  // A copy of the same game, for another thread.
  virtual std::unique_ptr<TrainedGame> Copy() const = 0;
  virtual bool has_heuristic() const = 0;
  virtual void SetDraws(double draws) = 0;

  // Begin sets the position to the start of a new game, and forgets the remembered ones; Read sets it to a given one,
  // and throws std::invalid_argument if that is of another game.
  virtual void Begin(const Unit& unit) = 0;
  virtual void Read(const Given& given) = 0;
  virtual int player() const = 0;
  virtual double Utility() const = 0;
  // Whether the encoder sees the position, and its encoding.
  virtual bool Sees() const = 0;
  virtual int Turn() const = 0;
  virtual void Encode(Features& features) const = 0;
  // The actions or the outcomes of the position.
  virtual void Actions(std::vector<int>& actions) const = 0;
  virtual void Outcomes(std::vector<Outcome>& outcomes) const = 0;
  virtual void Play(int action) = 0;

  // Restore returns to the position of the last Keep.
  virtual void Keep() = 0;
  virtual void Restore() = 0;
  virtual void Remember() = 0;
  virtual double Heuristic(std::size_t remembered) const = 0;
  // Lists the positions after each move, whose actions become `actions`; and those after a remembered position.
  virtual void ListMoves(std::vector<int>& actions) = 0;
  virtual void ListAhead(std::size_t remembered) = 0;
  virtual Rows& rows() = 0;
};

// Layers of random weights, with hidden layers of these sizes. Throws std::invalid_argument if a size is out of range.
Layers RandomLayers(int inputs, const std::vector<int>& hidden, int outputs, std::uint64_t seed);

class Trainer {
 public:
  // Starts with random weights.
  Trainer(std::unique_ptr<TrainedGame> game, const std::vector<int>& hidden, Scale scale, std::uint64_t seed);

  // Plays and learns one round.
  Progress Train(const Training& training, std::uint64_t seed);
  // Plays on one thread as Train does, but leaves the learning to Fit, of this trainer or another: the targets depend
  // on these weights.
  Lessons Play(const Training& training, std::uint64_t seed);
  // The progress has no games if it was stopped. Throws std::invalid_argument if the lessons are for another network.
  // Each of several threads learns on its own weights and adds its changes to the shared ones after each batch: writing
  // to shared weights directly costs two threads a third of their time, through contention for cache lines.
  Progress Fit(const Lessons& lessons, double rate, std::uint64_t seed, int threads, const std::function<bool()>& stop);
  // The network's best move. Throws std::invalid_argument if nobody is to move, or if the state is of another game.
  int Best(const Given& given);
  const Layers& layers() const { return learner_->layers(); }
  void SetLayers(Layers layers) { learner_->Set(std::move(layers)); }

 private:
  void CheckKnown(const Training& training) const;
  // Plays until there are at least `most` positions in `lessons`.
  void PlayGames(const Training& training, std::uint64_t seed, Remaining& remaining, int thread, std::size_t most,
                 Lessons& lessons) const;

  std::unique_ptr<TrainedGame> game_;
  Scale scale_;
  std::vector<float> units_;
  std::shared_ptr<Learner> learner_;
  double playing_ = 0.15;  // share of a round's time spent playing: an initial guess, then the last round's
};

}  // namespace starspiel
