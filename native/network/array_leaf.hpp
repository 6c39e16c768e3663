// A function of one's own over arrays: every position is a row of an encoder's inputs.
#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "expansion.hpp"
#include "network_leaf.hpp"

namespace starspiel {

// Values of the player about to act for rows x inputs numbers, which `fill` writes.
using ArrayFunction =
    std::function<std::vector<double>(std::size_t rows, int inputs, const std::function<void(float*)>& fill)>;

template <class Model>
class ArrayLeaf : public LeafByHeuristic<Model> {
 public:
  using Position = typename Model::Position;

  ArrayLeaf(const Model& model, ArrayFunction function, int inputs)
      : LeafByHeuristic<Model>(model),
        function_(std::move(function)),
        expansion_(model),
        units_(UnitsOf(expansion_.encoder())) {
    if (static_cast<int>(units_.size()) != inputs) {
      throw std::invalid_argument("the encoder has other inputs than this game's encoder");
    }
  }

  int batch() const override { return kBatch; }
  bool Sees(const Position& position) const override { return expansion_.encoder().Sees(position); }
  std::int64_t computed() const override { return computed_; }

  double Value(const Position& position, const std::vector<int>&) override {
    one_.positions.assign(1, &position);
    Values(one_);
    return one_.values.front();
  }

  void Values(Batch<Position>& batch) override {
    expansion_.Clear();
    for (const Position* position : batch.positions) expansion_.Add(*position);
    of_rows_.clear();
    for (std::size_t first = 0; first < expansion_.rows(); first += kMostRows) {
      const std::size_t end = std::min(expansion_.rows(), first + kMostRows);
      const std::vector<double> own = function_(end - first, static_cast<int>(units_.size()),
                                                [&](float* rows) { Fill(first, end, rows); });
      for (std::size_t row = first; row < end; ++row) {
        of_rows_.push_back(expansion_.turn(row) == 0 ? own[row - first] : -own[row - first]);
      }
    }
    computed_ += static_cast<std::int64_t>(expansion_.rows());
    expansion_.Values(of_rows_, batch.values);
  }

 private:
  static constexpr int kBatch = 1 << 16;  // all successors: a call costs more than the rows that a window would save
  static constexpr std::size_t kMostRows = 4096;

  void Fill(std::size_t first, std::size_t end, float* rows) {
    std::fill(rows, rows + (end - first) * units_.size(), 0.0f);
    for (std::size_t row = first; row < end; ++row, rows += units_.size()) {
      features_.clear();
      expansion_.Encode(row, features_);
      for (const Feature& f : features_) rows[f.input] = static_cast<float>(f.count) * units_[f.input];
    }
  }

  ArrayFunction function_;
  Expansion<Model> expansion_;
  std::vector<float> units_;
  Features features_;
  std::vector<double> of_rows_;
  Batch<Position> one_;
  std::int64_t computed_ = 0;
};

}  // namespace starspiel
