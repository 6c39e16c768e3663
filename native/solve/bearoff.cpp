#include "bearoff.hpp"

namespace starspiel {
namespace {

constexpr int kFaces = 6;
using Men = std::array<std::int8_t, kBearoffPoints>;
// Where a checker's move from each point leads; -1 if there is no such move.
using Moves = std::array<std::int32_t, kBearoffPoints>;

// The positions of at most `men` checkers.
class Positions {
 public:
  explicit Positions(int men) : men_(BearoffCount(men)), pips_(men_.size()), after_(men_.size()) {
    Men place{};
    Fill(place, 0, men);
    for (std::size_t position = 0; position < men_.size(); ++position) {
      for (int point = 0; point < kBearoffPoints; ++point) pips_[position] += (point + 1) * men_[position][point];
      for (int die = 1; die <= kFaces; ++die) after_[position][die] = MovesOf(men_[position], die);
    }
  }

  std::size_t size() const { return men_.size(); }
  int pips(std::size_t position) const { return pips_[position]; }
  const Moves& after(std::size_t position, int die) const { return after_[position][die]; }

  // All positions, fewest pips first.
  std::vector<std::int32_t> ByPips() const {
    std::vector<std::int32_t> order(size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [this](std::int32_t position) { return pips_[position]; });
    return order;
  }

 private:
  void Fill(Men& place, int point, int left) {
    if (point == kBearoffPoints) {
      men_[BearoffRank(place.data())] = place;
      return;
    }
    for (int here = 0; here <= left; ++here) {
      place[point] = here;
      Fill(place, point + 1, left - here);
    }
    place[point] = 0;
  }

  // A checker bears off with the exact number, or from the farthest point with a greater one.
  static Moves MovesOf(const Men& men, int die) {
    Moves moves;
    moves.fill(-1);
    bool farthest = true;
    for (int point = kBearoffPoints - 1; point >= 0; --point) {
      if (men[point] == 0) continue;
      if (point + 1 >= die || farthest) {
        Men left = men;
        --left[point];
        if (point + 1 > die) ++left[point - die];
        moves[point] = BearoffRank(left.data());
      }
      farthest = false;
    }
    return moves;
  }

