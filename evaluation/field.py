"""Makes the Entrants of a tournament from the agents that the user names."""

import inspect
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from unicodedata import category

from starspiel.agents.bots.mcts import implementation
from starspiel.agents.from_openspiel import is_player
from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.registry import extra
from starspiel.agents.roster import find_agent, make_bot
from starspiel.envs.base import Game
from starspiel.envs.errors import SeatError, StarspielError, shown
from starspiel.envs.spec import Spec, is_command, parse_spec
from starspiel.evaluation.entrant import Entrant
from starspiel.evaluation.seating import Seating, end_idle_engines
from starspiel.evaluation.starting import starts

#: An agent: its spec, "name=spec", or a tuple of its name and a spec, factory or object that can play.
AgentLike = str | tuple[str, Any] | Entrant
#: The agents of a tournament, in order.
AgentsLike = Sequence[AgentLike] | Mapping[str, Any]
#: Alternatives in braces, which make several agents of one spec: `star2(depth={1,2,3})`.
_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
#: An agent with a name before its spec: `good=bots:good(depth=2)`.
_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*=(.+)", re.DOTALL)
#: Unicode categories that names must not contain: control characters, surrogates, line and paragraph breaks.
_NO_TEXT = frozenset({"Cc", "Cs", "Zl", "Zp"})


def entrants(agents: AgentsLike, clock: float | None = None) -> tuple[Entrant, ...]:
    """Returns the entrants in order, with alternatives in braces expanded and `clock` added to the specs.

    The clock is the `seconds` of each spec that has this parameter and does not set it. Raises StarspielError
    if there are no agents, or if a name is not valid or not unique.
    """
    if isinstance(agents, str) or not isinstance(agents, Iterable):
        kind = "the string " if isinstance(agents, str) else ""
        raise StarspielError(f"expected a list of agents, got {kind}{shown(agents)}.")
    field: list[Entrant] = []
    for agent in agents.items() if isinstance(agents, Mapping) else agents:
        if isinstance(agent, str) and (given := _NAMED.fullmatch(agent)):
            if len(unfolded(given[2])) > 1:
                raise StarspielError(
                    f"{shown(agent)} is several agents; leave out the name {shown(given[1])}."
                )
            agent = (given[1], given[2])
        if isinstance(agent, str):
            if "=" in agent.partition("(")[0] and not is_command(agent):
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
    """Returns the field with implementations named: an `mcts` that is UCT in this game becomes `uct`.

    Names given by the user stay. Raises StarspielError if an agent is then listed twice.
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


def unfolded(spec: str) -> list[str]:
    """Returns the specs that a spec with alternatives stands for: `star2(depth={1,2})` is two agents."""
    found = _ALTERNATIVES.search(spec)
    if not found:
        return [spec]
    rungs = [rung.strip() for rung in found.group(1).split(",")]
    if not all(rungs):
        raise StarspielError(
            f"expected values between the braces of {shown(spec)}, as in star2(depth={{1,2,3}})."
        )
    return [agent for rung in rungs for agent in unfolded(spec[: found.start()] + rung + spec[found.end() :])]


def on_the_clock(spec: str, clock: float | None) -> str:
    """Returns the spec in canonical form, with the clock as its `seconds` if it takes them but sets none."""
    parsed = parse_spec(spec)
    if clock is not None and "seconds" not in parsed.params and "seconds" in _parameters(spec, clock):
        parsed = Spec(parsed.name, {**parsed.params, "seconds": clock})
    return str(parsed)


def _parameters(spec: str, clock: float) -> Collection[str]:
    """Returns the parameters that an agent's spec can set; a module is asked in a separate process."""
    if is_command(spec):
        return ()  # the program is told the clock at every move
    if not Entrant(spec, spec).is_foreign:
        return find_agent(parse_spec(spec).name).parameters
    try:
        found: Collection[str] = extra("parameters of an agent in a process of its own")(
            spec, HardLimits().for_strangers(clock)
        )
    except SeatError as error:
        raise StarspielError(f"making the agent {spec}: {error}") from None
    return found


def _entrant(given: Any) -> Entrant:
    match given:
        case (str(name), source) if isinstance(source, str) or callable(source) or is_player(source):
            return Entrant(name, source)
    raise StarspielError(
        "expected an agent's spec, or its name and a spec, a factory, or an object that can play (a bot, or "
        f"an OpenSpiel policy, RL agent or MCTS evaluator), got {shown(given)}."
    )


def field_for(
    agents: AgentsLike, game: Game, clock: float | None = None, seating: Seating | None = None
) -> tuple[Entrant, ...]:
    """Returns the field of a game. As a check, every agent is made once in every seat, within its limits.

    Raises StarspielError if one cannot be made, or if the game needs two agents and `seating` is given
    but only one agent is.
    """
    field = as_played(entrants(agents), game)
    if game.num_players > 1 and len(field) < 2 and seating is not None:
        for entrant in field:
            if isinstance(entrant.source, str):
                parse_spec(entrant.source)  # raises if the spec was meant to be several
        raise StarspielError(f"expected at least two agents for {game.name}, got {len(field)}.")
    try:
        for entrant in field:
            if isinstance(entrant.source, str):
                entrant = replace(entrant, source=on_the_clock(entrant.source, clock))
            starts(entrant.name, str(entrant.source))
            for seat in range(game.num_players):
                _make(entrant, game, seat, seating or Seating(), clock)
    finally:
        end_idle_engines()
    return as_played(entrants(agents, clock), game)


def _make(entrant: Entrant, game: Game, seat: int, seating: Seating, clock: float | None) -> None:
    if entrant.is_foreign:
        seating = seating._replace(limits=seating.limits.for_strangers(clock))
    try:
        if entrant.sits_apart(seating):
            bot = extra("agent in a process of its own")(entrant.source, game, seat, 1, seating.limits)
            bot.leave(None, sound=True)
            return
        if isinstance(entrant.source, str):
            make_bot(entrant.source, game, seat, 1)
            return
        bot = entrant.maker(game)(seat, 1)
    except SeatError as error:
        limits = {
            "memory": f"memory limit of {seating.limits.memory_mb} MB",
            "cpu": f"limit of {seating.limits.cpu_seconds} CPU seconds",
        }
        if error.kind in limits:
            raise StarspielError(
                f"the {limits[error.kind]} is too low for {entrant.name}, raise it: {error}."
            ) from None
        named = "" if str(error).startswith("agent ") else f"making the agent {entrant.name}: "
        raise StarspielError(f"{named}{error}") from None
    except StarspielError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, TypeError) and not _is_factory(entrant.source):
            raise StarspielError(
                f"{entrant.name}: a callable given as an agent is a factory, called as factory(game, seat, "
                f"seed), which returns a bot; this one does not accept these arguments: {error}. To give an "
                "agent itself, use an object with step(state) or action_probabilities(state)."
            ) from error
        raise StarspielError(
            f"making the agent {entrant.name} raised {type(error).__name__}: {error}."
        ) from error
    if not callable(getattr(bot, "step", None)):
        raise StarspielError(f"{entrant.name} made {shown(bot)}, which has no step(state) and is not a bot.")


def _is_factory(source: Any) -> bool:
    """Returns whether it can be called with a game, a seat and a seed, as far as its signature shows."""
    if not isinstance(source, str) and not is_player(source):
        try:
            inspect.signature(source).bind(None, 0, 0)
        except TypeError:
            return False
        except ValueError:  # written in C, without a signature
            return True
    return True
