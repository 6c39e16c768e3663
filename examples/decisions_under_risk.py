"""A decision under risk as a game with chance: how to prepare for an attack with smallpox.

A defender chooses a defence, then comes an attack, then the costs turn out. If an adversary chooses the
attack, one search gives the minimax choice; if attacks have probabilities, the same search gives the least
expected loss. Costs are random: chance draws one of many tables of costs. Amounts are billions of dollars.

Run from this folder: python decisions_under_risk.py FOLDER
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from charts import Line, bar_chart, line_chart, save_chart
from numpy.typing import NDArray

from starspiel import Limits, search
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules

DEFENCES = (
    "stockpile",
    "stockpile, biosurveillance",
    "stockpile, first responders",
    "inoculate everybody",
)
ATTACKS = ("none", "one city", "several cities")
#: The chances of the attacks if they have some: what the pages' tables are made with.
SMALL, COORDINATED = 0.04, 0.01
TABLES = 10_000

Line4 = tuple[int, ...]
Costs = NDArray[np.float64]


def random_costs(tables: int, seed: int) -> Costs:
    """`tables` draws of what each defence costs under each attack: tables x 4 x 3, in billions of dollars.

    The costs of treatment, inoculation and the economy and the number of doses are the problem's; all others
    are assumptions of this example.
    """
    rng = np.random.default_rng(seed)

    def normal(mean: float, deviation: float) -> Costs:
        return np.maximum(rng.normal(mean, deviation, tables), 0.0)

    def gamma(mean: float, deviation: float) -> Costs:
        shape = (mean / deviation) ** 2
        return rng.gamma(shape, mean / shape, tables)

    stock = 209e6 * normal(2.0, 0.4) / 1e9  # 209 million doses
    treatment = normal(200_000, 50_000) / 1e9  # of a case
    inoculation = normal(60_000, 10_000) / 1e9  # of 25,000 people
    surveillance, harm = normal(1.0, 0.3), normal(60_000, 15_000) / 1e9  # harm: of one serious side effect
    everybody, responders = 150e6 / 25_000, 10e6 / 25_000
    side_effects = 40e-6 * harm * 25_000  # of 25,000 inoculations
    prepared = np.stack(
        [
            stock,
            stock + surveillance,
            stock + responders * (inoculation + side_effects),
            stock + everybody * (inoculation + side_effects),
        ]
    )
    costs = np.repeat(prepared[:, None, :], 3, axis=1)
    # Of the cases and of the economic cost of an attack, what remains under each defence.
    remains = np.array([1.0, 0.7, 0.8, 0.15])
    # An attack goes its own way against each defence, so that each cell of a table has draws of its own.
    for attack, cities, cases in ((1, 1, 1_000.0), (2, 5, 4_000.0)):
        for defence in range(4):
            economic = sum(gamma(5.0, 10.0) for _ in range(cities))
            harmed = sum(gamma(cases, cases) for _ in range(cities))
            costs[defence, attack] += remains[defence] * (economic + harmed * treatment)
    return np.ascontiguousarray(costs.transpose(2, 0, 1))


class Preparedness(Rules[Line4]):
    """The defender is player 0 and maximises the negative of the cost.

    Args:
        small, coordinated: probabilities of an attack on one city and on several; both 0: somebody chooses.
        tables, seed: how many random tables of costs chance draws from.
    """

    num_distinct_actions = 4

    def __init__(
        self, small: float = 0.0, coordinated: float = 0.0, tables: int = TABLES, seed: int = 1
    ) -> None:
        self.name = f"decisions_under_risk:Preparedness({small=},{coordinated=},{tables=},{seed=})"
        self.costs = random_costs(tables, seed)
        self.adversary = small == coordinated == 0
        self._attacks = ((0, 1 - small - coordinated), (1, small), (2, coordinated))
        self._draws = tuple((table, 1 / tables) for table in range(tables))
        self.max_chance_outcomes = max(3, tables)
        self.utility_range = (-float(self.costs.max()), 0.0)

    def initial(self) -> Line4:
        return ()

    def player(self, position: Line4) -> int:
        return (0, 1 if self.adversary else CHANCE, CHANCE, TERMINAL)[len(position)]

    def actions(self, position: Line4) -> tuple[int, ...]:
        return (0, 1, 2) if position else (0, 1, 2, 3)

    def chances(self, position: Line4) -> tuple[tuple[int, float], ...]:
        return self._attacks if len(position) == 1 else self._draws

    def apply(self, position: Line4, action: int) -> Line4:
        return (*position, action)

    def utility(self, position: Line4) -> float:
        defence, attack, table = position
        return -float(self.costs[table, defence, attack])

    def action_name(self, position: Line4, player: int, action: int) -> str:
        names: tuple[Any, ...] = (DEFENCES, ATTACKS, [f"table {action + 1}"] * (action + 1))
        return str(names[len(position)][action])

    def draw(self, position: Line4) -> str:
        return (
            ", ".join(self.action_name(position[:step], 0, action) for step, action in enumerate(position))
            or "nothing is prepared yet"
        )

    def observation(self, position: Line4, player: int) -> NDArray[np.float32]:
        seen = np.zeros(7, np.float32)
        seen[[action + offset for action, offset in zip(position, (0, 4), strict=False)]] = 1
        return seen


def losses(game: Preparedness) -> list[float]:
    """What each defence costs in the end, by one search of the game."""
    result = search(game.new_initial_state(), "star2", Limits(depth=3), evaluator="zero")
    return [-result.action_values[defence] for defence in range(4)]


def mixed(table: Costs, iterations: int = 2_000) -> tuple[list[float], list[float], float]:
    """OpenSpiel's CFR+ on a table of costs: the defender's and the attacker's mixture, and the cost."""
    matrix = pyspiel.create_matrix_game(
        "defence", "defence", list(DEFENCES), list(ATTACKS), (-table).tolist(), table.tolist()
    )
    game = pyspiel.convert_to_turn_based(matrix)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy, start = solver.average_policy(), game.new_initial_state()
    defender = policy.action_probabilities(start)
    attacker = policy.action_probabilities(start.child(0))
    rows = [defender[action] for action in range(4)]
    columns = [attacker[action] for action in range(3)]
    return rows, columns, float(np.array(rows) @ table @ np.array(columns))


