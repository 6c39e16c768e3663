// Values of positions by a network: what stands behind the leaf of a search, luck, and the choice of a trainer's moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../model.hpp"
#include "expansion.hpp"
#include "features.hpp"
#include "network.hpp"
#include "scale.hpp"

namespace starspiel {

// Calls visit(action, child) with every successor of a decision node.
template <class Model, class Visit>
void ForSuccessors(const Model& model, const typename Model::Position& position, std::vector<int>& actions,
                   Visit visit) {
  const std::size_t base = actions.size();
  model.Actions(position, actions);
  const std::size_t end = actions.size();
  for (std::size_t i = base; i < end; ++i) visit(actions[i], model.Child(position, actions[i]));
  actions.resize(base);
}

// `Arithmetic` is Network or Learner. Values are player 0's. Where dice lie that the network does not see, the best move
// with them counts; where they are yet to be thrown, their mean.
template <class Model, class Arithmetic = Network>
class Valuer {
 public:
  using Position = typename Model::Position;
  using Encoder = typename EncoderOf<Model>::Type;

  Valuer(const Model& model, const Arithmetic& arithmetic, Scale scale)
      : model_(model),
        arithmetic_(arithmetic),
        scale_(scale),
        expansion_(model),
        sums_(static_cast<std::size_t>(arithmetic.layers().first())),
        values_(kBatch * static_cast<std::size_t>(arithmetic.layers().units())) {}

  // How many positions the network has valued.
  std::int64_t computed() const { return computed_; }
  const Encoder& encoder() const { return expansion_.encoder(); }

  // What of many positions the network sees is valued side by side. `values` is overwritten.
  void Values(std::span<const Position* const> positions, std::vector<double>& values) {
    expansion_.Clear();
    for (const Position* position : positions) expansion_.Add(*position);
    Compute(values);
  }

  double Value(const Position& position) {
    const Position* const one = &position;
    Values({&one, 1}, one_);
    return one_.front();
  }

  // The value one ply on: of the best move, or the mean over the outcomes, even where the network sees the position.
  double Ahead(const Position& position) {
    expansion_.Clear();
    expansion_.AddAhead(position);
    Compute(one_);
    return one_.front();
  }

  // The move of the best value, of the first such.
  int Best(const Position& position, int player) {
    std::vector<int> moves;
    std::vector<double> values;
    expansion_.Clear();
    ForSuccessors(model_, position, actions_, [&](int action, const Position& child) {
      expansion_.Add(child);
      moves.push_back(action);
    });
    if (moves.size() == 1) return moves.front();
    Compute(values);
    const auto best = player == 0 ? std::max_element(values.begin(), values.end())
                                  : std::min_element(values.begin(), values.end());
    return moves[static_cast<std::size_t>(best - values.begin())];
  }

 private:
  static constexpr std::size_t kBatch = 16;

  // Of what stands in the expansion.
  void Compute(std::vector<double>& values) {
    of_rows_.clear();
    if constexpr (!Arithmetic::kLasting) kept_turn_ = kNobody;
    if (const int most = encoder().Most(0); most > most_) {  // the first time, or observations are greater than before
      most_ = most;
      fits_ = arithmetic_.Fits(encoder());
    }
    const auto width = static_cast<std::size_t>(arithmetic_.layers().first());
    for (std::size_t first = 0; first < expansion_.rows(); first += kBatch) {
      const std::size_t rows = std::min(kBatch, expansion_.rows() - first);
      for (std::size_t row = 0; row < rows; ++row) {
        BringSumsTo(first + row);
        Activate(first + row, values_.data() + row * width);
      }
      Outputs(arithmetic_.layers(), values_.data(), static_cast<int>(rows), shares_);
      for (std::size_t row = 0; row < rows; ++row) {
        of_rows_.push_back(scale_.Value(expansion_.turn(first + row), shares_[row]));
      }
    }
    computed_ += static_cast<std::int64_t>(expansion_.rows());
    expansion_.Values(of_rows_, values);
  }

  // The sums of a position come from those of the one before, where that is seen from the same side: the other side's
  // inputs are other ones. Those that do not fit wrap around, so that sums brought on from them are right again.
  void BringSumsTo(std::size_t row) {
    const bool near = expansion_.turn(row) == kept_turn_;
    kept_turn_ = expansion_.turn(row);
    changes_.clear();
    if constexpr (kChanges) {
      if (near) expansion_.encoder().Changes(kept_position_, expansion_.seen(row), changes_);
      kept_position_ = expansion_.seen(row);
    }
    if (!kChanges || !near) {
      next_.clear();
      expansion_.Encode(row, next_);
      if (near) ListChanges(kept_, next_, changes_);
      std::swap(kept_, next_);
    }
    if (near) {
      arithmetic_.Add(changes_, sums_.data());
    } else {
      arithmetic_.Sum(kept_, sums_.data());
    }
  }

  // The first hidden layer's values of the position that the sums were brought to.
  void Activate(std::size_t row, float* values) {
    if (fits_) return arithmetic_.Activate(sums_.data(), values);
    next_.clear();
    expansion_.Encode(row, next_);
    wide_sums_.resize(sums_.size());
    arithmetic_.Sum(next_, wide_sums_.data());
    arithmetic_.Activate(wide_sums_.data(), values);
  }

  static constexpr int kNobody = -1;
  // Whether the encoder finds itself what changes from position to position.
  static constexpr bool kChanges = Model::kKeyed && requires(const Encoder& encoder, const Position& p, Features& f) {
    encoder.Changes(p, p, f);
  };
  struct Nothing {};

  const Model& model_;
  const Arithmetic& arithmetic_;
  Scale scale_;
  Expansion<Model> expansion_;
  int kept_turn_ = kNobody;  // whose side kept_ is seen from
  // The position whose sums are in sums_.
  Features kept_;
  [[no_unique_address]] std::conditional_t<kChanges, Position, Nothing> kept_position_{};
  Features next_, changes_;
  Aligned<typename Arithmetic::Number> sums_;
  Aligned<typename Arithmetic::Wide> wide_sums_;
  Aligned<float> values_;
  int most_ = 0;      // the encoder's of its first input, when fits_ was found
  bool fits_ = true;  // whether all sums fit into a Number
  float shares_[kBatch];
  std::vector<double> of_rows_;
  std::vector<double> one_;
  std::vector<int> actions_;
  std::int64_t computed_ = 0;
};

}  // namespace starspiel
