"""Reconstructs the dice of a store's games, from its runs and from known seeds and keys."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from starspiel.envs.base import Game
from starspiel.envs.named import canonical_name
from starspiel.evaluation.job import meeting_of, pair_id
from starspiel.evaluation.play.dice import Dice, game_dice, game_key, meeting_key, number_of_key
from starspiel.evaluation.play.pairing import least_rotation
from starspiel.evaluation.store.rows import StoredRow


class _Run(msgspec.Struct, frozen=True):
    """The settings of a run that determine its dice."""

    game: str
    agents: dict[str, str]
    seed: int
    clock: float | None = None
    kind: str = ""
    key: str | None = None
    keyed: bool = False


class Way(NamedTuple):
    """A run whose settings yield a pair's id, and whether each game then had its own dice."""

    run: _Run
    own_dice: bool


class Thrown:
    """The dice of stored games, from the settings of all runs, and a key that the store need not contain.

    `attempts` maps a pair's id to the attempt that its games belong to, if that is not 0.
    """

    def __init__(
        self, runs: Iterable[Mapping[str, Any]], attempts: Mapping[str, int], key: str | None = None
    ) -> None:
        self._attempts = attempts
        self._runs: dict[tuple[str, int], list[_Run]] = {}
        keys = {key}
        for config in runs:
            with suppress(msgspec.ValidationError):
                run = msgspec.convert(config, _Run)
                keys.add(run.key)
                self._runs.setdefault((run.game, run.seed), []).append(run)
        self._keys = {number_of_key(each): each for each in keys if each is not None}

    def ways(self, row: StoredRow) -> list[Way]:
        """Returns how the stored runs may have played a pair: nearly always one way, none if no run did."""
        found: dict[tuple[str, bool], Way] = {}
        for run in self._runs.get((row.game, row.seed), ()):
            if not all(name in run.agents for name in row.names):
                continue
            for own_dice in (False, True):
                agents = ((name, run.agents[name]) for name in row.names)
                meeting = meeting_of(row.context or "", agents, own_dice=own_dice)
                if row.pair == pair_id(meeting, row.number, row.start, run.clock, run.kind):
                    found.setdefault((run.kind, own_dice), Way(run, own_dice))
        return list(found.values())

    def dice(self, row: StoredRow, ways: Iterable[Way], game: Game) -> list[Dice] | None:
        """Returns the dice of a game, one for each way; None if a key is needed and not known."""
        names = least_rotation(row.names) if len(row.names) > 1 else ()
        found = []
        for run, own_dice in ways:
            secret: str | int | None = self._keys.get(row.seed)
            if secret is None and run.keyed:
                return None
            key = game_key(
                meeting_key(secret or row.seed, canonical_name(game), names, run.kind),
                row.number,
                row.start,
                again=bool(row.voided),
                attempt=self._attempts.get(row.pair, 0),
            )
            found.append(game_dice(key, row.names if own_dice else ()))
        return found
