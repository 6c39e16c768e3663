"""The agents of a tournament: from what the user names to Entrants that can be made."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from unicodedata import category

from starspiel.agents.baselines.mcts import implementation, openspiel_refuses
from starspiel.agents.bots import SearchBot
from starspiel.agents.openspiel.incoming import is_player
from starspiel.agents.roster import find_agent, make_bot
from starspiel.agents.search import Limits
from starspiel.envs.base import CHANCE, Game, possible_outcomes
from starspiel.envs.errors import EvaluatorError, StarspielError, UnsupportedGameError, shown
from starspiel.envs.load import load_game
from starspiel.envs.spec import Spec, parse_spec
from starspiel.evaluation.job import Entrant, Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.course import course
from starspiel.evaluation.processes.child import Parent, in_child_process
from starspiel.evaluation.processes.worker import limit_memory

#: An agent: its spec, name=spec, or (name, spec, factory or what plays as it is).
AgentLike = str | tuple[str, Any] | Entrant
#: The agents of a tournament, in order.
AgentsLike = Sequence[AgentLike] | Mapping[str, Any]
#: The usual agents: baselines, and the three searches at the same depth.
USUAL_AGENTS = (
    "random",
    "mcts(simulations=100)",
    "mcts(simulations=1000)",
    "expectiminimax(depth=3)",
    "star1(depth=3)",
    "star2(depth=3)",
)
#: The same for games whose chance outcomes can only be drawn.
SAMPLING_AGENTS = ("random", "mcts(simulations=100)", "auto")
#: The alternatives of a ladder: `star2(depth={1,2,3})`.
_LADDER = re.compile(r"\{([^{}]*)\}")
#: An agent with a name of its own: `good=bots:good(depth=2)`.
_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*=(.+)", re.DOTALL)
#: Categories of Unicode that no name may have: control characters, halves of characters, breaks of lines.
_NO_TEXT = frozenset({"Cc", "Cs", "Zl", "Zp"})


def entrants(agents: AgentsLike, clock: float | None = None) -> tuple[Entrant, ...]:
    """The field, in order, with ladders unfolded and the clock's seconds in the specs that take them."""
    if isinstance(agents, str):
        raise StarspielError(f"expected a list of agents, got the string {shown(agents)}.")
    if not isinstance(agents, Mapping | Iterable):
        raise StarspielError(f"expected a list of agents, got {shown(agents)}.")
    field: list[Entrant] = []
    for agent in agents.items() if isinstance(agents, Mapping) else agents:
        if isinstance(agent, str) and (given := _NAMED.fullmatch(agent)):
            if len(unfolded(given[2])) > 1:
                raise StarspielError(
                    f"{shown(agent)} is several agents; leave out the name {shown(given[1])}."
                )
            agent = (given[1], given[2])
        if isinstance(agent, str):
            if "=" in agent.partition("(")[0]:
                raise StarspielError(
                    f"expected name=spec, with a name of letters, digits and _, got {shown(agent)}; other "
                    "names can be given in a configuration."
                )
            field += [Entrant(spec, spec) for spec in (on_the_clock(rung, clock) for rung in unfolded(agent))]
            continue
        named = agent if isinstance(agent, Entrant) else _entrant(agent)
        if isinstance(named.source, str):
            named = replace(named, source=on_the_clock(named.source, clock))
        field.append(named)
    if not field:
        raise StarspielError("expected at least one agent, got none.")
    seen: set[str] = set()
    for entrant in field:
        if not entrant.name.strip() or any(category(sign) in _NO_TEXT for sign in entrant.name):
            raise StarspielError(
                f"agent {len(seen) + 1}: expected a name that shows in a line of a table (no control "
                f"characters, no line breaks), got {shown(entrant.name)}."
            )
        if entrant.name in seen:
            raise StarspielError(
                f"agent {shown(entrant.name)} is listed twice; give one of them another name."
            )
        seen.add(entrant.name)
    return tuple(field)


def as_played(field: Sequence[Entrant], game: Game) -> tuple[Entrant, ...]:
    """The field by what plays this game: an `mcts` that is our own UCT here is named `uct`.

    Names that were given stay. Raises StarspielError where two agents are one by that.
    """
    played: dict[str, Entrant] = {}
    for entrant in field:
        if isinstance(entrant.source, str):
            spec = str(implementation(parse_spec(entrant.source), game))
            own_name = entrant.name != entrant.source
            entrant = Entrant(entrant.name if own_name else spec, spec)
        if entrant.name in played:
            raise StarspielError(
                f"agent {shown(entrant.name)} is listed twice: in {game.name}, mcts is uct. Leave one out."
            )
        played[entrant.name] = entrant
    return tuple(played.values())


