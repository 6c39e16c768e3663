"""By what dice the games of a store were played: what its runs say, and the seeds and keys that are known."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from starspiel.envs.base import Game
from starspiel.envs.named import canonical_name
from starspiel.evaluation.play.dice import Dice, game_dice, game_key, meeting_key, number_of_key
from starspiel.evaluation.store.keys import meeting_of, pair_id
from starspiel.evaluation.store.rows import StoredGame

#: A number that a key goes by is above this, but for one in a thousand million.
_SEEDS = 2**32


class _Said(msgspec.Struct, frozen=True):
    """What the settings of a run say of its dice; of early runs not whether they had a key."""

    game: str
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
        return self.seed >= _SEEDS and (self.secret or self.keyed is not False)


class Meeting(NamedTuple):
    """A way in which a run has played the agents of a game: what its pairs' ids and dice come from."""

    identities: tuple[str, ...]
    clock: float | None
    kind: str
    dice_kind: str


class Thrown:
    """The dice of stored games.

    Args:
        runs: the settings of all runs of the store.
        attempts: by pair, which attempt its games are of, if not the first: see `Store.attempts`.
        key: the tournament's, if it is known from elsewhere.
    """

    def __init__(
        self, runs: Iterable[Mapping[str, Any]], attempts: Mapping[str, int], key: str | None = None
    ) -> None:
        self._attempts = attempts
        self._runs: list[_Said] = []
        for config in runs:
            try:
                self._runs.append(msgspec.convert(config, _Said))
            except msgspec.ValidationError:
                continue
        keys = [key, *(run.key for run in self._runs)]
        self._keys = {number_of_key(each): each for each in keys if each is not None}
        self._secret_seeds = {run.seed for run in self._runs if run.has_key}
        self._meetings: dict[tuple[str, int, tuple[str, ...]], list[Meeting]] = {}

    def meetings(self, stored: StoredGame, pair: str, context: str) -> list[tuple[Meeting, bool]]:
        """How runs on record have played a pair, and whether its games have dice of their own; nearly always
        one, and none if none has played it."""
        return [
            (meeting, own_dice)
            for meeting in self._of(stored)
            for own_dice in (False, True)
            if pair == _id_of(meeting, stored, context, own_dice=own_dice)
        ]

    def dice(
        self,
        stored: StoredGame,
        pair: str,
        meetings: list[tuple[Meeting, bool]],
        game: Game,
        *,
        again: bool,
    ) -> list[Dice] | None:
        """The dice that a game may have been played by, one for each; None if their key is not known."""
        secret: str | int | None = self._keys.get(stored.seed)
        if secret is None and stored.seed in self._secret_seeds:
            return None
        names = sorted(stored.names) if len(stored.names) > 1 else ()
        found = []
        for meeting, own_dice in meetings:
            of_all = meeting_key(secret or stored.seed, canonical_name(game), names, meeting.dice_kind)
            attempt = self._attempts.get(pair, 0)
            key = game_key(of_all, stored.number, stored.start, again=again, attempt=attempt)
            found.append(game_dice(key, stored.names if own_dice else ()))
        return found

    def _of(self, stored: StoredGame) -> list[Meeting]:
        which = stored.game, stored.seed, stored.names
        known = self._meetings.get(which)
        if known is None:
            said = {
                Meeting(
                    tuple([run.agents[name] for name in stored.names]),
                    run.clock,
                    run.kind or ("sprt" if run.sprt else ""),
                    run.kind,
                )
                for run in self._runs
                if (run.game, run.seed) == which[:2] and all(name in run.agents for name in stored.names)
            }
            known = self._meetings[which] = sorted(said, key=repr)
        return known


def _id_of(meeting: Meeting, stored: StoredGame, context: str, *, own_dice: bool) -> str:
    agents = zip(stored.names, meeting.identities, strict=True)
    known = meeting_of(context, agents, own_dice=own_dice)
    return pair_id(known, stored.number, stored.start, meeting.clock, meeting.kind)
