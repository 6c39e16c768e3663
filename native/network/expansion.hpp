// Positions valued through those that an encoder sees: the best move where dice lie that it does not see, the mean
// where they are yet to be thrown. What is seen is listed first, to be valued all at once, and equal positions once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../distinct.hpp"
#include "../model.hpp"
#include "features.hpp"

namespace starspiel {

template <class Model>
class Expansion {
 public:
  using Position = typename Model::Position;
  using Encoder = typename EncoderOf<Model>::Type;

  explicit Expansion(const Model& model) : model_(model), encoder_(MakeEncoder(model)) {}

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

  // Lists what is to be seen of one position more.
  void Add(const Position& position) { List(position); }

  // The same one ply on: what its moves lead to, or its outcomes, even where the position itself is seen.
  void AddAhead(const Position& position) {
    const int player = model_.Player(position);
    if (player == kTerminal) {
      List(position);
    } else if (player == kChance) {
      ListOutcomes(position);
    } else {
      ListMoves(position, player);
    }
  }

  // What is seen, each once: the player about to act, and what the encoder says of it, which is appended.
  std::size_t rows() const { return turns_.size(); }
  int turn(std::size_t row) const { return turns_[row]; }
  void Encode(std::size_t row, Features& features) const {
    if constexpr (Model::kKeyed) {
      encoder_.Encode(seen_[row], features);
    } else {
      const auto begin = features_.begin() + static_cast<std::ptrdiff_t>(row == 0 ? 0 : ends_[row - 1]);
      features.insert(features.end(), begin, features_.begin() + static_cast<std::ptrdiff_t>(ends_[row]));
    }
  }
  // The position itself, where the model's are plain bytes.
  const Position& seen(std::size_t row) const { return seen_[row]; }
  const Encoder& encoder() const { return encoder_; }

  // Player 0's value of each position added, from player 0's value of each row.
  void Values(const std::vector<double>& of_rows, std::vector<double>& values) const {
    values.clear();
    for (const Step& step : steps_) {
      if (step.kind == Step::kRow) {
        values.push_back(of_rows[step.count]);
        continue;
      }
      if (step.kind == Step::kKnown) {
        values.push_back(step.number);
        continue;
      }
      if (step.kind == Step::kTimes) {
        values.back() *= step.number;
        continue;
      }
      const std::size_t base = values.size() - step.count;
      double value = step.kind == Step::kSum ? 0.0 : values[base];
      for (std::size_t i = base; i < values.size(); ++i) {
        if (step.kind == Step::kSum) {
          value += values[i];
        } else if (step.kind == Step::kMost ? values[i] > value : values[i] < value) {
          value = values[i];
        }
      }
      values.resize(base);
      values.push_back(value);
    }
  }

 private:
  // One step of the arithmetic, on a stack of numbers.
  struct Step {
    enum Kind { kRow, kKnown, kTimes, kMost, kLeast, kSum } kind;
    std::size_t count;  // kRow: which; kMost, kLeast and kSum: of how many
    double number;      // kKnown, kTimes
  };

  void List(const Position& position) {
    const int player = model_.Player(position);
    if (player == kTerminal) {
      steps_.push_back({Step::kKnown, 0, model_.Utility(position)});
    } else if (encoder_.Sees(position)) {
      steps_.push_back({Step::kRow, Row(position), 0.0});
    } else if (player == kChance) {
      ListOutcomes(position);
    } else {
      ListMoves(position, player);
    }
  }

  void ListOutcomes(const Position& position) {
    const std::size_t base = outcomes_.size();
    if constexpr (requires { model_.DistinctOutcomes(position, outcomes_); }) {
      model_.DistinctOutcomes(position, outcomes_);
    } else {
      PossibleOutcomes(model_, position, outcomes_);
    }
    const std::size_t end = outcomes_.size();
    for (std::size_t i = base; i < end; ++i) {
      const Outcome outcome = outcomes_[i];
      List(model_.Child(position, outcome.action));
      steps_.push_back({Step::kTimes, 0, outcome.probability});
    }
    outcomes_.resize(base);
    steps_.push_back({Step::kSum, end - base, 0.0});
  }

  void ListMoves(const Position& position, int player) {
    const std::uint64_t node = ++nodes_;
    const std::size_t base = actions_.size();
    model_.Actions(position, actions_);
    const std::size_t end = actions_.size();
    std::size_t count = 0;
    for (std::size_t i = base; i < end; ++i) {
      const Position child = model_.Child(position, actions_[i]);
      if (WasOpened(child, node)) continue;
      List(child);
      ++count;
    }
    actions_.resize(base);
    steps_.push_back({player == 0 ? Step::kMost : Step::kLeast, count, 0.0});
  }

  // Whether an equal successor of the same node, which is not seen either, was listed before.
  bool WasOpened(const Position& child, std::uint64_t node) {
    if constexpr (Model::kKeyed) {
      if (encoder_.Sees(child)) return false;
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
      encoder_.Encode(position, features_);
      ends_.push_back(features_.size());
    }
    turns_.push_back(encoder_.Turn(position));
    return row;
  }

  struct Unseen {
    std::uint64_t node;
    Position position;
  };

  const Model& model_;
  Encoder encoder_;
  std::vector<int> turns_;  // of the rows
  std::vector<Position> seen_;  // the rows themselves, of keyed models
  Features features_;           // what is seen of them, of others
  std::vector<std::size_t> ends_;
  std::vector<Step> steps_;
  std::vector<int> actions_;
  std::vector<Outcome> outcomes_;
  Distinct known_;  // rows
  Distinct opened_;  // positions not seen, by the node that they follow
  std::vector<Unseen> unseen_;
  std::uint64_t nodes_ = 0;
};

}  // namespace starspiel
