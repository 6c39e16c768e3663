"""Hauk, Buro & Schaeffer 2004, "*-Minimax performance in backgammon": nodes saved, probes, strength.

    python benchmarks/papers/hauk_2004.py [--positions 6] [--pairs 20]

The paper counts rolls as plies: its depths 1, 3 and 5 are our 1, 2 and 3 decision plies. Positions out of
random games with a fixed seed; the heuristic evaluator; equal successors once and moves in order of
value, as in the paper, and no table. A probe succeeds if it settles the chance node; that is counted
on the tree of two plies. The depths play each other in pairs of games with the same dice, by the network that
comes for the game, as the paper's players had one.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from published import Figure, report

import starspiel
from starspiel.agents.search.tree.node import TreeNode
from starspiel.evaluation.tournament import tournament


def positions(count: int, seed: int) -> list[Any]:
    """Decision nodes with a choice, one out of each random game."""
    rng, game, found = random.Random(seed), starspiel.load_game("backgammon"), []
    while len(found) < count:
        state, choices = game.new_initial_state(), []
        while not state.is_terminal() and len(choices) < 60:
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.child(rng.choices(outcomes, chances)[0])
            else:
                if len(state.legal_actions()) > 1:
                    choices.append(state)
                state = state.child(rng.choice(state.legal_actions()))
        found.append(rng.choice(choices))
    return found


def nodes(state: Any, algorithm: str) -> int:
    return starspiel.search(
        state,
        algorithm,
        starspiel.Limits(depth=3),
        "heuristic",
        engine="native",
        table_mb=None,
        ties="first",
        explain=False,
        exact_action_values=False,
    ).nodes


def probes(state: Any) -> tuple[int, int]:
    """(chance nodes that probes settled, chance nodes that were probed) two plies deep."""
    result = starspiel.search(
        state, "star2", starspiel.Limits(depth=2), "heuristic", engine="python", exact_action_values=False
    )
    ends: Counter[str] = Counter()

    def count(node: TreeNode) -> None:
        if node.kind == "chance" and node.source is not None and node.cut != "bounds" and node.depth:
            ends[node.cut] += 1
        for child in node.children:
            count(child)

    count(result.tree().root)
    return ends["Star2 probe"], ends.total()


def figures(count: int, pairs: int, seed: int) -> Iterator[Figure]:
    states = positions(count, seed)
    full = [nodes(state, "expectiminimax") for state in states]
    for name, published, band in (
        ("star1", "only a slight drop", (0.0, 0.25)),
        ("star2", "75 to 95", (0.75, 0.95)),
    ):
        saved = [(each - nodes(state, name), each) for state, each in zip(states, full, strict=True)]
        yield Figure.ratio(f"{name} saves of the nodes, depth 5, %", published, saved, band)
    settled = [probes(state) for state in states]
    yield Figure.ratio("probes that succeed, %", "64", settled, (0.5, 0.9))
    specs = [f"star2(depth={depth},evaluator=net)" for depth in (1, 2, 3)]
    result = tournament("backgammon", specs, pairs=pairs, seed=seed)
    for standing in sorted(result.standings, key=lambda standing: standing.agent):
        paper_depth = 2 * int(standing.agent.partition("depth=")[2][0]) - 1
        yield Figure(
            f"score of depth {paper_depth} against the others, %",
            "nearly alike",
            standing.mean,
            standing.mean_low,
            standing.mean_high,
            (0.4, 0.6),
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=6)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    title = (
        f"Hauk, Buro & Schaeffer 2004: backgammon, {given.positions} positions, {given.pairs} pairs of games"
    )
    return report(title, figures(given.positions, given.pairs, given.seed))


if __name__ == "__main__":
    sys.exit(main())
