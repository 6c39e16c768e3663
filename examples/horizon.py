"""The horizon effect on one position: a move that only puts the loss off looks as if it averted it.

Run from this folder: python horizon.py FOLDER
"""

import sys
from pathlib import Path

from charts import Line, line_chart, save_chart

from starspiel import Limits, load_game, search
from starspiel.envs.boards import board_of

GAME = "connect_four"
#: Player 1, o, is to move, and lost.
HISTORY = (6, 1, 1, 5, 4, 3, 2, 6, 1, 2, 2, 4, 5, 2, 6, 3, 3, 1, 5, 6, 2)
DEPTHS = range(1, 9)


def values_by_depth() -> dict[int, dict[int, float]]:
    """For each depth the value of each move to player 1, with an evaluator that knows nothing."""
    state = load_game(GAME).new_initial_state()
    for action in HISTORY:
        state = state.child(action)
    found = {}
    for depth in DEPTHS:
        result = search(state, "star1", Limits(depth=depth), evaluator="zero", exact_action_values=True)
        found[depth] = {action: 0.0 - value for action, value in sorted(result.action_values.items())}
    return found


def draw_all(folder: Path) -> None:
    """Prints the table of docs/horizon.md, and writes its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    found = values_by_depth()
    for depth, values in found.items():
        print(depth, "  ".join(f"{action}: {value:+g}" for action, value in values.items()))
    state = load_game(GAME).new_initial_state()
    for action in HISTORY:
        state = state.child(action)
    board = board_of(state)
    assert board is not None
    (folder / "horizon_position.svg").write_text(
        board.svg("connect four, o to move").replace("<svg ", '<svg width="300" ', 1) + "\n", encoding="utf-8"
    )
    last = {action: min(d for d in DEPTHS if found[d][action] < 0) for action in found[1]}
    delaying = max(last, key=lambda action: last[action])
    lines = [
        Line(f"column {delaying}", [(d, found[d][delaying]) for d in DEPTHS]),
        Line(
            "the best of the other columns",
            [(d, max(value for action, value in found[d].items() if action != delaying)) for d in DEPTHS],
            dashed=True,
        ),
    ]
    chart = line_chart(
        lines, title="What a search of each depth thinks of o's moves", across="depth: plies", up="o's return"
    )
    save_chart(chart, folder / "horizon.svg")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
