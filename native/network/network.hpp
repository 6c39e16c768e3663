// A small multilayer perceptron: leaky ReLU between the layers, outputs squashed by a sigmoid.
//
// Scale defines its outputs, for the player about to act. Equal to agents/evaluators/network.py within 1e-5.
#pragma once

#include "../leaf.hpp"
#include "arithmetic.hpp"
#include "rows.hpp"

namespace starspiel {

// The greatest number of a network's outputs.
inline constexpr int kMostOutputs = 8;

// A number for each output, with vector arithmetic.
struct Shares {
  std::array<double, kMostOutputs> of{};

  Shares& operator+=(const Shares& other) {
    for (int k = 0; k < kMostOutputs; ++k) of[k] += other.of[k];
    return *this;
  }
  Shares& operator-=(const Shares& other) {
    for (int k = 0; k < kMostOutputs; ++k) of[k] -= other.of[k];
    return *this;
  }
  Shares& operator*=(double factor) {
    for (double& share : of) share *= factor;
    return *this;
  }
};

// Output k of a network is the probability of a return of returns[k + 1] or more, where a return between two of them
// counts as a fraction of the greater one. With two returns the output is the share of what can be won.
struct Scale {
  std::vector<double> returns{-1.0, 1.0};

  int outputs() const { return static_cast<int>(returns.size()) - 1; }

  // Throws std::invalid_argument unless the returns are those of a zero-sum game, ascending and not too many.
  void Check() const;

  // Player 0's return from the outputs for the player `turn`.
  template <class Number>
  double Value(int turn, const Number* shares) const {
    double own = returns.front();
    for (int k = 0; k < outputs(); ++k) own += (returns[k + 1] - returns[k]) * shares[k];
    return turn == 0 ? own : -own;
  }

  // The outputs that represent player 0's return `value`.
  Shares Told(double value) const {
    Shares told;
    for (int k = 0; k < outputs(); ++k) {
      told.of[k] = std::clamp((value - returns[k]) / (returns[k + 1] - returns[k]), 0.0, 1.0);
    }
    return told;
  }

  // Converts a player's outputs to player 0's, and back.
  template <class Number>
  Shares Seen(int turn, const Number* shares) const {
    Shares seen;
    for (int k = 0; k < outputs(); ++k) seen.of[k] = turn == 0 ? shares[k] : 1.0 - shares[outputs() - 1 - k];
    return seen;
  }
};

// Weights as they are trained and stored: layer k has sizes[k] inputs and sizes[k + 1] outputs, and the weight from
// input i to output j is weights[k][i * sizes[k + 1] + j].
struct Layers {
  std::vector<int> sizes;
  std::vector<Aligned<float>> weights;
  std::vector<Aligned<float>> biases;

  int inputs() const { return sizes.front(); }
  int outputs() const { return sizes.back(); }
  // The number of units in the first hidden layer.
  int first() const { return sizes[1]; }
  // The number of units in all layers after the inputs.
  int units() const;
  // Throws std::invalid_argument if sizes and weights do not match, or if a weight is not finite.
  void Check() const;
};

// The outputs, in (0, 1), row by row, from the first hidden layer's `values` of `rows` consecutive positions. `values`
// must have room behind them for the later layers of as many positions.
void Outputs(const Layers& layers, float* values, int rows, float* outputs);

// The arithmetic of a network in play. Learner (learner.hpp), for a network in training, has the same members.
class Network {
 public:
  // The type of the first layer's sums: integers in units of 1 / 2^18. Wide holds every sum without overflow.
  using Number = std::int32_t;
  using Wide = std::int64_t;
  // True if sums stay valid between calls: the weights never change, and sums are exact.
  static constexpr bool kLasting = true;

  // `units`: the encoder's, which are folded into the first layer.
  Network(Layers layers, const std::vector<float>& units);

  const Layers& layers() const { return layers_; }
  // The number of inputs up to the last one with a nonzero weight.
  int used() const { return used_; }

  // True if all sums fit into a Number for counts up to the encoder's Most.
  bool Fits(const Rows& rows) const;
  // The first layer's sums.
  void Sum(std::span<const Feature> features, Number* sums) const;
  void Sum(std::span<const Feature> features, Wide* sums) const;
  // Updates sums to another position by the changes in its inputs.
  void Add(std::span<const Feature> changes, Number* sums) const;
  // The first hidden layer's values.
  void Activate(const Number* sums, float* values) const;
  void Activate(const Wide* sums, float* values) const;

 private:
  // The inputs' rows of weights with their counts; valid until the thread's next call.
  std::span<const Times<Number>> RowsOf(std::span<const Feature> changes) const;

  Layers layers_;
  Aligned<Number> first_weights_;
  Aligned<Number> first_bias_;
  std::vector<Number> greatest_;  // by input: the magnitude of its greatest weight
  Number greatest_bias_ = 0;
  int used_ = 0;
};

// Values rows by a network or a learner, kBatch at a time.
template <class Arithmetic>
class NetworkRows : public RowEvaluator {
 public:
  NetworkRows(std::shared_ptr<const Arithmetic> arithmetic, Scale scale);
  // Enough to use the arithmetic fully, few enough to skip successors after a cut-off.
  int batch() const override { return kBatch; }
  int used() const override {
    if constexpr (Arithmetic::kLasting) return arithmetic_->used();
    return RowEvaluator::used();
  }
  void Values(Rows& rows, std::vector<double>& of_rows) override;
  // The outputs behind the last values, row by row.
  const std::vector<float>& shares() const { return shares_; }

 private:
  static constexpr int kBatch = 16;
  static constexpr int kNobody = -1;

  void ValueRow(Rows& rows, std::size_t row, float* values);

  std::shared_ptr<const Arithmetic> arithmetic_;
  Scale scale_;
  int kept_turn_ = kNobody;  // the side from which the row of sums_ is seen
  Aligned<typename Arithmetic::Number> sums_;
  Aligned<typename Arithmetic::Wide> wide_sums_;
  Aligned<float> values_;
  std::vector<float> shares_;
  Features features_;
  int most_ = 0;      // the encoder's Most of the first input when fits_ was computed
  bool fits_ = true;  // whether all sums fit into a Number
};

// A network with the scale of its outputs, and a function of arrays, as evaluators of a search. `Open` makes the
// evaluator of one thread's rows; it throws std::invalid_argument if the numbers of inputs or outputs do not match.
// `small`: selects the positions that this one values, or null.
struct ValuedNetwork {
  static constexpr EvaluatorTraits kTraits{.by_position = true, .encodes = true};
  std::shared_ptr<const Network> network;
  Scale scale;
  std::shared_ptr<const ValuedNetwork> small = nullptr;
  std::unique_ptr<RowEvaluator> Open(const Rows& rows) const;
};

// Values for the player about to act from a rows x inputs array, which `fill` writes.
using ArrayFunction =
    std::function<std::vector<double>(std::size_t rows, int inputs, const std::function<void(float*)>& fill)>;

struct ArrayEvaluator {
  static constexpr EvaluatorTraits kTraits{.encodes = true};
  ArrayFunction function;
  int inputs;
  std::unique_ptr<RowEvaluator> Open(const Rows& rows) const;
};

}  // namespace starspiel
