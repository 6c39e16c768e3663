"""Reads the stored pairs of a schedule, from which a tournament resumes and a ladder is rated."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import nan
from operator import attrgetter
from typing import Any, NamedTuple, get_type_hints

import msgspec
import numpy as np

from starspiel.envs.base import utility_sum
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.lineups import seated
from starspiel.evaluation.play.outcomes import Outcomes, in_order
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Cost, Facts, Luck, Outcome, Void, impossible
from starspiel.evaluation.store.rows import actions_of, luck_from, other_seats
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.tables import COLUMN_SEATS, COSTS

#: A function (actions, skip) that measures the luck in a game; the first `skip` actions are a start position.
LuckOf = Callable[[Sequence[int], int], Luck]
#: Selects the pairs whose first attempt was void, or that contain a forfeit.
_FAULTY = (
    "SELECT id FROM pairs WHERE voided != '[]' UNION SELECT pair FROM games WHERE fault_kind IS NOT NULL"
)


class Finished(NamedTuple):
    """The stored pairs of a schedule.

    Attributes:
        faultless: the outcomes of pairs without a fault.
        faulty: (pair, outcomes, faults of the void attempt) of each of the others.
    """

    faultless: Outcomes
    faulty: list[tuple[Pair, list[Outcome], list[Void]]]

    @property
    def pairs(self) -> set[Pair]:
        """All stored pairs."""
        return {*self.faultless.pairs, *(pair for pair, _, _ in self.faulty)}

    def each(self) -> Iterator[tuple[Pair, list[Outcome], list[Void]]]:
        """Yields (pair, outcomes in the order of its seatings, faults of a void attempt) of each pair."""
        for pair, outcomes in self.faultless.each():
            yield pair, outcomes, []
        yield from self.faulty

    def impossible(self, bounds: tuple[float, float] | None, total: float | None) -> str | None:
        """Describes returns that the game's rules make impossible; None if there are none."""
        seats = self.faultless.seats
        returns = self.faultless.returns[:, : seats if seats > 2 else 1]
        ends = [float(returns.min()), float(returns.max())] if returns.size else []
        if seats == 2 and total == 0.0:
            for game in np.flatnonzero(self.faultless.returns.sum(axis=1)).tolist():
                if said := impossible(self.faultless.returns[game].tolist(), total=total):
                    return said
        outcomes = (outcome for _, its_outcomes, _ in self.faulty for outcome in its_outcomes)
        for outcome in outcomes:
            if outcome.fault is None:
                ends += outcome.returns if seats > 2 else outcome.returns[:1]
        return next((said for end in ends if (said := impossible([end], bounds))), None)


def finished(
    store: Store,
    job: Job,
    schedule: Sequence[Pair],
    luck_of: LuckOf | None = None,
    on_luck: Callable[[int, int], None] | None = None,
) -> Finished:
    """Returns the outcomes of every scheduled pair that is stored, except forfeits by other limits than now.

    Luck that is missing for the job's evaluator is first measured by `luck_of` from the stored moves, and
    stored; `on_luck` is called with the number of games done and in total. Without `luck_of`, nothing is
    written. Raises StarspielError if the store is damaged, or if returns are impossible in the game.
    """
    store.check()
    with store.explained() as db:  # A schedule may have a million pairs: keep only those with stored numbers.
        numbers = {number for (number,) in db.execute("SELECT DISTINCT number FROM pairs")}
    pairs = [pair for pair in schedule if pair.number in numbers]
    wanted = dict(zip(job.pair_ids(pairs), pairs, strict=True))
    if job.luck_identity is not None and luck_of is not None:
        _measure_luck(store, job, wanted, luck_of, on_luck)
    try:
        found = _found(store, wanted, job.names, job.game.num_players, job.context, job.luck_identity)
    except KeyError as error:
        raise StarspielError(
            f"the store {store.path} is damaged: {error} plays in a pair of other agents. Use a copy or "
            "another file."
        ) from None
    if said := found.impossible(job.game.utility_range, utility_sum(job.game)):
        raise StarspielError(
            f"the store {store.path} holds a game with {said}: it has been altered, or the rules break "
            f"their promise. `starspiel verify {store.path}` compares all of its games with the rules."
        )
    return found


def held(store: Store, game: str, names: Sequence[str], seats: int) -> Finished:
    """Returns the outcomes of every pair, or block, of these agents in a game, for all versions and seeds.

    In the games of a block, an agent is in seat 0 as often as the number of seats it holds, so the lineup
    follows from seat 0. The order of the seats follows from the block's number.
    """
    store.check()
    query = (
        "SELECT pairs.id, json_group_array(seat0), number FROM games JOIN pairs ON pairs.id = games.pair "
        "WHERE pairs.game = ? GROUP BY pairs.id HAVING count(*) = ?"
    )
    index = {name: number for number, name in enumerate(names)}
    wanted = {}
    with store.explained() as db:
        for identity, seated_first, number in db.execute(query, (game, seats)):
            agents = [index.get(name, -1) for name in msgspec.json.decode(seated_first)]
            if min(agents) >= 0:
                lineup = tuple(sorted(agents))
                wanted[identity] = Pair(seated(lineup, number) if seats > 2 else lineup, number)
    return _found(store, wanted, names, seats)


