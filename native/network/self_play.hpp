// The trainer of a model: see trainer.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "../model.hpp"
#include "arithmetic.hpp"
#include "features.hpp"
#include "open_spiel/spiel_utils.h"
#include "trainer.hpp"
#include "valuer.hpp"

namespace starspiel {

// Weights being trained, and the arithmetic on them. Inputs are multiplied by their units here, not in the weights.
// Those members that Network has too mean the same.
class Learner {
 public:
  using Number = float;
  using Wide = float;
  static constexpr bool kLasting = false;

  Learner(Layers layers, std::vector<float> units) : layers_(std::move(layers)), units_(std::move(units)) {
    layers_.Check();
    size_ = static_cast<std::size_t>(layers_.units());
  }

  const Layers& layers() const { return layers_; }
  // Takes other weights of the same sizes.
  void Set(Layers layers) {
    layers.Check();
    if (layers.sizes != layers_.sizes) throw std::invalid_argument("the layers are of other sizes");
    layers_ = std::move(layers);
  }

  template <class Encoder>
  bool Fits(const Encoder&) const {
    return true;
  }
  void Sum(std::span<const Feature> features, Number* sums) const { Add(layers_.biases[0].data(), features, sums); }
  void Add(std::span<const Feature> changes, Number* sums) const { Add(sums, changes, sums); }
  void Activate(const Number* sums, float* values) const { LeakyRelu(sums, layers_.first(), values); }

  // Adds what this one has learnt since its weights were `before` to those of another, and takes them.
  void Exchange(Layers& before, Learner& other) {
    for (std::size_t k = 0; k < layers_.weights.size(); ++k) {
      Exchange(before.weights[k], layers_.weights[k], other.layers_.weights[k]);
      Exchange(before.biases[k], layers_.biases[k], other.layers_.biases[k]);
    }
  }

  // One thread's room for what a pass leaves behind.
  struct Pass {
    Aligned<float> values;  // of all layers' outputs, after the ReLU
    Aligned<float> deltas;
  };
  Pass MakePass() const { return {Aligned<float>(size_), Aligned<float>(size_)}; }

  // The output for a position.
  float Share(std::span<const Feature> features, Pass& pass) const {
    Sum(features, pass.values.data());
    Activate(pass.values.data(), pass.values.data());
    float share;
    Outputs(layers_, pass.values.data(), 1, &share);
    return share;
  }

  // One step of gradient descent on the cross-entropy of the share against `target`; returns the share.
  float Step(std::span<const Feature> features, float target, float rate, Pass& pass) {
    const float share = Share(features, pass);
    const std::size_t last = layers_.sizes.size() - 1;
    std::size_t end = size_ - 1;  // where the layer's outputs begin
    pass.deltas[end] = share - target;
    for (std::size_t k = last - 1; k >= 1; --k) {
      const int in = layers_.sizes[k], out = layers_.sizes[k + 1];
      const std::size_t begin = end - static_cast<std::size_t>(in);
      BackLayer(pass.values.data() + begin, in, layers_.weights[k].data(), layers_.biases[k].data(), out,
                pass.deltas.data() + end, pass.deltas.data() + begin, rate);
      end = begin;
    }
    const int out = layers_.first();
    Axpy(-rate, pass.deltas.data(), out, layers_.biases[0].data());
    for (const Feature& f : features) {
      Axpy(-rate * static_cast<float>(f.count) * units_[f.input], pass.deltas.data(), out,
           layers_.weights[0].data() + static_cast<std::ptrdiff_t>(f.input) * out);
    }
    return share;
  }

 private:
  void Add(const Number* from, std::span<const Feature> changes, Number* sums) const {
    thread_local std::vector<Times<Number>> rows;
    rows.clear();
    for (const Feature& f : changes) {
      rows.push_back({static_cast<float>(f.count) * units_[f.input],
                      layers_.weights[0].data() + static_cast<std::ptrdiff_t>(f.input) * layers_.first()});
    }
    AddRows(from, rows, layers_.first(), sums);
  }
  static void Exchange(Aligned<float>& before, Aligned<float>& own, Aligned<float>& all) {
    for (std::size_t i = 0; i < own.size(); ++i) before[i] = own[i] = all[i] += own[i] - before[i];
  }

