"""What an agent wins in Blackjack that sees the dealer's hidden card, and one that redraws it.

    python benchmarks/blackjack.py [hands]

Prints the mean return a hand of Gymnasium's Blackjack-v1 with its 95% interval, for searches on the situation
as it is (`hidden=seen`) and on situations redrawn to match what is shown (`hidden=redraw`), on the same
seeds, beside the greatest mean without seeing the hidden card. That is computed exactly: every card is drawn
from an endless deck. So is what each decision costs of an agent that knows no more than is shown: the optimum
less that is its mean return with the luck of the cards taken out.
"""

import math
import statistics
import sys
import time
from collections.abc import Sequence
from functools import cache

import gymnasium

from starspiel import EnvAgent

AGENT = "star2ss(depth=2,width=32)"
HANDS = 400
#: Card values with their chances, the ace as 1.
CARDS = dict.fromkeys(range(1, 10), 1 / 13) | {10: 4 / 13}

Hand = tuple[int, bool]


def with_card(hand: Hand, card: int) -> Hand:
    """(total with aces as 1, whether there is an ace) after one more card."""
    return hand[0] + card, hand[1] or card == 1


def total(hand: Hand) -> int:
    """The best total: an ace counts 11 if that is at most 21."""
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
def values(hand: Hand, shows: int) -> tuple[float, float]:
    """The expected returns of sticking, and of hitting and the best after it, by what the dealer shows."""
    ends = dealer((shows, shows == 1))
    stick = sum(share * ((total(hand) > end) - (total(hand) < end)) for end, share in ends.items())
    hit = 0.0
    for card, chance in CARDS.items():
        after = with_card(hand, card)
        hit += chance * (max(values(after, shows)) if total(after) <= 21 else -1.0)
    return stick, hit


def optimum() -> float:
    """The greatest expected return of a hand dealt at random."""
    deals = [
        (a, b, shows, CARDS[a] * CARDS[b] * CARDS[shows]) for a in CARDS for b in CARDS for shows in CARDS
    ]
    return sum(chance * max(values((a + b, 1 in (a, b)), shows)) for a, b, shows, chance in deals)


def play(agent: EnvAgent, seed: int) -> tuple[float, float]:
    """The return of a hand, and what its decisions cost beside the best without seeing the hidden card."""
    (best, shows, usable), info = agent.env.reset(seed=seed)
    won, cost, over = 0.0, 0.0, False
    while not over:
        action = agent.act(info)
        found = values((best - 10, True) if usable else (best, False), shows)
        cost += max(found) - found[action]
        (best, shows, usable), reward, over, _, info = agent.env.step(action)
        won += float(reward)
    return won, cost


def main() -> None:
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else HANDS
    print(f"{AGENT}, {hands:,} hands each\n")
    print(
        "| hidden | mean return a hand | by its decisions | processor seconds a hand |\n|---|---:|---:|---:|"
    )
    for hidden in ("seen", "redraw"):
        env = gymnasium.make("Blackjack-v1")
        agent = EnvAgent(AGENT, env, seed=1, utility_range=(-1, 1), hidden=hidden)
        begun = time.process_time()
        won, costs = zip(*(play(agent, seed) for seed in range(hands)), strict=True)
        seconds = (time.process_time() - begun) / hands
        decided = "" if hidden == "seen" else interval([optimum() - cost for cost in costs])
        print(f"| {hidden} | {interval(won)} | {decided} | {seconds:.3f} |", flush=True)
    print(f"| the best without it | | {optimum():+.4f} | |")


def interval(returns: Sequence[float]) -> str:
    """The mean with its 95% interval."""
    half = 1.96 * statistics.stdev(returns) / math.sqrt(len(returns))
    return f"{statistics.fmean(returns):+.3f} ± {half:.3f}"


if __name__ == "__main__":
    main()
