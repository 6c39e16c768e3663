// The rules of envs/games/cant_stop/rules.py, as plain bytes.
#pragma once

#include "../rules/position.hpp"
#include "model.hpp"
#include "network/features.hpp"

namespace starspiel {

class CantStopModel : public RulesModel {
 public:
  static constexpr const char* kName = "cant_stop";
  static constexpr int kMostColumns = 17;
  static constexpr int kMostClimbs = 6;  // three pairings, each with a choice of at most two
  static constexpr int kRunners = 3;
  struct Position {
    std::uint8_t heights[2][kMostColumns];
    std::uint8_t runners[kMostColumns];
    std::uint8_t climbs[kMostClimbs];  // after a throw the legal climbs, ascending; then zeros
    std::int8_t mover;
    std::int8_t acting;
    std::uint8_t unused[5];
  };

  static bool Plays(const State& state) { return state.parameters.size() == 3; }

  explicit CantStopModel(const State& state)
      : sides_(static_cast<int>(state.parameters[0])),
        columns_(2 * sides_ - 1),
        to_win_(static_cast<int>(state.parameters[2])) {
    for (int column = 0; column < columns_; ++column) board_ += lengths_[column] = LengthOf(state, column);
    climbed_.assign(kFirstClimb, {kNone, kNone});
    for (int column = 0; column < columns_; ++column) climbed_.push_back({column, kNone});
    for (int first = 0; first < columns_; ++first) {
      for (int second = first; second < columns_; ++second) {
        pairs_[first][second] = climbed_.size();
        climbed_.push_back({first, second});
      }
    }
    ListThrows();
    CountThrows();
  }

  static Position Read(const State& state) {
    const int columns = static_cast<int>(2 * state.parameters[0] - 1);
    Position p{};
    Numbers numbers(state);
    for (auto& heights : p.heights) {
      for (int column = 0; column < columns; ++column) numbers.Take(0, LengthOf(state, column), heights[column]);
    }
    for (int column = 0; column < columns; ++column) numbers.Take(0, LengthOf(state, column), p.runners[column]);
    numbers.Take(0, 1, p.mover);
    numbers.Take(kTerminal, 1, p.acting);
    int climbs = 0;
    numbers.Take(0, kMostClimbs, climbs);
    for (int i = 0; i < climbs; ++i) {
      numbers.Take(kPass, kFirstClimb + columns + columns * (columns + 1) / 2 - 1, p.climbs[i]);
    }
    numbers.End();
    return p;
  }

  double Utility(const Position& p) const { return p.mover == 1 ? 1.0 : -1.0; }  // the winner has just stopped

  void Actions(const Position& p, std::vector<int>& actions) const {
    if (p.climbs[0] == 0) {
      actions.push_back(kRoll);
      actions.push_back(kStop);
    }
    for (int i = 0; i < kMostClimbs && p.climbs[i] != 0; ++i) actions.push_back(p.climbs[i]);
  }

  void Outcomes(const Position&, std::vector<Outcome>& outcomes) const {
    for (std::size_t i = 0; i < throws_.size(); ++i) outcomes.push_back({static_cast<int>(i), throws_[i].probability});
  }

  // Merges throws that allow the same climbs; returns how many were merged into others.
  int DistinctOutcomes(const Position& p, std::vector<Outcome>& outcomes) const {
    const std::size_t base = outcomes.size();
    std::vector<std::uint64_t> seen;
    const Rooms rooms = RoomsOf(p);
    for (std::size_t i = 0; i < throws_.size(); ++i) {
      Climbs climbs{};
      ListClimbs(rooms, throws_[i], climbs);
      std::uint64_t key = 0;
      std::memcpy(&key, climbs.data(), climbs.size());
      const auto duplicate = std::find(seen.begin(), seen.end(), key);
      if (duplicate != seen.end()) {
        outcomes[base + static_cast<std::size_t>(duplicate - seen.begin())].probability += throws_[i].probability;
      } else {
        seen.push_back(key);
        outcomes.push_back({static_cast<int>(i), throws_[i].probability});
      }
    }
    return static_cast<int>(throws_.size() - seen.size());
  }

  Position Child(const Position& p, int action) const {
    Position next = p;
    if (p.acting == kChance) {
      Climbs climbs{};
      ListClimbs(RoomsOf(p), throws_[action], climbs);
      std::copy(climbs.begin(), climbs.end(), next.climbs);
      next.acting = p.mover;
      return next;
    }
    std::fill(std::begin(next.climbs), std::end(next.climbs), std::uint8_t{0});
    if (action >= kFirstClimb) {
      const auto [first, second] = climbed_[action];
      Climb(next, first);
      if (second != kNone) Climb(next, second);
      next.acting = p.mover;
      return next;
    }
    next.acting = kChance;
    if (action == kRoll) return next;
    std::fill(std::begin(next.runners), std::end(next.runners), std::uint8_t{0});
    next.mover = 1 - p.mover;
    if (action == kStop) Keep(p, next);
    return next;
  }