  // Deltas of a layer's inputs from those of its outputs, and the step on its weights.
  static void BackLayer(const float* inputs, int in, float* weights, float* bias, int out, const float* deltas,
                        float* input_deltas, float rate) {
    for (int i = 0; i < in; ++i) {
      const float back = DotStep(deltas, weights + static_cast<std::ptrdiff_t>(i) * out, out, rate * inputs[i]);
      input_deltas[i] = inputs[i] > 0.0f ? back : kLeak * back;
    }
    Axpy(-rate, deltas, out, bias);
  }

  Layers layers_;
  std::vector<float> units_;
  std::size_t size_ = 0;
};

// Whether the games of a training are to end in their midst.
class Ending {
 public:
  explicit Ending(const std::function<bool()>& stop) : stop_(stop), next_(Clock::now() + kInterval) {}

  void Set() { set_.store(true, std::memory_order_relaxed); }
  bool IsSet() const { return set_.load(std::memory_order_relaxed); }

  // The same, and now and then what `stop` says. For one thread.
  bool Ask() {
    if (stop_ && Clock::now() >= next_) {
      if (stop_()) Set();
      next_ = Clock::now() + kInterval;
    }
    return IsSet();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{25};

  const std::function<bool()>& stop_;
  Clock::time_point next_;
  std::atomic<bool> set_{false};
};

// Where the games of a trainer begin.
template <class Model>
class Beginning {
 public:
  explicit Beginning(const open_spiel::State& start) : start_(start.Clone()) {}

  // The first position that the model plays: in some games chance places the pieces before. `unit` draws from [0, 1).
  template <class Unit>
  typename Model::Position Draw(const Model& model, Unit unit) const {
    const auto* state = static_cast<const typename Model::State*>(start_.get());
    std::unique_ptr<open_spiel::State> made;
    while (!Model::Plays(*state)) {
      made = state->Child(open_spiel::SampleAction(state->ChanceOutcomes(), unit()).first);
      state = static_cast<const typename Model::State*>(made.get());
    }
    return model.Read(*state);
  }

  // A state of the same game. Throws std::invalid_argument where it is of another, or chance has the pieces to place.
  const typename Model::State& SameGame(const Given& given) const {
    const auto* state = std::get_if<const open_spiel::State*>(&given);
    const std::string game = start_->GetGame()->ToString();
    const std::string other = state != nullptr ? (*state)->GetGame()->ToString() : "a game written in Python";
    if (game != other) throw std::invalid_argument("expected a state of " + game + ", got one of " + other);
    const auto& typed = static_cast<const typename Model::State&>(**state);
    if (!Model::Plays(typed)) throw std::invalid_argument("expected a state where somebody decides");
    return typed;
  }

 private:
  std::unique_ptr<open_spiel::State> start_;
};

// The same of games whose rules are written in Python.
template <OfRules Model>
class Beginning<Model> {
 public:
  explicit Beginning(RulesPosition start) : start_(std::move(start)) {}

  template <class Unit>
  typename Model::Position Draw(const Model&, Unit) const {
    return Model::Read(start_);
  }

  const RulesPosition& SameGame(const Given& given) const {
    const auto* position = std::get_if<const RulesPosition*>(&given);
    if (position == nullptr || (*position)->model != start_.model || (*position)->parameters != start_.parameters) {
      throw std::invalid_argument("expected a position of " + start_.model + " with the same parameters");
    }
    return **position;
  }

 private:
  RulesPosition start_;
};

inline std::unique_ptr<open_spiel::State> CopyOf(const std::unique_ptr<open_spiel::State>& state) {
  return state->Clone();
}
template <PlainBytes Position>
Position CopyOf(const Position& position) {
  return position;
}

// Whether the model has a heuristic of its own.
template <class Model>
inline constexpr bool kKnowing =
    Model::kKeyed && requires(const Model& model, const typename Model::Position& p) { model.Heuristic(p); };

// The model, but that a drawn game is worth part of what the heuristic says of its end: where most games are drawn,
// their results alone teach nothing.
template <class Model>
struct WithDraws : Model {
  explicit WithDraws(Model model) : Model(std::move(model)) {}

  double Utility(const typename Model::Position& p) const {
    const double utility = Model::Utility(p);
    return utility == 0.0 && draws > 0.0 ? draws * this->Heuristic(p) : utility;
  }

  double draws = 0.0;
};

template <class Model>
struct EncoderOf<WithDraws<Model>> : EncoderOf<Model> {};

template <class Model>
class SelfPlay : public Trainer {
 public:
  using Played = std::conditional_t<kKnowing<Model>, WithDraws<Model>, Model>;
  using Position = typename Model::Position;
  using Encoder = typename EncoderOf<Model>::Type;

