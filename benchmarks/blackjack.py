"""What an agent wins in Blackjack that sees the dealer's hidden card, and one that redraws it.

    python benchmarks/blackjack.py [hands]

Prints the mean return a hand of Gymnasium's Blackjack-v1 with its 95% interval, for searches on the situation
as it is (`hidden=seen`) and on situations redrawn to match what is shown (`hidden=redraw`), on the same
seeds, beside the greatest mean without seeing the hidden card. That is computed exactly: every card is drawn
from an endless deck.
"""

import math
import statistics
import sys
import time
from functools import cache

import gymnasium

from starspiel import EnvAgent

AGENT = "star2ss(depth=2,width=8)"
HANDS = 600
#: Card values with their chances, the ace as 1.
CARDS = dict.fromkeys(range(1, 10), 1 / 13) | {10: 4 / 13}

Hand = tuple[int, bool]


def with_card(hand: Hand, card: int) -> Hand:
    """(total with aces as 1, whether there is an ace) after one more card."""
    return hand[0] + card, hand[1] or card == 1


def total(hand: Hand) -> int:
    """The best total: an ace counts 11 where that is at most 21."""
    return hand[0] + 10 if hand[1] and hand[0] + 10 <= 21 else hand[0]


@cache
def dealer(hand: Hand) -> dict[int, float]:
    """The chances of the dealer's final totals, 0 for more than 21; he draws below 17."""
    if total(hand) >= 17:
        return {total(hand) if total(hand) <= 21 else 0: 1.0}
    ends: dict[int, float] = {}
    for card, chance in CARDS.items():
        for end, share in dealer(with_card(hand, card)).items():
            ends[end] = ends.get(end, 0.0) + chance * share
    return ends


@cache
def value(hand: Hand, shows: int) -> float:
    """The greatest expected return of a hand, by what the dealer shows."""
    ends = dealer((shows, shows == 1))
    stick = sum(share * ((total(hand) > end) - (total(hand) < end)) for end, share in ends.items())
    hit = 0.0
    for card, chance in CARDS.items():
        after = with_card(hand, card)
        hit += chance * (value(after, shows) if total(after) <= 21 else -1.0)
    return max(stick, hit)


def optimum() -> float:
    """The greatest expected return of a hand dealt at random."""
    deals = [
        (a, b, shows, CARDS[a] * CARDS[b] * CARDS[shows]) for a in CARDS for b in CARDS for shows in CARDS
    ]
    return sum(chance * value((a + b, 1 in (a, b)), shows) for a, b, shows, chance in deals)


def main() -> None:
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else HANDS
    print(f"{AGENT}, {hands:,} hands each\n")
    print("| hidden | mean return a hand | processor seconds a hand |\n|---|---:|---:|")
    won: dict[str, list[float]] = {}
    for hidden in ("seen", "redraw"):
        env = gymnasium.make("Blackjack-v1")
        agent = EnvAgent(AGENT, env, seed=1, utility_range=(-1, 1), hidden=hidden)
        begun = time.process_time()
        won[hidden] = [agent.play(seed) for seed in range(hands)]
        seconds = (time.process_time() - begun) / hands
        print(f"| {hidden} | {interval(won[hidden])} | {seconds:.3f} |", flush=True)
    print(f"| the optimum without it | {optimum():+.4f} | |")
    differences = [seen - redrawn for seen, redrawn in zip(won["seen"], won["redraw"], strict=True)]
    print(f"\nSeeing the hidden card is worth {interval(differences)} a hand.")


def interval(returns: list[float]) -> str:
    """The mean with its 95% interval."""
    half = 1.96 * statistics.stdev(returns) / math.sqrt(len(returns))
    return f"{statistics.fmean(returns):+.3f} ± {half:.3f}"


if __name__ == "__main__":
    main()
