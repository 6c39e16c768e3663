// Implements TrainedGame for a model.
#pragma once

#include "../model.hpp"
#include "expansion.hpp"
#include "open_spiel/spiel.h"
#include "open_spiel/spiel_utils.h"
#include "trainer.hpp"

namespace starspiel {

template <class Model>
class TrainedGameOf : public TrainedGame {
 public:
  using State = typename Model::State;
  using Position = typename Model::Position;
  // The start of the games: a copy of OpenSpiel's state, or a position of a rules model.
  using Start = std::conditional_t<OfRules<Model>, RulesPosition, std::shared_ptr<const open_spiel::State>>;

  TrainedGameOf(Model model, Start start) : model_(std::move(model)), start_(std::move(start)), rows_(model_) {}

  std::unique_ptr<TrainedGame> Copy() const override {
    auto copy = std::make_unique<TrainedGameOf>(model_, start_);
    copy->SetDraws(rows_.draws());
    return copy;
  }
  bool has_heuristic() const override { return kHasHeuristic<Model>; }
  void SetDraws(double draws) override { rows_.SetDraws(draws); }

  void Begin(const Unit& unit) override {
    remembered_.clear();
    if constexpr (OfRules<Model>) {
      position_ = Model::Read(start_);
    } else {  // in some games chance places the pieces before the first supported position
      const auto* state = static_cast<const State*>(start_.get());
      std::unique_ptr<open_spiel::State> made;
      while (!Model::Plays(*state)) {
        made = state->Child(open_spiel::SampleAction(state->ChanceOutcomes(), unit()).first);
        state = static_cast<const State*>(made.get());
      }
      position_ = model_.Read(*state);
    }
  }

  void Read(const Given& given) override {
    if constexpr (OfRules<Model>) {
      const RulesPosition* position = given.position;
      if (position == nullptr || position->model != start_.model || position->parameters != start_.parameters) {
        throw std::invalid_argument("expected a position of " + start_.model + " with the same parameters");
      }
      position_ = Model::Read(*position);
    } else {
      const std::string game = start_->GetGame()->ToString();
      const std::string other =
          given.state != nullptr ? given.state->GetGame()->ToString() : "a game written in Python";
      if (game != other) throw std::invalid_argument("expected a state of " + game + ", got one of " + other);
      const auto& typed = static_cast<const State&>(*given.state);
      if (!Model::Plays(typed)) throw std::invalid_argument("expected a state in which somebody decides");
      position_ = model_.Read(typed);
    }
  }

  int player() const override { return model_.Player(position_); }
  double Utility() const override { return rows_.Utility(position_); }
  bool Sees() const override { return model_.Sees(position_); }
  int Turn() const override { return model_.Turn(position_); }
  void Encode(Features& features) const override { model_.Encode(position_, features); }
  void Actions(std::vector<int>& actions) const override { model_.Actions(position_, actions); }
  void Outcomes(std::vector<Outcome>& outcomes) const override { model_.Outcomes(position_, outcomes); }
  void Play(int action) override { position_ = model_.Child(position_, action); }

  void Keep() override { kept_ = Copied(); }
  void Restore() override { position_ = std::move(kept_); }
  void Remember() override { remembered_.push_back(Copied()); }
  double Heuristic(std::size_t remembered) const override {
    if constexpr (kHasHeuristic<Model>) return model_.Heuristic(remembered_[remembered]);
    return 0.0;
  }

  void ListMoves(std::vector<int>& actions) override {
    rows_.Clear();
    ForSuccessors(model_, position_, scratch_, [&](int action, const Position& child) {
      rows_.Add(child);
      actions.push_back(action);
    });
  }
  void ListAhead(std::size_t remembered) override {
    rows_.Clear();
    rows_.AddAhead(remembered_[remembered]);
  }
  Rows& rows() override { return rows_; }

 private:
  Position Copied() const {
    if constexpr (Model::kKeyed) {
      return position_;
    } else {
      return position_->Clone();
    }
  }

  Model model_;
  Start start_;
  Position position_{}, kept_{};
  std::vector<Position> remembered_;
  std::vector<int> scratch_;
  Expansion<Model> rows_;
};

}  // namespace starspiel
