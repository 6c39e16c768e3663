#include "royal_game_of_ur.hpp"

#include <algorithm>
#include <barrier>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

namespace starspiel {
namespace {

RulesPosition Parameters(int pieces, int dice) {
  RulesPosition position;
  position.model = RoyalGameOfUrModel::kName;
  position.parameters = {pieces, dice};
  return position;
}

int PrivateOf(unsigned squares) { return static_cast<int>((squares >> 1 & 15u) | (squares >> 13 & 3u) << 4); }
unsigned SquaresOf(int set, int shared) {
  const unsigned bits = static_cast<unsigned>(set);
  return (bits & 15u) << 1 | (bits >> 4) << 13 | static_cast<unsigned>(shared) << 5;
}

int Distance(unsigned squares) {
  int sum = 0;
  for (; squares != 0; squares &= squares - 1) sum += std::countr_zero(squares);
  return sum;
}

}  // namespace

UrSolver::UrSolver(int pieces, int dice) : pieces_(pieces), dice_(dice), model_(Parameters(pieces, dice)) {
  if (pieces < 1 || pieces > 7 || dice < 1 || dice > 8) {
    throw std::invalid_argument("expected 1 to 7 pieces and 1 to 8 dice, got " + std::to_string(pieces) + " and " +
                                std::to_string(dice));
  }
  model_.Outcomes({}, throws_of_dice_);

  std::vector<int> sets(kPrivate);
  std::iota(sets.begin(), sets.end(), 0);
  const auto taken = [](int set) { return std::popcount(static_cast<unsigned>(set)); };
  std::stable_sort(sets.begin(), sets.end(), [&](int a, int b) { return taken(a) < taken(b); });
  for (int place = 0; place < kPrivate; ++place) rank_[sets[static_cast<std::size_t>(place)]] = place;
  for (int most = 0; most < 9; ++most) {
    up_to_[most] = static_cast<int>(std::count_if(sets.begin(), sets.end(), [&](int set) { return taken(set) <= most; }));
  }
  by_distance_.resize(kFarthest + 1);
  for (int set : sets) by_distance_[static_cast<std::size_t>(Distance(SquaresOf(set, 0)))].push_back(set);

  for (int bits = 0; bits < 256; ++bits) {
    int power = 1;
    taken_[bits] = taken(bits);
    ternary_[bits] = 0;
    for (int square = 0; square < 8; ++square, power *= 3) {
      if (bits >> square & 1) ternary_[bits] += power;
    }
  }
  for (int shared = 0; shared < kShared; ++shared) {
    int own = 0, other = 0, rest = shared;
    for (int square = 0; square < 8; ++square, rest /= 3) {
      if (rest % 3 == 1) own |= 1 << square;
      if (rest % 3 == 2) other |= 1 << square;
    }
    shared_own_.push_back(own);
    shared_other_.push_back(other);
    swapped_.push_back(ternary_[other] + 2 * ternary_[own]);
    shared_distance_.push_back(Distance(SquaresOf(0, own)) + Distance(SquaresOf(0, other)));
  }

  std::int64_t next = 0;
  for (int home = 0; home < pieces; ++home) {
    for (int other_home = 0; other_home < pieces; ++other_home) {
      const std::int64_t first = next;
      std::vector<std::int64_t>& begins = begins_.emplace_back();
      for (int shared = 0; shared < kShared; ++shared) {
        const int own = pieces - home - taken(shared_own_[static_cast<std::size_t>(shared)]);
        const int other = pieces - other_home - taken(shared_other_[static_cast<std::size_t>(shared)]);
        begins.push_back(own < 0 || other < 0 ? -1 : next);
        if (own >= 0 && other >= 0) next += static_cast<std::int64_t>(up_to_[own]) * up_to_[other];
      }
      ranges_.emplace_back(first, next);
    }
  }
  for (int sum = 2 * (pieces - 1); sum >= 0; --sum) {
    for (int home = std::min(sum, pieces - 1); 2 * home >= sum; --home) layers_.emplace_back(home, sum - home);
  }
  values_.resize(static_cast<std::size_t>(next));
  throws_.resize(static_cast<std::size_t>(next));
}

std::pair<std::int64_t, std::int64_t> UrSolver::Range(int home, int other_home) const {
  if (home < 0 || home >= pieces_ || other_home < 0 || other_home >= pieces_) {
    throw std::invalid_argument("expected fewer pieces home than the game has");
  }
  return ranges_[TableOf(home, other_home)];
}

std::int64_t UrSolver::Index(const Position& position) const {
  const int mover = position.mover;
  const unsigned own = position.squares[mover], other = position.squares[1 - mover];
  const int home = position.home[mover], other_home = position.home[1 - mover];
  const auto shared = static_cast<std::size_t>(ternary_[own >> 5 & 255u] + 2 * ternary_[other >> 5 & 255u]);
  const int others = up_to_[pieces_ - other_home - taken_[other >> 5 & 255u]];
  return begins_[TableOf(home, other_home)][shared] + rank_[PrivateOf(own)] * others + rank_[PrivateOf(other)];
}

UrSolver::Position UrSolver::At(int home, int other_home, int shared, int own, int other) const {
  Position position{};
  position.squares[0] = static_cast<std::uint16_t>(SquaresOf(own, shared_own_[static_cast<std::size_t>(shared)]));
  position.squares[1] = static_cast<std::uint16_t>(SquaresOf(other, shared_other_[static_cast<std::size_t>(shared)]));
  position.home[0] = static_cast<std::uint8_t>(home);
  position.home[1] = static_cast<std::uint8_t>(other_home);
  position.roll = static_cast<std::int8_t>(RoyalGameOfUrModel::kToRoll);
  return position;
}

// What `next`, where somebody is to throw, is worth to `player`.
double UrSolver::Value(const Position& next, int player) const {
  if (model_.Player(next) == kTerminal) return player == 0 ? model_.Utility(next) : -model_.Utility(next);
  const double value = values_[static_cast<std::size_t>(Index(next))];
  return next.mover == player ? value : -value;
}

double UrSolver::Throws(const Position& next) const {
  return model_.Player(next) == kTerminal ? 0.0 : throws_[static_cast<std::size_t>(Index(next))];
}

template <bool kThrows>
UrSolver::Backed UrSolver::Back(const Position& position, std::vector<int>& actions) const {
  Backed backed{kThrows ? 1.0 : 0.0, 0.0};
  Position thrown = position;
  for (const Outcome& outcome : throws_of_dice_) {
    thrown.roll = static_cast<std::int8_t>(outcome.action);
    actions.clear();
    model_.Actions(thrown, actions);
    double best = -2.0, throws = 0.0;
    for (int action : actions) {
      const Position next = model_.Child(thrown, action);
      if (next.squares[0] == position.squares[0] && next.home[0] == position.home[0]) {  // nothing could move
        backed.pass += outcome.probability;
        continue;
      }
      const double value = Value(next, 0);
      if (value > best) {
        best = value;
        if constexpr (kThrows) throws = Throws(next);
      }
    }
    if (best >= -1.0) backed.sum += outcome.probability * (kThrows ? throws : best);
  }
  return backed;
}

// The positions of a table whose pieces have come `distance` squares in all, and those that a pass leads to: of each
// two both at once, so that what a sweep does hangs on no order among the threads.
template <bool kThrows>
double UrSolver::SweepTable(int home, int other_home, int distance, int thread, int threads,
                            std::vector<int>& actions) {
  auto& numbers = [this]() -> auto& {
    if constexpr (kThrows) {
      return throws_;
    } else {
      return values_;
    }
  }();
  using Number = typename std::remove_reference_t<decltype(numbers)>::value_type;
  double change = 0.0;
  const std::vector<std::int64_t>& begins = begins_[TableOf(home, other_home)];
  for (int shared = thread; shared < kShared; shared += threads) {
    if (begins[static_cast<std::size_t>(shared)] < 0) continue;
    const int rest = distance - shared_distance_[static_cast<std::size_t>(shared)];
    const auto room = [&](const std::vector<int>& bits, int at_home) {
      return pieces_ - at_home - taken_[bits[static_cast<std::size_t>(shared)]];
    };
    const int most = room(shared_own_, home), most_other = room(shared_other_, other_home);
    for (int own_distance = std::max(0, rest - kFarthest); own_distance <= std::min(rest, kFarthest); ++own_distance) {
      for (int own : by_distance_[static_cast<std::size_t>(own_distance)]) {
        if (rank_[own] >= up_to_[most]) continue;
        for (int other : by_distance_[static_cast<std::size_t>(rest - own_distance)]) {
          if (rank_[other] >= up_to_[most_other]) continue;
          const Position here = At(home, other_home, shared, own, other);
          const Position there = At(other_home, home, swapped_[static_cast<std::size_t>(shared)], other, own);
          const auto index = static_cast<std::size_t>(Index(here)), back = static_cast<std::size_t>(Index(there));
          if (home == other_home && back < index) continue;
          const Backed one = Back<kThrows>(here, actions), two = Back<kThrows>(there, actions);
          // one = sum + pass * sign * two, and the other way round.
          const double sign = kThrows ? 1.0 : -1.0;
          const double scale = 1.0 - one.pass * two.pass;
          const double first = (one.sum + sign * one.pass * two.sum) / scale;
          const double second = (two.sum + sign * two.pass * one.sum) / scale;
          change = std::max({change, std::abs(first - numbers[index]), std::abs(second - numbers[back])});
          numbers[index] = static_cast<Number>(first);
          numbers[back] = static_cast<Number>(second);
        }
      }
    }
  }
  return change;
}

template <bool kThrows>
double UrSolver::SweepLayer(int layer, int threads) {
  // With more dice than squares to the first shared one, a capture can leave the pieces as far as they were.
  if (dice_ > 4) threads = 1;
  const auto [home, other_home] = layers_.at(static_cast<std::size_t>(layer));
  const int farthest = 2 * kFarthest + *std::max_element(shared_distance_.begin(), shared_distance_.end());
  std::vector<double> changes(static_cast<std::size_t>(threads));
  std::barrier together(threads);
  const auto work = [&, home = home, other_home = other_home](int thread) {
    std::vector<int> actions;
    double& change = changes[static_cast<std::size_t>(thread)];
    for (int distance = farthest; distance >= 0; --distance) {
      change = std::max(change, SweepTable<kThrows>(home, other_home, distance, thread, threads, actions));
      together.arrive_and_wait();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  return *std::max_element(changes.begin(), changes.end());
}

double UrSolver::Sweep(int layer, int threads) { return SweepLayer<false>(layer, threads); }
double UrSolver::SweepThrows(int layer, int threads) { return SweepLayer<true>(layer, threads); }

}  // namespace starspiel
