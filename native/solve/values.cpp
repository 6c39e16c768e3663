#include "values.hpp"
#include "../search/options.hpp"

namespace starspiel {
namespace {

// As in agents/solve/values.py and times.py, except that values settle further, since sweeps are cheaper here.
constexpr double kTolerance = 1e-14, kSettled = 1e-10;
constexpr int kMostSweeps = 100'000, kMostTimeSweeps = 1'000;

// Calls visit(nodes) with the strongly connected components, each after all that it leads to (Tarjan 1972). All
// positions are reachable from the first.
template <class Visit>
void ForComponents(const Graph& graph, const Visit& visit) {
  constexpr auto kComplete = std::numeric_limits<std::uint32_t>::max();
  struct Step {
    std::uint32_t node, number;
    std::int64_t edge;
  };
  std::vector<std::uint32_t> low(graph.player.size(), 0);  // 0 if not met yet
  std::vector<std::uint32_t> open;
  std::vector<Step> steps;
  std::uint32_t met = 0;
  const auto enter = [&](std::uint32_t node) {
    low[node] = ++met;
    open.push_back(node);
    steps.push_back({node, met, graph.first[node]});
  };
  enter(0);
  while (!steps.empty()) {
    Step& step = steps.back();
    const std::uint32_t node = step.node, number = step.number;
    if (step.edge < graph.first[node + 1]) {
      const auto target = static_cast<std::uint32_t>(graph.target[step.edge++]);
      if (low[target] == 0) {
        enter(target);
      } else {
        low[node] = std::min(low[node], low[target]);
      }
      continue;
    }
    steps.pop_back();
    if (low[node] == number) {
      std::size_t begin = open.size();
      do {
        low[open[--begin]] = kComplete;
      } while (open[begin] != node);
      std::reverse(open.begin() + begin, open.end());  // terminal positions first
      visit(std::span(open).subspan(begin));
      open.resize(begin);
    } else if (!steps.empty()) {
      std::uint32_t& parent = low[steps.back().node];
      parent = std::min(parent, low[node]);
    }
  }
}

class Solver {
 public:
  explicit Solver(const Graph& graph) : graph_(graph), solo_(!std::ranges::count(graph.player, 1)) {
    found_.values = graph.ending;
    found_.times.resize(graph.player.size());
  }

  GraphValues Run(const Tell& tell) {
    std::size_t done = 0;
    ForComponents(graph_, [&](std::span<const std::uint32_t> nodes) {
      if (found_.change > 0.0) return;
      Solve(nodes);
      for (std::size_t next = done + nodes.size(); done < next; ++done) {
        if (done % (1 << 16) == 0) tell(done);
      }
    });
    for (std::uint32_t node = 0; node < graph_.player.size(); ++node) {
      found_.residual = std::max(found_.residual, std::abs(Backed(node) - found_.values[node]));
    }
    return std::move(found_);
  }

 private:
  void Solve(std::span<const std::uint32_t> nodes) {
    const bool cyclic = nodes.size() > 1 || std::ranges::count(Targets(nodes[0]), static_cast<std::int32_t>(nodes[0]));
    const double change = Sweep(nodes, found_.values, cyclic ? kMostSweeps : 1, kTolerance,
                                [this](std::uint32_t node) { return Backed(node); });
    if (cyclic) found_.change = change;
    if (found_.times.empty()) return;
    const double late = Sweep(nodes, found_.times, cyclic ? kMostTimeSweeps : 1, kSettled,
                              [this](std::uint32_t node) { return Time(node); });
    if (cyclic && late > 0.0) found_.times.clear();
  }

  // Backs up positions in place until no number changes by more than `enough`, relative to the greatest if that exceeds
  // 1. Returns 0, or the greatest change of the last sweep if `most` sweeps are not enough.
  template <class Back>
  static double Sweep(std::span<const std::uint32_t> nodes, std::vector<double>& numbers, int most, double enough,
                      const Back& back) {
    double change = 0.0;
    for (int sweep = 0; sweep < most; ++sweep) {
      double greatest = 1.0;
      change = 0.0;
      for (std::uint32_t node : nodes) {
        const double number = back(node);
        change = std::max(change, std::abs(number - numbers[node]));
        greatest = std::max(greatest, std::abs(number));
        numbers[node] = number;
      }
      if (change <= enough * greatest) return 0.0;
    }
    return change;
  }

  std::span<const std::int32_t> Targets(std::uint32_t node) const {
    return std::span(graph_.target).subspan(graph_.first[node], graph_.first[node + 1] - graph_.first[node]);
  }

  // The value of taking an edge.
  double Worth(std::int64_t edge) const {
    const double to_go = found_.values[graph_.target[edge]];
    return graph_.reward.empty() ? to_go : graph_.reward[edge] + to_go;
  }

  double Sign(std::uint32_t node) const { return graph_.player[node] == 0 ? 1.0 : -1.0; }

  double Backed(std::uint32_t node) const {
    const std::int64_t begin = graph_.first[node], end = graph_.first[node + 1];
    if (graph_.player[node] == kTerminal) return graph_.ending[node];
    if (graph_.player[node] == kChance) {
      double sum = 0.0;
      for (std::int64_t edge = begin; edge < end; ++edge) sum += graph_.weight[edge] * Worth(edge);
      return sum;
    }
    const double sign = Sign(node);
    double best = -std::numeric_limits<double>::infinity();
    for (std::int64_t edge = begin; edge < end; ++edge) best = std::max(best, sign * Worth(edge));
    return sign * best;
  }

  // The number of decisions until the end. Among optimal actions, a player takes those by which it comes soonest, or
  // latest if the player is losing.
  double Time(std::uint32_t node) const {
    const std::int64_t begin = graph_.first[node], end = graph_.first[node + 1];
    if (graph_.player[node] == kTerminal) return 0.0;
    double time = 0.0;
    if (graph_.player[node] == kChance) {
      for (std::int64_t edge = begin; edge < end; ++edge) {
        time += graph_.weight[edge] * found_.times[graph_.target[edge]];
      }
      return time;
    }
    const double best = found_.values[node];
    double size = 1.0;
    for (std::int64_t edge = begin; edge < end; ++edge) size = std::max(size, std::abs(Worth(edge)));
    const bool hastens = solo_ || Sign(node) * best >= -kTieTolerance * size;
    time = hastens ? std::numeric_limits<double>::infinity() : 0.0;
    for (std::int64_t edge = begin; edge < end; ++edge) {
      if (std::abs(Worth(edge) - best) > kTieTolerance * size) continue;
      const double then = found_.times[graph_.target[edge]];
      time = hastens ? std::min(time, then) : std::max(time, then);
    }
    return 1.0 + time;
  }

  const Graph& graph_;
  bool solo_;
  GraphValues found_;
};

}  // namespace

GraphValues ValuesOf(const Graph& graph, const Tell& tell) { return Solver(graph).Run(tell); }

}  // namespace starspiel
