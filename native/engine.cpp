#include "engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "encoders/backgammon.hpp"
#include "encoders/banqi.hpp"
#include "encoders/connect_four.hpp"
#include "encoders/einstein.hpp"
#include "encoders/maedn.hpp"
#include "encoders/observation.hpp"
#include "encoders/pig.hpp"
#include "encoders/yacht.hpp"
#include "models/backgammon.hpp"
#include "models/banqi.hpp"
#include "models/connect_four.hpp"
#include "models/einstein.hpp"
#include "models/maedn.hpp"
#include "models/pig.hpp"
#include "models/state.hpp"
#include "models/twenty_forty_eight.hpp"
#include "models/yacht.hpp"

namespace starspiel {
namespace {

template <class Model>
const typename Model::State* Played(const open_spiel::State& state) {
  const auto* typed = dynamic_cast<const typename Model::State*>(&state);
  return typed != nullptr && Model::Plays(*typed) ? typed : nullptr;
}

template <class Model>
bool HasHeuristic(const typename Model::State& state) {
  if constexpr (requires { Model::HasHeuristic(state); }) {
    return Model::HasHeuristic(state);
  } else {
    return true;
  }
}

// Calls visit.operator()<Model>(state as its own type) with the model of the state's game; false where there is none.
template <class Visit>
bool WithModel(const open_spiel::State& state, Visit visit) {
  const auto attempt = [&]<class Model>() {
    const auto* typed = Played<Model>(state);
    if (typed != nullptr) visit.template operator()<Model>(*typed);
    return typed != nullptr;
  };
  return attempt.template operator()<BackgammonModel>() || attempt.template operator()<BanqiModel>() ||
         attempt.template operator()<ConnectFourModel>() || attempt.template operator()<EinsteinModel>() || attempt.template operator()<MaednModel>() ||
         attempt.template operator()<PigModel>() || attempt.template operator()<TwentyFortyEightModel>() ||
         attempt.template operator()<YachtModel>();
}

// `unseen`: whether nobody sees what the model can leave out of its positions: the order of yacht's dice, and which of the
// rolls that only let a player pass came in maedn.
template <class Model>
Model MakeModel(const typename Model::State& state, bool unseen) {
  if constexpr (std::is_constructible_v<Model, const typename Model::State&, bool>) {
    return Model(state, unseen);
  } else {
    return Model(state);
  }
}

// `unseen` of a search. Who finds a state by the path of actions, or draws from it, sees all of it where he is asked: the
// evaluator at the horizon, and beyond it with extensions; what is quiet, there; the policy, at decision nodes.
template <class Model>
bool Unseen(const Evaluation& evaluation, const Options& options) {
  using Kind = Evaluation::Kind;
  const bool by_position = evaluation.kind == Kind::kZero || evaluation.kind == Kind::kHeuristic ||
                           evaluation.kind == Kind::kSolo || evaluation.kind == Kind::kNetwork ||
                           evaluation.kind == Kind::kArray;
  if constexpr (requires { requires !Model::kDiceAtHorizon; }) {
    if (options.extension == 0) return true;  // And a policy has no choice where a player can only pass.
  }
  const bool merges = options.merge.value_or(true) || options.table_bytes > 0;
  return merges && by_position && !options.policy && !options.quiet;
}

// What is wrong with the model's best move by its heuristic, beside its own successors: without a limit, and where the
// worst of the moves is enough.
template <class Model>
std::string WrongBest(const Model& model, const typename Model::Position& position, const std::vector<int>& actions) {
  const double sign = model.Player(position) == 0 ? 1.0 : -1.0;
  const auto value = [&](int action) {
    const auto child = model.Child(position, action);
    return model.Player(child) == kTerminal ? model.Utility(child) : model.Heuristic(child);
  };
  const auto better = [&](int a, int b) { return sign * value(a) > sign * value(b); };
  const int best = *std::min_element(actions.begin(), actions.end(), better);
  const int worst = *std::max_element(actions.begin(), actions.end(), better);
  const auto found = model.BestByHeuristic(position, sign * kInfinity);
  if (found && (found->action != best || found->value != value(best))) return absl::StrCat("best move ", found->action);
  const auto any = model.BestByHeuristic(position, value(worst));
  if (any.has_value() != found.has_value()) return "best move by limit";
  if (any && (any->value != value(any->action) || !std::binary_search(actions.begin(), actions.end(), any->action))) {
    return absl::StrCat("good enough move ", any->action);
  }
  return "";
}

// What is wrong with the mean by the model's heuristic, beside the best moves after each outcome.
template <class Model>
std::string WrongMean(const Model& model, const typename Model::Position& position) {
  const std::optional<double> found = model.MeanByHeuristic(position);
  if (!found) return "";
  std::vector<Outcome> outcomes;
  PossibleOutcomes(model, position, outcomes);
  double mean = 0.0;
  for (const Outcome& outcome : outcomes) {
    const auto after = model.Child(position, outcome.action);
    const double sign = model.Player(after) == 0 ? 1.0 : -1.0;
    const std::optional<ValuedMove> best = model.BestByHeuristic(after, sign * kInfinity);
    if (!best) return "a mean where the game may end";
    mean += outcome.probability * best->value;
  }
  return *found == mean ? "" : absl::StrCat("mean ", *found, ", of the moves ", mean);
}

template <class Model>
std::string MismatchOf(const Model& model, const typename Model::State& state) {
  const auto position = model.Read(state);
  const int player = state.CurrentPlayer();
  if (model.Player(position) != player) return absl::StrCat("player ", model.Player(position));
  if (player == kTerminal) {
    return model.Utility(position) == state.PlayerReturn(0) ? "" : absl::StrCat("utility ", model.Utility(position));
  }
  std::vector<int> actions;
  if (player == kChance) {
    std::vector<Outcome> outcomes;
    model.Outcomes(position, outcomes);
    open_spiel::ActionsAndProbs expected;
    for (const Outcome& outcome : outcomes) {
      expected.push_back({outcome.action, outcome.probability});
      actions.push_back(outcome.action);
    }
    if (expected != state.ChanceOutcomes()) return "outcomes";
  } else {
    model.Actions(position, actions);
    const std::vector<open_spiel::Action> expected = state.LegalActions();
    if (!std::equal(actions.begin(), actions.end(), expected.begin(), expected.end())) {
      return absl::StrCat("actions ", absl::StrJoin(actions, " "));
    }
  }
  if constexpr (requires(const Model& m) { m.Allows(position, 0); }) {
    for (int action = 0; action < state.NumDistinctActions() && player != kChance; ++action) {
      const bool legal = std::binary_search(actions.begin(), actions.end(), action);
      if (model.Allows(position, action) != legal) return absl::StrCat("whether it allows ", action);
    }
  }
  if constexpr (requires(const Model& m) { m.BestByHeuristic(position, 0.0); }) {
    const std::string wrong = player == kChance || !HasHeuristic<Model>(state) ? "" : WrongBest(model, position, actions);
    if (!wrong.empty()) return wrong;
  }
  if constexpr (requires(const Model& m) { m.MeanByHeuristic(position); }) {
    const std::string wrong = player == kChance && HasHeuristic<Model>(state) ? WrongMean(model, position) : "";
    if (!wrong.empty()) return wrong;
  }
  for (int action : actions) {
    const auto child = state.Child(action);
    if (!Equal(model.Child(position, action), model.Read(static_cast<const typename Model::State&>(*child)))) {
      return absl::StrCat("successor by ", action);
    }
  }
  return "";
}

}  // namespace

std::string Mismatch(const open_spiel::State& state) {
  std::string mismatch;
  const bool modelled = WithModel(state, [&]<class Model>(const typename Model::State& typed) {
    mismatch = MismatchOf(MakeModel<Model>(typed, false), typed);
  });
  if (!modelled) throw std::invalid_argument("this game has no native model");
  return mismatch;
}

std::vector<std::pair<int, int>> FeaturesOf(const open_spiel::State& state) {
  std::vector<std::pair<int, int>> listed;
  bool encoded = false;
  WithModel(state, [&]<class Model>(const typename Model::State& typed) {
    if constexpr (Encoded<Model>) {
      const Model model = MakeModel<Model>(typed, false);
      listed = ListFeatures(model, model.Read(typed));
      encoded = true;
    }
  });
  return encoded ? listed : ListFeatures(StateModel(*state.GetGame(), {}), state.Clone());
}

std::optional<bool> QuietAt(const open_spiel::State& state) {
  std::optional<bool> quiet;
  WithModel(state, [&]<class Model>(const typename Model::State& typed) {
    const Model model = MakeModel<Model>(typed, false);
    if constexpr (requires { model.Quiet(Model::Read(typed)); }) quiet = model.Quiet(Model::Read(typed));
  });
  return quiet;
}

int EncoderInputs(const open_spiel::State& state) {
  int inputs = 0;
  WithModel(state, [&]<class Model>(const typename Model::State& typed) {
    if constexpr (Encoded<Model>) inputs = MakeEncoder(MakeModel<Model>(typed, false)).inputs();
  });
  if (inputs > 0 || !state.GetGame()->GetType().provides_observation_tensor) return inputs;
  return MakeEncoder(StateModel(*state.GetGame(), {})).inputs();
}

std::unique_ptr<Engine> MakeEngine(const open_spiel::State& state, bool plain, KeyRule rule, Evaluation evaluation,
                                   Options options) {
  std::unique_ptr<Engine> engine;
  if (plain) {
    WithModel(state, [&]<class Model>(const typename Model::State& typed) {
      // What has no encoder of its own is seen through OpenSpiel's observations.
      const bool encoded = evaluation.kind == Evaluation::Kind::kNetwork || evaluation.kind == Evaluation::Kind::kArray;
      if (encoded && !Encoded<Model>) return;
      if (evaluation.kind == Evaluation::Kind::kHeuristic && !HasHeuristic<Model>(typed)) {
        throw std::invalid_argument("there is no native heuristic for this form of the game");
      }
      const bool unseen = Unseen<Model>(evaluation, options);
      engine = std::make_unique<ModelEngine<Model>>(MakeModel<Model>(typed, unseen), std::move(evaluation), options);
    });
  }
  if (engine == nullptr) {
    std::function<double(const open_spiel::State&)> heuristic;
    if (evaluation.kind == Evaluation::Kind::kHeuristic) {
      heuristic = HeuristicOf(state);
      if (!heuristic) throw std::invalid_argument("there is no native heuristic for this game");
    }
    engine = std::make_unique<ModelEngine<StateModel>>(
        StateModel(*state.GetGame(), std::move(heuristic), rule), std::move(evaluation), options);
  }
  return engine;
}

std::function<double(const open_spiel::State&)> HeuristicOf(const open_spiel::State& state) {
  std::function<double(const open_spiel::State&)> heuristic;
  WithModel(state, [&]<class Model>(const typename Model::State& typed) {
    if (!HasHeuristic<Model>(typed)) return;
    heuristic = [model = MakeModel<Model>(typed, false)](const open_spiel::State& any) {
      return model.Heuristic(model.Read(static_cast<const typename Model::State&>(any)));
    };
  });
  return heuristic;
}

}  // namespace starspiel
