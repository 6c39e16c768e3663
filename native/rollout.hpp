// Random rollouts that draw from Python's random.Random: the same games as agents/evaluators/rollout.py plays from the
// same generator state.
#pragma once

#include "budget.hpp"
#include "model.hpp"
#include "leaf.hpp"

namespace starspiel {

// The Mersenne Twister MT19937 (Matsumoto & Nishimura 1998), as CPython draws from it.
class PythonRandom {
 public:
  static constexpr std::size_t kWords = 624;
  // random.getstate()[1]: the words and the index of the next.
  using State = std::vector<std::uint32_t>;

  // random.seed(number)
  void Seed(std::uint64_t number) {
    const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
    const std::size_t length = key[1] == 0 ? 1 : 2;
    words_[0] = 19650218u;
    for (std::size_t i = 1; i < kWords; ++i) words_[i] = 1812433253u * Mixed(i) + static_cast<std::uint32_t>(i);
    std::size_t i = 1;
    const auto next = [&] {
      if (++i < kWords) return;
      words_[0] = words_[kWords - 1];
      i = 1;
    };
    for (std::size_t k = 0; k < kWords; ++k, next()) {
      const std::size_t j = k % length;
      words_[i] = (words_[i] ^ Mixed(i) * 1664525u) + key[j] + static_cast<std::uint32_t>(j);
    }
    for (std::size_t k = 1; k < kWords; ++k, next()) {
      words_[i] = (words_[i] ^ Mixed(i) * 1566083941u) - static_cast<std::uint32_t>(i);
    }
    words_[0] = 0x80000000u;
    next_ = kWords;
  }

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

  // random.choices(outcomes, their probabilities): the index drawn. `sums` is scratch space.
  std::size_t Choose(std::span<const Outcome> outcomes, std::vector<double>& sums) {
    sums.clear();
    double total = 0.0;
    for (const Outcome& outcome : outcomes) sums.push_back(total += outcome.probability);
    // Bisects the running sums, never past the last.
    return std::upper_bound(sums.begin(), sums.end() - 1, Uniform() * total) - sums.begin();
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

  // The previous word as seeding mixes it into word i.
  std::uint32_t Mixed(std::size_t i) const { return words_[i - 1] ^ words_[i - 1] >> 30; }

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

// Shared by an engine and its owner. A game ends after `moves` decisions and is then worth what has been collected.
struct Rollouts {
  static constexpr EvaluatorTraits kTraits{};
  int count;
  PythonRandom random;
  int moves = std::numeric_limits<int>::max();
};

// The mean return of `count` random rollouts.
template <class Model>
class RolloutLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;
  RolloutLeaf(const Model& model, std::shared_ptr<Rollouts> rollouts) : model_(model), rollouts_(std::move(rollouts)) {}

  double Value(const Position& position, const std::vector<int>&) override {
    double sum = 0.0;
    ForGames(position, [&](const Position& end, bool is_over) { sum += Return(end, is_over); });
    return sum / rollouts_->count;
  }
  // Calls `visit(end, is_over)` with the last position of each rollout.
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
  static constexpr int kStride = 16;  // rollouts between two clock reads

  double Return(const Position& end, bool is_over) const {
    if (is_over) return model_.Utility(end);
    if constexpr (requires { model_.Collected(end); }) return model_.Collected(end);
    return 0.0;
  }

  template <class Visit>
  void Play(const Position& start, Visit visit) {
    int player = model_.Player(start), left = rollouts_->moves;
    if (player == kTerminal || IsOut(player, left)) return visit(start, player == kTerminal);
    Position position = model_.Child(start, Draw(start, player));
    while ((player = model_.Player(position)) != kTerminal && !IsOut(player, left)) {
      const int action = Draw(position, player);
      if constexpr (requires { model_.Become(position, action); }) {
        position = model_.Become(position, action);
      } else {
        position = model_.Child(position, action);
      }
    }
    visit(position, player == kTerminal);
  }

  // True if no decisions are left; otherwise counts this one.
  static bool IsOut(int player, int& left) { return player != kChance && left-- == 0; }

  int Draw(const Position& position, int player) {
    if (player != kChance) {
      actions_.clear();
      model_.Actions(position, actions_);
      return actions_[rollouts_->random.Below(static_cast<std::uint32_t>(actions_.size()))];
    }
    outcomes_.clear();
    PossibleOutcomes(model_, position, outcomes_);
    return outcomes_[rollouts_->random.Choose(outcomes_, sums_)].action;
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