  SelfPlay(Model model, Beginning<Model> beginning, Scale scale, Layers layers)
      : model_(std::move(model)),
        beginning_(std::move(beginning)),
        scale_(scale),
        encoder_(MakeEncoder(model_)),
        learner_(std::move(layers), UnitsOf(encoder_)) {}

  int Best(const Given& given) override {
    const typename Model::State& state = beginning_.SameGame(given);
    const Position position = model_.Read(state);
    const int player = model_.Player(position);
    if (player < 0) throw std::invalid_argument("expected a state where somebody decides");
    const Network network(learner_.layers(), UnitsOf(encoder_));
    return Valuer<Played>(model_, network, scale_).Best(position, player);
  }

  const Layers& layers() const override { return learner_.layers(); }
  void SetLayers(Layers layers) override { learner_.Set(std::move(layers)); }

  // With several threads each learns on weights of its own and adds what it has learnt to those of all after each game:
  // one set of weights that all write to costs two threads a third of their time, for each other's cache lines.
  Progress Train(const Training& training, std::uint64_t seed) override {
    training.Check();
    if constexpr (kKnowing<Model>) {
      model_.draws = training.draws;
    } else if (training.heuristic > 0 || training.draws > 0) {
      throw std::invalid_argument("the native core has no heuristic for this game");
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(training.seconds);
    std::atomic<std::int64_t> begun{0};
    std::vector<Progress> parts(static_cast<std::size_t>(training.threads));
    std::vector<std::exception_ptr> errors(parts.size());
    Ending ending(training.stop);
    std::mutex exchanging;
    const auto play = [&](int thread) {
      std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                          static_cast<std::uint32_t>(thread)};
      Progress& part = parts[static_cast<std::size_t>(thread)];
      try {
        const bool alone = training.threads == 1;
        std::optional<Share> own;
        if (!alone) {
          const std::lock_guard lock(exchanging);
          own.emplace(learner_);
        }
        Player player(*this, alone ? learner_ : own->learner, training, seeds, ending, thread == 0);
        while (!ending.IsSet() && (training.games == 0 || begun++ < training.games) &&
               (training.seconds <= 0 || std::chrono::steady_clock::now() < end)) {
          player.Game(part);
          if (alone) continue;
          const std::lock_guard lock(exchanging);
          own->Exchange(learner_);
        }
      } catch (...) {  // what OpenSpiel throws must not leave a thread
        errors[static_cast<std::size_t>(thread)] = std::current_exception();
        ending.Set();
      }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < training.threads; ++thread) others.emplace_back(play, thread);
    play(0);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    Progress all;
    for (const Progress& part : parts) {
      all.games += part.games;
      all.positions += part.positions;
      all.squared_error += part.squared_error;
    }
    return all;
  }

 private:
  // The weights that one of several threads learns on.
  struct Share {
    explicit Share(const Learner& all) : learner(all), before(all.layers()) {}

    // Adds what was learnt since the last time to the weights of all, and goes on from these.
    void Exchange(Learner& all) { learner.Exchange(before, all); }

    Learner learner;
    Layers before;
  };

  // One thread's games, from which `learner` learns.
  class Player {
   public:
    // `asks`: whether this one asks whether to end, and does not only hear of it.
    Player(const SelfPlay& owner, Learner& learner, const Training& training, std::seed_seq& seeds, Ending& ending,
           bool asks)
        : owner_(owner),
          learner_(learner),
          model_(owner.model_),
          training_(training),
          random_(seeds),
          ending_(ending),
          asks_(asks),
          valuer_(model_, learner, owner.scale_),
          pass_(learner.MakePass()) {}

    void Game(Progress& progress) {
      steps_.clear();
      events_ = 0;
      Position position = owner_.beginning_.Draw(model_, [this] { return Unit(); });
      bool explored = false;  // whether a random move came after what was remembered last
      for (int player; (player = model_.Player(position)) != kTerminal && events_ < kMostEvents; ++events_) {
        if (Ends()) return;
        position = player == kChance ? model_.Child(position, Thrown(position)) : Move(position, player, explored);
        if (model_.Player(position) == kTerminal || !owner_.encoder_.Sees(position)) continue;
        Remember(position, explored);
        explored = false;
      }
      if (model_.Player(position) == kTerminal && !Learn(model_.Utility(position), explored, progress)) return;
      ++progress.games;
    }

