// What the core does with the games that it has models of, behind one interface.
//
// CMakeLists.txt lists the models, and makes the source files in which a GameOf (game_of.hpp) of each is compiled.
#pragma once

#include "engine.hpp"
#include "evaluators.hpp"
#include "models/text_key.hpp"
#include "network/trainer.hpp"
#include "rules/position.hpp"
#include "solve/graph.hpp"
#include "uct/line.hpp"

namespace starspiel {

using Heuristic = std::function<double(const open_spiel::State&)>;

class Game {
 public:
  virtual ~Game() = default;
  // Whether the model plays from here on; the other functions are for such only.
  virtual bool Plays(const Given& given) const = 0;
  // Throws std::invalid_argument if there is no such evaluator.
  virtual std::unique_ptr<Engine> MakeEngine(const Given& given, const Evaluation& evaluation,
                                             const Options& options) const = 0;
  // A line from `given` on, with what values leaves (uct/line_of.hpp). Throws as MakeEngine.
  virtual std::unique_ptr<uct::Line> MakeLine(const Given& given, const Evaluation& evaluation, bool vectors) const = 0;
  // Whether networks see its positions.
  virtual bool encoded() const = 0;
  // Of an encoded game; null if no position that the model plays follows on `start`, the game's first.
  virtual std::unique_ptr<TrainedGame> MakeTrainedGame(const Given& start) const = 0;
  // The evaluator "heuristic" for states of the same game; empty if there is none.
  virtual starspiel::Heuristic Heuristic(const open_spiel::State& state) const = 0;
  // All positions that can be reached, if they take no more than so many bytes.
  virtual Graph Enumerate(const Given& given, std::size_t most_bytes, const Tell& tell) const = 0;
  // The hash of what a position is known by in a Graph; if it is near a cut-off, also that of the same far from it.
  virtual std::vector<std::uint64_t> Hashes(const Given& given) const = 0;
  // Throws std::invalid_argument if the numbers are no position.
  virtual void Check(const Given& given) const = 0;
};

// Makes a game known.
void Register(std::unique_ptr<Game> game);

// The game that plays from here on; null if there is none.
const Game* Find(const Given& given);

// The same; throws std::invalid_argument if there is none.
const Game& Modelled(const Given& given);

// Over the game's model if there is one and `plain`; otherwise over OpenSpiel's own states, which `rule` has keys of.
// Throws std::invalid_argument if there is no such evaluator, or no model of rules written in Python.
std::unique_ptr<Engine> MakeEngine(const Given& given, bool plain, KeyRule rule, const Evaluation& evaluation,
                                   const Options& options);

// The same of a line, over the game's model if there is one.
std::unique_ptr<uct::Line> MakeLine(const Given& given, const Evaluation& evaluation, bool vectors);

// The game that begins at `start`, with OpenSpiel's observations if there is no other encoder. Throws
// std::invalid_argument if it has no encoder, or is not one of two players, in turn, with zero sum.
std::unique_ptr<TrainedGame> MakeTrainedGame(const Given& start);

// How many inputs networks have of a game; 0 if there are none. What they see of a position: (input, count), ascending.
// The latter throws std::invalid_argument if they do not see all of it.
int EncoderInputs(const Given& given);
std::vector<std::pair<int, int>> FeaturesOf(const Given& given);

}  // namespace starspiel
