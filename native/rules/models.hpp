// The models of games whose rules are written in Python, and their encoders.
#pragma once

#include <stdexcept>

#include "../encoders/cant_stop.hpp"
#include "../encoders/dice.hpp"
#include "../encoders/knucklebones.hpp"
#include "../encoders/royal_game_of_ur.hpp"
#include "../encoders/star_pig.hpp"
#include "../models/cant_stop.hpp"
#include "../models/dice.hpp"
#include "../models/knucklebones.hpp"
#include "../models/royal_game_of_ur.hpp"
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
  const bool found = attempt.template operator()<CantStopModel>() || attempt.template operator()<DiceModel>() ||
                     attempt.template operator()<KnucklebonesModel>() ||
                     attempt.template operator()<RoyalGameOfUrModel>() ||
                     attempt.template operator()<Star2048Model>() || attempt.template operator()<StarPigModel>();
  if (found) return;
  throw std::invalid_argument("the native core has no model for this form of " + position.model);
}

}  // namespace starspiel
