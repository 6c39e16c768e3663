// What the next roll can do for one side of backgammon, counted over all 36: hit blots, and bring men past the points
// that the opponent has made. Points are bits by distance from home, 25 the bar.
#pragma once

#include "standard.hpp"

namespace starspiel {

class BackgammonRolls {
 public:
  static constexpr int kRolls = 36;
  static constexpr int kBar = 25;

  // `men` and `other`: checkers of this side and of the opponent, each by its own distance.
  BackgammonRolls(const std::int8_t* men, const std::int8_t* other) : men_(men) {
    for (int distance = 1; distance < kBar; ++distance) {
      own_ |= static_cast<std::uint32_t>(men[distance] > 0) << distance;
      made_ |= static_cast<std::uint32_t>(other[kBar - distance] > 1) << distance;
      blots_ |= static_cast<std::uint32_t>(other[kBar - distance] == 1) << distance;
    }
  }

  struct Shots {
    int rolls = 0;  // of 36, that can hit a blot
    int pips = 0;   // that the opponent loses to the best hit, summed over the 36
  };

  Shots CountShots() const {
    Shots shots;
    if (blots_ == 0) return shots;
    for (int high = 1; high <= 6; ++high) {
      for (int low = 1; low <= high; ++low) {
        const std::uint32_t landed = low == high ? Landed(low, low, 4) : Landed(low, high, 2) | Landed(high, low, 2);
        const std::uint32_t hit = landed & blots_;
        if (hit == 0) continue;
        const int count = low == high ? 1 : 2;
        shots.rolls += count;
        shots.pips += count * (std::bit_width(hit) - 1);
      }
    }
    return shots;
  }

  // Of 36, the rolls of which a man at this distance cannot play both dice.
  int Blocked(int distance) const {
    const std::uint32_t ahead = distance >= 12 ? made_ >> (distance - 12) : made_ << (12 - distance);
    return kBlocked[ahead & 0xfff];
  }

  // The same summed over all men.
  int BlockedMen() const {
    int sum = men_[kBar] * Blocked(kBar);
    for (std::uint32_t rest = own_; rest != 0; rest &= rest - 1) {
      const int distance = std::countr_zero(rest);
      sum += men_[distance] * Blocked(distance);
    }
    return sum;
  }

 private:
  // Where men may land that move so many times by turns `first` and `second`; those on the bar enter first.
  std::uint32_t Landed(int first, int second, int moves) const {
    std::uint32_t points = own_, landed = 0;
    for (int move = 0, waiting = men_[kBar]; move < moves; ++move, std::swap(first, second)) {
      const std::uint32_t from = waiting > 0 ? std::uint32_t{1} << kBar : points;
      const std::uint32_t to = (from >> first) & ~made_ & kPoints;
      if (waiting > 0 && to == 0) break;
      --waiting;
      points |= to;
      landed |= to;
    }
    return landed;
  }

  // By the twelve points ahead, the farthest of them the lowest bit.
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
  std::uint32_t own_ = 0, made_ = 0, blots_ = 0;
};

inline constexpr std::array<std::uint8_t, 4096> BackgammonRolls::kBlocked = BackgammonRolls::MakeBlocked();

}  // namespace starspiel