  std::vector<Men> men_;
  std::vector<int> pips_;
  std::vector<std::array<Moves, kFaces + 1>> after_;
};

double Chance(int low, int high) { return (low == high ? 1.0 : 2.0) / (kFaces * kFaces); }

// The best play of the remaining dice: the fewest rolls on average, and the resulting position.
struct Best {
  double mean = 0.0;
  std::int32_t goal = 0;
};

// The best of the moves, with the best play after each in `rest`; ties go to the nearest checker.
Best Least(const Moves& moves, const std::vector<Best>& rest) {
  Best best{std::numeric_limits<double>::infinity(), 0};
  for (const std::int32_t move : moves) {
    if (move >= 0 && rest[move].mean < best.mean) best = rest[move];
  }
  return best;
}

// The positions that a roll can lead to, without duplicates.
std::vector<std::int32_t> Reached(const Positions& positions, std::int32_t from, int low, int high) {
  std::vector<std::int32_t> reached;
  const auto play = [&positions](std::vector<std::int32_t> places, int die) {
    std::vector<std::int32_t> next;
    for (const std::int32_t place : places) {
      if (place == 0) next.push_back(0);
      for (const std::int32_t move : positions.after(place, die)) {
        if (move >= 0) next.push_back(move);
      }
    }
    std::ranges::sort(next);
    next.erase(std::ranges::unique(next).begin(), next.end());
    return next;
  };
  if (low == high) return play(play(play(play({from}, low), low), low), low);
  reached = play(play({from}, low), high);
  for (const std::int32_t place : play(play({from}, high), low)) reached.push_back(place);
  std::ranges::sort(reached);
  reached.erase(std::ranges::unique(reached).begin(), reached.end());
  return reached;
}

}  // namespace

std::vector<double> MakeBearoffOneSided(std::size_t done) {
  const Positions positions(kBearoffMen);
  std::vector<double> rolls(positions.size() * kBearoffRolls);
  for (std::size_t position = 0; position < done; ++position) rolls[position * kBearoffRolls] = 1.0;
  // The fewest and the most rolls that each position may need.
  std::vector<std::pair<int, int>> between(positions.size(), {0, 0});
  // By die and number of such dice still to play.
  std::array<std::array<std::vector<Best>, 5>, kFaces + 1> rest;
  for (int die = 1; die <= kFaces; ++die) {
    for (int dice = 1; dice <= 4; ++dice) rest[die][dice].resize(positions.size());
  }
  std::vector<Best> played(positions.size());  // with none left to play
  for (const std::int32_t position : positions.ByPips()) {
    if (static_cast<std::size_t>(position) < done) continue;
    for (int die = 1; die <= kFaces; ++die) {
      for (int dice = 1; dice <= 4; ++dice) {
        rest[die][dice][position] = Least(positions.after(position, die), dice == 1 ? played : rest[die][dice - 1]);
      }
    }
    double expected = 1.0;
    std::array<double, kBearoffRolls> spread{};
    for (int low = 1; low <= kFaces; ++low) {
      for (int high = low; high <= kFaces; ++high) {
        Best best;
        if (low == high) {
          best = rest[low][4][position];
        } else {
          best = Least(positions.after(position, low), rest[high][1]);
          const Best other = Least(positions.after(position, high), rest[low][1]);
          if (other.mean < best.mean) best = other;
        }
        const double chance = Chance(low, high);
        expected += chance * best.mean;
        const double* then = &rolls[best.goal * kBearoffRolls];
        const auto [fewest, most] = between[best.goal];
        for (int k = fewest; k <= most; ++k) spread[k + 1] += chance * then[k];
      }
    }
    auto& [fewest, most] = between[position];
    for (most = kBearoffRolls - 1; spread[most] == 0.0;) --most;
    while (spread[fewest] == 0.0) ++fewest;
    std::ranges::copy(spread, &rolls[position * kBearoffRolls]);
    played[position] = {expected, position};
  }
  return rolls;
}

std::vector<double> MakeBearoffTwoSided(int men) {
  const Positions positions(men);
  const std::vector<std::int32_t> order = positions.ByPips();
  const std::size_t count = order.size();
  std::vector<std::int32_t> place(count);
  for (std::size_t i = 0; i < count; ++i) place[order[i]] = i;
  // By index in pip order: the win probability of the player about to roll, and of the one who has just moved.
  std::vector<double> wins(count * count), played(count * count, 0.0);
  std::fill_n(played.begin(), count, 1.0);
  // The indices that each roll can lead to.
  struct Roll {
    double chance;
    std::vector<std::int32_t> reached;
  };
  std::vector<std::vector<Roll>> rolls(count);
  for (std::size_t own = 1; own < count; ++own) {
    for (int low = 1; low <= kFaces; ++low) {
      for (int high = low; high <= kFaces; ++high) {
        std::vector<std::int32_t> reached = Reached(positions, order[own], low, high);
        for (std::int32_t& each : reached) each = place[each];
        rolls[own].push_back({Chance(low, high), std::move(reached)});
      }
    }
  }
  std::vector<double> best(count);
  // Solves `own` against the others from `begin` to `end`; needs `played` for positions of fewer pips.
  const auto solve = [&](std::size_t own, std::size_t begin, std::size_t end) {
    double* won = &wins[own * count];
    for (const Roll& roll : rolls[own]) {
      const double* first = &played[roll.reached[0] * count];
      std::copy(first + begin, first + end, best.begin() + begin);
      for (std::size_t i = 1; i < roll.reached.size(); ++i) {
        const double* next = &played[roll.reached[i] * count];
        for (std::size_t other = begin; other < end; ++other) best[other] = std::max(best[other], next[other]);
      }
      for (std::size_t other = begin; other < end; ++other) won[other] += roll.chance * best[other];
    }
    for (std::size_t other = begin; other < end; ++other) played[other * count + own] = 1.0 - won[other];
  };
  // A level holds the positions of equal pips. Its own positions need the other side's of fewer pips, then those of the
  // level itself; the other side's positions of fewer pips need these.
  for (std::size_t begin = 1, end; begin < count; begin = end) {
    end = begin;
    while (end < count && positions.pips(order[end]) == positions.pips(order[begin])) ++end;
    for (std::size_t own = begin; own < end; ++own) solve(own, 1, begin);
    for (std::size_t own = begin; own < end; ++own) solve(own, begin, end);
    for (std::size_t own = 1; own < begin; ++own) solve(own, begin, end);
  }
  std::vector<double> table(count * count, 0.0);
  std::fill_n(table.begin(), count, 1.0);
  for (std::size_t own = 1; own < count; ++own) {
    for (std::size_t other = 1; other < count; ++other)
      table[order[own] * count + order[other]] = wins[own * count + other];
  }
  for (std::size_t own = 0; own < count; ++own) table[own * count] = 0.0;
  return table;
}

}  // namespace starspiel
