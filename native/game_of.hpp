// A model as a Game.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "game.hpp"
#include "network/self_play.hpp"

namespace starspiel {

template <class Model>
class GameOf : public Game {
 public:
  using State = typename Model::State;

  bool Plays(const Given& given) const override {
    if constexpr (OfRules<Model>) {
      const auto* position = std::get_if<const RulesPosition*>(&given);
      return position != nullptr && (*position)->model == Model::kName && Model::Plays(**position);
    } else {
      const auto* state = std::get_if<const open_spiel::State*>(&given);
      const auto* typed = state == nullptr ? nullptr : dynamic_cast<const State*>(*state);
      return typed != nullptr && Model::Plays(*typed);
    }
  }

  std::unique_ptr<Engine> MakeEngine(const Given& given, const Evaluation& evaluation,
                                     const Options& options) const override {
    const State& state = As<State>(given);
    const bool by_heuristic =
        Is(evaluation, []<class Evaluator>() { return std::is_same_v<Evaluator, HeuristicEvaluator>; });
    if (by_heuristic && !HasHeuristic(state)) {
      throw std::invalid_argument("there is no native heuristic for this form of the game");
    }
    return std::make_unique<ModelEngine<Model>>(MakeModel(state, Unseen(evaluation, options)), evaluation, options);
  }

  std::unique_ptr<Trainer> MakeTrainer(const Given& start, const std::vector<int>& hidden, Scale scale,
                                       std::uint64_t seed) const override {
    if constexpr (OfRules<Model> && Encoded<Model>) {
      if (Plays(start)) return TrainerOf(ModelOf(start), As<State>(start), hidden, scale, seed);
    } else if constexpr (Encoded<Model>) {
      const auto* state = std::get_if<const open_spiel::State*>(&start);
      if (const auto first = state == nullptr ? nullptr : FirstPlayed(**state)) {
        return TrainerOf(MakeModel(static_cast<const State&>(*first), true), **state, hidden, scale, seed);
      }
    }
    return nullptr;
  }

  int EncoderInputs(const Given& given) const override {
    if constexpr (Encoded<Model>) return MakeEncoder(ModelOf(given)).inputs();
    return 0;
  }

  std::vector<std::pair<int, int>> Features(const Given& given) const override {
    if constexpr (Encoded<Model>) return ListFeatures(ModelOf(given), ModelOf(given).Read(As<State>(given)));
    throw std::invalid_argument("there is no native encoder for this game");
  }

  std::optional<bool> Quiet(const Given& given) const override {
    const Model model = ModelOf(given);
    const auto position = model.Read(As<State>(given));
    if constexpr (requires { model.Quiet(position); }) return model.Quiet(position);
    return std::nullopt;
  }

  starspiel::Heuristic Heuristic(const open_spiel::State& state) const override {
    if constexpr (!OfRules<Model>) {
      if (!HasHeuristic(static_cast<const State&>(state))) return {};
      return [model = ModelOf(&state)](const open_spiel::State& any) {
        return model.Heuristic(model.Read(static_cast<const State&>(any)));
      };
    }
    return {};
  }

  std::string Bytes(const Given& given) const override { return AsBytes(ModelOf(given).Read(As<State>(given))); }

  Described Describe(const Given& given, std::optional<double> enough) const override {
    const Model model = ModelOf(given);
    const auto at = model.Read(As<State>(given));
    const int player = model.Player(at);
    Described described{player, 0.0, AsBytes(at), {}, {}, {}, {}, {}};
    std::vector<Outcome> next;
    std::vector<int> actions;
    if (player == kChance) model.Outcomes(at, next);
    if (player >= 0) model.Actions(at, actions);
    for (int action : actions) next.push_back({action, 1.0});
    for (const auto& [action, probability] : next) {
      Described::Next& reached = described.next.emplace_back();
      reached.action = action;
      reached.probability = probability;
      reached.bytes = AsBytes(model.Child(at, action));
    }
    if constexpr (requires { model.Allows(at, 0); }) {
      for (int action = 0; player >= 0 && action < As<State>(given).NumDistinctActions(); ++action) {
        if (model.Allows(at, action)) described.allowed.push_back(action);
      }
    } else {
      described.allowed = actions;
    }
    if (player == kTerminal) {
      described.value = model.Utility(at);
      return described;
    }
    if constexpr (requires { model.Collected(at); }) described.value = model.Collected(at);
    if (!HasHeuristic(As<State>(given))) return described;
    described.heuristic = model.Heuristic(at);
    if constexpr (requires { model.BestByHeuristic(at, 0.0); }) {
      const double most = player == 0 ? kInfinity : -kInfinity;
      if (player >= 0) described.best = model.BestByHeuristic(at, enough.value_or(most));
    }
    if constexpr (requires { model.MeanByHeuristic(at); }) {
      if (player == kChance) described.mean = model.MeanByHeuristic(at);
    }
    return described;
  }

 private:
  static std::string AsBytes(const typename Model::Position& position) {
    return {reinterpret_cast<const char*>(&position), sizeof(position)};
  }

  static bool HasHeuristic(const State& state) {
    if constexpr (requires { Model::HasHeuristic(state); }) return Model::HasHeuristic(state);
    return true;
  }

  // `unseen`: whether nobody sees what the model can leave out of its positions: the order of yacht's dice, and which of
  // the rolls that only let a player pass came in maedn.
  static Model MakeModel(const State& state, bool unseen) {
    if constexpr (std::is_constructible_v<Model, const State&, bool>) {
      return Model(state, unseen);
    } else {
      return Model(state);
    }
  }

  static Model ModelOf(const Given& given) { return MakeModel(As<State>(given), false); }

  // `unseen` of a search. Who finds a state by the path of actions, or draws from it, sees all of it where he is asked:
  // the evaluator at the horizon, and beyond it with extensions; what is quiet, there; the policy, at decision nodes.
  static bool Unseen(const Evaluation& evaluation, const Options& options) {
    if constexpr (requires { requires !Model::kDiceAtHorizon; }) {
      if (options.extension == 0) return true;  // And a policy has no choice where a player can only pass.
    }
    const bool merges = options.merge.value_or(true) || options.table_bytes > 0;
    return merges && (ByPosition(evaluation) || Encodes(evaluation)) && !options.policy && !options.quiet;
  }

  // A state from which the model plays: the first, or one after the outcomes that place the pieces.
  static std::unique_ptr<open_spiel::State> FirstPlayed(const open_spiel::State& start) {
    std::unique_ptr<open_spiel::State> state = start.Clone();
    for (;;) {
      const auto* typed = dynamic_cast<const State*>(state.get());
      if (typed == nullptr) return nullptr;
      if (Model::Plays(*typed)) return state;
      if (!state->IsChanceNode()) return nullptr;
      state->ApplyAction(state->ChanceOutcomes().front().first);
    }
  }
};

// Makes the model's game known when the core is loaded.
template <class Model>
struct Listed {
  Listed() { Register(std::make_unique<GameOf<Model>>()); }
};

}  // namespace starspiel
