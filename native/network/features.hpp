// What a network sees of a position: a sparse vector of whole numbers.
//
// A model whose positions networks value has, beside what model.hpp asks for,
//
//   Inputs()                             how many inputs there are
//   Unit(input)                          what one count of an input is worth to the network
//   Most(input)                          the greatest size of a count of the input, in what was encoded so far at least
//   Turn(position)                       the player about to act, by whose side the position is seen
//   Sees(position)                       whether the inputs tell all of it; false if dice lie that they omit
//   Encode(position, features)           appends the inputs that are not zero, ascending by index
//
// and, if that is cheaper than to compare what Encode lists,
//
//   Changes(from, to, changes)           appends (input, count gained) for the inputs in which two positions of the
//                                        same turn differ, in any order, but those of
//   LastInputs(position)                 the counts of the last inputs, of models where these take long to find
//
// Counts are whole numbers so that a first layer can be brought from one position to another by what has changed and
// still come to the same sums, in whatever order.
#pragma once

#include "standard.hpp"

namespace starspiel {

struct Feature {
  std::uint16_t input;
  std::int16_t count;
};

using Features = std::vector<Feature>;

// Appends an input, unless its count is zero.
inline void Add(Features& features, int input, int count) {
  if (count != 0) features.push_back({static_cast<std::uint16_t>(input), static_cast<std::int16_t>(count)});
}

// Appends (input, count gained) for each input in which two positions differ.
inline void ListChanges(std::span<const Feature> from, std::span<const Feature> to, Features& changes) {
  const auto add = [&](int input, int count) {
    const int step = std::clamp(count, -32768, 32767);  // a difference of two counts may take two steps of 16 bits
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
