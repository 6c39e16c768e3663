// The evaluator solo: the points still to come for players who each maximise their own points, from tables made by
// Python (agents/solve/categories.py).
#pragma once

#include "leaf.hpp"

namespace starspiel {

// The mean and the mean square of points.
struct Moments {
  double mean = 0.0;
  double square = 0.0;
};

// A multiset of dice has as its code the sum of (dice + 1)^(face - 1) over them; `index` numbers those of up to all
// dice. The stages of a turn are computed from the table on first use.
class Solo {
 public:
  static constexpr EvaluatorTraits kTraits = kByPosition;
  struct Rules {
    int dice = 0;
    int throws = 0;
    int first_roll = 0;                              // the index of the first multiset of all dice
    std::vector<std::int64_t> codes;                 // of one die, by face - 1
    std::vector<std::int32_t> index;                 // by code; -1 if there is no such multiset
    std::vector<std::vector<double>> scores;         // by roll and category
    std::vector<std::vector<double>> chances;        // by kept dice and roll
    std::vector<std::vector<std::int32_t>> choices;  // the multisets to keep of each roll, the whole roll last
  };

  Solo(Rules rules, std::vector<double> means, std::vector<double> squares)
      : rules_(std::move(rules)), made_(means.size()), stages_(means.size()) {
    if (means.size() != squares.size() || means.empty())
      throw std::invalid_argument("expected as many means as squares");
    for (std::size_t i = 0; i < means.size(); ++i) table_.push_back({means[i], squares[i]});
  }

  std::int64_t Code(int face) const { return rules_.codes[face - 1]; }

  // P(more points) - P(fewer points) for a normally distributed difference of this mean and variance.
  static double LeadValue(double mean, double variance) {
    if (variance < 1e-9) return mean > 1e-9 ? 1.0 : mean < -1e-9 ? -1.0 : 0.0;
    return std::erf(mean / std::sqrt(2.0 * variance));
  }

  // The points still to come with these categories filled, before a turn.
  Moments Before(unsigned filled) const { return table_.at(filled); }

  // Before a throw of all dice except those of `code`, after `thrown` throws of the turn.
  Moments Throwing(unsigned filled, int thrown, std::int64_t code) const {
    return Of(filled).thrown[thrown][Number(code)];
  }

  // With the dice of `code` on the table after `thrown` throws.
  Moments Thrown(unsigned filled, int thrown, std::int64_t code) const {
    return Of(filled).rolled[thrown - 1][Number(code) - static_cast<std::size_t>(rules_.first_roll)];
  }

 private:
  using Row = std::vector<Moments>;
  struct Stages {
    std::vector<Row> rolled, thrown;
  };

  std::size_t Number(std::int64_t code) const {
    return static_cast<std::size_t>(rules_.index.at(static_cast<std::size_t>(code)));
  }

  const Stages& Of(unsigned filled) const {
    std::call_once(made_.at(filled), [&] { stages_[filled] = Made(filled); });
    return stages_[filled];
  }

  Stages Made(unsigned filled) const {
    const Row last = Filling(filled);
    Stages stages;
    stages.rolled.assign(static_cast<std::size_t>(rules_.throws), last);
    stages.thrown.resize(static_cast<std::size_t>(rules_.throws));
    for (std::size_t number = stages.rolled.size(); number-- > 0;) {
      stages.thrown[number] = Throwing(stages.rolled[number]);
      if (number > 0) stages.rolled[number - 1] = Keeping(stages.thrown[number], last);
    }
    return stages;
  }

  // After the last throw: the best open category.
  Row Filling(unsigned filled) const {
    Row row;
    for (const std::vector<double>& scores : rules_.scores) {
      Moments best{-INFINITY, 0.0};
      for (std::size_t category = 0; category < scores.size(); ++category) {
        if (filled >> category & 1) continue;
        const Moments after = table_[filled | 1u << category];
        const double scored = scores[category];
        if (scored + after.mean <= best.mean) continue;
        best = {scored + after.mean, after.square + 2 * scored * after.mean + scored * scored};
      }
      row.push_back(best);
    }
    return row;
  }

  Row Throwing(const Row& rolled) const {
    Row row;
    for (const std::vector<double>& chances : rules_.chances) {
      Moments sum;
      for (std::size_t roll = 0; roll < chances.size(); ++roll) {
        if (chances[roll] == 0.0) continue;
        sum.mean += chances[roll] * rolled[roll].mean;
        sum.square += chances[roll] * rolled[roll].square;
      }
      row.push_back(sum);
    }
    return row;
  }

  // After an earlier throw: keep the best dice, or stop throwing.
  Row Keeping(const Row& thrown, const Row& last) const {
    Row row;
    for (std::size_t roll = 0; roll < rules_.choices.size(); ++roll) {
      const std::vector<std::int32_t>& choices = rules_.choices[roll];
      std::size_t best = static_cast<std::size_t>(choices.front());
      for (std::size_t i = 1; i + 1 < choices.size(); ++i) {
        if (thrown[choices[i]].mean > thrown[best].mean) best = static_cast<std::size_t>(choices[i]);
      }
      row.push_back(thrown[best].mean >= last[roll].mean ? thrown[best] : last[roll]);
    }
    return row;
  }

  Rules rules_;
  std::vector<Moments> table_;
  mutable std::vector<std::once_flag> made_;
  mutable std::vector<Stages> stages_;
};

template <class Model>
concept PlaysSolo = requires(const Model& model, const typename Model::Position& position, const Solo& solo) {
  { model.SoloValue(position, solo) } -> std::convertible_to<double>;
};

template <class Model>
class SoloLeaf : public Leaf<typename Model::Position> {
 public:
  SoloLeaf(const Model& model, std::shared_ptr<Solo> solo) : model_(model), solo_(std::move(solo)) {}
  double Value(const typename Model::Position& position, const std::vector<int>&) override {
    return model_.SoloValue(position, *solo_);
  }
  bool cheap() const override { return true; }

 private:
  const Model& model_;
  std::shared_ptr<Solo> solo_;
};

template <PlaysSolo Model>
LeafPointer<Model> LeafOf(const Model& model, const std::shared_ptr<Solo>& solo) {
  return std::make_unique<SoloLeaf<Model>>(model, solo);
}

}  // namespace starspiel
