"""Provides `tournament`: agents play each other in pairs of games with common dice and swapped seats."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.hard_limits import HardLimits
from starspiel.envs.errors import StarspielError, shown
from starspiel.evaluation.checked_settings import checked
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
    pairs: int | None = None,
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

    Everything is checked before the first game. Ctrl-C ends the tournament early: the result then contains
    the finished pairs.

    Args:
        game: a game string or anything else that `load_game` accepts. In one-player games every agent plays
            alone, on common dice. If chance outcomes are not listed, games have common starts instead: a pair
            has one seed, and each of its games has its own dice from there.
        agents: specs such as `star2(depth=2)` or `star2(depth={1,2,3})` (three agents), or names mapped to
            specs, factories `(game, seat, seed) -> bot`, or objects that play, such as a bot or an OpenSpiel
            policy. None for the default field.
        pairs: how many pairs any two agents play; defaults to 10. With `sprt`, how many at most; defaults to
            100,000.
        blocks: with more than two players, in how many blocks any two agents meet, or a few more: see
            evaluation/play/lineups.py. Defaults to `pairs`.
        seed: seed of the dice and the agents; defaults to 1 if neither `secret` nor `key` is given.
        secret: whether to derive the dice and the agents' seeds from a new random key of 128 bits; the result
            and the store contain it.
        key: the key of an earlier tournament with `secret`, whose games are then played again.
        common_dice: whether both games of a pair have the same dice even if an external agent plays, which
            could remember the dice of the first game.
        format: "round-robin", or "gauntlet", in which the first agent plays every other agent.
        sprt: a sequential test that ends a match of two agents, such as "nelo0=0,nelo1=5".
        part: "1/2" for one half of the pairs, "2/2" for the other; their stores can be merged.
        starts: histories to start from in turn, or a file with one per line.
        luck: an evaluator or its spec; luck-adjusted returns are then also shown.
        anchor: the agent whose Elo is 0; defaults to the mean of the agents that the results bound.
        clock: seconds per move for every agent that takes `seconds` and does not set it. For all agents,
            moves more than 10 % over it are counted, in CPU and in wall-clock time.
        workers: number of processes that play; with one, this process is the referee. Agents named by module
            or program play in separate processes, as do all agents if there are limits: a crash there loses
            only their own game. Agents given as Python objects play in the referee's process.
        limits: how much time and memory an agent may use before it loses the game.
        engine: an executor that plays instead of `workers`, such as `RayCluster()`.
        store: a file that keeps every game. Stored pairs are not played again, and the result's `pairs` is
            empty.
        on_pair: called with a `Progress` after each pair.
        on_luck: called while luck is measured in stored games that have none by this evaluator yet: after
            each, with the number of such games done and in total.

    Raises StarspielError if something named does not exist or cannot be played.
    """
    if engine is not None and not callable(getattr(engine, "play", None)):
        raise StarspielError(
            f"expected for engine: something that plays, such as RayCluster(), got {shown(engine)}."
        )
    if not isinstance(limits, HardLimits | None):
        raise StarspielError(
            f"expected for limits: HardLimits(move_seconds=…, memory_mb=…), got {shown(limits)}."
        )
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