   private:
    struct Step {
      Position position;  // where targets are exact
      Features features;
      int turn;
      double value;     // player 0's share as it was when the position was met
      bool explored;    // whether a random move came between the one before and this
    };

    bool Ends() { return asks_ ? ending_.Ask() : ending_.IsSet(); }

    double Unit() { return std::uniform_real_distribution<double>()(random_); }

    int Thrown(const Position& position) {
      outcomes_.clear();
      model_.Outcomes(position, outcomes_);
      double draw = Unit();
      for (const Outcome& outcome : outcomes_) {
        draw -= outcome.probability;
        if (draw <= 0) return outcome.action;
      }
      return outcomes_.back().action;
    }

    Position Move(const Position& position, int player, bool& explored) {
      const double explore = events_ < kLong ? training_.explore : std::max(training_.explore, kExploreLong);
      if (explore > 0 && Unit() < explore) {
        explored = true;
        std::vector<int> actions;
        model_.Actions(position, actions);
        return model_.Child(position, actions[std::uniform_int_distribution<std::size_t>(0, actions.size() - 1)(random_)]);
      }
      return model_.Child(position, valuer_.Best(position, player));
    }

    void Remember(const Position& position, bool explored) {
      Step step{{}, {}, owner_.encoder_.Turn(position), 0.0, explored};
      if (training_.exact || training_.heuristic > 0) step.position = CopyOf(position);
      owner_.encoder_.Encode(position, step.features);
      const double share = learner_.Share(step.features, pass_);
      step.value = step.turn == 0 ? share : 1.0 - share;
      steps_.push_back(std::move(step));
    }

    // From the end back: each position's target is what came after it. What came before a random move does not learn
    // from it, unless its target is exact, but from the heuristic alone where that has a weight. `explored`: whether such
    // a move came after the last position. False where it ended before the beginning of the game.
    bool Learn(double outcome, bool explored, Progress& progress) {
      double ahead = owner_.scale_.Share(0, outcome);
      const double lambda = training_.lambda;
      for (std::size_t i = steps_.size(); i-- > 0;) {
        if (Ends()) return false;
        Step& step = steps_[i];
        const bool taught = training_.exact || !explored;
        explored = step.explored;
        if (!taught && training_.heuristic == 0) {
          ahead = step.value;
          continue;
        }
        double target = ahead;
        if (training_.exact) target = owner_.scale_.Share(0, valuer_.Ahead(step.position));
        if constexpr (kKnowing<Model>) {
          if (training_.heuristic > 0) {
            const double known = std::clamp(owner_.scale_.Share(0, model_.Heuristic(step.position)), 0.0, 1.0);
            target += (taught ? training_.heuristic : 1.0) * (known - target);
          }
        }
        const float own = static_cast<float>(step.turn == 0 ? target : 1.0 - target);
        const float share = learner_.Step(step.features, own, static_cast<float>(training_.rate), pass_);
        progress.squared_error += (share - own) * (share - own);
        ++progress.positions;
        ahead = taught ? (1.0 - lambda) * step.value + lambda * target : step.value;
      }
      return true;
    }

    // Where the best moves, as the network sees them, never end a game, random ones must; a game that is too long even
    // so teaches nothing. In moves and throws; agents/learning/python_trainer.py has the same.
    static constexpr int kLong = 2000, kMostEvents = 10000;
    static constexpr double kExploreLong = 0.1;

    const SelfPlay& owner_;
    Learner& learner_;
    const Played& model_;
    const Training& training_;
    std::mt19937_64 random_;
    Ending& ending_;
    bool asks_;
    Valuer<Played, Learner> valuer_;
    Learner::Pass pass_;
    std::vector<Step> steps_;
    int events_ = 0;  // moves and throws of this game
    std::vector<Outcome> outcomes_;
  };

  Played model_;
  Beginning<Model> beginning_;
  Scale scale_;
  Encoder encoder_;
  Learner learner_;
};

// A trainer with random weights of a game that begins at `start`.
template <class Model, class Start>
std::unique_ptr<Trainer> TrainerOf(Model model, const Start& start, const std::vector<int>& hidden, Scale scale,
                                   std::uint64_t seed) {
  Layers layers = RandomLayers(MakeEncoder(model).inputs(), hidden, seed);
  return std::make_unique<SelfPlay<Model>>(std::move(model), Beginning<Model>(start), scale, std::move(layers));
}

}  // namespace starspiel
