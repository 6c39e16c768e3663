// What game.hpp declares of all games, and those of OpenSpiel's that have no model.
#include "game.hpp"
#include "models/state.hpp"
#include "network/observation.hpp"
#include "network/self_play.hpp"

namespace starspiel {
namespace {

std::vector<std::unique_ptr<Game>>& Games() {
  static std::vector<std::unique_ptr<Game>> games;
  return games;
}

// What stands in for a model that there is not: the state of an OpenSpiel game.
const open_spiel::State& WithoutModel(const Given& given) {
  if (const auto* position = std::get_if<const RulesPosition*>(&given)) {
    throw std::invalid_argument("the native core has no model for this form of " + (*position)->model);
  }
  return *std::get<const open_spiel::State*>(given);
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

}  // namespace

void Register(std::unique_ptr<Game> game) { Games().push_back(std::move(game)); }

const Game* Find(const Given& given) {
  for (const auto& game : Games()) {
    if (game->Plays(given)) return game.get();
  }
  return nullptr;
}

std::unique_ptr<Engine> MakeEngine(const Given& given, bool plain, KeyRule rule, const Evaluation& evaluation,
                                   const Options& options) {
  const Game* game = Find(given);
  const bool of_rules = std::holds_alternative<const RulesPosition*>(given);
  // What has no encoder of its own is seen through OpenSpiel's observations.
  const bool by_model = plain && game != nullptr && (!Encodes(evaluation) || game->EncoderInputs(given) > 0);
  if (game != nullptr && (of_rules || by_model)) return game->MakeEngine(given, evaluation, options);
  const open_spiel::State& state = WithoutModel(given);
  starspiel::Heuristic heuristic;
  if (Is(evaluation, []<class Evaluator>() { return std::is_same_v<Evaluator, HeuristicEvaluator>; })) {
    if (game != nullptr) heuristic = game->Heuristic(state);
    if (!heuristic) throw std::invalid_argument("there is no native heuristic for this game");
  }
  return std::make_unique<ModelEngine<StateModel>>(StateModel(*state.GetGame(), std::move(heuristic), rule), evaluation,
                                                   options);
}

std::unique_ptr<Trainer> MakeTrainer(const Given& start, const std::vector<int>& hidden, Scale scale,
                                     std::uint64_t seed) {
  if (const auto* state = std::get_if<const open_spiel::State*>(&start)) CheckTrained(*(*state)->GetGame());
  scale.Check();
  for (const auto& game : Games()) {
    if (auto trainer = game->MakeTrainer(start, hidden, scale, seed)) return trainer;
  }
  if (const auto* position = std::get_if<const RulesPosition*>(&start); position != nullptr && Find(start) != nullptr) {
    throw std::invalid_argument("there is no native encoder for " + (*position)->model);
  }
  const open_spiel::State& state = WithoutModel(start);
  return TrainerOf(StateModel(*state.GetGame(), {}), state, hidden, scale, seed);
}

int EncoderInputs(const Given& given) {
  const Game* game = Find(given);
  const int inputs = game == nullptr ? 0 : game->EncoderInputs(given);
  if (inputs > 0 || std::holds_alternative<const RulesPosition*>(given)) return inputs;
  const auto observed = WithoutModel(given).GetGame();
  return observed->GetType().provides_observation_tensor ? MakeEncoder(StateModel(*observed, {})).inputs() : 0;
}

std::vector<std::pair<int, int>> FeaturesOf(const Given& given) {
  const Game* game = Find(given);
  if (game != nullptr && game->EncoderInputs(given) > 0) return game->Features(given);
  const open_spiel::State& state = WithoutModel(given);
  return ListFeatures(StateModel(*state.GetGame(), {}), state.Clone());
}

}  // namespace starspiel
