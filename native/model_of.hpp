// Makes models from states and positions given by Python.
#pragma once

#include "model.hpp"
#include "rules/position.hpp"

namespace starspiel {

// True if the model supports `given`.
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

// `unseen`: true if nothing sees what the model can leave out of its positions, such as the order of yacht's dice, or
// which of the rolls that only allow a pass came up in maedn.
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
