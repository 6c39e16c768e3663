#include "uct/search.hpp"
#include "natural_log.hpp"

namespace starspiel::uct {

Search::Search(std::unique_ptr<Line> line, const Settings& settings, std::shared_ptr<Rollouts> random)
    : line_(std::move(line)), settings_(settings), random_(std::move(random)), width_(line_->width()) {
  line_->Begin();
  mover_ = line_->Mover();
  line_->Collected(start_.data());
}

std::int64_t Search::Run(std::int64_t simulations, Budget& opening, Budget& budget) {
  std::int64_t made = 0;
  line_->Watch(opening);
  try {
    while (made < simulations && !root_.is_proven()) {
      if (made > 0) budget.Visit(made);
      Simulate();
      if (++made == 1) line_->Watch(budget);
      budget.Reserve(nodes_.bytes());
    }
  } catch (const BudgetSpent&) {
  }
  return made;
}

std::vector<Tried> Search::tried() const {
  std::vector<Tried> tried;
  const double so_far = start_[Own(mover_)];
  for (const Node& child : root_.following()) {
    std::optional<double> proven;
    if (child.is_proven()) proven = Proven(child)[Own(mover_)] - so_far;
    tried.push_back({child.action, child.visits, child.mean(), proven});
  }
  return tried;
}

// Step 1. Descend the tree to a new node or the end.
// Step 2. Value it: proven, the game's return, or the leaf's value.
// Step 3. Back up: every node on the path gets its return, and may be proven.
void Search::Simulate() {
  line_->Begin();
  path_.clear();
  Node* node = &root_;
  double so_far = start_[Own(mover_)];
  int own = Own(mover_), player;
  bool is_new = false;
  while (!is_new && (player = line_->Mover()) != kTerminal) {
    if (player == kChance) {
      node = &LetHappen(*node);
    } else {
      line_->Collected(value_.data());
      own = Own(player);
      so_far = value_[own];
      node = &Choose(*node, player, so_far);
    }
    is_new = node->visits == 0;
    path_.push_back({node, so_far, own});
    if (node->is_proven()) break;
  }
  if (node->is_proven()) {
    std::copy_n(Proven(*node), width_, value_.begin());
  } else if (line_->Mover() == kTerminal) {
    line_->Returns(value_.data());
    if (node != &unkept_) node->proof = Keep(value_.data());
  } else {
    line_->Value(value_.data());
    for (int player = 0; player < width_; ++player) {
      if (std::isfinite(value_[player])) continue;
      throw std::domain_error("it returned " + std::to_string(value_[player]) + "; expected a finite number");
    }
  }
  BackUp();
  Prove();
}

// Picks untried actions first, in random order, then by UCB. Plays the action; returns the child.
Node& Search::Choose(Node& node, int mover, double so_far) {
  if (node.moves == 0) {
    actions_.clear();
    line_->Actions(actions_);
    node.moves = static_cast<std::int32_t>(actions_.size());
    node.mover = static_cast<std::int8_t>(mover);
  }
  Node* child;
  if (node.count < node.moves && size_ < settings_.most_nodes) {
    child = &Untried(node);
  } else if (node.count > 0) {
    child = &MostPromising(node, mover, so_far);
  } else {
    unkept_ = Node{};
    return unkept_;
  }
  for (Node& each : node.following()) ++each.available;
  line_->Move(child->action);
  return *child;
}

Node& Search::Untried(Node& node) {
  actions_.clear();
  line_->Actions(actions_);
  auto place = static_cast<std::int32_t>(random_->random.Below(static_cast<std::uint32_t>(node.moves - node.count)));
  for (const Node& tried : node.following()) {
    if (tried.place > place) break;
    ++place;
  }
  ++size_;
  Node child;
  child.action = actions_[static_cast<std::size_t>(place)];
  child.place = place;
  return nodes_.Insert(node, child);
}

// The first of equally good children.
Node& Search::MostPromising(Node& node, int mover, double so_far) {
  const double sign = Sign(mover), explore = settings_.uct_c * unit_;
  Node* best = nullptr;
  double most = 0.0;
  for (Node& child : node.following()) {
    double worth;
    if (child.is_proven()) {
      worth = sign * (Proven(child)[Own(mover)] - so_far);
    } else {
      worth = sign * child.mean() + explore * std::sqrt(NaturalLog(child.available) / child.visits);
    }
    if (best != nullptr && !(worth > most)) continue;
    best = &child;
    most = worth;
  }
  return *best;
}

Node& Search::LetHappen(Node& node) {
  outcomes_.clear();
  line_->Outcomes(outcomes_);
  node.moves = static_cast<std::int32_t>(outcomes_.size());
  node.mover = kChance;
  const auto place = static_cast<std::int32_t>(random_->random.Choose(outcomes_, sums_));
  const Outcome outcome = outcomes_[static_cast<std::size_t>(place)];
  line_->Move(outcome.action);
  const std::span<Node> children = node.following();
  const auto before = [](const Node& child, std::int32_t place) { return child.place < place; };
  const auto found = std::lower_bound(children.begin(), children.end(), place, before);
  if (found != children.end() && found->place == place) return *found;
  Node child;
  child.probability = outcome.probability;
  child.action = outcome.action;
  child.place = place;
  if (size_ < settings_.most_nodes) {
    ++size_;
    return nodes_.Insert(node, child);
  }
  unkept_ = child;
  return unkept_;
}

void Search::BackUp() {
  double least = kInfinity, greatest = -kInfinity;
  for (int player = 0; player < width_; ++player) {
    const double seen = value_[player] - start_[player];
    least = std::min(least, seen);
    greatest = std::max(greatest, seen);
  }
  See(least, greatest);
  ++root_.visits;
  for (const Step& step : path_) {
    ++step.node->visits;
    step.node->total += value_[step.own] - step.so_far;
  }
}

// Updates the range of returns from the root on, which scales exploration if the returns have no known bounds.
void Search::See(double least, double greatest) {
  if (least >= least_ && greatest <= greatest_) return;
  least_ = std::min(least_, least);
  greatest_ = std::max(greatest_, greatest);
  unit_ = settings_.scaled && greatest_ > least_ ? (greatest_ - least_) / 2 : 1.0;
}

void Search::Prove() {
  if (!settings_.solve || path_.empty() || !path_.back().node->is_proven()) return;
  for (std::size_t i = path_.size(); i-- > 0;) {
    Node& above = i == 0 ? root_ : *path_[i - 1].node;
    above.proof = Proof(above);
    if (!above.is_proven()) break;
  }
}

// The index of a node's value if its children prove it; otherwise -1.
int Search::Proof(const Node& node) {
  if (node.moves == 0) return -1;
  if (node.mover == kChance) return Expected(node);
  return width_ == 1 ? BestOfSides(node) : BestOfSeveral(node);
}

int Search::BestOfSides(const Node& node) {
  const Node* best = nullptr;
  int proven = 0;
  for (const Node& child : node.following()) {
    if (!child.is_proven()) continue;
    ++proven;
    if (best == nullptr || Sign(node.mover) * *Proven(child) > Sign(node.mover) * *Proven(*best)) best = &child;
  }
  if (best == nullptr) return -1;
  const bool is_bound =
      node.mover == 0 ? *Proven(*best) >= settings_.upper : *Proven(*best) <= settings_.lower;
  return is_bound || proven == node.moves ? best->proof : -1;
}

int Search::BestOfSeveral(const Node& node) {
  const Node* best = nullptr;
  const auto own = [&](const Node& child) { return Proven(child)[node.mover]; };
  for (std::int32_t place = 0; place < node.moves; ++place) {
    if (place >= node.count || node.children[place].place != place || !node.children[place].is_proven()) return -1;
    const Node& child = node.children[place];
    if (best == nullptr || IsBetter(own(child), own(*best))) best = &child;
    if (own(*best) >= settings_.upper) break;
  }
  return best->proof;
}

int Search::Expected(const Node& node) {
  if (node.count < node.moves) return -1;
  std::array<double, kMostPlayers> expected{};
  for (const Node& child : node.following()) {
    if (!child.is_proven()) return -1;
    for (int player = 0; player < width_; ++player) expected[player] += child.probability * Proven(child)[player];
  }
  return Keep(expected.data());
}

int Search::Keep(const double* value) {
  proofs_.insert(proofs_.end(), value, value + width_);
  return static_cast<int>(proofs_.size() / width_) - 1;
}

}  // namespace starspiel::uct
