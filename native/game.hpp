// What the core does with the games that it has models of, behind one interface.
//
// CMakeLists.txt lists the models, and makes the source files in which a GameOf (game_of.hpp) of each is compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "models/text_key.hpp"
#include "network/trainer.hpp"
#include "rules/position.hpp"

namespace starspiel {

// What a model says of a position, for the tests that it plays the rules that it is a copy of.
struct Described {
  int player;
  double value;       // player 0's return so far
  std::string bytes;  // the position
  struct Next {
    int action;
    double probability;  // of an outcome; 1 for a move
    std::string bytes;   // the position after it
  };
  std::vector<Next> next;
  std::vector<int> allowed;         // the actions that Allows takes, where the model has it
  std::optional<double> heuristic;  // Heuristic
  std::optional<ValuedMove> best;   // BestByHeuristic
  std::optional<double> mean;       // MeanByHeuristic
};

using Heuristic = std::function<double(const open_spiel::State&)>;

class Game {
 public:
  virtual ~Game() = default;
  // Whether the model plays from here on; the other functions are for such only.
  virtual bool Plays(const Given& given) const = 0;
  // Throws std::invalid_argument where there is no such evaluator.
  virtual std::unique_ptr<Engine> MakeEngine(const Given& given, const Evaluation& evaluation,
                                             const Options& options) const = 0;
  // Null where no position that the model plays follows on `start`, the game's first.
  virtual std::unique_ptr<Trainer> MakeTrainer(const Given& start, const std::vector<int>& hidden, Scale scale,
                                               std::uint64_t seed) const = 0;
  // How many inputs the encoder has; 0 where there is none.
  virtual int EncoderInputs(const Given& given) const = 0;
  // What a network sees: (input, count), ascending by input. Throws std::invalid_argument where it sees nothing.
  virtual std::vector<std::pair<int, int>> Features(const Given& given) const = 0;
  // What the model says of whether the position is quiet; nothing where it says nothing.
  virtual std::optional<bool> Quiet(const Given& given) const = 0;
  // The evaluator "heuristic" for states of the same game; empty where there is none.
  virtual starspiel::Heuristic Heuristic(const open_spiel::State& state) const = 0;
  // The position as the model holds it. Throws std::invalid_argument where the numbers are none.
  virtual std::string Bytes(const Given& given) const = 0;
  virtual Described Describe(const Given& given, std::optional<double> enough) const = 0;
};

// Makes a game known.
void Register(std::unique_ptr<Game> game);

// The game that plays from here on; null where there is none.
const Game* Find(const Given& given);

// Over the game's model where there is one and `plain`; otherwise over OpenSpiel's own states, which `rule` has keys of.
// Throws std::invalid_argument where there is no such evaluator, or no model of rules written in Python.
std::unique_ptr<Engine> MakeEngine(const Given& given, bool plain, KeyRule rule, const Evaluation& evaluation,
                                   const Options& options);

// A trainer for the game that begins at `start`, with hidden layers of these sizes. Throws std::invalid_argument where
// the game has no encoder, or is not one of two players, in turn, with zero sum.
std::unique_ptr<Trainer> MakeTrainer(const Given& start, const std::vector<int>& hidden, Scale scale,
                                     std::uint64_t seed);

// What Find's game says, or an OpenSpiel game without a model says by its observations.
int EncoderInputs(const Given& given);
std::vector<std::pair<int, int>> FeaturesOf(const Given& given);

}  // namespace starspiel