def has_saddle(table: Costs) -> bool:
    """Whether neither side gains by mixing: least of the row's greatest is greatest of the column's least."""
    return bool(table.max(axis=1).min() <= table.min(axis=0).max() + 1e-12)


def turning_points(mean: Costs, small: float, most: float = 0.06) -> list[tuple[float, int]]:
    """(probability of an attack on several cities, least expected loss from there on), from 0 to `most`."""
    found: list[tuple[float, int]] = []
    for chance in np.linspace(0, most, 20_001):
        best = int((mean @ np.array([1 - small - chance, small, chance])).argmin())
        if not found or found[-1][1] != best:
            found.append((float(chance), best))
    return found


def best_shares(costs: Costs) -> tuple[Counter[int], Counter[int], int]:
    """How often each defence is the minimax choice and the least expected loss, and how many tables have no
    saddle point."""
    chances = np.array([1 - SMALL - COORDINATED, SMALL, COORDINATED])
    minimax = Counter(costs.max(axis=2).argmin(axis=1).tolist())
    expected = Counter((costs @ chances).argmin(axis=1).tolist())
    return minimax, expected, sum(not has_saddle(table) for table in costs)


def draw_all(folder: Path) -> None:
    """Prints what docs/decisions_under_risk.md says, and writes its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    worst, expected = losses(Preparedness()), losses(Preparedness(SMALL, COORDINATED))
    costs = random_costs(TABLES, 1)
    mean = costs.mean(axis=0)
    for defence, name in enumerate(DEFENCES):
        cells = "  ".join(f"{cost:7.3f}" for cost in mean[defence])
        print(f"{name:27} {cells}   worst {worst[defence]:7.3f}   expected {expected[defence]:7.3f}")
    rows, columns, value = mixed(mean)
    print(
        "mixture:",
        [round(share, 3) for share in rows],
        [round(share, 3) for share in columns],
        f"{value:.3f}",
    )
    minimax, least, unsettled = best_shares(costs)
    for defence, name in enumerate(DEFENCES):
        print(f"{name:27} minimax {minimax[defence] / TABLES:.1%}, expected {least[defence] / TABLES:.1%}")
    print(f"no saddle point: {unsettled} of {TABLES}")
    example = next((table for table in costs if not has_saddle(table)), None)
    if example is not None:
        rows, columns, value = mixed(example)
        print(
            "one of them:",
            np.round(example, 2).tolist(),
            [round(r, 2) for r in rows],
            [round(c, 2) for c in columns],
            f"{value:.2f}",
        )
    points = turning_points(mean, SMALL)
    print("turning points:", [(round(at, 4), DEFENCES[best]) for at, best in points])
    chances = np.linspace(0, 0.06, 25)
    lines = [
        Line(name, [(float(p), float(mean[d] @ [1 - SMALL - p, SMALL, p])) for p in chances])
        for d, name in enumerate(DEFENCES)
    ]
    marks = [(at, f"from {at:.3f}: {DEFENCES[best]}") for at, best in points[1:]]
    save_chart(
        line_chart(
            lines,
            title=f"Expected loss by the chance of an attack on several cities (one city: {SMALL:g})",
            across="probability of a coordinated attack",
            up="billions of dollars",
            marks=marks,
        ),
        folder / "decision_expected.svg",
    )
    save_chart(
        bar_chart(
            [
                (name, (100 * minimax[defence] / TABLES, 100 * least[defence] / TABLES))
                for defence, name in enumerate(DEFENCES)
            ],
            names=("minimax: the worst attack", "least expected loss"),
            title=f"How often each defence is best, of {TABLES:,} random tables",
            unit=" %",
        ),
        folder / "decision_shares.svg",
    )
    small = Preparedness(SMALL, COORDINATED, tables=2)
    result = search(small.new_initial_state(), "star2", Limits(depth=3), evaluator="zero")
    result.tree().save(folder / "decision_tree.svg", shown=24)


if __name__ == "__main__":
    draw_all(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
