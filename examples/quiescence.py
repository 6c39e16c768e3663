"""A position of banqi: a search that ends at its depth loses the general, and one that goes on does not.

    python examples/quiescence.py

The red general stands beside a black elephant, which a black soldier guards; nothing but a soldier takes a
general. One ply deep, to take the elephant is the gain of an elephant: the reply lies beyond the horizon.
"""

from typing import Any

import starspiel

#: Squares turned over in turn, and what they show: red in capitals, black in small letters.
TURNED = [((0, 0), "G"), ((3, 7), "h"), ((0, 2), "s"), ((0, 1), "e")]


def position() -> Any:
    """The position after these, red to move."""
    state = starspiel.load_game("banqi").new_initial_state()
    for (row, column), piece in TURNED:
        state = state.child(8 * row + column)
        shown = {state.action_to_string(outcome)[-1]: outcome for outcome, _ in state.chance_outcomes()}
        state = state.child(shown[piece])
    return state


def main() -> None:
    state = position()
    print(state)
    for depth, quiescence in ((1, 0), (1, 1), (2, 0)):
        limits = starspiel.Limits(depth=depth)
        result = starspiel.search(state, "star2", limits, "heuristic", quiescence=quiescence)
        print(
            f"depth={depth}, quiescence={quiescence}: {' '.join(result.line):24} value {result.value:+.3f}, "
            f"{result.nodes:,} nodes"
        )


if __name__ == "__main__":
    main()
