// What the next roll can do for one side in backgammon, counted over all 36 rolls: hit blots, and move checkers past
// the opponent's made points. Points are bits by distance from home; 25 is the bar.
#pragma once

#include "standard.hpp"

namespace starspiel {

class BackgammonRolls {
 public:
  static constexpr int kRolls = 36;
  static constexpr int kBar = 25;

  // `men` and `other`: the checkers of this side and the opponent, each by its own distance.
  BackgammonRolls(const std::int8_t* men, const std::int8_t* other)
      : men_(men), own_(AtLeast<1>(men)), made_(Turned(AtLeast<2>(other))), blots_(Turned(AtLeast<1>(other)) & ~made_) {}

  struct Shots {
    int rolls = 0;  // of 36, those that can hit a blot
    int pips = 0;   // lost by the opponent to the best hit, summed over the 36

    void Count(std::uint32_t hit, int times) {
      if (hit == 0) return;
      rolls += times;
      pips += times * (std::bit_width(hit) - 1);
    }
  };

  Shots CountShots() const {
    Shots shots;
    const std::uint32_t last = men_[kBar] > 0 ? std::uint32_t{1} << kBar : std::bit_floor(own_);
    if ((blots_ & (last - 1)) == 0) return shots;
    std::uint32_t one[7], two[7];  // by the die played first: where it lands checkers, and from where they may go on
    for (int die = 1; die <= 6; ++die) {
      one[die] = Landed(From(0, 0), die);
      two[die] = men_[kBar] > 0 && one[die] == 0 ? 0 : From(1, one[die]);
    }
    for (int high = 1; high <= 6; ++high) {
      std::uint32_t landed = one[high] | Landed(two[high], high);
      for (int move = 2; move < 4 && two[high] != 0; ++move) landed |= Landed(From(move, landed), high);
      shots.Count(landed & blots_, 1);
      for (int low = 1; low < high; ++low) {
        shots.Count((one[high] | one[low] | Landed(two[high], low) | Landed(two[low], high)) & blots_, 2);
      }
    }
    return shots;
  }

  // The number of rolls, of 36, of which a checker at this distance cannot play both dice.
  int Blocked(int distance) const {
    const std::uint32_t ahead = distance >= 12 ? made_ >> (distance - 12) : made_ << (12 - distance);
    return kBlocked[ahead & 0xfff];
  }

  // The same summed over all checkers.
  int BlockedMen() const {
    int sum = men_[kBar] * Blocked(kBar);
    for (std::uint32_t rest = own_; rest != 0; rest &= rest - 1) {
      const int distance = std::countr_zero(rest);
      sum += men_[distance] * Blocked(distance);
    }
    return sum;
  }

 private:
  // The points with at least `count` checkers, without the bar.
  template <std::uint64_t count>
  static std::uint32_t AtLeast(const std::int8_t* men) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint32_t points = 0;
    for (int first = 1; first < kBar; first += 8) {
      std::uint64_t word;
      std::memcpy(&word, men + first, sizeof word);
      const std::uint64_t tops = (word + (128 - count) * kOnes) >> 7 & kOnes;  // a bit of each byte, no byte above 127
      points |= static_cast<std::uint32_t>(tops * 0x0102040810204080 >> 56) << first;
    }
    return points;
  }

  // Mirrors the points to the other side's distances.
  static std::uint32_t Turned(std::uint32_t points) {
    points = (points >> 1 & 0x55555555) | (points & 0x55555555) << 1;
    points = (points >> 2 & 0x33333333) | (points & 0x33333333) << 2;
    points = (points >> 4 & 0x0f0f0f0f) | (points & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(points) >> (31 - kBar);
  }

  // Where the next move may start after `moves` moves, which ended at `landed`: checkers on the bar enter first.
  std::uint32_t From(int moves, std::uint32_t landed) const {
    return men_[kBar] > moves ? std::uint32_t{1} << kBar : own_ | landed;
  }
  std::uint32_t Landed(std::uint32_t from, int die) const { return (from >> die) & ~made_ & kPoints; }

  // Indexed by the twelve points ahead; the farthest is the lowest bit.
  static constexpr std::array<std::uint8_t, 4096> MakeBlocked() {
    std::array<std::uint8_t, 4096> blocked{};
    for (int ahead = 0; ahead < 4096; ++ahead) {
      for (int one = 1; one <= 6; ++one) {
        for (int other = 1; other <= 6; ++other) {
          const auto made = [&](int pips) { return (ahead >> (12 - pips) & 1) != 0; };
          blocked[ahead] += made(one + other) || (made(one) && made(other));
        }
      }
    }
    return blocked;
  }

  static constexpr std::uint32_t kPoints = (std::uint32_t{1} << kBar) - 2;
  static const std::array<std::uint8_t, 4096> kBlocked;

  const std::int8_t* men_;
  std::uint32_t own_, made_, blots_;
};

inline constexpr std::array<std::uint8_t, 4096> BackgammonRolls::kBlocked = BackgammonRolls::MakeBlocked();

}  // namespace starspiel
