// What a network sees of a position: a sparse vector of whole numbers.
//
// An encoder of a model is a class with
//
//   inputs()                             how many inputs there are
//   Unit(input)                          what one count of an input is worth to the network
//   Turn(position)                       the player about to act, by whose side the position is seen
//   Sees(position)                       whether the inputs tell all of it; false where dice lie that they omit
//   Encode(position, features)           appends the inputs that are not zero, ascending by index
//   Most(input)                          the greatest size of a count of the input, in what was encoded so far at least
//
// and, where that is cheaper than to compare what Encode lists,
//
//   Changes(from, to, changes)           appends (input, count gained) for the inputs in which two positions of the same
//                                        turn differ, in any order
//
// made from the model where it has a constructor that takes one.
//
// Counts are whole numbers so that a first layer can be brought from one position to another by what has changed and
// still come to the same sums, in whatever order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "../model.hpp"

namespace starspiel {

struct Feature {
  std::uint16_t input;
  std::int16_t count;
};

using Features = std::vector<Feature>;

// Appends an input, where its count is not zero.
inline void Add(Features& features, int input, int count) {
  if (count != 0) features.push_back({static_cast<std::uint16_t>(input), static_cast<std::int16_t>(count)});
}

// The same of a difference of two counts, which may take two steps of 16 bits.
inline void AddDifference(Features& features, int input, int count) {
  const int step = std::clamp(count, -32768, 32767);
  Add(features, input, step);
  Add(features, input, count - step);
}

// Appends (input, count gained) for each input in which two positions differ.
inline void ListChanges(std::span<const Feature> from, std::span<const Feature> to, Features& changes) {
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    if (j == to.size() || (i < from.size() && from[i].input < to[j].input)) {
      AddDifference(changes, from[i].input, -from[i].count);
      ++i;
    } else if (i == from.size() || to[j].input < from[i].input) {
      Add(changes, to[j].input, to[j].count);
      ++j;
    } else {
      AddDifference(changes, to[j].input, to[j].count - from[i].count);
      ++i, ++j;
    }
  }
}

// The encoder of a model; specialised beside each encoder.
template <class Model>
struct EncoderOf;
template <class Encoder>
struct EncodedBy {
  using Type = Encoder;
};

template <class Model>
concept Encoded = requires { typename EncoderOf<Model>::Type; };

template <class Model>
typename EncoderOf<Model>::Type MakeEncoder(const Model& model) {
  using Encoder = typename EncoderOf<Model>::Type;
  if constexpr (std::is_constructible_v<Encoder, const Model&>) {
    return Encoder(model);
  } else {
    return Encoder{};
  }
}

// (input, count) of all inputs that are not zero. Throws std::invalid_argument where the encoder does not see all of the
// position.
template <class Model>
std::vector<std::pair<int, int>> ListFeatures(const Model& model, const typename Model::Position& position) {
  const auto encoder = MakeEncoder(model);
  if (model.Player(position) == kTerminal || !encoder.Sees(position)) {
    throw std::invalid_argument("expected a position that a network of this game sees");
  }
  Features features;
  encoder.Encode(position, features);
  std::vector<std::pair<int, int>> listed;
  for (const Feature& feature : features) listed.emplace_back(feature.input, feature.count);
  return listed;
}

template <class Encoder>
std::vector<float> UnitsOf(const Encoder& encoder) {
  std::vector<float> units;
  for (int input = 0; input < encoder.inputs(); ++input) units.push_back(encoder.Unit(input));
  return units;
}

}  // namespace starspiel
