// Positions valued through those that an encoder sees: the best move where dice lie that it does not see, the mean
// where they are yet to be thrown. What is seen is listed first, to be valued all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../model.hpp"
#include "features.hpp"
#include "valuer.hpp"

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
    rows_of_.clear();
    below_.clear();
  }

  // Lists what is to be seen of one position more.
  void Add(const Position& position) { List(position, false); }

  // What is seen: the inputs of each row that are not zero, and the player about to act.
  std::size_t rows() const { return ends_.size(); }
  const Feature* begin(std::size_t row) const { return features_.data() + (row == 0 ? 0 : ends_[row - 1]); }
  const Feature* end(std::size_t row) const { return features_.data() + ends_[row]; }
  int turn(std::size_t row) const { return turns_[row]; }
  const Encoder& encoder() const { return encoder_; }

  // Player 0's value of each position added, from player 0's value of each row.
  void Values(const std::vector<double>& of_rows, std::vector<double>& values) {
    values.clear();
    for (const Step& step : steps_) {
      const auto last = values.end() - (step.kind == Step::kMost || step.kind == Step::kLeast || step.kind == Step::kSum
                                            ? static_cast<std::ptrdiff_t>(step.count)
                                            : 0);
      double value = 0.0;
      switch (step.kind) {
        case Step::kRow:
          value = of_rows[step.count];
          break;
        case Step::kKnown:
          value = step.number;
          break;
        case Step::kTimes:
          values.back() *= step.number;
          continue;
        case Step::kMost:
          value = *std::max_element(last, values.end());
          break;
        case Step::kLeast:
          value = *std::min_element(last, values.end());
          break;
        case Step::kSum:
          for (auto at = last; at != values.end(); ++at) value += *at;
          break;
      }
      values.erase(last, values.end());
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

  // `below`: whether it follows a position that is not seen; different halves of a double come to the same.
  void List(const Position& position, bool below) {
    const int player = model_.Player(position);
    if (player == kTerminal) {
      steps_.push_back({Step::kKnown, 0, model_.Utility(position)});
    } else if (encoder_.Sees(position)) {
      steps_.push_back({Step::kRow, Row(position, below), 0.0});
    } else if (player == kChance) {
      std::vector<Outcome> outcomes;
      if constexpr (requires { model_.DistinctOutcomes(position, outcomes); }) {
        model_.DistinctOutcomes(position, outcomes);
      } else {
        PossibleOutcomes(model_, position, outcomes);
      }
      for (const Outcome& outcome : outcomes) {
        List(model_.Child(position, outcome.action), true);
        steps_.push_back({Step::kTimes, 0, outcome.probability});
      }
      steps_.push_back({Step::kSum, outcomes.size(), 0.0});
    } else {
      std::size_t count = 0;
      ForSuccessors(model_, position, actions_, [&](int, Position child) {
        List(child, true);
        ++count;
      });
      steps_.push_back({player == 0 ? Step::kMost : Step::kLeast, count, 0.0});
    }
  }

  std::size_t Row(const Position& position, bool below) {
    if constexpr (Model::kKeyed) {
      if (below) {
        const auto [known, last] = rows_of_.equal_range(Hash(position));
        for (auto at = known; at != last; ++at) {
          if (Equal(below_[at->second.kept], position)) return at->second.row;
        }
        rows_of_.emplace(Hash(position), Kept{below_.size(), ends_.size()});
        below_.push_back(position);
      }
    }
    encoder_.Encode(position, features_);
    ends_.push_back(features_.size());
    turns_.push_back(encoder_.Turn(position));
    return ends_.size() - 1;
  }

  struct Kept {
    std::size_t kept;
    std::size_t row;
  };

  const Model& model_;
  Encoder encoder_;
  Features features_;
  std::vector<std::size_t> ends_;
  std::vector<int> turns_;
  std::vector<Step> steps_;
  std::vector<int> actions_;
  std::unordered_multimap<std::uint64_t, Kept> rows_of_;
  std::vector<Position> below_;
};

}  // namespace starspiel
