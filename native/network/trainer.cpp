#include "trainer.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include "../encoders/backgammon.hpp"
#include "../encoders/banqi.hpp"
#include "../encoders/einstein.hpp"
#include "../encoders/maedn.hpp"
#include "../encoders/observation.hpp"
#include "../encoders/pig.hpp"
#include "../encoders/yacht.hpp"
#include "self_play.hpp"

namespace starspiel {
namespace {

constexpr int kMostUnits = 65536;

void CheckGame(const open_spiel::Game& game) {
  using Type = open_spiel::GameType;
  const Type& type = game.GetType();
  if (game.NumPlayers() != 2 || type.utility != Type::Utility::kZeroSum ||
      type.dynamics != Type::Dynamics::kSequential ||
      type.information != Type::Information::kPerfectInformation ||
      type.chance_mode == Type::ChanceMode::kSampledStochastic) {
    throw std::invalid_argument(type.short_name +
                                ": expected two players who move in turn and see everything, with zero sum and "
                                "listed chance outcomes");
  }
}

// A state from which the model plays: the first, or one after the outcomes that place the pieces.
template <class Model>
std::unique_ptr<open_spiel::State> FirstPlayed(const open_spiel::State& start) {
  std::unique_ptr<open_spiel::State> state = start.Clone();
  for (;;) {
    const auto* typed = dynamic_cast<const typename Model::State*>(state.get());
    if (typed == nullptr) return nullptr;
    if (Model::Plays(*typed)) return state;
    if (!state->IsChanceNode()) return nullptr;
    state->ApplyAction(state->ChanceOutcomes().front().first);
  }
}

template <class Model>
std::unique_ptr<Trainer> TrainerOf(Model model, const open_spiel::State& state, const std::vector<int>& hidden,
                                   Scale scale, std::uint64_t seed) {
  Layers layers = RandomLayers(MakeEncoder(model).inputs(), hidden, seed);
  return std::make_unique<SelfPlay<Model>>(std::move(model), Beginning<Model>(state), scale, std::move(layers));
}

template <class Model>
std::unique_ptr<Trainer> TrainerOf(const open_spiel::State& state, const std::vector<int>& hidden, Scale scale,
                                   std::uint64_t seed) {
  const auto first = FirstPlayed<Model>(state);
  if (first == nullptr) return nullptr;
  const auto& typed = static_cast<const typename Model::State&>(*first);
  if constexpr (std::is_constructible_v<Model, const typename Model::State&, bool>) {
    return TrainerOf(Model(typed, true), state, hidden, scale, seed);
  } else {
    return TrainerOf(Model(typed), state, hidden, scale, seed);
  }
}

}  // namespace

Layers RandomLayers(int inputs, const std::vector<int>& hidden, std::uint64_t seed) {
  if (hidden.empty()) throw std::invalid_argument("expected the sizes of one hidden layer or more");
  for (int size : hidden) {
    if (size < 1 || size > kMostUnits) {
      throw std::invalid_argument("expected hidden layers of 1 to " + std::to_string(kMostUnits) + " units, got " +
                                  std::to_string(size));
    }
  }
  Layers layers;
  layers.sizes.push_back(inputs);
  layers.sizes.insert(layers.sizes.end(), hidden.begin(), hidden.end());
  layers.sizes.push_back(1);
  std::mt19937_64 random(seed);
  for (std::size_t k = 0; k + 1 < layers.sizes.size(); ++k) {
    // About 32 inputs of a first layer are not zero.
    const double width = k == 0 ? std::sqrt(2.0 / 32) : std::sqrt(2.0 / layers.sizes[k]);
    std::normal_distribution<float> normal(0.0f, static_cast<float>(k + 2 < layers.sizes.size() ? width : 0.1 * width));
    Aligned<float> weights(static_cast<std::size_t>(layers.sizes[k]) * layers.sizes[k + 1]);
    for (float& weight : weights) weight = normal(random);
    layers.weights.push_back(std::move(weights));
    layers.biases.emplace_back(static_cast<std::size_t>(layers.sizes[k + 1]), 0.0f);
  }
  return layers;
}

void Training::Check() const {
  if (!std::isfinite(rate) || rate <= 0.0) throw std::invalid_argument("expected a rate above 0");
  if (!(lambda >= 0.0 && lambda <= 1.0)) throw std::invalid_argument("expected lambda from 0 to 1");
  if (!(explore >= 0.0 && explore <= 1.0)) throw std::invalid_argument("expected explore from 0 to 1");
  if (!(heuristic >= 0.0 && heuristic <= 1.0)) throw std::invalid_argument("expected the heuristic's weight from 0 to 1");
  if (!(draws >= 0.0 && draws <= 1.0)) throw std::invalid_argument("expected what draws are worth from 0 to 1");
  if (threads < 1 || threads > 1024) throw std::invalid_argument("expected 1 to 1024 threads");
  if (games < 0 || !std::isfinite(seconds) || seconds < 0.0 || (games == 0 && seconds == 0.0)) {
    throw std::invalid_argument("expected how many games or seconds to train for");
  }
}

std::unique_ptr<Trainer> MakeTrainer(const open_spiel::State& state, const std::vector<int>& hidden, Scale scale,
                                     std::uint64_t seed) {
  CheckGame(*state.GetGame());
  scale.Check();
  std::unique_ptr<Trainer> trainer;
  const auto attempt = [&]<class Model>() {
    trainer = TrainerOf<Model>(state, hidden, scale, seed);
    return trainer != nullptr;
  };
  (void)(attempt.template operator()<BackgammonModel>() || attempt.template operator()<BanqiModel>() ||
         attempt.template operator()<EinsteinModel>() || attempt.template operator()<MaednModel>() ||
         attempt.template operator()<PigModel>() || attempt.template operator()<YachtModel>());
  if (trainer == nullptr) trainer = TrainerOf(StateModel(*state.GetGame(), {}), state, hidden, scale, seed);
  return trainer;
}

}  // namespace starspiel