def default_field(game: Any) -> list[str]:
    """The specs of those of the usual agents that can play the game.

    Raises StarspielError where the game cannot be loaded, or none of them can play it.
    """
    loaded = load_game(game)
    usual: Sequence[str] = USUAL_AGENTS if loaded.explicit_chance else SAMPLING_AGENTS
    if openspiel_refuses(loaded):  # our own UCT is in Python: a thousand simulations take it too long
        usual = [agent for agent in usual if agent != "mcts(simulations=1000)"]
    field = []
    for agent in [str(implementation(parse_spec(agent), loaded)) for agent in usual]:
        with suppress(UnsupportedGameError):
            make_bot(agent, loaded)
            field.append(agent)
    if not field:
        raise StarspielError(f"none of the usual agents can play {loaded.name}; name some with --agents.")
    return field


def unfolded(spec: str) -> list[str]:
    """`star2(depth={1,2})` as its two agents."""
    found = _LADDER.search(spec)
    if not found:
        return [spec]
    rungs = [rung.strip() for rung in found.group(1).split(",")]
    if not all(rungs):
        raise StarspielError(
            f"expected values between the braces of {shown(spec)}, as in star2(depth={{1,2,3}})."
        )
    return [agent for rung in rungs for agent in unfolded(spec[: found.start()] + rung + spec[found.end() :])]


def on_the_clock(spec: str, clock: float | None) -> str:
    """The spec as `str(Spec)` writes it, however it was typed: it goes into seeds and ids.

    With `seconds` set to the clock, where the agent takes seconds and is given none.
    """
    parsed = parse_spec(spec)
    if (
        clock is not None
        and "seconds" not in parsed.params
        and "seconds" in find_agent(parsed.name).parameters
    ):
        parsed = Spec(parsed.name, {**parsed.params, "seconds": clock})
    return str(parsed)


def _entrant(given: Any) -> Entrant:
    match given:
        case (str(name), source) if isinstance(source, str) or callable(source) or is_player(source):
            return Entrant(name, source)
    raise StarspielError(
        "expected an agent's spec, or its name and a spec, a factory, or what plays as it is (a bot, or a "
        f"policy, an RL agent or an MCTS evaluator of OpenSpiel's), got {shown(given)}."
    )


def check_made(
    field: Sequence[Entrant], game: Game, clock: float | None = None, move_seconds: float | None = None
) -> None:
    """Makes every agent once in every seat. Raises StarspielError where one cannot be made.

    `move_seconds` is the time that making an agent of somebody's module may take.
    """
    foreign = [entrant for entrant in field if entrant.is_foreign]
    if foreign:  # What crashes while it is imported or made must not take this process along.
        in_child_process(partial(_make_all, foreign, game, clock), move_seconds)
    _make_all([entrant for entrant in field if not entrant.is_foreign], game, clock)


def _make_all(
    field: Sequence[Entrant], game: Game, clock: float | None, parent: Parent | None = None
) -> None:
    """Makes every agent once in every seat."""
    for entrant in field:
        for seat in range(game.num_players):
            if parent is not None:
                parent.say(f"making the agent {entrant.name}")
                parent.watch(seat)
            if isinstance(entrant.source, str):
                make_bot(on_the_clock(entrant.source, clock), game, seat, 1)
            else:
                _make(entrant, game, seat)


def check_memory(job: Job, limits: HardLimits) -> None:
    """Makes every agent within the limit on memory: one that cannot be made would forfeit all its games."""
    if limits.memory_mb is not None and sys.platform == "linux":
        in_child_process(partial(_make_within, job, limits.memory_mb))


def _make_within(job: Job, megabytes: int, parent: Parent) -> None:
    state: Any = job.game.new_initial_state()
    if not job.game.explicit_chance:
        state = course(job.game, 1).state
    while state.current_player() == CHANCE:
        state = state.child(possible_outcomes(state)[0][0])
    limit_memory(megabytes)
    for entrant, make in zip(job.field, job.makers, strict=True):
        parent.say(f"making the agent {entrant.name} within {megabytes} MB")
        try:
            bot = make(0, 1)
            if isinstance(bot, SearchBot):  # Its table is made with the first search.
                with suppress(EvaluatorError):  # That is for its games to show.
                    bot.search(state, limits=Limits(depth=1))
        except (Exception, SystemExit) as error:
            raise StarspielError(
                f"the memory limit of {megabytes} MB is too low for {entrant.name}, raise it: "
                f"{type(error).__name__}: {error}"
            ) from None


def _make(entrant: Entrant, game: Game, seat: int) -> None:
    try:
        bot = entrant.maker(game)(seat, 1)
    except StarspielError:
        raise
    except (Exception, SystemExit) as error:
        raise StarspielError(
            f"making the agent {entrant.name} raised {type(error).__name__}: {error}."
        ) from error
    if not callable(getattr(bot, "step", None)):
        raise StarspielError(f"{entrant.name} made {shown(bot)}, which has no step(state) and so is no bot.")
