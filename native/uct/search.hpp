// UCT (Kocsis & Szepesvari 2006): the same search as agents/bots/uct_search.py and uct_vectors.py, visit for visit.
#pragma once

#include "line.hpp"
#include "rollout.hpp"
#include "several.hpp"
#include "tree.hpp"

namespace starspiel::uct {

// See UCTSettings and UCTSearch.
struct Settings {
  double uct_c;
  bool solve;
  std::int64_t most_nodes;
  double lower, upper;  // bounds on every return
  bool scaled;          // whether exploration scales with the range of returns seen
};

// The result for a root action. `mean`, `proven`: returns from the root on, player 0's if two-sided, else the mover's.
struct Tried {
  int action;
  std::uint32_t visits;
  double mean;
  std::optional<double> proven;
};

class Search {
 public:
  // Draws from `random`, as random rollouts at leaves do.
  Search(std::unique_ptr<Line> line, const Settings& settings, std::shared_ptr<Rollouts> random);

  // Simulates until a limit is reached or the root is proven, but at least once; returns the number of simulations.
  // `opening` is the budget of the first simulation.
  std::int64_t Run(std::int64_t simulations, Budget& opening, Budget& budget);
  // In the order of the game's action list.
  std::vector<Tried> tried() const;

 private:
  struct Step {
    Node* node;
    double so_far;  // collected before the decision above, by the player whose return counts there
    int own;        // the index of that player's number in a value
  };

  void Simulate();
  Node& Choose(Node& node, int mover, double so_far);
  Node& Untried(Node& node);
  Node& MostPromising(Node& node, int mover, double so_far);
  Node& LetHappen(Node& node);
  void BackUp();
  void See(double least, double greatest);
  void Prove();
  int Proof(const Node& node);
  int BestOfSides(const Node& node);
  int BestOfSeveral(const Node& node);
  int Expected(const Node& node);

  const double* Proven(const Node& node) const { return &proofs_[static_cast<std::size_t>(node.proof) * width_]; }
  int Keep(const double* value);
  // The index of the number in a value that counts where `mover` moves.
  int Own(int mover) const { return width_ == 1 ? 0 : mover; }
  double Sign(int mover) const { return width_ == 1 && mover != 0 ? -1.0 : 1.0; }

  std::unique_ptr<Line> line_;
  Settings settings_;
  std::shared_ptr<Rollouts> random_;
  int width_;
  int mover_;                                // the player to move at the root
  std::array<double, kMostPlayers> start_{};  // collected at the root
  Node root_;
  Node unkept_;  // a node that does not fit in the tree
  Nodes nodes_;
  std::int64_t size_ = 0;                    // nodes in the tree
  double least_ = kInfinity, greatest_ = -kInfinity;  // of the returns seen
  double unit_ = 1.0;                        // scale of exploration
  std::vector<double> proofs_;
  std::vector<Step> path_;
  std::array<double, kMostPlayers> value_{};  // of the simulation
  std::vector<int> actions_;
  std::vector<Outcome> outcomes_;
  std::vector<double> sums_;
};

}  // namespace starspiel::uct
