// Implements Game for a model.
#pragma once

#include "game.hpp"
#include "model_of.hpp"
#include "network/trained_game.hpp"
#include "seat.hpp"
#include "solve/graph.hpp"
#include "uct/line_of.hpp"

namespace starspiel {

template <class Model>
class GameOf : public Game {
 public:
  using State = typename Model::State;

  bool Plays(const Given& given) const override { return PlaysFrom<Model>(given); }

  std::unique_ptr<Engine> MakeEngine(const Given& given, const Evaluation& evaluation,
                                     const Options& options) const override {
    CheckHeuristic(given, evaluation);
    Model model = MakeModel<Model>(As<State>(given), Unseen(TraitsOf(evaluation), options));
    if constexpr (requires { model.SeenBy(options.perspective); }) model.SeenBy(options.perspective);
    return MakeEngineOf(std::move(model), evaluation, options);
  }

  std::unique_ptr<uct::Line> MakeLine(const Given& given, const Evaluation& evaluation, bool vectors) const override {
    CheckHeuristic(given, evaluation);
    return uct::MakeLineOf(ModelOf<Model>(given), evaluation, vectors, given);
  }

  bool encoded() const override { return Encoded<Model>; }

  std::unique_ptr<TrainedGame> MakeTrainedGame(const Given& start) const override {
    if constexpr (OfRules<Model> && Encoded<Model>) {
      if (Plays(start)) return std::make_unique<TrainedGameOf<Model>>(ModelOf<Model>(start), *start.position);
    } else if constexpr (Encoded<Model>) {
      if (const auto first = start.state == nullptr ? nullptr : FirstPlayed(*start.state)) {
        return std::make_unique<TrainedGameOf<Model>>(MakeModel<Model>(static_cast<const State&>(*first), true),
                                                      start.state->Clone());
      }
    }
    return nullptr;
  }

  starspiel::Heuristic Heuristic(const open_spiel::State& state) const override {
    if constexpr (!OfRules<Model> && !SeveralPlayers<Model>) {
      if (!HasHeuristicFor<Model>(static_cast<const State&>(state))) return {};
      return [model = ModelOf<Model>({&state})](const open_spiel::State& any) {
        return model.Heuristic(model.Read(static_cast<const State&>(any)));
      };
    }
    return {};
  }

  Graph Enumerate(const Given& given, std::size_t most_bytes, const Tell& tell) const override {
    const Model model = ModelOf<Model>(given);
    return Enumeration<Model>(model, model.Read(As<State>(given))).Run(most_bytes, tell);
  }

  std::vector<std::uint64_t> Hashes(const Given& given) const override {
    const Model model = ModelOf<Model>(given);
    const SolverKey<Model> known(model);
    const auto position = model.Read(As<State>(given));
    std::vector<std::uint64_t> hashes{Hash(known(position))};
    if (known.counted(position)) hashes.push_back(Hash(known.uncounted(position)));
    return hashes;
  }

  void Check(const Given& given) const override { ModelOf<Model>(given).Read(As<State>(given)); }

 private:
  static void CheckHeuristic(const Given& given, const Evaluation& evaluation) {
    if (IsHeuristic(evaluation) && !HasHeuristicFor<Model>(As<State>(given))) {
      throw std::invalid_argument("there is no native heuristic for this form of the game");
    }
  }

  // The `unseen` argument of a model. An evaluator at the horizon that rebuilds states from paths of actions or samples
  // from them, and a policy at decision nodes, see the whole state.
  static bool Unseen(const EvaluatorTraits& traits, const Options& options) {
    // Here only a policy would see the dice, and it has no choice where a player can only pass.
    if constexpr (requires { requires !Model::kDiceAtHorizon; }) return true;
    const bool merges = options.merge.value_or(true) || options.table_bytes > 0;
    return merges && (traits.by_position || traits.encodes) && !options.policy;
  }

  // A state that the model supports: the initial one, or one after the outcomes that place the pieces.
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

// Registers the model's game when the core is loaded.
template <class Model>
struct Listed {
  Listed() { Register(std::make_unique<GameOf<Model>>()); }
};

}  // namespace starspiel
