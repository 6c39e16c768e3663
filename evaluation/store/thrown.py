"""By what dice the games of a store were played: what its runs say, and the seeds and keys that are known."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from starspiel.envs.base import Game
from starspiel.envs.identity import canonical_name
from starspiel.evaluation.play.dice import Dice, game_dice, game_key, meeting_key, number_of_key
from starspiel.evaluation.store.keys import meeting_of, pair_id
from starspiel.evaluation.store.rows import StoredGame

#: Numbers that keys go by are nearly always above this, seeds that people choose below.
_SEEDS = 2**32


#: Why the dice of a game are not known that is not what any run would have played.
NO_RUN = "no run on record has played them"


class _Said(msgspec.Struct, frozen=True):
    """What the settings of a run say of its dice; of early runs not whether they had a key."""

    agents: dict[str, str]
    seed: int
    clock: float | None = None
    sprt: str | None = None
    secret: bool = False
    kind: str = ""
    key: str | None = None
    keyed: bool | None = None

    @property
    def has_key(self) -> bool:
        return self.secret or (self.seed >= _SEEDS if self.keyed is None else self.keyed)


class _Meeting(NamedTuple):
    """A way in which a run has played the agents of a game: what its pairs' ids and dice come from."""

    identities: tuple[str, ...]
    clock: float | None
    kind: str
    dice_kind: str


class Thrown:
    """The dice of stored games.

    Args:
        runs: the settings of all runs of the store.
        key: the tournament's, if it is known from elsewhere.
    """

    def __init__(self, runs: Iterable[Mapping[str, Any]], key: str | None = None) -> None:
        self._runs: list[_Said] = []
        for config in runs:
            try:
                self._runs.append(msgspec.convert(config, _Said))
            except msgspec.ValidationError:
                continue
        keys = [key, *(run.key for run in self._runs)]
        self._keys = {number_of_key(each): each for each in keys if each is not None}
        self._secret_seeds = {run.seed for run in self._runs if run.has_key}
        self._meetings: dict[tuple[str, ...], list[_Meeting]] = {}

    def of(self, stored: StoredGame, pair: str, context: str, game: Game, *, again: bool) -> list[Dice] | str:
        """The dice that a game may have been played by, nearly always one, or why they are not known."""
        secret: str | int | None = self._keys.get(stored.seed)
        if secret is None and stored.seed in self._secret_seeds:
            return "the key of their dice is not known"
        found: list[Dice] = []
        for meeting in self._of(stored.names):
            agents = list(zip(stored.names, meeting.identities, strict=True))
            for own_dice in (False, True):
                known = meeting_of(context, agents, own_dice=own_dice)
                if pair_id(known, stored.number, stored.start, meeting.clock, meeting.kind) == pair:
                    names = sorted(stored.names) if len(stored.names) > 1 else ()
                    of_all = meeting_key(
                        secret or stored.seed, canonical_name(game), names, meeting.dice_kind
                    )
                    key = game_key(of_all, stored.number, stored.start, again=again)
                    found.append(game_dice(key, stored.names if own_dice else ()))
        return found or NO_RUN

    def _of(self, names: tuple[str, ...]) -> list[_Meeting]:
        known = self._meetings.get(names)
        if known is None:
            said = {
                _Meeting(
                    tuple([run.agents[name] for name in names]),
                    run.clock,
                    run.kind or ("sprt" if run.sprt else ""),
                    run.kind,
                )
                for run in self._runs
                if all(name in run.agents for name in names)
            }
            known = self._meetings[names] = sorted(said, key=repr)
        return known
