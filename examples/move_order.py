"""What the order of moves saves, step by step: nothing, merging, a table, ordering.

Run from this folder: python move_order.py FOLDER
"""

import random
import sys
from pathlib import Path

from charts import bar_chart, save_chart

from starspiel import Limits, load_game, search
from starspiel.envs.base import possible_outcomes

#: Games and depths; positions are met by random play.
GAMES = {"backgammon": 2, "einstein_wurfelt_nicht": 4, "royal_game_of_ur": 4, "dice": 4}
POSITIONS, EVENTS = 4, 16
STEPS = {
    "the game's order": {"merge": False, "table_mb": None, "order": False},
    "equal positions merged": {"merge": True, "table_mb": None, "order": False},
    "and a table": {"merge": True, "table_mb": 64, "order": False},
    "and ordering": {"merge": True, "table_mb": 64, "order": True},
}


def nodes(game: str, depth: int, positions: int = POSITIONS) -> dict[str, int]:
    """The nodes that Star2 visits in all of the positions, by what is on. The value is the same each time."""
    rules, found = load_game(game), dict.fromkeys(STEPS, 0)
    for seed in range(positions):
        rng, state = random.Random(seed), rules.new_initial_state()
        for _ in range(EVENTS):
            if state.is_chance_node():
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                state = state.child(rng.choices(outcomes, chances)[0])
            else:
                state = state.child(rng.choice(state.legal_actions()))
        while state.is_chance_node():
            state = state.child(state.chance_outcomes()[0][0])
        values = []
        for name, options in STEPS.items():
            result = search(
                state,
                "star2",
                Limits(depth=depth),
                evaluator="heuristic",
                exact_action_values=False,
                **options,  # type: ignore[arg-type]
            )
            values.append(result.value)
            found[name] += result.nodes
        assert max(values) - min(values) < 1e-9, (game, values)
    return found


def draw_all(folder: Path) -> None:
    """Prints the table of docs/move_order.md, and writes its picture."""
    folder.mkdir(parents=True, exist_ok=True)
    bars = []
    for game, depth in GAMES.items():
        found = nodes(game, depth)
        whole = found["the game's order"]
        print(f"{game}, depth {depth}:", "  ".join(f"{name} {count:,}" for name, count in found.items()))
        bars.append((f"{game}, {depth} plies", [100 * count / whole for count in found.values()]))
    chart = bar_chart(
        bars, names=list(STEPS), title="Nodes that Star2 visits, of those in the game's order", unit=" %"
    )
    save_chart(chart, folder / "move_order.svg")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
