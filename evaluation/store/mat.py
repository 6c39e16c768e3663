"""Writes stored backgammon games in the .mat format."""

from collections.abc import Iterable
from typing import TextIO

from starspiel.envs.errors import StarspielError
from starspiel.envs.gnubg.mat import MAT_HEAD, mat_game
from starspiel.envs.load import load_game
from starspiel.envs.plays.plays import is_backgammon
from starspiel.evaluation.play.course import retraced
from starspiel.evaluation.store.rows import StoredGame


def write_mat(games: Iterable[StoredGame], out: TextIO) -> None:
    """Writes the games in order as one session, each with its players and their points before it.

    The player in the first seat of the first game stays on the left when the players swap seats.

    Raises StarspielError at a game that is not backgammon, or of a third player: programs that read a session
    know two, and credit them with all games. If that is the first game, nothing is written.
    """
    points: dict[str, int] = {}
    first: tuple[str, ...] = ()
    for number, stored in enumerate(games, 1):
        rules = load_game(stored.game)
        if not is_backgammon(rules.new_initial_state()):
            raise StarspielError(f"game {stored.id} is of {stored.game}; .mat is for games of backgammon.")
        names = stored.names
        if not first:
            out.write(MAT_HEAD)
        first = first or names
        if set(names) != set(first):
            raise StarspielError(
                f"game {stored.id} is between {' and '.join(names)}; a .mat session has two players, here "
                f"{' and '.join(first)}. Play these two in a store of their own."
            )
        heads = [f"{name.replace(':', ' ')} : {points.get(name, 0)}" for name in names]
        steps = ((state, action) for state, action, _ in retraced(rules, stored.record.actions))
        won = int(stored.record.returns[0])
        out.write(mat_game(number, heads, steps, won, left=int(names[::-1] == first != names)))
        winner = names[won < 0]
        points[winner] = points.get(winner, 0) + abs(won)