  // The number of the sides^4 throws with a pair for a column in which the mover may climb.
  std::int64_t ThrowsThatClimb(const Position& p) const {
    const bool free = Running(p) < kRunners;
    unsigned usable = 0;
    for (int column = 0; column < columns_; ++column) {
      const int length = lengths_[column], runner = p.runners[column];
      const int reached = runner != 0 ? runner : p.heights[p.mover][column];
      if (p.heights[1 - p.mover][column] < length && reached < length && (runner != 0 || free)) usable |= 1u << column;
    }
    const unsigned others = ~usable & ((1u << columns_) - 1);
    return every_throw_ - within_[others];
  }

  static int Running(const Position& p) {
    return static_cast<int>(std::count_if(std::begin(p.runners), std::end(p.runners), [](int at) { return at != 0; }));
  }

  double Heuristic(const Position& p) const {
    double kept = 1.0;
    if (p.acting == kChance) kept = static_cast<double>(ThrowsThatClimb(p)) / static_cast<double>(every_throw_);
    double mean[2], best[2];
    for (int player = 0; player < 2; ++player) {
      std::array<double, kMostColumns> parts{};
      double sum = 0.0, squares = 0.0;
      for (int column = 0; column < columns_; ++column) {
        double steps = p.heights[player][column];
        if (player == p.mover && p.runners[column] != 0) steps += kept * (p.runners[column] - steps);
        parts[column] = steps / lengths_[column];
        sum += parts[column];
      }
      const auto end = parts.begin() + to_win_;
      std::partial_sort(parts.begin(), end, parts.begin() + columns_, std::greater<>());
      for (auto part = parts.begin(); part != end; ++part) squares += *part * *part;
      mean[player] = sum / columns_;
      best[player] = squares / to_win_;
    }
    double total = 2.3 * (mean[0] - mean[1]);
    total += 1.34 * (best[0] - best[1]);
    if (p.acting == kChance) total += 0.07 * (p.mover == 0 ? kept : -kept);
    return std::tanh(total);
  }

  // Network encoding, before a throw: both sides' heights and the runners by column, columns won, free runners, and the
  // probability that the throw allows a climb.
  static constexpr int kChances = 256;  // the probability of a climb is counted in this many parts

  // Own heights, other heights and runners; columns won by each; free runners; the probability of a climb.
  int Inputs() const { return 3 * board_ + 2 + kRunners + 2; }
  float Unit(int input) const { return input == Inputs() - 1 ? 1.0f / kChances : 1.0f; }
  int Most(int input) const {
    if (input == Inputs() - 1) return kChances;
    return input == 3 * board_ || input == 3 * board_ + 1 ? columns_ : 1;
  }

  void Encode(const Position& p, Features& features) const {
    const std::uint8_t* parts[] = {p.heights[p.mover], p.heights[1 - p.mover], p.runners};
    int base = 0;
    int won[3] = {};
    for (int part = 0; part < 3; ++part) {
      for (int column = 0; column < columns_; ++column) {
        const int height = parts[part][column];
        if (height > 0) Add(features, base + height - 1, 1);
        won[part] += height == lengths_[column];
        base += lengths_[column];
      }
    }
    Add(features, base, won[0]);
    Add(features, base + 1, won[1]);
    Add(features, base + 2 + std::max(0, kRunners - Running(p)), 1);
    Add(features, Inputs() - 1, static_cast<int>(ThrowsThatClimb(p) * kChances / every_throw_));
  }

 private:
  static constexpr int kRoll = 0;
  static constexpr int kStop = 1;
  static constexpr int kPass = 2;
  static constexpr int kFirstClimb = 3;
  static constexpr int kNone = -1;

  using Climbs = std::array<std::uint8_t, kMostClimbs>;
  struct Throw {
    double probability;
    std::vector<std::pair<int, int>> pairings;  // as columns, the lower one first
  };
  // What a mover may do in each column, and how many runners are free.
  struct Rooms {
    std::array<std::uint8_t, kMostColumns> steps;  // left for a runner there; 0 also if none can be placed
    std::array<bool, kMostColumns> running;
    int free;
  };

  static int LengthOf(const State& state, int column) {
    const int columns = static_cast<int>(2 * state.parameters[0] - 1);
    return static_cast<int>(state.parameters[1]) + 2 * std::min(column, columns - 1 - column);
  }

