// A stack whose elements never move while it grows, for the frames of a recursion.
#pragma once

#include "standard.hpp"

namespace starspiel {

template <class T>
class Stack {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / kChunk][i % kChunk]; }

  T& Push(T&& value) {
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique<T[]>(kChunk));
    T& place = (*this)[size_++];
    place = std::move(value);
    return place;
  }

  void Shrink(std::size_t size) {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::size_t i = size; i < size_; ++i) (*this)[i] = T{};
    }
    size_ = size;
  }

 private:
  static constexpr std::size_t kChunk = 256;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace starspiel
