// Any C++ game of OpenSpiel, for any number of players (several.hpp), played through its own states.
#pragma once

#include "model.hpp"
#include "network/features.hpp"
#include "open_spiel/spiel.h"
#include "several.hpp"
#include "text_key.hpp"

namespace starspiel {

class StateModel {
 public:
  using State = open_spiel::State;
  using Position = std::unique_ptr<open_spiel::State>;
  using Key = TextKey;
  static constexpr bool kKeyed = false;
  // Computing a key takes longer than searching the last ply.
  static constexpr int kTableDepth = 2;

  static bool Plays(const State&) { return true; }

  StateModel(const open_spiel::Game& game, std::function<double(const open_spiel::State&)> heuristic,
             KeyRule rule = KeyRule::kNone)
      : rule_(rule),
        players_(game.NumPlayers()),
        step_rewards_(game.GetType().reward_model == open_spiel::GameType::RewardModel::kRewards),
        observation_size_(game.GetType().provides_observation_tensor ? game.ObservationTensorSize() : 0),
        heuristic_(std::move(heuristic)) {}

  bool has_keys() const { return rule_ != KeyRule::kNone; }
  Key KeyOf(const Position& position) const { return starspiel::KeyOf(*position, rule_); }

  static Position Read(const open_spiel::State& state) { return state.Clone(); }

  int players() const { return players_; }
  void SeenBy(int player) { seen_ = Perspective(player); }
  static int Mover(const Position& position) { return position->CurrentPlayer(); }
  int Player(const Position& position) const { return seen_.Side(position->CurrentPlayer()); }
  double Utility(const Position& position) const { return position->PlayerReturn(seen_.player()); }
  static void Returns(const Position& position, double* returns) {
    const std::vector<double> all = position->Returns();
    std::copy(all.begin(), all.end(), returns);
  }

  void Actions(const Position& position, std::vector<int>& actions) const {
    for (open_spiel::Action action : position->LegalActions()) actions.push_back(static_cast<int>(action));
  }

  void Outcomes(const Position& position, std::vector<Outcome>& outcomes) const {
    for (const auto& [action, probability] : position->ChanceOutcomes()) {
      outcomes.push_back({static_cast<int>(action), probability});
    }
  }

  Position Child(const Position& position, int action) const { return position->Child(action); }

  // The successor, made in place without a copy.
  Position Become(Position& position, int action) const {
    position->ApplyAction(action);
    return std::move(position);
  }

  double Collected(const Position& position) const { return step_rewards_ ? Utility(position) : 0.0; }
  void AllCollected(const Position& position, double* returns) const {
    if (step_rewards_) Returns(position, returns);
  }
  double Heuristic(const Position& position) const { return heuristic_(*position); }

  // Encodes games without an encoder of their own: the observation tensor of the player about to act, in 256ths, and
  // whether that is the second player. Throws std::invalid_argument if there is no such tensor, or if it is too large.
  int Inputs() const {
    if (observation_size_ < 1) {
      throw std::invalid_argument("there is no observation tensor of this game for a network to see");
    }
    if (observation_size_ > kMostInputs) {
      throw std::invalid_argument("expected an observation tensor of at most 65,535 entries, got " +
                                  std::to_string(observation_size_));
    }
    return observation_size_ + 1;
  }
  float Unit(int input) const { return input == observation_size_ ? 1.0f : 1.0f / 256; }
  // Over the observations seen so far: their entries have no declared bounds.
  int Most(int) const { return *most_; }
  static int Turn(const Position& p) { return p->CurrentPlayer(); }
  static bool Sees(const Position& p) { return p->CurrentPlayer() >= 0; }

  void Encode(const Position& p, Features& features) const {
    thread_local std::vector<float> observation;
    observation.assign(static_cast<std::size_t>(observation_size_), 0.0f);  // some games do not clear it
    const int turn = Turn(p);
    p->ObservationTensor(turn, absl::MakeSpan(observation));
    // Branchless: most entries are zero, in no predictable pattern.
    thread_local std::vector<int> filled;
    filled.resize(observation.size());
    const float* const entries = observation.data();
    int* const inputs = filled.data();
    std::size_t count = 0;
    for (int input = 0, size = observation_size_; input < size; ++input) {
      inputs[count] = input;
      count += entries[input] != 0.0f;
    }
    int most = most_->load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i) {
      const float value = std::clamp(entries[inputs[i]] * 256.0f, -32768.0f, 32767.0f);
      const auto rounded = static_cast<int>(std::lrint(value));
      const int magnitude = std::abs(rounded);
      while (magnitude > most && !most_->compare_exchange_weak(most, magnitude)) continue;
      most = std::max(most, magnitude);
      Add(features, inputs[i], rounded);
    }
    if (turn == 1) Add(features, observation_size_, 1);
  }

 private:
  static constexpr int kMostInputs = 65535;  // inputs are numbered in 16 bits

  KeyRule rule_;
  int players_;
  Perspective seen_;
  bool step_rewards_;
  int observation_size_;
  std::function<double(const open_spiel::State&)> heuristic_;
  std::shared_ptr<std::atomic<int>> most_ = std::make_shared<std::atomic<int>>(1);
};

}  // namespace starspiel