  void ListThrows() {
    every_throw_ = static_cast<std::int64_t>(sides_) * sides_ * sides_ * sides_;
    for (int a = 1; a <= sides_; ++a) {
      for (int b = a; b <= sides_; ++b) {
        for (int c = b; c <= sides_; ++c) {
          for (int d = c; d <= sides_; ++d) {
            std::vector<std::pair<int, int>> pairings;
            for (const auto& [first, second] : {std::pair{a + b, c + d}, {a + c, b + d}, {a + d, b + c}}) {
              pairings.emplace_back(std::min(first, second) - 2, std::max(first, second) - 2);
            }
            std::sort(pairings.begin(), pairings.end());
            pairings.erase(std::unique(pairings.begin(), pairings.end()), pairings.end());
            const double ways = Ways({a, b, c, d});
            throws_.push_back({ways / static_cast<double>(every_throw_), std::move(pairings)});
          }
        }
      }
    }
  }

  // The number of orders of these dice.
  static int Ways(std::array<int, 4> dice) {
    int ways = 0;
    do {
      ++ways;
    } while (std::next_permutation(dice.begin(), dice.end()));
    return ways;
  }

  // within_[columns]: the number of throws whose pairs are all for these columns, computed by sums over subsets.
  void CountThrows() {
    within_.assign(std::size_t{1} << columns_, 0);
    for (const Throw& thrown : throws_) {
      unsigned columns = 0;
      for (const auto& [first, second] : thrown.pairings) columns |= 1u << first | 1u << second;
      within_[columns] += std::lrint(thrown.probability * static_cast<double>(every_throw_));
    }
    for (int column = 0; column < columns_; ++column) {
      for (std::size_t set = 0; set < within_.size(); ++set) {
        if (set >> column & 1u) within_[set] += within_[set ^ std::size_t{1} << column];
      }
    }
  }

  Rooms RoomsOf(const Position& p) const {
    Rooms rooms{};
    rooms.free = kRunners - Running(p);
    for (int column = 0; column < columns_; ++column) {
      const auto at = static_cast<std::size_t>(column);
      const int length = lengths_[column], runner = p.runners[column];
      rooms.running[at] = runner != 0;
      if (p.heights[1 - p.mover][column] == length || (runner == 0 && rooms.free <= 0)) continue;
      rooms.steps[at] = static_cast<std::uint8_t>(length - (runner != 0 ? runner : p.heights[p.mover][column]));
    }
    return rooms;
  }

  // The actions that a throw allows, ascending; only a pass if there are none. `climbs` holds zeros at first.
  void ListClimbs(const Rooms& rooms, const Throw& thrown, Climbs& climbs) const {
    const auto add = [&](int action) {
      auto moved = static_cast<std::uint8_t>(action);
      for (std::uint8_t& climb : climbs) {
        if (climb == moved) return;
        if (climb == 0 || climb > moved) std::swap(climb, moved);
        if (moved == 0) return;
      }
    };
    for (const auto& [first, second] : thrown.pairings) {
      const auto one = static_cast<std::size_t>(first), two = static_cast<std::size_t>(second);
      const bool able_first = rooms.steps[one] > 0, able_second = rooms.steps[two] > 0;
      if (first == second) {
        if (able_first) add(rooms.steps[one] > 1 ? pairs_[one][one] : kFirstClimb + first);
      } else if (able_first && able_second) {
        // Both must be climbed, unless only one runner is left for two new columns: then either one.
        if (rooms.free > 1 || rooms.running[one] || rooms.running[two]) {
          add(pairs_[one][two]);
        } else {
          add(kFirstClimb + first);
          add(kFirstClimb + second);
        }
      } else if (able_first || able_second) {
        add(kFirstClimb + (able_first ? first : second));
      }
    }
    if (climbs[0] == 0) climbs[0] = kPass;
  }

  static void Climb(Position& p, int column) {
    const int reached = p.runners[column] != 0 ? p.runners[column] : p.heights[p.mover][column];
    p.runners[column] = reached + 1;
  }

  // The mover's runners stay; the other player's progress in a column now won no longer matters.
  void Keep(const Position& p, Position& next) const {
    int won = 0;
    for (int column = 0; column < columns_; ++column) {
      std::uint8_t& own = next.heights[p.mover][column];
      own = std::max(own, p.runners[column]);
      if (own != lengths_[column]) continue;
      next.heights[1 - p.mover][column] = 0;
      ++won;
    }
    if (won >= to_win_) next.acting = kTerminal;
  }

  int sides_;
  int columns_;
  int to_win_;
  int lengths_[kMostColumns] = {};
  int board_ = 0;                             // total number of steps in all columns
  std::vector<std::pair<int, int>> climbed_;  // the columns of each action
  std::uint8_t pairs_[kMostColumns][kMostColumns] = {};
  std::vector<Throw> throws_;
  std::int64_t every_throw_ = 0;
  std::vector<std::int32_t> within_;
};

}  // namespace starspiel
