// Random rollouts with the random numbers of Python's random.Random: the same games as
// agents/evaluators/rollout.py plays, from the same generator state.
#pragma once

#include "budget.hpp"
#include "model.hpp"
#include "leaf.hpp"

namespace starspiel {

// The Mersenne Twister MT19937 (Matsumoto & Nishimura 1998), as CPython draws from it.
class PythonRandom {
 public:
  static constexpr std::size_t kWords = 624;
  // random.getstate()[1]: the words and the place of the next.
  using State = std::vector<std::uint32_t>;

  void Set(const State& state) {
    std::copy_n(state.begin(), kWords, words_.begin());
    next_ = state[kWords];
  }

  State Get() const {
    State state(words_.begin(), words_.end());
    state.push_back(static_cast<std::uint32_t>(next_));
    return state;
  }

  // random.random()
  double Uniform() {
    const std::uint32_t high = Word() >> 5, low = Word() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

  // random.randrange(n), for 0 < n < 2^31
  std::uint32_t Below(std::uint32_t n) {
    const int bits = std::bit_width(n);
    std::uint32_t drawn = Word() >> (32 - bits);
    while (drawn >= n) drawn = Word() >> (32 - bits);
    return drawn;
  }

 private:
  std::uint32_t Word() {
    if (next_ >= kWords) Refill();
    std::uint32_t y = words_[next_++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
  }

  void Refill() {
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint32_t y = (words_[i] & 0x80000000u) | (words_[(i + 1) % kWords] & 0x7fffffffu);
      words_[i] = words_[(i + 397) % kWords] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
    }
    next_ = 0;
  }

  std::array<std::uint32_t, kWords> words_{};
  std::size_t next_ = kWords;
};

// What an engine and its owner share.
struct Rollouts {
  static constexpr EvaluatorTraits kTraits{};
  int count;
  PythonRandom random;
};

// The mean return of `count` games played on at random.
template <class Model>
class RolloutLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;
  RolloutLeaf(const Model& model, std::shared_ptr<Rollouts> rollouts) : model_(model), rollouts_(std::move(rollouts)) {}

  double Value(const Position& position, const std::vector<int>&) override {
    double sum = 0.0;
    ForGames(position, [&](const Position& end) { sum += model_.Utility(end); });
    return sum / rollouts_->count;
  }
  // Calls `visit(end)` with the terminal position of each game.
  template <class Visit>
  void ForGames(const Position& position, Visit visit) {
    for (int i = 0; i < rollouts_->count; ++i) {
      Play(position, visit);
      if (i % kStride == kStride - 1 && budget_ != nullptr) budget_->ReadClock();
    }
  }
  void Watch(Budget& budget) override { budget_ = &budget; }
  bool cheap() const override { return false; }

 private:
  static constexpr int kStride = 16;  // games between two looks at the clock

  template <class Visit>
  void Play(const Position& start, Visit visit) {
    int player = model_.Player(start);
    if (player == kTerminal) return visit(start);
    Position position = model_.Child(start, Draw(start, player));
    while ((player = model_.Player(position)) != kTerminal) {
      const int action = Draw(position, player);
      if constexpr (requires { model_.Become(position, action); }) {
        position = model_.Become(position, action);
      } else {
        position = model_.Child(position, action);
      }
    }
    visit(position);
  }

  int Draw(const Position& position, int player) {
    if (player != kChance) {
      actions_.clear();
      model_.Actions(position, actions_);
      return actions_[rollouts_->random.Below(static_cast<std::uint32_t>(actions_.size()))];
    }
    outcomes_.clear();
    PossibleOutcomes(model_, position, outcomes_);
    sums_.clear();
    double total = 0.0;
    for (const Outcome& outcome : outcomes_) sums_.push_back(total += outcome.probability);
    // random.choices: bisect in the running sums, never past the last.
    const double drawn = rollouts_->random.Uniform() * total;
    const auto place = std::upper_bound(sums_.begin(), sums_.end() - 1, drawn);
    return outcomes_[place - sums_.begin()].action;
  }

  const Model& model_;
  std::shared_ptr<Rollouts> rollouts_;
  Budget* budget_ = nullptr;
  std::vector<int> actions_;
  std::vector<Outcome> outcomes_;
  std::vector<double> sums_;
};

template <class Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<Rollouts>& rollouts) {
  return std::make_unique<RolloutLeaf<Model>>(model, rollouts);
}

}  // namespace starspiel
