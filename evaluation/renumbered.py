"""Translates the record of a pair to the agent indices of another field."""

from collections.abc import Sequence

from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Outcome, PairRecord, Void


def renumbered(record: PairRecord, place: Sequence[int]) -> tuple[Pair, list[Outcome], list[Void]]:
    """Returns pair, outcomes and void faults of a record; `place` maps its agents to the other field."""
    outcomes = [game.outcome for game in record.games]
    return (
        Pair(tuple([place[agent] for agent in record.pair.agents]), record.pair.number),
        [own._replace(agents=tuple([place[agent] for agent in own.agents])) for own in outcomes],
        [void._replace(agent=place[void.agent]) for void in record.voids],
    )
