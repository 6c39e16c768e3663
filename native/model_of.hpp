// The model of what Python gives.
#pragma once

#include "model.hpp"
#include "rules/position.hpp"

namespace starspiel {

// Whether the model plays from here on.
template <class Model>
bool PlaysFrom(const Given& given) {
  if constexpr (OfRules<Model>) {
    return given.position != nullptr && given.position->model == Model::kName && Model::Plays(*given.position);
  } else {
    const auto* state = dynamic_cast<const typename Model::State*>(given.state);
    return state != nullptr && Model::Plays(*state);
  }
}

template <class Model>
bool HasHeuristicFor(const typename Model::State& state) {
  if constexpr (requires { Model::HasHeuristic(state); }) return Model::HasHeuristic(state);
  return true;
}

// `unseen`: whether nobody sees what the model can leave out of its positions: the order of yacht's dice, and which of
// the rolls that only let a player pass came in maedn.
template <class Model>
Model MakeModel(const typename Model::State& state, bool unseen) {
  if constexpr (std::is_constructible_v<Model, const typename Model::State&, bool>) {
    return Model(state, unseen);
  } else {
    return Model(state);
  }
}

template <class Model>
Model ModelOf(const Given& given) {
  return MakeModel<Model>(As<typename Model::State>(given), false);
}

}  // namespace starspiel
