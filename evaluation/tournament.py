"""Tournaments: agents against each other in pairs of games with common dice and swapped seats."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.hard_limits import HardLimits
from starspiel.envs.errors import StarspielError, shown
from starspiel.evaluation.checked_settings import checked, unexpected
from starspiel.evaluation.field import AgentsLike
from starspiel.evaluation.plan import plan
from starspiel.evaluation.processes.executor import Executor
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.run import Progress, play
from starspiel.evaluation.starts import StartsLike
from starspiel.evaluation.statistics.sprt import Sprt


def tournament(
    game: Any,
    agents: AgentsLike,
    pairs: int = 10,
    seed: int | None = None,
    *,
    blocks: int | None = None,
    secret: bool = False,
    key: str | None = None,
    common_dice: bool = False,
    format: str = "round-robin",
    sprt: Sprt | str | None = None,
    part: str | None = None,
    starts: StartsLike = None,
    luck: Evaluator | str | None = None,
    anchor: str | None = None,
    clock: float | None = None,
    workers: int = 1,
    limits: HardLimits | None = None,
    engine: Executor | None = None,
    store: str | Path | None = None,
    on_pair: Callable[[Progress], None] | None = None,
    on_luck: Callable[[int, int], None] | None = None,
) -> TournamentResult:
    """Plays a tournament and returns its result.

    Everything is checked before the first game. Ctrl-C ends the tournament early: the result then holds the
    pairs that were finished.

    Args:
        game: a game string or anything else that `load_game` takes. In one-player games everybody plays
            alone, on common dice; if chance outcomes are not listed, from common starts: a pair has one seed,
            and each of its games its own dice from there.
        agents: specs such as `star2(depth=2)` or `star2(depth={1,2,3})` (three agents), or names mapped to
            specs or to factories `(game, seat, seed) -> bot`.
        pairs: how many pairs every two agents play (with `sprt`: at most).
        blocks: with more than two players, how many blocks every two agents meet in, or a few more: see
            evaluation/play/lineups.py. Defaults to `pairs`.
        seed: of the dice and the agents; 1 if neither it, `secret` nor `key` is given.
        secret: draws a key of 128 bits that they come from instead; the result and the store have it.
        key: such a key, to play its games again.
        common_dice: whether both games of a pair have the same dice even if an agent of a module or a program
            plays, which could remember the first of them.
        format: "round-robin", or "gauntlet": the first agent against each other.
        sprt: a test that ends a match of two agents by itself, e.g. "nelo0=0,nelo1=5".
        part: "1/2" for the first half of the pairs, "2/2" for the other; their stores can be merged.
        starts: histories to start from in turn, or a file with one a line.
        luck: an evaluator or its spec: returns are also shown luck-adjusted.
        anchor: the agent whose Elo is 0; defaults to the mean of the agents that the results bound.
        clock: seconds a move for every agent that takes `seconds` and is given none. Of all agents, moves
            10 % over it are counted, in CPU and in wall-clock time.
        workers: processes that play; with one, this process is the referee. Agents named by their module or
            their program, and all if there are limits, sit in processes of their own and lose their own
            games only; what is given as a Python object plays in the referee's.
        limits: what an agent may use before it has lost the game.
        engine: who plays, instead of `workers`.
        store: a file that keeps every game. Pairs that it holds are not played again, and the result has no
            `pairs` of its own.
        on_pair: called after each pair.
        on_luck: called after the luck of each stored game that had none yet by this evaluator, with how many
            such games are done, and how many there are.

    Raises StarspielError if something named is not there or cannot be played.
    """
    if engine is not None and not callable(getattr(engine, "play", None)):
        raise StarspielError(
            f"expected for engine: something that plays, such as RayCluster(), got {shown(engine)}."
        )
    if not isinstance(limits, HardLimits | None):
        raise StarspielError(
            f"expected for limits: HardLimits(move_seconds=…, memory_mb=…), got {shown(limits)}."
        )
    if pairs is None:
        raise unexpected("pairs", pairs)
    settings = checked(
        game=game,
        agents=agents,
        pairs=pairs,
        blocks=blocks,
        seed=seed,
        secret=secret,
        key=key,
        common_dice=common_dice,
        format=format,
        sprt=sprt,
        part=part,
        starts=starts,
        luck=luck,
        anchor=anchor,
        clock=clock,
        workers=workers,
        move_limit=None if limits is None else limits.move_seconds,
        memory_limit=None if limits is None else limits.memory_mb,
        cpu_limit=None if limits is None else limits.cpu_seconds,
        store=store,
    )
    return play(plan(settings, engine), on_pair, on_luck)
