"""Schedules the pairs, or blocks, of a tournament according to its settings."""

import re
from collections.abc import Iterator
from dataclasses import replace

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.checked_settings import unexpected
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.lineups import blocks
from starspiel.evaluation.play.pairing import FORMATS, Pair, part, solo
from starspiel.evaluation.settings import Settings

#: The maximum number of games in a tournament; such a schedule takes a third of a gigabyte of memory.
MOST_GAMES = 2_000_000


def schedule_of(job: Job, settings: Settings) -> list[Pair]:
    """Returns all pairs of a tournament, in playing order.

    Raises StarspielError if there are none or too many, or if settings do not suit the game.
    """
    pairs = settings.pair_count
    if pairs < 1:
        raise StarspielError(f"expected at least 1 pair, got {pairs}.")
    if job.game.num_players > 2:
        schedule = _blocks(job, settings)
    else:
        if settings.blocks is not None:
            raise StarspielError(
                f"blocks are for games of more than two players, and {job.game.name} has "
                f"{job.game.num_players}: give pairs."
            )
        make = solo if job.game.num_players == 1 else FORMATS[settings.format]
        a_round = sum(len(list(pair.seatings())) for pair in make(len(job.names), 1))
        _check_size(a_round * pairs, f"{MOST_GAMES // a_round:,} pairs a meeting")
        schedule = make(len(job.names), pairs, len(job.starts))
    if settings.part is None:
        return list(schedule)
    wanted = f"pairs={pairs}" if job.game.num_players <= 2 else f"blocks={settings.block_count}"
    if not (share := list(part(schedule, *_part(settings)))):
        raise StarspielError(
            f"the part {settings.part} holds no games: {len(job.names)} agents and {wanted} are not "
            "enough for so many parts. The parts before it hold all games: leave this one out."
        )
    return share


def _blocks(job: Job, settings: Settings) -> Iterator[Pair]:
    """Yields the blocks of a game of more than two players; they do not depend on the order of the agents."""
    agents, seats, least = len(job.names), job.game.num_players, settings.block_count
    gauntlet, together = settings.format == "gauntlet", min(agents, seats) - 1
    rounds = (agents - 1) / together * (1 if gauntlet else agents / (together + 1))
    _check_size(int(rounds * seats * least), f"{int(MOST_GAMES / (rounds * seats)):,} blocks of every two")
    by_name = sorted(range(agents), key=lambda agent: (gauntlet and agent > 0, job.names[agent]))
    for block in blocks(agents, seats, least, len(job.starts), gauntlet=gauntlet):
        yield replace(block, agents=tuple([by_name[agent] for agent in block.agents]))


def _check_size(games: int, most: str) -> None:
    """Raises StarspielError if a schedule has too many games."""
    if games > MOST_GAMES:
        raise StarspielError(
            f"expected at most {MOST_GAMES:,} games in a tournament, got {games:,}; play at most {most}."
        )


def _part(settings: Settings) -> tuple[int, int]:
    """Returns which part of how many a tournament plays, from 1.

    Raises StarspielError if there is no such part, or if a sequential test is to be played in parts.
    """
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", settings.part or "")
    number, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= parts:
        raise unexpected("part", settings.part)
    if settings.sprt is not None:
        raise StarspielError(
            "a sequential test takes its pairs in order and ends by itself: it cannot be played in parts."
        )
    return number, parts