def _found(
    store: Store,
    wanted: Mapping[str, Pair],
    names: Sequence[str],
    seats: int,
    context: str | None = None,
    evaluator: str | None = None,
) -> Finished:
    """Returns the wanted pairs of a context; without one, of all contexts, with forfeits by any limit."""
    index = {name: number for number, name in enumerate(names)}
    with store.explained() as db:
        rows = db.execute("SELECT game, value FROM luck WHERE evaluator = ?", (evaluator,))
        luck = {game: luck_from(value) for game, value in rows}
        of_context = "(?1 IS NULL OR games.context = ?1) AND games.pair"
        names_of = ", ".join(_kinds(seats))
        records = "" if seats <= len(COLUMN_SEATS) else "JOIN records ON records.game = games.id"
        query = f"SELECT {names_of} FROM games {records} WHERE {of_context} NOT IN ({_FAULTY})"
        rows = db.execute(f"{query} ORDER BY games.rowid", (context,))
        faultless = _faultless((row for row in rows if row[0] in wanted), wanted, index, luck, seats)
        faulty = []
        found = store.rows(f"{of_context} IN ({_FAULTY})", context)
        for identity, its_rows in groupby(found, key=attrgetter("pair")):  # A pair's games lie together.
            games = [row for row in its_rows if context is None or store.is_by_limits(row)]
            pair = wanted.get(identity)
            if pair is None or len(games) != len(pair.agents):
                continue
            outcomes = in_order(
                pair,
                [
                    game.outcome._replace(
                        agents=tuple([index[name] for name in game.names]), luck=luck.get(game.id, nan)
                    )
                    for game in games
                ],
            )
            voids = [Void(index[name], kind, message) for name, kind, message in games[0].voided]
            faulty.append((pair, outcomes, voids))
    return Finished(faultless, faulty)


def _kinds(seats: int) -> dict[str, Any]:
    """Returns column -> array type of the columns that `_faultless` reads."""
    here = COLUMN_SEATS[:seats]
    return {
        "pair": object,
        "id": object,
        **{f"seat{seat}": object for seat in here},
        **{f"return{seat}": float for seat in here},
        **get_type_hints(Facts),
        **{name: float for seat in here for name in COSTS[seat]},
        **({"moves": object} if seats > len(here) else {}),
    }


def _faultless(
    rows: Iterable[tuple[Any, ...]],
    wanted: Mapping[str, Pair],
    index: Mapping[str, int],
    luck: Mapping[str, Luck],
    seats: int,
) -> Outcomes:
    """Returns the games of complete pairs. Raises msgspec.ValidationError if a column has invalid numbers."""
    kinds = _kinds(seats)
    try:
        found = np.fromiter(rows, dtype=list(kinds.items()))
    except (OverflowError, TypeError, ValueError) as error:
        raise msgspec.ValidationError(f"a column of games: {error}") from None
    games = Counter(found["pair"].tolist())
    found = found[np.array([games[pair] == seats for pair in found["pair"]], dtype=bool)]
    if not all(np.isfinite(found[name]).all() for name, kind in kinds.items() if kind is not object):
        raise msgspec.ValidationError("a column of games has a number that is not finite")

    unknown = (nan,) * seats if seats > 2 else nan
    lucks = [luck.get(identity, unknown) for identity in found["id"]]
    if any(np.shape(each) != np.shape(unknown) for each in lucks):
        raise msgspec.ValidationError("the luck of some games has another number of seats")

    def side_by_side(names: Sequence[str]) -> Any:
        return np.stack([found[name] for name in names], axis=1)

    here = COLUMN_SEATS[:seats]
    agents = [[index[name] for name in found[f"seat{seat}"]] for seat in here]
    outcomes = Outcomes(
        pairs=[wanted[pair] for pair, number in games.items() if number == seats],
        agents=np.array(agents, dtype=int).T,
        returns=side_by_side([f"return{seat}" for seat in here]),
        luck=np.array(lucks, dtype=float).reshape(len(lucks), *np.shape(unknown)),
        facts={name: found[name] for name in Facts._fields},
        costs=np.stack([side_by_side(COSTS[seat]) for seat in here], axis=1),
    )
    return outcomes if seats == len(here) else _with_others(outcomes, found["moves"], index, seats)


def _with_others(outcomes: Outcomes, moves: Iterable[str], index: Mapping[str, int], seats: int) -> Outcomes:
    """Returns the outcomes with the seats added for which the table of games has no columns."""
    others = [other_seats(each) for each in moves]
    missing = seats - len(COLUMN_SEATS)
    if any(len(each) != missing for each in others):
        raise msgspec.ValidationError(f"the records of some games do not have {missing} more seats")
    games = len(others)
    agents = [[index[other.agent] for other in each] for each in others]
    returns = [[other.returned for other in each] for each in others]
    costs = [[other.cost for other in each] for each in others]
    return replace(
        outcomes,
        agents=np.hstack([outcomes.agents, np.array(agents, dtype=int).reshape(games, missing)]),
        returns=np.hstack([outcomes.returns, np.array(returns, dtype=float).reshape(games, missing)]),
        costs=np.hstack([outcomes.costs, np.array(costs, dtype=float).reshape(games, missing, len(Cost()))]),
    )


def _measure_luck(
    store: Store,
    job: Job,
    wanted: Mapping[str, Pair],
    luck_of: LuckOf,
    on_luck: Callable[[int, int], None] | None,
) -> None:
    query = (
        "SELECT id, pair FROM games WHERE context = ? AND fault_kind IS NULL AND id NOT IN "
        "(SELECT game FROM luck WHERE evaluator = ?) ORDER BY rowid"
    )
    with store.explained() as db:  # Fetches all rows, because an open query would block SQLite's checkpoints.
        rows = db.execute(query, (job.context, job.luck_identity)).fetchall()
    missing = [(identity, wanted[pair]) for identity, pair in rows if pair in wanted]
    for number, (identity, pair) in enumerate(missing, start=1):
        with store.saving() as db:
            [moves] = db.execute("SELECT moves FROM records WHERE game = ?", (identity,)).fetchone()
            store.save_luck(job, identity, luck_of(actions_of(moves), len(job.starts[pair.start])))
        if on_luck is not None:
            on_luck(number, len(missing))
    store.commit()
