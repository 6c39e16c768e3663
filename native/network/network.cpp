#include "network.hpp"
#include "learner.hpp"

namespace starspiel {
namespace {

constexpr float kScale = 262144.0f;  // 2^18

// The greatest weight per count in the first layer that fits into 32 bits.
constexpr double kMost = 1000.0;

}  // namespace

void Scale::Check() const {
  bool fits = returns.size() >= 2 && returns.size() <= kMostOutputs + 1;
  for (std::size_t k = 0; fits && k < returns.size(); ++k) {
    fits = std::isfinite(returns[k]) && returns[k] == -returns[returns.size() - 1 - k] &&
           (k == 0 || returns[k - 1] < returns[k]);
  }
  if (!fits) {
    throw std::invalid_argument("expected 2 to " + std::to_string(kMostOutputs + 1) +
                                " returns, ascending, each with its negative, for the two sides of a zero-sum game");
  }
}

void Layers::Check() const {
  if (sizes.size() < 3) throw std::invalid_argument("a network has a hidden layer or more");
  if (weights.size() + 1 != sizes.size() || biases.size() + 1 != sizes.size()) {
    throw std::invalid_argument("expected weights and biases for every layer");
  }
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    if (sizes[k] < 1 || weights[k].size() != static_cast<std::size_t>(sizes[k]) * sizes[k + 1] ||
        biases[k].size() != static_cast<std::size_t>(sizes[k + 1])) {
      throw std::invalid_argument("layer " + std::to_string(k) + " does not have as many weights as its sizes say");
    }
    const auto finite = [](float weight) { return std::isfinite(weight); };
    if (!std::all_of(weights[k].begin(), weights[k].end(), finite) ||
        !std::all_of(biases[k].begin(), biases[k].end(), finite)) {
      throw std::invalid_argument("expected finite weights in layer " + std::to_string(k));
    }
  }
}

int Layers::units() const { return std::accumulate(sizes.begin() + 1, sizes.end(), 0); }

void Outputs(const Layers& layers, float* values, int rows, float* outputs) {
  const auto& sizes = layers.sizes;
  for (std::size_t k = 1; k + 1 < sizes.size(); ++k) {
    float* next = values + static_cast<std::ptrdiff_t>(rows) * sizes[k];
    Affine(values, rows, sizes[k], layers.weights[k].data(), layers.biases[k].data(), sizes[k + 1], next);
    if (k + 2 < sizes.size()) LeakyRelu(next, rows * sizes[k + 1], next);
    values = next;
  }
  for (int i = 0; i < rows * sizes.back(); ++i) outputs[i] = 1.0f / (1.0f + std::exp(-values[i]));
}

Network::Network(Layers layers, const std::vector<float>& units) : layers_(std::move(layers)) {
  layers_.Check();
  if (units.size() != static_cast<std::size_t>(layers_.inputs()))
    throw std::invalid_argument("expected a unit for each input");
  const auto whole = [](double value) {
    if (std::abs(value) > kMost) throw std::invalid_argument("expected weights of the first layer within 1,000");
    return static_cast<std::int32_t>(std::lrint(value * kScale));
  };
  const int out = layers_.first();
  first_weights_.resize(layers_.weights[0].size());
  for (std::size_t i = 0; i < first_weights_.size(); ++i) {
    first_weights_[i] = whole(static_cast<double>(layers_.weights[0][i]) * units[i / static_cast<std::size_t>(out)]);
  }
  for (float bias : layers_.biases[0]) first_bias_.push_back(whole(bias));
  const auto greatest = [](auto begin, auto end) {
    return std::abs(*std::max_element(begin, end, [](Number a, Number b) { return std::abs(a) < std::abs(b); }));
  };
  greatest_bias_ = greatest(first_bias_.begin(), first_bias_.end());
  for (auto row = first_weights_.begin(); row != first_weights_.end(); row += out) {
    greatest_.push_back(greatest(row, row + out));
    if (greatest_.back() != 0) used_ = static_cast<int>(greatest_.size());
  }
}

std::span<const Times<Network::Number>> Network::RowsOf(std::span<const Feature> changes) const {
  thread_local std::vector<Times<Number>> rows;
  rows.clear();
  for (const Feature& change : changes) {
    rows.push_back({change.count, first_weights_.data() + static_cast<std::ptrdiff_t>(change.input) * layers_.first()});
  }
  return rows;
}

bool Network::Fits(const Rows& rows) const {
  std::int64_t most = greatest_bias_;
  for (int input = 0; input < layers_.inputs(); ++input) most += std::int64_t{greatest_[input]} * rows.Most(input);
  return most <= std::numeric_limits<Number>::max();
}

void Network::Sum(std::span<const Feature> features, Number* sums) const {
  AddRows(first_bias_.data(), RowsOf(features), layers_.first(), sums);
}

void Network::Sum(std::span<const Feature> features, Wide* sums) const {
  std::copy(first_bias_.begin(), first_bias_.end(), sums);
  AddRows(sums, RowsOf(features), layers_.first(), sums);
}

