"""The agents by name: from a spec string to a bot."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from starspiel.agents.baselines import MCTSBot, RandomBot, greedy
from starspiel.agents.baselines.optimal import optimal
from starspiel.agents.bots import SearchBot
from starspiel.agents.search import Limits
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError, did_you_mean
from starspiel.envs.load import load_game
from starspiel.envs.modules import find_in_module
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import Spec, call_with_params, parameters_of, parse_spec

#: The depth of a search agent whose spec names no limit.
DEFAULT_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Agent:
    """An entry of the roster.

    Attributes:
        factory: takes any of `game`, `player`, `seed` and the spec's parameters, and returns a bot.
        about: what it does, in one line.
        reserved: parameters of the factory that a spec cannot set.
        takes_pyspiel_game: whether OpenSpiel games are handed over as `pyspiel.Game`s, not as Games.
    """

    factory: Callable[..., Any]
    about: str
    reserved: tuple[str, ...] = ()
    takes_pyspiel_game: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of a spec, with their defaults."""
        return parameters_of(self.factory, {"game", "player", "seed", *self.reserved})


def search_agent(
    game: Game,
    player: int = 0,
    seed: int | None = None,
    *,
    algorithm: str = "star2",
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    evaluator: str | Spec = "auto",
    ties: str = "first",
    probes: int = 1,
    width: int = 10,
    engine: str = "auto",
    table_mb: int | str | None = 64,
    merge: bool = True,
    order: bool = True,
    deeper: bool = False,
) -> SearchBot:
    """The bot of every search algorithm's spec; without a limit, depth `DEFAULT_DEPTH`.

    `table_mb=none` is a search without a table.
    """
    if depth is None and nodes is None and seconds is None:
        depth = DEFAULT_DEPTH
    limits = Limits(depth=depth, nodes=nodes, seconds=seconds)
    return SearchBot(
        game,
        algorithm,
        limits,
        evaluator,
        player=player,
        seed=seed,
        ties=ties,
        probes=probes,
        width=width,
        engine=engine,
        table_mb=None if table_mb == "none" else table_mb,  # type: ignore[arg-type]  # checked there
        merge=merge,
        order=order,
        deeper=deeper,
    )


_AGENTS: dict[str, Agent] = {
    "random": Agent(RandomBot, "every legal move with equal chances"),
    "greedy": Agent(greedy, "the move whose successor the evaluator likes best"),
    "mcts": Agent(MCTSBot, "OpenSpiel's Monte-Carlo tree search with random rollouts"),
    "optimal": Agent(optimal, "perfect play from a file that `starspiel solve` wrote"),
    "expectiminimax": Agent(
        partial(search_agent, algorithm="expectiminimax"),
        "full-width search without pruning",
        ("algorithm", "probes", "width"),
    ),
    "star1": Agent(
        partial(search_agent, algorithm="star1"),
        "expectiminimax with Star1 cut-offs at chance nodes (Ballard 1983)",
        ("algorithm", "probes", "width"),
    ),
    "star2": Agent(
        partial(search_agent, algorithm="star2"),
        "Star1 that first probes moves of each outcome (Ballard 1983)",
        ("algorithm", "width"),
    ),
    "expss": Agent(
        partial(search_agent, algorithm="expss"),
        "expectiminimax over drawn chance outcomes (Lanctot et al. 2013)",
        ("algorithm", "probes"),
    ),
    "star1ss": Agent(
        partial(search_agent, algorithm="star1ss"),
        "Star1 over drawn chance outcomes",
        ("algorithm", "probes"),
    ),
    "star2ss": Agent(
        partial(search_agent, algorithm="star2ss"),
        "Star2 over drawn chance outcomes",
        ("algorithm",),
    ),
}


