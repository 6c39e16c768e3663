// All positions that a model can reach from a start position, and the edges between them: the same as
// agents/solve/positions.py lists for Python's states, in the same order.
#pragma once

#include "../distinct.hpp"
#include "../model.hpp"
#include "../several.hpp"

namespace starspiel {

// Positions in the order they are first reached, breadth first; the edges of position i are first[i] to first[i + 1].
// The fields are those of Graph in agents/solve/positions.py.
struct Graph {
  std::vector<std::int8_t> player;
  std::vector<double> ending;
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> target;
  std::vector<double> weight;
  std::vector<double> reward;         // empty without step rewards
  std::vector<std::uint64_t> hashes;  // of each position's key; 0 for terminal positions
  std::size_t waiting = 0;            // positions whose edges are not listed, for lack of memory
  bool mixed = false;                 // whether a cut-off is near enough to matter in some positions but not in others
};

// Called now and then with the number of finished positions; may throw (Ctrl-C).
using Tell = std::function<void(std::size_t)>;

// The key of a position: without what was collected or counted on the way to it. The number of moves left until a
// cut-off is part of the key if it is small.
template <class Model>
class SolverKey {
 public:
  using Position = typename Model::Position;

  explicit SolverKey(const Model& model) : model_(model) {}

  bool counted(const Position& p) const {
    if constexpr (requires { model_.Left(p); }) return model_.Left(p) <= Model::kFar;
    return false;
  }

  Position operator()(const Position& p) const { return counted(p) ? Of(p, false) : uncounted(p); }
  Position uncounted(const Position& p) const { return Of(p, true); }

 private:
  Position Of(Position p, bool uncounted) const {
    if constexpr (requires { model_.Bare(p, uncounted); }) model_.Bare(p, uncounted);
    return p;
  }

  const Model& model_;
};

template <class Model>
class Enumeration {
 public:
  using Position = typename Model::Position;

  Enumeration(const Model& model, const Position& start) : model_(model), known_(model) {
    counts_ = known_.counted(start);
    Meet(start, Collected(start));
  }

  // Ends early, with positions waiting, when they take more than `most_bytes`.
  Graph Run(std::size_t most_bytes, const Tell& tell) {
    std::size_t node = 0;
    for (; node < positions_.size() && !graph_.mixed; ++node) {
      if (node % kLook == 0) tell(node);
      if (node % kSome == 0 && bytes() > most_bytes) break;
      List(node);
      graph_.first.push_back(static_cast<std::int64_t>(graph_.target.size()));
    }
    graph_.waiting = positions_.size() - node;
    return std::move(graph_);
  }

 private:
  static constexpr bool kPaid = requires(const Model& model, const Position& p) { model.Collected(p); };
  static constexpr bool kVectors = SeveralPlayers<Model>;
  static constexpr std::size_t kSome = 1 << 8, kLook = 1 << 14;
  // The most bytes that Distinct takes for a position, and that the solver does, besides the graph.
  static constexpr std::size_t kIndexed = 64, kSolved = 40;

  std::size_t bytes() const {
    const std::size_t edge = sizeof(std::int32_t) + sizeof(double) * (kPaid ? 2 : 1);
    return positions_.size() * (sizeof(Position) + kIndexed + kSolved) + graph_.target.size() * edge;
  }

  int Acting(const Position& p) const {
    if constexpr (kVectors) return model_.Mover(p);
    return model_.Player(p);
  }

  double Collected(const Position& p) const {
    if constexpr (kPaid) return model_.Collected(p);
    return 0.0;
  }

  void List(std::size_t node) {
    const int player = graph_.player[node];
    if (player == kTerminal) return;
    const Position p = positions_[node];
    if (player == kChance) {
      outcomes_.clear();
      if constexpr (requires { model_.DistinctOutcomes(p, outcomes_); }) {
        model_.DistinctOutcomes(p, outcomes_);
      } else {
        model_.Outcomes(p, outcomes_);
      }
      for (const Outcome& outcome : outcomes_) {
        if (outcome.probability > 0.0) Add(p, model_.Child(p, outcome.action), outcome.probability, node);
      }
    } else {
      actions_.clear();
      model_.Actions(p, actions_);
      for (int action : actions_) Add(p, model_.Child(p, action), 1.0, node);
    }
  }

  void Add(const Position& from, const Position& to, double weight, std::size_t node) {
    const std::int32_t target = Meet(to, Collected(from));
    if (!kPaid && graph_.player[node] == kChance) {
      for (std::size_t edge = graph_.first[node]; edge < graph_.target.size(); ++edge) {
        if (graph_.target[edge] != target) continue;
        graph_.weight[edge] += weight;
        return;
      }
    }
    graph_.target.push_back(target);
    graph_.weight.push_back(weight);
    if constexpr (kPaid) {
      // The value of a terminal position includes its reward.
      graph_.reward.push_back(graph_.player[target] == kTerminal ? 0.0 : Collected(to) - Collected(from));
    }
  }

  // The index of a position, assigned on first sight. Terminal ones are keyed by what they add to what was collected.
  std::int32_t Meet(const Position& p, double collected) {
    const int player = Acting(p);
    if (player == kTerminal) return MeetEnd(p, collected);
    graph_.mixed |= known_.counted(p) != counts_;
    const Position key = known_(p);
    const std::uint64_t hash = Hash(key);
    const std::size_t number = positions_.size();
    const auto equal = [&](std::size_t other) {
      return graph_.player[other] != kTerminal && Equal(known_(positions_[other]), key);
    };
    const std::size_t found = known_positions_.Find(hash, number, equal);
    if (found == number) {
      Put(p, player, hash);
      graph_.ending.insert(graph_.ending.end(), width(), 0.0);
    }
    return static_cast<std::int32_t>(found);
  }

  std::int32_t MeetEnd(const Position& p, double collected) {
    std::vector<double> worth(width());
    if constexpr (kVectors) {
      model_.Returns(p, worth.data());
    } else {
      worth[0] = model_.Utility(p) - collected;
    }
    const auto [place, is_new] = ends_.try_emplace(worth, static_cast<std::int32_t>(positions_.size()));
    if (is_new) {
      Put(p, kTerminal, 0);
      graph_.ending.insert(graph_.ending.end(), worth.begin(), worth.end());
    }
    return place->second;
  }

  void Put(const Position& p, int player, std::uint64_t hash) {
    if (positions_.size() == std::numeric_limits<std::int32_t>::max()) throw std::length_error("too many positions");
    positions_.push_back(p);
    graph_.player.push_back(static_cast<std::int8_t>(player));
    graph_.hashes.push_back(hash);
  }

  std::size_t width() const {
    if constexpr (kVectors) return static_cast<std::size_t>(model_.players());
    return 1;
  }

  const Model& model_;
  SolverKey<Model> known_;
  bool counts_;
  Graph graph_;
  std::vector<Position> positions_;
  Distinct known_positions_;
  std::map<std::vector<double>, std::int32_t> ends_;
  std::vector<Outcome> outcomes_;
  std::vector<int> actions_;
};

}  // namespace starspiel
