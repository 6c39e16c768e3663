// Backgammon's bear-off tables, number for number those of agents/bearoff/tables.py.
#pragma once

#include "standard.hpp"

namespace starspiel {

constexpr int kBearoffPoints = 6, kBearoffMen = 15;
// More rolls than any position needs.
constexpr int kBearoffRolls = 32;

// Binomial coefficients: kBearoffChoose[n][k] ways to choose k of n.
inline constexpr auto kBearoffChoose = [] {
  std::array<std::array<std::size_t, kBearoffPoints + 1>, kBearoffMen + kBearoffPoints + 1> choose{};
  for (int n = 0; n <= kBearoffMen + kBearoffPoints; ++n) {
    choose[n][0] = 1;
    for (int k = 1; k <= kBearoffPoints; ++k) choose[n][k] = n == 0 ? 0 : choose[n - 1][k - 1] + choose[n - 1][k];
  }
  return choose;
}();

// The number of positions with at most `men` checkers.
constexpr std::size_t BearoffCount(int men) { return kBearoffChoose[men + kBearoffPoints][kBearoffPoints]; }

// The index of a position, from the checkers on each point 1 to 6 away: `rank` in agents/bearoff/positions.py.
inline std::size_t BearoffRank(const std::int8_t* men) {
  std::size_t rank = 0;
  int sum = 0;
  for (int point = 0; point < kBearoffPoints; ++point) {
    sum += men[point];
    rank += kBearoffChoose[sum + point][point + 1];
  }
  return rank;
}

// The index of the first position of 15 checkers.
constexpr std::size_t kBearoffAllOn = BearoffCount(kBearoffMen - 1);

// Positions x rolls: the probability of needing exactly that many rolls to reach a position with an index below `done`,
// by play that needs the fewest on average.
std::vector<double> MakeBearoffOneSided(std::size_t done);

// Own x other positions of at most `men` checkers: the roller's win probability, both sides playing perfectly.
std::vector<double> MakeBearoffTwoSided(int men);

}  // namespace starspiel
