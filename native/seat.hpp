// The seats (engine.hpp) of searches over a model.
#pragma once

#include "engine.hpp"
#include "evaluators.hpp"
#include "luck.hpp"
#include "maxn.hpp"
#include "search.hpp"

namespace starspiel {

// Dereferences the leaf of an evaluator; throws std::invalid_argument if there is none.
template <class Made>
Made& Supported(const std::unique_ptr<Made>& leaf) {
  if (leaf == nullptr) throw std::invalid_argument("this game has no such native evaluator");
  return *leaf;
}

template <class Model>
class SeatOf : public Seat {
 public:
  using Common = typename Search<Model>::Common;

  SeatOf(std::shared_ptr<const Model> model, const Evaluation& evaluation, const Options& options,
         std::shared_ptr<Common> common, int number)
      : model_(std::move(model)),
        leaf_(MakeLeaf(*model_, evaluation)),
        search_(*model_, Supported(leaf_), options, std::move(common), number) {}

  void Start(const Given& given) override {
    leaf_->Start(given);
    root_ = model_->Read(As<typename Model::State>(given));
  }
  void ShareWork(bool shared) override { search_.ShareWork(shared); }
  void Root(int depth, double margin, const std::vector<int>& first, Budget& budget, RootValues& found) override {
    search_.Root(root_, depth, margin, first, budget, found.values);
  }
  std::vector<double> Evaluate(Budget& budget) override {
    leaf_->Watch(budget);
    return {leaf_->Value(root_, {})};
  }
  double Luck(const Given& given, const std::vector<open_spiel::Action>& actions, Budget& budget) override {
    leaf_->Watch(budget);
    return starspiel::Luck(*model_, *leaf_, As<typename Model::State>(given), actions);
  }
  const Counters& counters() const override { return search_.counters(); }
  std::int64_t computed() const override { return leaf_->computed(); }
  double size() const override { return search_.size(); }

 private:
  std::shared_ptr<const Model> model_;
  LeafPointer<Model> leaf_;
  Search<Model> search_;
  typename Model::Position root_{};
};

// The seat of a max^n search.
template <SeveralPlayers Model>
class MaxnSeat : public Seat {
 public:
  MaxnSeat(std::shared_ptr<const Model> model, const Evaluation& evaluation, const Options& options)
      : model_(std::move(model)),
        leaf_(MakeReturnsLeaf(*model_, evaluation)),
        search_(*model_, Supported(leaf_), options) {}

  void Start(const Given& given) override {
    leaf_->Start(given);
    root_ = model_->Read(As<typename Model::State>(given));
  }
  void ShareWork(bool) override {}
  void Root(int depth, double margin, const std::vector<int>& first, Budget& budget, RootValues& found) override {
    search_.Root(root_, depth, margin, first, budget, found);
  }
  std::vector<double> Evaluate(Budget& budget) override {
    std::vector<double> returns(static_cast<std::size_t>(model_->players()));
    leaf_->Watch(budget);
    leaf_->Value(root_, {}, returns.data());
    return returns;
  }
  double Luck(const Given&, const std::vector<open_spiel::Action>&, Budget&) override {
    throw std::invalid_argument("expected a game of two sides to measure luck in");
  }
  const Counters& counters() const override { return search_.counters(); }
  std::int64_t computed() const override { return 0; }
  double size() const override { return search_.size(); }

 private:
  std::shared_ptr<const Model> model_;
  ReturnsLeafPointer<Model> leaf_;
  Maxn<Model> search_;
  typename Model::Position root_{};
};

template <class Model>
std::unique_ptr<Engine> MakeEngineOf(Model made, const Evaluation& evaluation, const Options& options) {
  using Common = typename SeatOf<Model>::Common;
  const auto model = std::make_shared<const Model>(std::move(made));
  const EvaluatorTraits traits = TraitsOf(evaluation);
  const bool keyed = HasKeys(*model);
  std::vector<std::unique_ptr<Seat>> seats;
  if (options.maxn) {
    if constexpr (SeveralPlayers<Model>) {
      if (model->players() <= kMostPlayers) {
        seats.push_back(std::make_unique<MaxnSeat<Model>>(model, evaluation, options));
        return std::make_unique<Engine>(Engine::Traits{Model::kKeyed, Model::kKeyed, traits.by_position},
                                        std::move(seats), nullptr);
      }
    }
    throw std::invalid_argument("the native core does not search this game by max^n");
  }
  const bool divided =
      options.threads > 1 && options.table_bytes > 0 && keyed && traits.by_position && !options.policy;
  const auto common = divided ? std::make_shared<Common>(options) : nullptr;
  for (int number = 0; number < (divided ? options.threads : 1); ++number) {
    seats.push_back(std::make_unique<SeatOf<Model>>(model, evaluation, options, common, number));
  }
  return std::make_unique<Engine>(Engine::Traits{keyed, Model::kKeyed, traits.by_position}, std::move(seats),
                                  divided ? std::shared_ptr<Shared>(common, &common->shared) : nullptr);
}

}  // namespace starspiel
