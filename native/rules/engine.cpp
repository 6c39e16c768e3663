// What engine.hpp declares of games whose rules are written in Python.
#include "../engine.hpp"

#include "models.hpp"

namespace starspiel {
namespace {

template <class Position>
std::string AsBytes(const Position& position) {
  return {reinterpret_cast<const char*>(&position), sizeof(Position)};
}

// Player 0's return so far.
template <class Model>
double ReturnAt(const Model& model, const typename Model::Position& position) {
  if (model.Player(position) == kTerminal) return model.Utility(position);
  if constexpr (requires { model.Collected(position); }) return model.Collected(position);
  return 0.0;
}

}  // namespace

std::unique_ptr<Engine> MakeEngine(const RulesPosition& position, Evaluation evaluation, Options options) {
  std::unique_ptr<Engine> engine;
  WithRulesModel(position, [&]<class Model>() {
    engine = std::make_unique<ModelEngine<Model>>(Model(position), std::move(evaluation), options);
  });
  return engine;
}

std::string BytesOf(const RulesPosition& position) {
  std::string bytes;
  WithRulesModel(position, [&]<class Model>() { bytes = AsBytes(Model::Read(position)); });
  return bytes;
}

Described Describe(const RulesPosition& position) {
  Described described;
  WithRulesModel(position, [&]<class Model>() {
    const Model model(position);
    const auto at = Model::Read(position);
    std::vector<Outcome> next;
    const int player = model.Player(at);
    if (player == kChance) {
      model.Outcomes(at, next);
    } else if (player != kTerminal) {
      std::vector<int> actions;
      model.Actions(at, actions);
      for (int action : actions) next.push_back({action, 1.0});
    }
    described = {player, ReturnAt(model, at), {}};
    for (const auto& [action, probability] : next) {
      described.next.push_back({action, probability, AsBytes(model.Child(at, action))});
    }
  });
  return described;
}

std::optional<bool> QuietAt(const RulesPosition& position) {
  std::optional<bool> quiet;
  WithRulesModel(position, [&]<class Model>() {
    const Model model(position);
    if constexpr (requires { model.Quiet(Model::Read(position)); }) quiet = model.Quiet(Model::Read(position));
  });
  return quiet;
}

int EncoderInputs(const RulesPosition& position) {
  int inputs = 0;
  WithRulesModel(position, [&]<class Model>() {
    if constexpr (Encoded<Model>) inputs = MakeEncoder(Model(position)).inputs();
  });
  return inputs;
}

std::vector<std::pair<int, int>> FeaturesOf(const RulesPosition& position) {
  std::vector<std::pair<int, int>> listed;
  WithRulesModel(position, [&]<class Model>() {
    if constexpr (Encoded<Model>) {
      listed = ListFeatures(Model(position), Model::Read(position));
    } else {
      throw std::invalid_argument("there is no native encoder for " + position.model);
    }
  });
  return listed;
}

}  // namespace starspiel
