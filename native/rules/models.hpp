// The models of games whose rules are written in Python.
#pragma once

#include <stdexcept>

#include "../models/star_2048.hpp"
#include "../models/star_pig.hpp"
#include "position.hpp"

namespace starspiel {

// Calls visit.operator()<Model>() with the model of the position's game. Throws std::invalid_argument where there is
// none for these parameters.
template <class Visit>
void WithRulesModel(const RulesPosition& position, Visit visit) {
  const auto attempt = [&]<class Model>() {
    if (position.model != Model::kName || !Model::Plays(position)) return false;
    visit.template operator()<Model>();
    return true;
  };
  if (attempt.template operator()<Star2048Model>() || attempt.template operator()<StarPigModel>()) return;
  throw std::invalid_argument("the native core has no model for this form of " + position.model);
}

}  // namespace starspiel
