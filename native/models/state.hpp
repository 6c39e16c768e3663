// Any C++ game of OpenSpiel, through its own states.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "model.hpp"
#include "open_spiel/spiel.h"
#include "text_key.hpp"

namespace starspiel {

class StateModel {
 public:
  using State = open_spiel::State;
  using Position = std::unique_ptr<open_spiel::State>;
  using Key = TextKey;
  static constexpr bool kKeyed = false;
  // A key takes longer than to search the last ply.
  static constexpr int kTableDepth = 2;

  static bool Plays(const State&) { return true; }

  StateModel(const open_spiel::Game& game, std::function<double(const open_spiel::State&)> heuristic,
             KeyRule rule = KeyRule::kNone)
      : rule_(rule),
        step_rewards_(game.GetType().reward_model == open_spiel::GameType::RewardModel::kRewards),
        observation_size_(game.GetType().provides_observation_tensor ? game.ObservationTensorSize() : 0),
        heuristic_(std::move(heuristic)) {}

  bool has_keys() const { return rule_ != KeyRule::kNone; }
  Key KeyOf(const Position& position) const { return starspiel::KeyOf(*position, rule_); }

  int observation_size() const { return observation_size_; }

  static Position Read(const open_spiel::State& state) { return state.Clone(); }

  int Player(const Position& position) const { return position->CurrentPlayer(); }
  double Utility(const Position& position) const { return position->PlayerReturn(0); }

  void Actions(const Position& position, std::vector<int>& actions) const {
    for (open_spiel::Action action : position->LegalActions()) actions.push_back(static_cast<int>(action));
  }

  void Outcomes(const Position& position, std::vector<Outcome>& outcomes) const {
    for (const auto& [action, probability] : position->ChanceOutcomes()) {
      outcomes.push_back({static_cast<int>(action), probability});
    }
  }

  Position Child(const Position& position, int action) const { return position->Child(action); }

  // The successor in the state's own place, without a copy.
  Position Become(Position& position, int action) const {
    position->ApplyAction(action);
    return std::move(position);
  }

  double Collected(const Position& position) const { return step_rewards_ ? position->PlayerReturn(0) : 0.0; }
  double Heuristic(const Position& position) const { return heuristic_(*position); }

 private:
  KeyRule rule_;
  bool step_rewards_;
  int observation_size_;
  std::function<double(const open_spiel::State&)> heuristic_;
};

}  // namespace starspiel
