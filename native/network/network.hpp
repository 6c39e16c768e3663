// A small multilayer perceptron: leaky ReLU between the layers, outputs squashed by a sigmoid.
//
// Its outputs are what Scale says, for the player about to act. Equal to agents/evaluators/network.py within 1e-5.
#pragma once

#include "../leaf.hpp"
#include "arithmetic.hpp"
#include "rows.hpp"

namespace starspiel {

// The most outputs of a network.
inline constexpr int kMostOutputs = 8;

// A number for each output, which are added and weighed together.
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

// What a network's outputs say of a player's return: output k is the chance of returns[k + 1] or more, where a return
// between two of them counts as a part of the greater one. Of two returns the output is the share of what can be won.
struct Scale {
  std::vector<double> returns{-1.0, 1.0};

  int outputs() const { return static_cast<int>(returns.size()) - 1; }

  // Throws std::invalid_argument unless they are the returns of a zero-sum game, ascending, or if they are too many.
  void Check() const;

  // Player 0's return, by outputs as the player `turn` has them.
  template <class Number>
  double Value(int turn, const Number* shares) const {
    double own = returns.front();
    for (int k = 0; k < outputs(); ++k) own += (returns[k + 1] - returns[k]) * shares[k];
    return turn == 0 ? own : -own;
  }

  // The outputs that tell player 0's return.
  Shares Told(double value) const {
    Shares told;
    for (int k = 0; k < outputs(); ++k) {
      told.of[k] = std::clamp((value - returns[k]) / (returns[k + 1] - returns[k]), 0.0, 1.0);
    }
    return told;
  }

  // A player's outputs as player 0 has them, and back.
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
  // The units of the first hidden layer.
  int first() const { return sizes[1]; }
  // The units of all layers after the inputs.
  int units() const;
  // Throws std::invalid_argument if the sizes and the numbers of weights do not fit, or one is not finite.
  void Check() const;
};

// The outputs, in (0, 1), row by row, for the first hidden layer's `values` of `rows` positions, one after the other.
// Behind them is room for the layers after it, of as many.
void Outputs(const Layers& layers, float* values, int rows, float* outputs);

// The arithmetic of a network in play. Learner (learner.hpp) is that of one in training, with the same members.
class Network {
 public:
  // What the first layer's sums are: here whole numbers of 1 / 2^18. Wide ones hold every sum.
  using Number = std::int32_t;
  using Wide = std::int64_t;
  // Whether sums that were found once are those of the same weights for good, to the last bit.
  static constexpr bool kLasting = true;

  // `units`: the encoder's, which the first layer takes up.
  Network(Layers layers, const std::vector<float>& units);

  const Layers& layers() const { return layers_; }
  // The number of inputs without those at the end that have no weight.
  int used() const { return used_; }

  // Whether all sums fit into a Number, with counts up to the encoder's.
  bool Fits(const Rows& rows) const;
  // The first layer's sums.
  void Sum(std::span<const Feature> features, Number* sums) const;
  void Sum(std::span<const Feature> features, Wide* sums) const;
  // Brings sums to another position, by what every input has gained.
  void Add(std::span<const Feature> changes, Number* sums) const;
  // The first hidden layer's values.
  void Activate(const Number* sums, float* values) const;
  void Activate(const Wide* sums, float* values) const;

 private:
  // The weights of inputs, and by how much each counts; good until the thread's next call.
  std::span<const Times<Number>> RowsOf(std::span<const Feature> changes) const;

  Layers layers_;
  Aligned<Number> first_weights_;
  Aligned<Number> first_bias_;
  std::vector<Number> greatest_;  // by input, the size of its greatest weight
  Number greatest_bias_ = 0;
  int used_ = 0;
};

// Values rows by a network, or a learner; so many side by side.
template <class Arithmetic>
class NetworkRows : public RowEvaluator {
 public:
  NetworkRows(std::shared_ptr<const Arithmetic> arithmetic, Scale scale);
  // Enough to fill the arithmetic, few enough to leave out successors that are cut off.
  int batch() const override { return kBatch; }
  int used() const override {
    if constexpr (Arithmetic::kLasting) return arithmetic_->used();
    return RowEvaluator::used();
  }
  void Values(Rows& rows, std::vector<double>& of_rows) override;
  // The outputs that the last values were made of, row by row.
  const std::vector<float>& shares() const { return shares_; }

 private:
  static constexpr int kBatch = 16;
  static constexpr int kNobody = -1;

  void ValueRow(Rows& rows, std::size_t row, float* values);

  std::shared_ptr<const Arithmetic> arithmetic_;
  Scale scale_;
  int kept_turn_ = kNobody;  // whose side the row is seen from that sums_ are of
  Aligned<typename Arithmetic::Number> sums_;
  Aligned<typename Arithmetic::Wide> wide_sums_;
  Aligned<float> values_;
  std::vector<float> shares_;
  Features features_;
  int most_ = 0;      // the encoder's of its first input, when fits_ was found
  bool fits_ = true;  // whether all sums fit into a Number
};

// A network with what its outputs are worth, and a function over arrays, as evaluators of a search. `Open` makes what
// values one thread's rows; it throws std::invalid_argument if the rows have other inputs, or the scale has other
// outputs. `small`: one that chooses what this one values, or null.
struct ValuedNetwork {
  static constexpr EvaluatorTraits kTraits{.by_position = true, .encodes = true};
  std::shared_ptr<const Network> network;
  Scale scale;
  std::shared_ptr<const ValuedNetwork> small = nullptr;
  std::unique_ptr<RowEvaluator> Open(const Rows& rows) const;
};

// Values of the player about to act for rows x inputs numbers, which `fill` writes.
using ArrayFunction =
    std::function<std::vector<double>(std::size_t rows, int inputs, const std::function<void(float*)>& fill)>;

struct ArrayEvaluator {
  static constexpr EvaluatorTraits kTraits{.encodes = true};
  ArrayFunction function;
  int inputs;
  std::unique_ptr<RowEvaluator> Open(const Rows& rows) const;
};

}  // namespace starspiel
