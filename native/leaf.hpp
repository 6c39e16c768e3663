// The evaluator interface of the search.
#pragma once

#include "budget.hpp"
#include "rules/position.hpp"

namespace starspiel {

// Positions that are valued together. None is terminal.
template <class Position>
struct Batch {
  std::vector<const Position*> positions;
  std::vector<std::vector<int>> paths;  // from the root to each position, for evaluators that need it; otherwise empty
  std::vector<double> values;           // player 0's, in the same order
};

// What a search must know of an evaluator before it makes a leaf; each evaluator has it as `kTraits`.
struct EvaluatorTraits {
  bool by_position = false;  // depends on the position alone and calls nothing external: threads may have one each
  bool encodes = false;      // depends on what an encoder sees
};
inline constexpr EvaluatorTraits kByPosition{.by_position = true};

// How Python constructs an evaluator: its Python name and its constructor's argument names. The type of `kPython`.
template <class... Arguments>
struct MadeOf {
  const char* name;
  std::array<const char*, sizeof...(Arguments)> arguments{};
};

// An evaluator. `path` leads from the root to `position`, for evaluators that must rebuild the state.
template <class Position>
class Leaf {
 public:
  virtual ~Leaf() = default;
  virtual double Value(const Position& position, const std::vector<int>& path) = 0;
  // The preferred batch size; 1: one position at a time, by Value. Larger batches may include values that a cut-off
  // would have made unnecessary.
  virtual int batch() const { return 1; }
  // Fills batch.values with the same numbers as Value returns.
  virtual void Values(Batch<Position>& batch) {
    batch.values.resize(batch.positions.size());
    for (std::size_t i = 0; i < batch.positions.size(); ++i) {
      batch.values[i] = Value(*batch.positions[i], by_path() ? batch.paths[i] : no_path_);
    }
  }
  // True if the position itself is valued. A decision node for which this is false is worth the best of its successors'
  // values for the player to move.
  virtual bool Sees(const Position&) const { return true; }
  // True if the leaf needs the path, also in batches.
  virtual bool by_path() const { return false; }
  // Called before each search, for leaves that need the path.
  virtual void Start(const Given&) {}
  // Called before each search, for slow leaves that must check the clock themselves.
  virtual void Watch(Budget&) {}
  // True if its values are the model's Heuristic, so that the model itself may find the best of many.
  virtual bool heuristic() const { return false; }
  // True if a value is so cheap that the clock need not be read after it.
  virtual bool cheap() const = 0;
  // True if Guess may be called for move ordering.
  virtual bool guesses() const { return cheap(); }
  // A cheap estimate of the value of `position`.
  virtual double Guess(const Position& position, const std::vector<int>& path) { return Value(position, path); }
  // A cheaper evaluator of the same positions, which selects the positions that this one values; null if there is none.
  virtual Leaf* small() { return nullptr; }
  // The number of positions evaluated so far, if that differs from the number of values returned.
  virtual std::int64_t computed() const { return 0; }

 private:
  const std::vector<int> no_path_;
};

template <class Model>
using LeafPointer = std::unique_ptr<Leaf<typename Model::Position>>;

}  // namespace starspiel