void Network::Add(std::span<const Feature> changes, Number* sums) const {
  AddRows(sums, RowsOf(changes), layers_.first(), sums);
}

void Network::Activate(const Number* sums, float* values) const {
  starspiel::Activate(sums, layers_.first(), 1.0f / kScale, values);
}

void Network::Activate(const Wide* sums, float* values) const {
  starspiel::Activate(sums, layers_.first(), 1.0f / kScale, values);
}

template <class Arithmetic>
NetworkRows<Arithmetic>::NetworkRows(std::shared_ptr<const Arithmetic> arithmetic, Scale scale)
    : arithmetic_(std::move(arithmetic)),
      scale_(std::move(scale)),
      sums_(arithmetic_->layers().first()),
      values_(kBatch * arithmetic_->layers().units()) {}

template <class Arithmetic>
void NetworkRows<Arithmetic>::Values(Rows& rows, std::vector<double>& of_rows) {
  of_rows.clear();
  if constexpr (!Arithmetic::kLasting) kept_turn_ = kNobody;
  if (const int most = rows.Most(0); most > most_) {  // the first time, or if observations have grown
    most_ = most;
    fits_ = arithmetic_->Fits(rows);
  }
  const Layers& layers = arithmetic_->layers();
  const std::size_t outputs = static_cast<std::size_t>(layers.outputs());
  shares_.resize(rows.size() * outputs);
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    const int count = static_cast<int>(std::min<std::size_t>(kBatch, rows.size() - first));
    for (int i = 0; i < count; ++i) ValueRow(rows, first + i, values_.data() + i * layers.first());
    Outputs(layers, values_.data(), count, shares_.data() + first * outputs);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    of_rows.push_back(scale_.Value(rows.turn(row), shares_.data() + row * outputs));
  }
}

// The first hidden layer's values. A row's sums are updated from the previous row's if both are seen from the same
// side; the other side has other inputs. Sums that do not fit wrap around, so that sums updated from them are correct
// again.
template <class Arithmetic>
void NetworkRows<Arithmetic>::ValueRow(Rows& rows, std::size_t row, float* values) {
  const bool near = rows.turn(row) == kept_turn_;
  kept_turn_ = rows.turn(row);
  rows.Follow(row, near, features_);
  if (near) {
    arithmetic_->Add(features_, sums_.data());
  } else {
    arithmetic_->Sum(features_, sums_.data());
  }
  if (fits_) return arithmetic_->Activate(sums_.data(), values);
  features_.clear();
  rows.Encode(row, features_);
  wide_sums_.resize(sums_.size());
  arithmetic_->Sum(features_, wide_sums_.data());
  arithmetic_->Activate(wide_sums_.data(), values);
}

template class NetworkRows<Network>;
template class NetworkRows<Learner>;

std::unique_ptr<RowEvaluator> ValuedNetwork::Open(const Rows& rows) const {
  if (rows.Inputs() != network->layers().inputs()) {
    throw std::invalid_argument("the network has other inputs than this game's encoder");
  }
  if (network->layers().outputs() != scale.outputs()) {
    throw std::invalid_argument("expected " + std::to_string(network->layers().outputs() + 1) +
                                " returns, one more than the network's outputs");
  }
  return std::make_unique<NetworkRows<Network>>(network, scale);
}

namespace {

class ArrayRows : public RowEvaluator {
 public:
  ArrayRows(ArrayFunction function, std::vector<float> units)
      : function_(std::move(function)), units_(std::move(units)) {}

  int batch() const override {
    return 1 << 16;
  }  // all successors: a call costs more than the rows that a cut-off would save

  void Values(Rows& rows, std::vector<double>& of_rows) override {
    of_rows.clear();
    for (std::size_t first = 0; first < rows.size(); first += kMostRows) {
      const std::size_t end = std::min(rows.size(), first + kMostRows);
      const int inputs = static_cast<int>(units_.size());
      const auto own = function_(end - first, inputs, [&](float* array) {
        std::fill(array, array + (end - first) * units_.size(), 0.0f);
        for (std::size_t row = first; row < end; ++row, array += units_.size()) {
          features_.clear();
          rows.Encode(row, features_);
          for (const Feature& f : features_) array[f.input] = static_cast<float>(f.count) * units_[f.input];
        }
      });
      for (std::size_t row = first; row < end; ++row) {
        of_rows.push_back(rows.turn(row) == 0 ? own[row - first] : -own[row - first]);
      }
    }
  }

 private:
  static constexpr std::size_t kMostRows = 4096;

  ArrayFunction function_;
  std::vector<float> units_;
  Features features_;
};

}  // namespace

std::unique_ptr<RowEvaluator> ArrayEvaluator::Open(const Rows& rows) const {
  if (rows.Inputs() != inputs) throw std::invalid_argument("the encoder has other inputs than this game's encoder");
  return std::make_unique<ArrayRows>(function, rows.Units());
}

}  // namespace starspiel
