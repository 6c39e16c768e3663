// What a search asks of an evaluator.
#pragma once

#include "budget.hpp"
#include "rules/position.hpp"

namespace starspiel {

// Positions that are valued together. None is terminal.
template <class Position>
struct Batch {
  std::vector<const Position*> positions;
  std::vector<std::vector<int>> paths;  // from the root to each, for evaluators that go by it; otherwise empty
  std::vector<double> values;           // player 0's, in the same order
};

// What a search must know of an evaluator before it makes its leaf of a model: each has them as `kTraits`.
struct EvaluatorTraits {
  bool by_position = false;  // it goes by the position alone, and asks nobody else: several threads may have one each
  bool encodes = false;      // it goes by what an encoder sees
};
inline constexpr EvaluatorTraits kByPosition{.by_position = true};

// What Python makes an evaluator of: its name there, and the names of its constructor's arguments. As `kPython`.
template <class... Arguments>
struct MadeOf {
  const char* name;
  std::array<const char*, sizeof...(Arguments)> arguments{};
};

// An evaluator. `path` leads from the root to `position`, for those that must build the state itself.
template <class Position>
class Leaf {
 public:
  virtual ~Leaf() = default;
  virtual double Value(const Position& position, const std::vector<int>& path) = 0;
  // How many positions it likes to be asked for together; 1: one at a time, by Value. Values beyond those that decide a
  // window are then found too.
  virtual int batch() const { return 1; }
  // Fills batch.values: the same numbers as Value's.
  virtual void Values(Batch<Position>& batch) {
    batch.values.resize(batch.positions.size());
    for (std::size_t i = 0; i < batch.positions.size(); ++i) {
      batch.values[i] = Value(*batch.positions[i], by_path() ? batch.paths[i] : no_path_);
    }
  }
  // Whether a position is valued by itself. Where somebody decides and it is not, the best of its successors' values
  // counts, for who decides.
  virtual bool Sees(const Position&) const { return true; }
  // Whether it needs the path, in batches too.
  virtual bool by_path() const { return false; }
  // Called before each search, for those that go by the path.
  virtual void Start(const Given&) {}
  // Called before each search, for those that take long and must look at the clock themselves.
  virtual void Watch(Budget&) {}
  // Whether its values are the model's Heuristic, so that the model may find the best of many itself.
  virtual bool heuristic() const { return false; }
  // Whether a value is so cheap that the clock need not be read after it.
  virtual bool cheap() const = 0;
  // Whether Guess may be asked, to order moves by.
  virtual bool guesses() const { return cheap(); }
  // What `position` may be worth, found cheaply.
  virtual double Guess(const Position& position, const std::vector<int>& path) { return Value(position, path); }
  // A cheaper evaluator of the same positions, by which a search chooses what this one values; null if there is none.
  virtual Leaf* small() { return nullptr; }
  // How many positions were computed for the values so far, if that is not one a value.
  virtual std::int64_t computed() const { return 0; }

 private:
  const std::vector<int> no_path_;
};

template <class Model>
using LeafPointer = std::unique_ptr<Leaf<typename Model::Position>>;

}  // namespace starspiel
