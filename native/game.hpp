// The operations of the core on games that it has models of, behind one interface.
//
// CMakeLists.txt lists the models and generates the source files that each compile the GameOf (game_of.hpp) of a model.
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
  // True if the model supports this state or position; the other functions require that.
  virtual bool Plays(const Given& given) const = 0;
  // Throws std::invalid_argument if the evaluator is not supported.
  virtual std::unique_ptr<Engine> MakeEngine(const Given& given, const Evaluation& evaluation,
                                             const Options& options) const = 0;
  // A line from `given` on that values leaves with `evaluation` (uct/line_of.hpp). Throws as MakeEngine does.
  virtual std::unique_ptr<uct::Line> MakeLine(const Given& given, const Evaluation& evaluation, bool vectors) const = 0;
  // True if the game has an encoder for networks.
  virtual bool encoded() const = 0;
  // Requires an encoded game; null if no position that the model supports follows `start`, the game's initial state.
  virtual std::unique_ptr<TrainedGame> MakeTrainedGame(const Given& start) const = 0;
  // The evaluator "heuristic" for states of the same game; empty if the game has none.
  virtual starspiel::Heuristic Heuristic(const open_spiel::State& state) const = 0;
  // All reachable positions, unless they take more than `most_bytes`.
  virtual Graph Enumerate(const Given& given, std::size_t most_bytes, const Tell& tell) const = 0;
  // The hash of the position's key in a Graph; near a cut-off, also that of the same position far from it.
  virtual std::vector<std::uint64_t> Hashes(const Given& given) const = 0;
  // Throws std::invalid_argument if the numbers are not a valid position.
  virtual void Check(const Given& given) const = 0;
};

// Adds a game to the registry.
void Register(std::unique_ptr<Game> game);

// The game whose model supports `given`; null if there is none.
const Game* Find(const Given& given);

// As Find, but throws std::invalid_argument if there is none.
const Game& Modelled(const Given& given);

// An engine over the game's model if it has one and `plain` is set; otherwise over OpenSpiel's states, keyed by `rule`.
// Throws std::invalid_argument if the evaluator is not supported, or if rules written in Python have no model.
std::unique_ptr<Engine> MakeEngine(const Given& given, bool plain, KeyRule rule, const Evaluation& evaluation,
                                   const Options& options);

// The same for a line, over the game's model if it has one.
std::unique_ptr<uct::Line> MakeLine(const Given& given, const Evaluation& evaluation, bool vectors);

// The game that starts at `start`, encoded by OpenSpiel's observations if it has no encoder of its own. Throws
// std::invalid_argument if there is no encoder, or if the game is not a sequential two-player zero-sum game.
std::unique_ptr<TrainedGame> MakeTrainedGame(const Given& start);

// The number of a network's inputs for a game; 0 if it has no encoder. A position's nonzero inputs as (input, count),
// ascending; the latter throws std::invalid_argument if the encoder does not see the whole position.
int EncoderInputs(const Given& given);
std::vector<std::pair<int, int>> FeaturesOf(const Given& given);

}  // namespace starspiel
