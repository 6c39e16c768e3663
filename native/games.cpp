// Implements what game.hpp declares for all games, and for OpenSpiel games without a model.
#include "game.hpp"
#include "models/state.hpp"
#include "network/trained_game.hpp"
#include "seat.hpp"
#include "uct/line_of.hpp"

namespace starspiel {
namespace {

std::vector<std::unique_ptr<Game>>& Games() {
  static std::vector<std::unique_ptr<Game>> games;
  return games;
}

// The OpenSpiel state to search when there is no model.
const open_spiel::State& WithoutModel(const Given& given) {
  if (given.position != nullptr) {
    throw std::invalid_argument("the native core has no model for this form of " + given.position->model);
  }
  return *given.state;
}

// True if the game's model is used rather than OpenSpiel's states. Games without an encoder of their own are encoded by
// OpenSpiel's observations.
bool IsByModel(const Given& given, const Game* game, bool plain, const Evaluation& evaluation) {
  if (game == nullptr) return false;
  return given.position != nullptr || (plain && (!TraitsOf(evaluation).encodes || game->encoded()));
}

// OpenSpiel's states as a model, with the heuristic of the game's own model if that is the evaluator.
StateModel ModelOfStates(const Given& given, const Game* game, KeyRule rule, const Evaluation& evaluation) {
  const open_spiel::State& state = WithoutModel(given);
  starspiel::Heuristic heuristic;
  if (IsHeuristic(evaluation)) {
    if (game != nullptr) heuristic = game->Heuristic(state);
    if (!heuristic) throw std::invalid_argument("there is no native heuristic for this game");
  }
  return StateModel(*state.GetGame(), std::move(heuristic), rule);
}

void CheckTrained(const open_spiel::Game& game) {
  using Type = open_spiel::GameType;
  const Type& type = game.GetType();
  if (game.NumPlayers() != 2 || type.utility != Type::Utility::kZeroSum ||
      type.dynamics != Type::Dynamics::kSequential || type.information != Type::Information::kPerfectInformation ||
      type.chance_mode == Type::ChanceMode::kSampledStochastic) {
    throw std::invalid_argument(type.short_name +
                                ": expected two players who move in turn and see everything, with zero sum and "
                                "listed chance outcomes");
  }
}

std::unique_ptr<TrainedGame> OfObservations(const Given& start) {
  const open_spiel::State& state = WithoutModel(start);
  auto game = std::make_unique<TrainedGameOf<StateModel>>(StateModel(*state.GetGame(), {}), state.Clone());
  game->rows().Inputs();  // throws if networks support no observation of this game
  return game;
}

}  // namespace

void Register(std::unique_ptr<Game> game) { Games().push_back(std::move(game)); }

const Game* Find(const Given& given) {
  for (const auto& game : Games()) {
    if (game->Plays(given)) return game.get();
  }
  return nullptr;
}

const Game& Modelled(const Given& given) {
  if (const Game* game = Find(given)) return *game;
  throw std::invalid_argument("the native core has no model for this form of " +
                              (given.position == nullptr ? "the game" : given.position->model));
}

std::unique_ptr<Engine> MakeEngine(const Given& given, bool plain, KeyRule rule, const Evaluation& evaluation,
                                   const Options& options) {
  const Game* game = Find(given);
  if (IsByModel(given, game, plain, evaluation)) return game->MakeEngine(given, evaluation, options);
  StateModel model = ModelOfStates(given, game, rule, evaluation);
  model.SeenBy(options.perspective);
  return MakeEngineOf(std::move(model), evaluation, options);
}

std::unique_ptr<uct::Line> MakeLine(const Given& given, const Evaluation& evaluation, bool vectors) {
  const Game* game = Find(given);
  if (IsByModel(given, game, true, evaluation)) return game->MakeLine(given, evaluation, vectors);
  return uct::MakeLineOf(ModelOfStates(given, game, KeyRule::kNone, evaluation), evaluation, vectors, given);
}

std::unique_ptr<TrainedGame> MakeTrainedGame(const Given& start) {
  if (start.state != nullptr) CheckTrained(*start.state->GetGame());
  for (const auto& game : Games()) {
    if (auto trained = game->MakeTrainedGame(start)) return trained;
  }
  if (start.position != nullptr && Find(start) != nullptr) {
    throw std::invalid_argument("there is no native encoder for " + start.position->model);
  }
  return OfObservations(start);
}

int EncoderInputs(const Given& given) {
  const Game* game = Find(given);
  if (game != nullptr && game->encoded()) return game->MakeTrainedGame(given)->rows().Inputs();
  if (given.state == nullptr || !given.state->GetGame()->GetType().provides_observation_tensor) return 0;
  return OfObservations(given)->rows().Inputs();
}

std::vector<std::pair<int, int>> FeaturesOf(const Given& given) {
  const Game* found = Find(given);
  const auto game = found != nullptr && found->encoded() ? found->MakeTrainedGame(given) : OfObservations(given);
  game->Read(given);
  if (game->player() == kTerminal || !game->Sees()) {
    throw std::invalid_argument("expected a position that a network of this game sees");
  }
  Features features;
  game->Encode(features);
  std::vector<std::pair<int, int>> listed;
  for (const Feature& feature : features) listed.emplace_back(feature.input, feature.count);
  return listed;
}

}  // namespace starspiel
