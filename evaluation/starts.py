"""Reads and checks the positions that the games of a tournament start from."""

from collections.abc import Iterable, Sequence
from operator import index
from pathlib import Path
from typing import Any

from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.joint_move import JointMove, one_by_one

#: Histories to start games from, or a file of them.
StartsLike = Sequence[Sequence[int]] | str | Path | None


def read_starts(starts: StartsLike, game: Game) -> tuple[tuple[int, ...], ...]:
    """Returns the histories to start from, given as sequences, or in a file; by default the empty one.

    A file has one history per line, as actions separated by commas, and comments after #. Raises
    StarspielError if a history is illegal or ends the game, or if the file cannot be read.
    """
    if starts is None:
        return ((),)
    if isinstance(starts, str | Path):
        histories = _read_histories(Path(starts))
    elif isinstance(starts, Iterable):
        histories = [(f"start {number}", _history(start)) for number, start in enumerate(starts, start=1)]
    else:
        raise StarspielError(f"expected a list of start positions, or a file of them, got {shown(starts)}.")
    if not histories:
        raise StarspielError(f"{starts}: expected at least one start position, got none.")
    for where, history in histories:
        _check_history(game, where, history)
    return tuple(history for _, history in histories)


def _history(given: Any) -> tuple[int, ...]:
    try:
        return tuple(index(action) for action in given)
    except TypeError:
        raise StarspielError(f"expected a start position as a list of actions, got {shown(given)}.") from None


def _read_histories(path: Path) -> list[tuple[str, tuple[int, ...]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:  # ValueError: not a valid file name, or not a text file
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise StarspielError(f"cannot read the start positions {shown(str(path))}: {reason}.") from None
    histories = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            history = tuple(int(part) for part in text.split(","))
        except ValueError:
            raise StarspielError(
                f"{path}:{number}: expected actions such as 3,0,17, got {shown(text)}."
            ) from None
        histories.append((f"{path}:{number}", history))
    return histories


def _check_history(game: Game, where: str, history: Sequence[int]) -> None:
    state = one_by_one(game.new_initial_state())
    for number, action in enumerate(history, start=1):
        legal = list(state.legal_actions())
        if action not in legal:
            known = ", ".join(map(str, legal[:6])) + (", …" if len(legal) > 6 else "")
            raise StarspielError(
                f"{where}: action {number} of {len(history)}, {shown(action)}, is not legal in {game.name}; "
                + (f"expected one of {known}." if legal else "the game is over by then.")
            )
        state = one_by_one(state.child(action))
    if isinstance(state, JointMove) and state.chosen:
        raise StarspielError(
            f"{where}: all players of {game.name} move at once there; expected one move of each, got only "
            f"{list(state.chosen)}."
        )
    if state.is_terminal():
        raise StarspielError(f"{where}: the game is over there; expected a position to play from.")
