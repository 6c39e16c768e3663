"""Makes a `Plan` from Settings, and checks everything before the first game."""

import os
from dataclasses import dataclass
from typing import Any

import msgspec

from starspiel.agents.bots.mcts import implementation
from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.native_loader import say_if_missing
from starspiel.envs.base import Game, check_in_turn, has_vector_values
from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.envs.load import load_game
from starspiel.envs.modules import resolve
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.checked_settings import checked_key, unexpected
from starspiel.evaluation.default_field import default_field, warn_of_endless
from starspiel.evaluation.field import (
    AgentsLike,
    field_for,
)
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.dice import new_key, number_of_key
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.processes.concealed import conceal
from starspiel.evaluation.processes.executor import Executor, InProcess, LocalWorkers
from starspiel.evaluation.processes.workers import forks
from starspiel.evaluation.referee import GRACE, LUCK, Referee
from starspiel.evaluation.schedule import schedule_of
from starspiel.evaluation.seating import Seating
from starspiel.evaluation.settings import Settings
from starspiel.evaluation.starts import read_starts
from starspiel.evaluation.statistics.sprt import Sprt


@dataclass(frozen=True)
class Plan:
    """A checked tournament of one game: settings, ordered pairs, sequential test and executor."""

    settings: Settings
    referee: Referee
    schedule: list[Pair]
    test: Sprt | None
    executor: Executor

    @property
    def job(self) -> Job:
        """What determines the games of the tournament."""
        return self.referee.job

    @property
    def names(self) -> tuple[str, ...]:
        """The agents' names."""
        return self.job.names

    @property
    def anchor(self) -> int | None:
        """The index of the agent whose Elo is 0; None if the mean of the field is 0."""
        return None if self.settings.anchor is None else self.names.index(self.settings.anchor)

    def to_dict(self) -> dict[str, Any]:
        """Returns the settings as a store keeps them, with names resolved."""
        found = {
            "game": self.job.game.name,
            "agents": dict(zip(self.names, self.job.identities, strict=True)),
            "pairs": self.settings.pair_count,
            "seed": self.job.seed,
            "sprt": None if self.test is None else str(self.test),
            "starts": [list(start) for start in self.job.starts],
            "luck": self.job.luck_identity,
            "clock": self.job.clock,
            "engine": type(self.executor).__name__,
            "limits": repr(self.executor.limits),
            "kind": self.job.kind,
            "keyed": self.job.key is not None,
        }
        if self.job.key is not None:  # secret until the tournament is over
            found["key"] = None
        said = msgspec.structs.asdict(self.settings) | found
        if self.job.game.num_players > 2:
            said["blocks"] = self.settings.block_count
        else:
            del said["blocks"]
        return said


def plan(settings: Settings, executor: Executor | None = None, *, kind: str = "") -> Plan:
    """Returns the plan of these settings for one game. As a check, makes every agent once in every seat.

    `executor` replaces the one that the settings name. `kind` is the job's kind unless there is a sequential
    test.

    Raises StarspielError if something named does not exist or cannot be played, or if settings contradict
    each other.
    """
    if settings.key is not None or settings.secret:
        conceal()  # before any agent runs
    limits = (
        HardLimits(settings.move_limit, settings.memory_limit, settings.cpu_limit)
        if executor is None
        else executor.limits
    )
    referee, test = _referee(settings, limits, kind)
    job = referee.job
    settings = _with_anchor_as_played(settings, job.game)
    schedule = schedule_of(job, settings)
    executor = executor or _executor(settings, limits, referee)
    if job.key is not None and job.foreign and not getattr(executor, "keeps_secrets", False):
        names = ", ".join(job.names[agent] for agent in sorted(job.foreign))
        raise StarspielError(
            f"a key is not secret in a {type(executor).__name__}: its processes give it to anyone who asks, "
            f"including {names}. Play with workers; on several machines, play a part on each (part 1/2, 2/2) "
            "with the same key."
        )
    made = Plan(settings, referee, schedule, test, executor)
    if settings.anchor is not None and settings.anchor not in made.names:
        raise StarspielError(
            f"the anchor {settings.anchor!r} is not one of the agents."
            f"{did_you_mean(settings.anchor, made.names)}"
        )
    return made


def _with_anchor_as_played(settings: Settings, game: Game) -> Settings:
    """Returns the settings with the anchor renamed as its agent is in the tables: `mcts` may become `uct`."""
    if settings.anchor is not None and settings.anchor.partition("(")[0] == "mcts":
        name = str(implementation(parse_spec(settings.anchor), game))
        if not name.startswith("mcts"):
            return msgspec.structs.replace(settings, anchor=name)
    return settings


