// Backgammon's bear-off from tables, in front of any other leaf: agents/evaluators/bearoff.py, number for number.
#pragma once

#include "leaf.hpp"
#include "model.hpp"
#include "solve/bearoff.hpp"

namespace starspiel {

// The tables of agents/bearoff/tables.py, indexed by its position ranks.
class Bearoff {
 public:
  // `one_sided`: positions x rolls, the probability of needing exactly that many rolls; `two_sided`: own x other
  // positions, the win probability of the player about to roll; `all_on`: positions of 15 checkers x rolls, the
  // probability that no checker is off after that many rolls. Throws std::invalid_argument if the sizes differ.
  Bearoff(std::vector<double> one_sided, std::vector<double> two_sided, std::vector<double> all_on, std::size_t rolls,
          std::size_t few, std::size_t on_rolls)
      : one_sided_(std::move(one_sided)),
        two_sided_(std::move(two_sided)),
        all_on_(std::move(all_on)),
        rolls_(rolls),
        few_(few),
        on_rolls_(on_rolls) {
    if (one_sided_.size() != BearoffCount(kBearoffMen) * rolls || two_sided_.size() != few * few || on_rolls >= rolls ||
        all_on_.size() != (BearoffCount(kBearoffMen) - kBearoffAllOn) * on_rolls) {
      throw std::invalid_argument("expected the bear-off's tables of 15 men on 6 points");
    }
  }

  // More rolls than any position needs.
  int most_rolls() const { return static_cast<int>(rolls_); }

  // The win probability of the player about to roll.
  double Chance(std::size_t roller, std::size_t other) const {
    if (std::max(roller, other) < few_) return two_sided_[roller * few_ + other];
    // The other side finishes first only with fewer rolls: needing k rolls wins if the other side needs k or more.
    const double* own = &one_sided_[roller * rolls_];
    const double* theirs = &one_sided_[other * rolls_];
    double chance = 0.0, later = 1.0;
    for (std::size_t k = 0; k < rolls_; ++k) {
      chance += own[k] * later;
      later -= theirs[k];
    }
    return std::clamp(chance, 0.0, 1.0);  // absorbs rounding errors of the sums
  }

  // The probability of bearing off all checkers before the other side bears off its first.
  double Gammon(std::size_t own, std::size_t other, bool own_turn) const {
    if (other < kBearoffAllOn) return 0.0;
    const double* rolls = &one_sided_[own * rolls_ + (own_turn ? 1 : 0)];  // the other side then has one roll fewer
    const double* still = &all_on_[(other - kBearoffAllOn) * on_rolls_];
    double chance = 0.0;
    for (std::size_t k = 0; k < on_rolls_; ++k) chance += rolls[k] * still[k];
    return chance;
  }

 private:
  std::vector<double> one_sided_, two_sided_, all_on_;
  std::size_t rolls_, few_, on_rolls_;
};

// A model of backgammon.
template <class Model>
concept BearsOff = requires(const Model& model) {
  model.most_turns();
  model.gammons();
};

template <BearsOff Model>
class BearoffLeaf : public Leaf<typename Model::Position> {
 public:
  using Position = typename Model::Position;

  BearoffLeaf(const Model& model, std::shared_ptr<const Bearoff> tables, std::shared_ptr<Leaf<Position>> other)
      : model_(model), tables_(std::move(tables)), other_(std::move(other)) {
    if (Leaf<Position>* small = other_->small()) {
      small_ = std::make_unique<BearoffLeaf>(model, tables_, std::shared_ptr<Leaf<Position>>(other_, small));
    }
  }

  double Value(const Position& position, const std::vector<int>& path) override {
    const std::optional<double> known = Known(position);
    return known ? *known : other_->Value(position, path);
  }

  void Values(Batch<Position>& batch) override {
    batch.values.resize(batch.positions.size());
    rest_.positions.clear();
    rest_.paths.clear();
    places_.clear();
    for (std::size_t i = 0; i < batch.positions.size(); ++i) {
      if (const std::optional<double> known = Known(*batch.positions[i])) {
        batch.values[i] = *known;
        continue;
      }
      places_.push_back(i);
      rest_.positions.push_back(batch.positions[i]);
      if (by_path()) rest_.paths.push_back(batch.paths[i]);
    }
    if (places_.empty()) return;
    other_->Values(rest_);
    for (std::size_t i = 0; i < places_.size(); ++i) batch.values[places_[i]] = rest_.values[i];
  }

  double Guess(const Position& position, const std::vector<int>& path) override {
    const std::optional<double> known = Known(position);
    return known ? *known : other_->Guess(position, path);
  }

  int batch() const override { return other_->batch(); }
  Leaf<Position>* small() override { return small_.get(); }
  bool Sees(const Position& position) const override { return other_->Sees(position); }
  bool by_path() const override { return other_->by_path(); }
  void Start(const Given& root) override { other_->Start(root); }
  void Watch(Budget& budget) override { other_->Watch(budget); }
  bool cheap() const override { return other_->cheap(); }
  bool guesses() const override { return other_->guesses(); }
  std::int64_t computed() const override { return other_->computed(); }

 private:
  static bool IsHome(const std::int8_t* men) {
    int home = 0;
    for (int distance = 0; distance <= kBearoffPoints; ++distance) home += men[distance];
    return home == kBearoffMen;
  }

  // Player 0's value from the tables, including at terminal positions; nullopt if the tables do not cover it.
  std::optional<double> Known(const Position& p) {
    const int player = model_.Player(p);
    if (player == kTerminal) return model_.Utility(p);
    if (p.turns + 2 * tables_->most_rolls() >= model_.most_turns()) return std::nullopt;
    if (!IsHome(p.checkers[0]) || !IsHome(p.checkers[1])) return std::nullopt;
    if (player == kChance) {
      const std::size_t roller = BearoffRank(p.checkers[p.mover] + 1);
      const std::size_t other = BearoffRank(p.checkers[1 - p.mover] + 1);
      double value = 2.0 * tables_->Chance(roller, other) - 1.0;
      if (model_.gammons()) value += tables_->Gammon(roller, other, true) - tables_->Gammon(other, roller, false);
      return p.mover == 0 ? value : -value;
    }
    const std::size_t base = actions_.size();
    model_.Actions(p, actions_);
    const std::size_t end = actions_.size();
    std::optional<double> best;
    bool all = true;
    for (std::size_t i = base; i < end && all; ++i) {
      const std::optional<double> value = Known(model_.Child(p, actions_[i]));
      all = value.has_value();  // the turn limit may be reached first
      if (all && (!best || (player == 0 ? *value > *best : *value < *best))) best = value;
    }
    actions_.resize(base);
    return all ? best : std::nullopt;
  }

  const Model& model_;
  std::shared_ptr<const Bearoff> tables_;
  std::shared_ptr<Leaf<Position>> other_;
  std::unique_ptr<BearoffLeaf> small_;  // the tables in front of `other_`'s small leaf
  std::vector<int> actions_;
  Batch<Position> rest_;
  std::vector<std::size_t> places_;
};

}  // namespace starspiel
