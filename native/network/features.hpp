// The encoding of a position for networks: a sparse vector of integers.
//
// A model with an encoder has, in addition to the members in model.hpp,
//
//   Inputs()                             the number of inputs
//   Unit(input)                          the network's input value for a count of 1
//   Most(input)                          a bound on the magnitude of the input's count, at least in encodings so far
//   Turn(position)                       the player about to act, from whose side the position is seen
//   Sees(position)                       true if the inputs describe all of it; false if they omit rolled dice
//   Encode(position, features)           appends the nonzero inputs, ascending by index
//
// and, if that is cheaper than comparing what Encode lists,
//
//   Changes(from, to, changes)           appends (input, change of count) for the inputs in which two positions of the
//                                        same turn differ, in any order, except for those of
//   LastInputs(position)                 the counts of the last inputs, for models where these are expensive
//
// Counts are integers so that the first layer's sums can be updated from one position to another by the changes and are
// exactly the same, in any order.
#pragma once

#include "standard.hpp"

namespace starspiel {

struct Feature {
  std::uint16_t input;
  std::int16_t count;
};

using Features = std::vector<Feature>;

// Appends an input unless its count is zero.
inline void Add(Features& features, int input, int count) {
  if (count != 0) features.push_back({static_cast<std::uint16_t>(input), static_cast<std::int16_t>(count)});
}

// Appends (input, change of count) for each input in which two positions differ.
inline void ListChanges(std::span<const Feature> from, std::span<const Feature> to, Features& changes) {
  const auto add = [&](int input, int count) {
    const int step = std::clamp(count, -32768, 32767);  // the difference of two counts may need two 16-bit steps
    Add(changes, input, step);
    Add(changes, input, count - step);
  };
  auto old = from.begin();
  for (const Feature& feature : to) {
    for (; old != from.end() && old->input < feature.input; ++old) add(old->input, -old->count);
    const bool both = old != from.end() && old->input == feature.input;
    add(feature.input, feature.count - (both ? (old++)->count : 0));
  }
  for (; old != from.end(); ++old) add(old->input, -old->count);
}

template <class Model>
concept Encoded = requires(const Model& model, const typename Model::Position& position, Features& features) {
  model.Encode(position, features);
};

}  // namespace starspiel