def register_bot(name: str, factory: Callable[..., Any], about: str = "registered") -> None:
    """Makes `name(param=…)` a spec wherever agents are named.

    `factory` is called with the spec's parameters and with those of `game` (a `pyspiel.Game` for OpenSpiel
    games, otherwise a Game), `player` and `seed` that it takes by name; it returns an object with
    `step(state)`, such as a `pyspiel.Bot`. Other processes do not see the name: `package.module:factory`
    they do.

    Raises SpecError where the name is taken or no identifier.
    """
    if not name.isidentifier():
        raise SpecError(f"expected a name such as my_bot, got {name!r}.")
    if not callable(factory):
        raise SpecError(f"expected a function or class that makes the bot {name}, got {factory!r}.")
    if name in _AGENTS:
        raise SpecError(f"there is an agent {name!r} already; register under another name.")
    _AGENTS[name] = Agent(factory, about, takes_pyspiel_game=True)


def registered_agents() -> dict[str, Agent]:
    """The roster: every registered agent by name."""
    return dict(_AGENTS)


def make_bot(spec: str | Spec, game: Any, player: int = 0, seed: int | None = None) -> Any:
    """The bot of a spec, for one seat of one game.

    Args:
        spec: `star2(depth=3,evaluator=rollout(n=20))`, any name of `registered_agents()`, or
            `package.module:factory(param=…)` for a factory as in `register_bot`.
        game: a game string, a `pyspiel.Game` or a Game.
        player: the seat, from 0.
        seed: of everything random in the bot; None for a different one each time.

    Returns a `pyspiel.Bot`, or what a foreign factory returned: an object with `step(state)`.

    Raises:
        SpecError: the spec does not parse, or names what does not exist.
        UnsupportedGameError: the agent cannot play the game.
    """
    game = load_game(game)
    if not 0 <= player < game.num_players:
        raise SpecError(f"player must be in 0..{game.num_players - 1} for {game.name}, got {player}.")
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    agent = find_agent(parsed.name)
    handed = game.pyspiel_game if agent.takes_pyspiel_game and isinstance(game, OpenSpielGame) else game
    given = {"game": handed, "player": player, "seed": seed}
    try:
        bot = call_with_params(agent.factory, parsed, reserved=agent.reserved, **given)
    except StarspielError as error:
        raise type(error)(f"agent {parsed}: {error}") from None
    except (Exception, SystemExit) as error:
        raise SpecError(f"agent {parsed}: making it raised {type(error).__name__}: {error}.") from error
    if not callable(getattr(bot, "step", None)):
        raise SpecError(f"{parsed} made {bot!r}, which has no step(state) and so is no bot.")
    return bot


def bot_maker(spec: str | Spec, game: Any) -> Callable[[int, int | None], Any]:
    """`make_bot` for many games: looks up once, and returns a function (player, seed) -> fresh bot.

    Raises SpecError where the spec does not parse or names no agent. No bot is made, so no parameter checked:
    the function raises whatever the agent's factory does.
    """
    game = load_game(game)
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    agent = find_agent(parsed.name)
    handed = game.pyspiel_game if agent.takes_pyspiel_game and isinstance(game, OpenSpielGame) else game
    parameters = inspect.signature(agent.factory).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    takes = {name: takes_any or name in parameters for name in ("game", "player", "seed")}
    fixed = {**parsed.params, **({"game": handed} if takes["game"] else {})}

    def make(player: int, seed: int | None) -> Any:
        given = dict(fixed)
        if takes["player"]:
            given["player"] = player
        if takes["seed"]:
            given["seed"] = seed
        return agent.factory(**given)

    return make


def find_agent(name: str) -> Agent:
    """The roster's entry for a name, or a foreign factory for `package.module:factory`.

    Raises SpecError where there is none.
    """
    if ":" in name:
        return Agent(_foreign(name), "foreign", takes_pyspiel_game=True)
    if name not in _AGENTS:
        raise SpecError(
            f"unknown agent {name!r}.{did_you_mean(name, _AGENTS)} "
            "An agent of your own is named package.module:factory."
        )
    return _AGENTS[name]


def _foreign(name: str) -> Callable[..., Any]:
    found = find_in_module(name, "agent")
    if not callable(found):
        raise SpecError(f"agent {name!r}: {name.partition(':')[2]} is not a function or class.")
    factory: Callable[..., Any] = found
    return factory
