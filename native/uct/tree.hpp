// The tree of UCT: as in agents/bots/uct_search.py, except that a node's children are in the order of the game's list.
#pragma once

#include "standard.hpp"

namespace starspiel::uct {

// An action or an outcome, with its statistics.
struct Node {
  double total = 0.0;        // sum of the returns of the player who chose it; of player 0's in two-sided games
  double probability = 0.0;  // of an outcome
  Node* children = nullptr;
  std::int32_t count = 0;  // of children
  std::int32_t moves = 0;  // legal actions or possible outcomes after it; 0 until known
  std::int32_t action = 0;
  std::int32_t place = 0;  // index in the parent's list
  std::uint32_t visits = 0;
  std::uint32_t available = 0;  // simulations that chose among it and its siblings
  std::int32_t proof = -1;      // index of its proven value; -1 if there is none
  std::int8_t mover = 0;        // who moves after it; valid if `moves` is known
  std::uint8_t size_class = 0;  // size class of `children`

  double mean() const { return visits == 0 ? 0.0 : total / visits; }
  bool is_proven() const { return proof >= 0; }
  std::span<Node> following() const { return {children, static_cast<std::size_t>(count)}; }
};

static_assert(sizeof(Node) <= 64, "with its share of grown arrays, below the 500 bytes that agents/bots/uct.py counts");

// Memory for nodes: arrays of 1, 2, 4, ... nodes that grow by moving to the next size, all freed together.
class Nodes {
 public:
  std::size_t bytes() const { return bytes_; }

  // Inserts a child in order among those of `node`; these may move, `node` itself does not.
  Node& Insert(Node& node, const Node& child) {
    if (node.children == nullptr) {
      node.children = Take(0);
    } else if (node.count == 1 << node.size_class) {
      Node* const grown = Take(++node.size_class);
      std::copy_n(node.children, node.count, grown);
      free_[node.size_class - 1].push_back(node.children);
      node.children = grown;
    }
    Node* const end = node.children + node.count++;
    Node* const at = std::upper_bound(node.children, end, child.place,
                                      [](std::int32_t place, const Node& other) { return place < other.place; });
    std::copy_backward(at, end, end + 1);
    *at = child;
    return *at;
  }

 private:
  static constexpr std::size_t kFirst = 1 << 7, kMost = 1 << 14;  // nodes in a chunk

  Node* Take(std::size_t size_class) {
    auto& free = free_[size_class];
    if (!free.empty()) {
      Node* const taken = free.back();
      free.pop_back();
      return taken;
    }
    const std::size_t size = std::size_t{1} << size_class;
    if (used_ + size > room_) {
      room_ = std::max(size, std::clamp(2 * room_, kFirst, kMost));
      chunks_.push_back(std::make_unique<Node[]>(room_));
      bytes_ += room_ * sizeof(Node);
      used_ = 0;
    }
    Node* const taken = chunks_.back().get() + used_;
    used_ += size;
    return taken;
  }

  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::size_t used_ = 0, room_ = 0;  // nodes in the last chunk
  std::size_t bytes_ = 0;
  std::array<std::vector<Node*>, 32> free_;  // by size class
};

}  // namespace starspiel::uct
