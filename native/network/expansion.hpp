// The rows (rows.hpp) of a model's positions, without duplicates.
#pragma once

#include "../distinct.hpp"
#include "../model.hpp"
#include "rows.hpp"

namespace starspiel {

template <Encoded Model>
class Expansion : public Rows {
 public:
  using Position = typename Model::Position;

  explicit Expansion(const Model& model) : model_(model) {}

  // The utility of a drawn game, as a fraction of the heuristic's value at its end.
  double draws() const { return draws_; }
  void SetDraws(double draws) { draws_ = draws; }
  double Utility(const Position& position) const {
    const double utility = model_.Utility(position);
    if constexpr (kHasHeuristic<Model>) {
      if (utility == 0.0 && draws_ > 0.0) return draws_ * model_.Heuristic(position);
    }
    return utility;
  }

  // Sets how many of the first inputs Follow must report; it may omit later ones.
  void SetUsed(int used) { used_ = used; }

  void Clear() {
    features_.clear();
    ends_.clear();
    turns_.clear();
    steps_.clear();
    seen_.clear();
    known_.Clear();
    unseen_.clear();
    opened_.Clear();
  }

  // Lists another position.
  void Add(const Position& position) {
    const int player = model_.Player(position);
    if (player != kTerminal && model_.Sees(position)) {
      steps_.push_back({Step::kRow, Row(position), 0.0});
    } else {
      AddAhead(position);
    }
  }

  // Lists a position by its successors after moves or outcomes, even if the encoder sees the position itself.
  void AddAhead(const Position& position) {
    const int player = model_.Player(position);
    if (player == kTerminal) {
      steps_.push_back({Step::kKnown, 0, Utility(position)});
    } else if (player == kChance) {
      AddOutcomes(position);
    } else {
      AddMoves(position, player);
    }
  }

  int Inputs() const override { return model_.Inputs(); }
  float Unit(int input) const override { return model_.Unit(input); }
  int Most(int input) const override { return model_.Most(input); }

  void Encode(std::size_t row, Features& features) const override {
    if constexpr (Model::kKeyed) {
      model_.Encode(seen_[row], features);
    } else {
      const auto begin = features_.begin() + static_cast<std::ptrdiff_t>(row == 0 ? 0 : ends_[row - 1]);
      features.insert(features.end(), begin, features_.begin() + static_cast<std::ptrdiff_t>(ends_[row]));
    }
  }

  void Follow(std::size_t row, bool near, Features& features) override {
    features.clear();
    if constexpr (requires(const Model& m, const Position& p, Features& f) { m.Changes(p, p, f); }) {
      if (near) {
        model_.Changes(kept_position_, seen_[row], features);
      } else {
        model_.Encode(seen_[row], features);
      }
      if constexpr (requires { model_.LastInputs(seen_[row]); }) {
        using Last = decltype(model_.LastInputs(seen_[row]));
        const int first = model_.Inputs() - static_cast<int>(std::tuple_size_v<Last>);
        const Last last = used_ > first ? model_.LastInputs(seen_[row]) : Last{};
        for (std::size_t i = 0; near && i < last.size(); ++i) {
          starspiel::Add(features, first + static_cast<int>(i), last[i] - kept_last_[i]);
        }
        kept_last_.assign(last.begin(), last.end());
      }
      kept_position_ = seen_[row];
    } else {
      next_.clear();
      Encode(row, next_);
      std::swap(kept_, next_);
      if (near) {
        ListChanges(next_, kept_, features);
      } else {
        features = kept_;
      }
    }
  }

 private:
  void AddOutcomes(const Position& position) {
    const std::size_t base = outcomes_.size();
    if constexpr (requires { model_.DistinctOutcomes(position, outcomes_); }) {
      model_.DistinctOutcomes(position, outcomes_);
    } else {
      PossibleOutcomes(model_, position, outcomes_);
    }
    const std::size_t end = outcomes_.size();
    for (std::size_t i = base; i < end; ++i) {
      const Outcome outcome = outcomes_[i];
      Add(model_.Child(position, outcome.action));
      steps_.push_back({Step::kTimes, 0, outcome.probability});
    }
    outcomes_.resize(base);
    steps_.push_back({Step::kSum, end - base, 0.0});
  }

  void AddMoves(const Position& position, int player) {
    const std::uint64_t node = ++nodes_;
    std::size_t count = 0;
    ForSuccessors(model_, position, actions_, [&](int, const Position& child) {
      if (WasOpened(child, node)) return;
      Add(child);
      ++count;
    });
    steps_.push_back({player == 0 ? Step::kMost : Step::kLeast, count, 0.0});
  }

  // True if an equal successor of the same node was listed before; only for positions that the encoder does not see.
  bool WasOpened(const Position& child, std::uint64_t node) {
    if constexpr (Model::kKeyed) {
      if (model_.Sees(child)) return false;
      const std::size_t number = unseen_.size();
      const auto equal = [&](std::size_t other) {
        return unseen_[other].node == node && Equal(unseen_[other].position, child);
      };
      if (opened_.Find(Hash(child) ^ (node * 0x9e3779b97f4a7c15u), number, equal) != number) return true;
      unseen_.push_back({node, child});
    }
    return false;
  }

  std::size_t Row(const Position& position) {
    const std::size_t row = turns_.size();
    if constexpr (Model::kKeyed) {
      const auto equal = [&](std::size_t other) { return Equal(seen_[other], position); };
      const std::size_t known = known_.Find(Hash(position), row, equal);
      if (known != row) return known;
      seen_.push_back(position);
    } else {
      model_.Encode(position, features_);
      ends_.push_back(features_.size());
    }
    turns_.push_back(model_.Turn(position));
    return row;
  }

  struct Unseen {
    std::uint64_t node;
    Position position;
  };

  const Model& model_;
  double draws_ = 0.0;
  std::vector<Position> seen_;  // the rows' positions; for keyed models
  Features features_;           // the rows' features; for other models
  std::vector<std::size_t> ends_;
  std::vector<int> actions_;
  std::vector<Outcome> outcomes_;
  Distinct known_;   // rows
  Distinct opened_;  // unseen positions, by the node above them
  std::vector<Unseen> unseen_;
  std::uint64_t nodes_ = 0;
  Position kept_position_{};  // state of Follow, like the other kept_
  std::vector<int> kept_last_;
  int used_ = std::numeric_limits<int>::max();
  Features kept_, next_;
};

}  // namespace starspiel
