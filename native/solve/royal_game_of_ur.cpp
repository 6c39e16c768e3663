#include "royal_game_of_ur.hpp"
#include "../training.hpp"

namespace starspiel {
namespace {

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

UrPlaces::UrPlaces(int pieces) : pieces_(pieces) {
  if (pieces < 1 || pieces > 7) throw std::invalid_argument("expected 1 to 7 pieces, got " + std::to_string(pieces));
  std::vector<int> sets(kPrivate);
  std::iota(sets.begin(), sets.end(), 0);
  const auto taken = [](int set) { return std::popcount(static_cast<unsigned>(set)); };
  std::stable_sort(sets.begin(), sets.end(), [&](int a, int b) { return taken(a) < taken(b); });
  for (int place = 0; place < kPrivate; ++place) rank_[sets[place]] = place;
  for (int most = 0; most < 9; ++most) {
    up_to_[most] =
        static_cast<int>(std::count_if(sets.begin(), sets.end(), [&](int set) { return taken(set) <= most; }));
  }
  by_distance_.resize(kFarthest + 1);
  for (int set : sets) by_distance_[Distance(SquaresOf(set, 0))].push_back(set);

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

  farthest_ = 2 * kFarthest + *std::max_element(shared_distance_.begin(), shared_distance_.end());
  std::int64_t next = 0;
  for (int home = 0; home < pieces; ++home) {
    for (int other_home = 0; other_home < pieces; ++other_home) {
      const std::int64_t first = next;
      std::vector<std::int64_t>& begins = begins_.emplace_back();
      for (int shared = 0; shared < kShared; ++shared) {
        const int own = pieces - home - taken(shared_own_[shared]);
        const int other = pieces - other_home - taken(shared_other_[shared]);
        begins.push_back(own < 0 || other < 0 ? -1 : next);
        if (own >= 0 && other >= 0) next += static_cast<std::int64_t>(up_to_[own]) * up_to_[other];
      }
      ranges_.emplace_back(first, next);
    }
  }
  for (int sum = 2 * (pieces - 1); sum >= 0; --sum) {
    for (int home = std::min(sum, pieces - 1); 2 * home >= sum; --home) layers_.emplace_back(home, sum - home);
  }
}

std::pair<std::int64_t, std::int64_t> UrPlaces::Range(int home, int other_home) const {
  if (home < 0 || home >= pieces_ || other_home < 0 || other_home >= pieces_) {
    throw std::invalid_argument("expected fewer pieces home than the game has");
  }
  return ranges_[TableOf(home, other_home)];
}

std::int64_t UrPlaces::Index(const Position& position) const {
  const int mover = position.mover;
  const unsigned own = position.squares[mover], other = position.squares[1 - mover];
  const int home = position.home[mover], other_home = position.home[1 - mover];
  const auto shared = static_cast<std::size_t>(ternary_[own >> 5 & 255u] + 2 * ternary_[other >> 5 & 255u]);
  const int others = up_to_[pieces_ - other_home - taken_[other >> 5 & 255u]];
  return begins_[TableOf(home, other_home)][shared] + rank_[PrivateOf(own)] * others + rank_[PrivateOf(other)];
}

UrPlaces::Position UrPlaces::At(int home, int other_home, int shared, int own, int other) const {
  Position position{};
  position.squares[0] = SquaresOf(own, shared_own_[shared]);
  position.squares[1] = SquaresOf(other, shared_other_[shared]);
  position.home[0] = home;
  position.home[1] = other_home;
  position.roll = RoyalGameOfUrModel::kToRoll;
  return position;
}

UrSolver::UrSolver(const RulesPosition& state)
    : UrPlaces(static_cast<int>(state.parameters[0])), dice_(static_cast<int>(state.parameters[1])), model_(state) {
  model_.Outcomes({}, throws_of_dice_);
  noted_.resize(static_cast<std::size_t>((farthest_ + 1) * kParts));
  values_.resize(static_cast<std::size_t>(positions()) + 1);
  throws_.resize(static_cast<std::size_t>(positions()) + 1);
  values_.back() = 1.0;  // to the player who made the last move
}

// Where a move of `mover` leads.
UrSolver::Next UrSolver::Place(const Position& next, int mover) const {
  if (model_.Player(next) == kTerminal) return static_cast<Next>(positions());
  return static_cast<Next>(Index(next)) | (next.mover == mover ? 0u : kOthersThrow);
}

// The value to the player whose move led there.
double UrSolver::Value(Next next) const {
  const double value = values_[next & ~kOthersThrow];
  return next & kOthersThrow ? -value : value;
}

UrSolver::Backed UrSolver::Best(const Position& position, std::vector<int>& actions, std::vector<Next>& noted) const {
  Backed backed{0.0, throws_of_dice_.front().probability};  // a throw of zero moves nothing
  Position thrown = position;
  for (std::size_t number = 1; number < throws_of_dice_.size(); ++number) {
    const Outcome& outcome = throws_of_dice_[number];
    thrown.roll = outcome.action;
    actions.clear();
    model_.Actions(thrown, actions);
    double best = -2.0;
    Next chosen = kPass;
    for (int action : actions) {
      const Position next = model_.Child(thrown, action);
      if (next.squares[0] == position.squares[0] && next.home[0] == position.home[0]) break;  // nothing could move
      const Next place = Place(next, 0);
      const double value = Value(place);
      if (value > best) {
        best = value;
        chosen = place;
      }
    }
    noted.push_back(chosen);
    if (chosen == kPass) {
      backed.pass += outcome.probability;
    } else {
      backed.sum += outcome.probability * best;
    }
  }
  return backed;
}

template <bool kThrows>
double UrSolver::Settle(std::size_t index, std::size_t back, const Backed& one, const Backed& two) {
  std::vector<double>& numbers = kThrows ? throws_ : values_;
  // one = sum + pass * sign * two, and the other way round.
  const double sign = kThrows ? 1.0 : -1.0;
  const double scale = 1.0 - one.pass * two.pass;
  const double first = (one.sum + sign * one.pass * two.sum) / scale;
  const double second = (two.sum + sign * two.pass * one.sum) / scale;
  const double change = std::max(std::abs(first - numbers[index]), std::abs(second - numbers[back]));
  numbers[index] = first;
  numbers[back] = second;
  return change;
}

// Backs up the positions of a table whose pieces have advanced `level` squares in total, each together with the one
// that a pass leads to, so that the result of a sweep does not depend on the order of the threads.
double UrSolver::ImprovePart(int home, int other_home, int level, int part) {
  std::vector<Next>& noted = noted_[level * kParts + part];
  noted.clear();
  std::vector<int> actions;
  double change = 0.0;
  const std::vector<std::int64_t>& begins = begins_[TableOf(home, other_home)];
  for (int shared = part; shared < kShared; shared += kParts) {
    if (begins[shared] < 0) continue;
    const int rest = level - shared_distance_[shared];
    const auto room = [&](const std::vector<int>& bits, int at_home) {
      return pieces_ - at_home - taken_[bits[shared]];
    };
    const int most = room(shared_own_, home), most_other = room(shared_other_, other_home);
    for (int own_distance = std::max(0, rest - kFarthest); own_distance <= std::min(rest, kFarthest); ++own_distance) {
      for (int own : by_distance_[own_distance]) {
        if (rank_[own] >= up_to_[most]) continue;
        for (int other : by_distance_[rest - own_distance]) {
          if (rank_[other] >= up_to_[most_other]) continue;
          const Position here = At(home, other_home, shared, own, other);
          const Position there = At(other_home, home, swapped_[shared], other, own);
          const auto index = static_cast<std::size_t>(Index(here)), back = static_cast<std::size_t>(Index(there));
          if (home == other_home && back < index) continue;
          noted.push_back(static_cast<Next>(index));
          noted.push_back(static_cast<Next>(back));
          const Backed one = Best(here, actions, noted), two = Best(there, actions, noted);
          change = std::max(change, Settle<false>(index, back, one, two));
        }
      }
    }
  }
  return change;
}

template <bool kThrows>
double UrSolver::EvaluatePart(int level, int part) {
  const std::vector<Next>& noted = noted_[level * kParts + part];
  const auto back_up = [this](const Next*& next) {
    Backed backed{0.0, throws_of_dice_.front().probability};
    if constexpr (kThrows) backed.sum = 1.0;
    for (std::size_t number = 1; number < throws_of_dice_.size(); ++number, ++next) {
      const double chance = throws_of_dice_[number].probability;
      if (*next == kPass) {
        backed.pass += chance;
      } else {
        backed.sum += chance * (kThrows ? throws_[*next & ~kOthersThrow] : Value(*next));
      }
    }
    return backed;
  };
  double change = 0.0;
  for (const Next *next = noted.data(), *end = next + noted.size(); next != end;) {
    const std::size_t index = next[0], back = next[1];
    next += 2;
    const Backed one = back_up(next), two = back_up(next);
    change = std::max(change, Settle<kThrows>(index, back, one, two));
  }
  return change;
}

template <class Work>
double UrSolver::SweepLevels(int threads, const Work& work) {
  // With more dice than squares before the first shared one, a capture can leave the pieces' total advance unchanged.
  if (dice_ > 4) threads = 1;
  std::vector<double> changes(static_cast<std::size_t>(threads));
  std::barrier together(threads);
  const auto sweep = [&](int thread) {
    double change = 0.0;
    for (int level = farthest_; level >= 0; --level) {
      for (int part = thread; part < kParts; part += threads) change = std::max(change, work(level, part));
      together.arrive_and_wait();
    }
    changes[thread] = change;
  };
  RunThreads(threads, sweep);
  return *std::max_element(changes.begin(), changes.end());
}

double UrSolver::Improve(int layer, int threads) {
  const auto [home, other_home] = layers_.at(static_cast<std::size_t>(layer));
  noted_layer_ = layer;
  return SweepLevels(threads, [&, home = home, other_home = other_home](int level, int part) {
    return ImprovePart(home, other_home, level, part);
  });
}

double UrSolver::Evaluate(int layer, int threads) {
  if (layer != noted_layer_) throw std::invalid_argument("the layer has to be improved first");
  return SweepLevels(threads, [this](int level, int part) { return EvaluatePart<false>(level, part); });
}

double UrSolver::EvaluateThrows(int layer, int threads) {
  if (layer != noted_layer_) throw std::invalid_argument("the layer has to be improved first");
  return SweepLevels(threads, [this](int level, int part) { return EvaluatePart<true>(level, part); });
}

}  // namespace starspiel