def plans(settings: Settings) -> list[Plan]:
    """Returns the plan of each game. Raises StarspielError as `plan` does, and if a game is listed twice."""
    if len(settings.games) > 1:
        if settings.key is not None:
            raise StarspielError(
                f"a key is shown when its tournament is over, and each of the {len(settings.games)} games is "
                "a tournament: play each with its own key."
            )
        seen: set[str] = set()
        for game in settings.games:
            name = load_game(game).name
            if name in seen:
                raise StarspielError(f"game {name!r} is listed twice; name it once, and play more pairs.")
            seen.add(name)
    return [plan(one) for one in settings.each()]


def _referee(settings: Settings, limits: HardLimits, kind: str) -> tuple[Referee, Sprt | None]:
    """Returns the referee, and the sequential test that may end the tournament, if any."""
    game: Game = load_game(settings.game)
    _check_sums(game, settings)
    if isinstance(game, OpenSpielGame):
        say_if_missing()  # once here, instead of at the first search of each worker
    if not game.explicit_chance:
        _check_drawn(game, settings)
    if settings.luck is not None:
        check_in_turn(game, "luck")
    warn_of_endless(game)
    agents: AgentsLike = default_field(game) if settings.agents is None else settings.agents
    field = field_for(agents, game, settings.clock, Seating(limits))
    test: Any = Sprt.parse(settings.sprt) if isinstance(settings.sprt, str) else settings.sprt
    if not isinstance(test, Sprt | None):
        raise unexpected("sprt", test)
    if test is not None and (len(field) != 2 or game.num_players == 1):
        raise StarspielError(
            f"SPRT needs two agents in a game of two players or more, got {len(field)} in {game.name}. "
            "Name two agents."
        )
    key = _key(settings)
    seed = settings.seed_number if key is None else number_of_key(key)
    referee = Referee.of(
        game,
        field,
        seed,
        starts=read_starts(settings.starts, game),
        luck=None if settings.luck is None else resolve(f"{LUCK}:luck_evaluator")(game, settings.luck, seed),
        clock=None if settings.clock is None else GRACE * settings.clock,
        kind=kind if test is None else "sprt",
        key=key,
        common_dice=settings.common_dice,
    )
    referee.makers  # noqa: B018  # imports what the workers inherit
    return referee, test


def _check_sums(game: Game, settings: Settings) -> None:
    """Raises StarspielError for luck or a test in two-player games that are not zero-sum."""
    if game.num_players == 2 and has_vector_values(game):
        for name in ("luck", "sprt"):
            if getattr(settings, name) is not None:
                raise StarspielError(
                    f"{name} supports zero-sum games of two players, or games of more; {game.name} has two "
                    "players and is not zero-sum. Leave it out: mean returns are compared."
                )


def _key(settings: Settings) -> str | None:
    """Returns the key that dice and seeds are derived from: the given one, a new one, or None.

    Raises StarspielError if `key`, `secret`, `seed`, `part` and `store` contradict each other.
    """
    if settings.key is None and not settings.secret:
        return None
    if settings.seed is not None:
        raise StarspielError(
            f"dice and agents' seeds come from the seed {settings.seed} or from a "
            f"{'secret key' if settings.key is None else 'key'}, not from both: give one of them, on the "
            "command line and in the configuration together."
        )
    if settings.key is None:
        if settings.part is not None:
            raise StarspielError(
                "secret draws a new key for every run, and the parts of a tournament need one: give all of "
                "them the same key, 32 hexadecimal digits that nobody else knows."
            )
        if settings.store is not None and os.path.exists(settings.store):
            raise StarspielError(
                f"{settings.store} exists, and secret would begin another tournament in it. Resume with the "
                "key that was shown at the end of the first, or name another store."
            )
        return new_key()
    if settings.secret:
        raise StarspielError("secret draws a new key, and key gives an old one: give one of them.")
    return checked_key(settings.key)


def _check_drawn(game: Game, settings: Settings) -> None:
    """Raises StarspielError for settings that need the listed chance outcomes that this game lacks."""
    for name, why in (
        ("luck", "luck is measured against all possible outcomes"),
        ("starts", "a start position is a list of moves and outcomes"),
    ):
        if getattr(settings, name) is not None:
            raise StarspielError(
                f"{name} does not support {game.name}, whose chance outcomes are sampled, not listed: {why}. "
                "Leave it out, or declare the rules or a table P."
            )


def _executor(settings: Settings, limits: HardLimits, referee: Referee) -> Executor:
    """Returns the executor: this process, local workers or a cluster.

    External agents may kill their referee, so with them it is a separate worker even if there is only one.
    Bots given as Python objects stay in this process, so that the caller sees their changes to variables.
    """
    if settings.engine == "ray":
        from starspiel.evaluation.processes.cluster import RayCluster

        return RayCluster(settings.workers, settings.address, limits)
    if settings.address is not None:
        raise StarspielError("an address is for the engine ray; add --engine ray.")
    here = settings.workers == 1 and not (referee.job.foreign and forks() and referee.has_specs_only)
    return InProcess(limits) if here else LocalWorkers(settings.workers, limits)
