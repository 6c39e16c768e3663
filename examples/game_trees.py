"""How many positions minimax, alpha-beta and the *-minimax searches look at, in trees of one shape.

Run from this folder: python game_trees.py FOLDER
"""

import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from charts import Line, line_chart, save_chart
from numpy.typing import NDArray

from starspiel import Limits, search
from starspiel.agents.search import SearchResult
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules

ORDERS = ("best", "random", "worst")

Node = tuple[int, int]


class UniformTree(Rules[Node]):
    """Every node has as many moves, players 0 and 1 in turn; the ends have random values in [-1, 1].

    A position is (level, number in it).

    Args:
        branching: moves of each decision.
        depth: decisions from the root to an end.
        outcomes: outcomes of the chance node after each decision; 0: there is none.
        order: whether the best move comes first at each decision, last, or anywhere.
        seed: of the values.
    """

    def __init__(
        self, branching: int = 4, depth: int = 4, outcomes: int = 0, order: str = "random", seed: int = 1
    ) -> None:
        self.name = f"game_trees:UniformTree({branching=},{depth=},{outcomes=},{order=},{seed=})".replace(
            "'", ""
        )
        self.num_distinct_actions = branching
        self.max_chance_outcomes = max(outcomes, 1)
        ply = (branching, outcomes) if outcomes else (branching,)
        self._wide = ply * depth
        self._players = [
            player for ply in range(depth) for player in ((ply % 2, CHANCE) if outcomes else (ply % 2,))
        ]
        self._moves, self._outcomes = (
            tuple(range(branching)),
            tuple((o, 1 / outcomes) for o in range(outcomes)),
        )
        # The values of the levels from the ends up, and from them the order of the moves.
        values: NDArray[Any] = np.random.default_rng(seed).uniform(-1, 1, int(np.prod(self._wide)))
        self._ends = values
        self._orders: dict[int, NDArray[Any]] = {}
        for level in reversed(range(len(self._wide))):
            below = values.reshape(-1, self._wide[level])
            player = self._players[level]
            if player == CHANCE:
                values = below.mean(axis=1)
                continue
            values = below.max(axis=1) if player == 0 else below.min(axis=1)
            from_best = np.argsort(-below if player == 0 else below, axis=1)
            self._orders[level] = {
                "best": from_best,
                "worst": from_best[:, ::-1],
                "random": np.broadcast_to(np.arange(branching), below.shape),
            }[order]
        self.value = float(values[0])

    def initial(self) -> Node:
        return 0, 0

    def player(self, position: Node) -> int:
        level = position[0]
        return TERMINAL if level == len(self._wide) else self._players[level]

    def actions(self, position: Node) -> tuple[int, ...]:
        return self._moves

    def chances(self, position: Node) -> tuple[tuple[int, float], ...]:
        return self._outcomes

    def apply(self, position: Node, action: int) -> Node:
        level, number = position
        order = self._orders.get(level)
        below = action if order is None else int(order[number, action])
        return level + 1, number * self._wide[level] + below

    def utility(self, position: Node) -> float:
        return float(self._ends[position[1]])

    def action_name(self, position: Node, player: int, action: int) -> str:
        return f"{'outcome' if player == CHANCE else 'move'} {action + 1}"

    def draw(self, position: Node) -> str:
        return f"level {position[0]}, number {position[1]}"

    def observation(self, position: Node, player: int) -> NDArray[np.float32]:
        return np.array([position[0] / len(self._wide)], np.float32)


def searched(algorithm: str, depth: int, **tree: Any) -> SearchResult:
    """One search of a whole tree, with nothing on that could help but the algorithm."""
    game = UniformTree(depth=depth, **tree)
    return search(
        game.new_initial_state(),
        algorithm,
        Limits(depth=depth + 1),  # chance nodes at the horizon are left to the evaluator
        evaluator="zero",
        engine="python",
        table_mb=None,
        merge=False,
        order=False,
        exact_action_values=False,
    )


def perfect(branching: int, depth: int) -> int:
    """The ends that alpha-beta looks at if the best move always comes first (Knuth & Moore 1975)."""
    return int(branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1)


def leaves(algorithm: str, depth: int, seeds: int, **tree: Any) -> float:
    """The mean number of ends that are looked at, over trees of several seeds."""
    return fmean(searched(algorithm, depth, seed=seed, **tree).leaves for seed in range(1, seeds + 1))


def without_chance(depths: range, branching: int = 4, seeds: int = 5) -> list[Line]:
    """Ends looked at by depth: minimax, and alpha-beta, which is Star1 without chance, by move order."""
    lines = [Line("minimax: b^d", [(d, leaves("expectiminimax", d, 1, branching=branching)) for d in depths])]
    for order in reversed(ORDERS):
        points = [(d, leaves("star1", d, seeds, branching=branching, order=order)) for d in depths]
        lines.append(
            Line(
                f"alpha-beta, {order} move first" if order != "random" else "alpha-beta, random order", points
            )
        )
    lines.append(Line("b^(d/2)", [(d, branching ** (d / 2)) for d in depths], dashed=True))
    return lines


def with_chance(depths: range, branching: int = 4, outcomes: int = 3, seeds: int = 3) -> list[Line]:
    """The same with a chance node after each move: expectiminimax, Star1 and Star2."""
    tree = {"branching": branching, "outcomes": outcomes}
    lines = [Line("expectiminimax: b^m n^m", [(d, leaves("expectiminimax", d, 1, **tree)) for d in depths])]
    for algorithm, order in (("star1", "random"), ("star1", "best"), ("star2", "random"), ("star2", "best")):
        said = "random order" if order == "random" else "best move first"
        points = [(d, leaves(algorithm, d, seeds, **tree, order=order)) for d in depths]
        lines.append(Line(f"{algorithm.title()}, {said}", points))
    return lines


def draw_all(folder: Path) -> None:
    """Prints the tables of docs/minimax.md, and writes its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines, title in (
        ("alpha_beta.svg", without_chance(range(1, 7)), "Ends looked at in a tree with 4 moves a node"),
        (
            "star_minimax.svg",
            with_chance(range(1, 5)),
            "The same with 3 outcomes after each move, values known to lie in [-1, 1]",
        ),
    ):
        for line in lines:
            print(f"{line.name:32}", "  ".join(f"{value:9,.0f}" for _, value in line.points))
        save_chart(
            line_chart(lines, title=title, across="depth: decisions", up="ends looked at", logarithmic=True),
            folder / name,
        )
    tree = UniformTree(branching=2, depth=3, order="best", seed=4)
    result = search(
        tree.new_initial_state(), "star1", Limits(depth=3), evaluator="zero", exact_action_values=False
    )
    result.tree().save(folder / "alpha_beta_tree.svg")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
