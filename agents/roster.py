"""The agents by name: from a spec string to a bot."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from starspiel.agents.baselines import RandomBot, UCTBot, greedy, mcts
from starspiel.agents.baselines.optimal import optimal
from starspiel.agents.book.book import book_of
from starspiel.agents.book.bot import with_book
from starspiel.agents.bots import Bot, SearchBot
from starspiel.agents.choice import STEPS, choose
from starspiel.agents.factories import (
    BOT_ARGUMENTS,
    arguments_asked_for,
    bot_argument,
    game_for_factory,
    in_python,
)
from starspiel.agents.openspiel.incoming import bot_of, fresh_bot, is_player
from starspiel.agents.rollouts.bot import CONFIDENCE, GAMES, RolloutBot
from starspiel.agents.search import DEFAULT_DEPTH, Limits
from starspiel.agents.search.options import takes_options
from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError, did_you_mean, shown
from starspiel.envs.load import load_game
from starspiel.envs.modules import find_in_module
from starspiel.envs.spec import EXEC, Spec, as_spec, call_with_params, parameters_of
from starspiel.envs.unchanged import refuse_changes


@dataclass(frozen=True, slots=True)
class Agent:
    """An entry of the roster.

    Attributes:
        factory: takes any of `game`, `player`, `seed` and the spec's parameters, and returns a bot.
        about: what it does, in one line.
        reserved: parameters of the factory that a spec cannot set.
        is_foreign: whether it is somebody's own, and given what `agents/factories.py` says.
    """

    factory: Callable[..., Any]
    about: str
    reserved: tuple[str, ...] = ()
    is_foreign: bool = False

    @property
    def offered(self) -> tuple[str, ...]:
        """The arguments that are filled in where the factory names them."""
        return arguments_asked_for(self.factory) if self.is_foreign else BOT_ARGUMENTS

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of a spec, with their defaults."""
        return parameters_of(self.factory, {*self.offered, *self.reserved})


@takes_options
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
    **options: Any,
) -> SearchBot:
    """The bot of every search algorithm's spec; without a limit, depth `DEFAULT_DEPTH`.

    `table_mb=none` is a search without a table.
    """
    if depth is None and nodes is None and seconds is None:
        depth = DEFAULT_DEPTH
    if options.get("table_mb") == "none":
        options["table_mb"] = None
    limits = Limits(depth=depth, nodes=nodes, seconds=seconds)
    return SearchBot(
        game,
        algorithm,
        limits,
        evaluator,
        player=player,
        seed=seed,
        **options,
    )


def chosen_agent(game: Game, player: int = 0, seed: int | None = None, *, steps: int = STEPS) -> Bot:
    """The bot of the spec `auto`: what `choose` takes for the game."""
    spec = choose(game, whole_number("steps", steps, 1)).spec
    bot: Bot = make_bot(spec, game, player=player, seed=seed)
    return bot


@dataclass(frozen=True)
class _Players:
    """Makes the bots of a spec, as `bot_maker` does; can be pickled."""

    spec: str | Spec
    game: Game

    def __call__(self, player: int, seed: int) -> Any:
        return self._make(player, seed)

    @cached_property
    def _make(self) -> Callable[[int, int | None], Any]:
        return bot_maker(self.spec, self.game)

    def __deepcopy__(self, memo: Any) -> "_Players":
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _Players, (self.spec, self.game)


def rollout_agent(
    game: Game,
    player: int = 0,
    seed: int | None = None,
    *,
    n: int = GAMES,
    depth: int | None = None,
    evaluator: str | Spec = "auto",
    agent: str | Spec | None = None,
    confidence: float = CONFIDENCE,
    seconds: float | None = None,
) -> RolloutBot:
    """The bot of the spec `rollout`: parameters as of RolloutBot; `agent` plays the games on."""
    if agent is not None:
        make_bot(agent, game, player, seed)  # raises now what it would raise in the middle of a game
    return RolloutBot(
        game,
        seed,
        n=n,
        depth=depth,
        evaluator=evaluator,
        players=None if agent is None else _Players(agent, game),
        agent="" if agent is None else str(as_spec(agent)),
        confidence=confidence,
        seconds=seconds,
    )


_AGENTS: dict[str, Agent] = {
    "auto": Agent(chosen_agent, "what suits the game: its solution, Star2 with what is known of it, or MCTS"),
    "random": Agent(RandomBot, "every legal move with equal chances"),
    "greedy": Agent(greedy, "the move whose successor the evaluator likes best"),
    "mcts": Agent(mcts, "OpenSpiel's C++ Monte-Carlo tree search; elsewhere, and with an evaluator, uct"),
    "uct": Agent(UCTBot, "UCT of our own, for every game that search plays"),
    "rollout": Agent(rollout_agent, "games played on from every move, until the best one is settled"),
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
    games, otherwise a Game), `player` and `seed` that it takes by name, or by the names of OpenSpiel's own
    bots and RL agents: `player_id`, `rng`, a `numpy.random.RandomState` seeded from the seed, and
    `num_actions`. It returns an object with `step(state)`, such as a `pyspiel.Bot`, or a policy, an RL agent
    or an MCTS evaluator of OpenSpiel's, of which `agents/openspiel/bots.py` makes a bot. Other processes do
    not see the name: `package.module:factory` they do.

    Raises SpecError where the name is taken or no identifier, or the factory cannot be looked at.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise SpecError(f"expected a name such as my_bot, got {shown(name)}.")
    if not callable(factory):
        raise SpecError(f"expected a function or class that makes the bot {name}, got {shown(factory)}.")
    if name in _AGENTS:
        raise SpecError(f"there is an agent {shown(name)} already; register under another name.")
    _AGENTS[name] = Agent(_with_signature(name, factory), about, is_foreign=True)


def registered_here() -> frozenset[str]:
    """The names that `register_bot` gave, which other processes do not know."""
    return frozenset(name for name, agent in _AGENTS.items() if agent.is_foreign)


def registered_agents() -> dict[str, Agent]:
    """The roster: every registered agent by name."""
    return dict(_AGENTS)


def make_bot(spec: str | Spec, game: Any, player: int = 0, seed: int | None = None) -> Any:
    """The bot of a spec, for one seat of one game.

    Args:
        spec: `star2(depth=3,evaluator=rollout(n=20))`, any name of `registered_agents()`, or
            `package.module:factory(param=…)` for a factory as in `register_bot`, or `exec:COMMAND` for a
            program that speaks the seat protocol (docs/protocol.md).
        game: a game string, a `pyspiel.Game` or a Game.
        player: the seat, from 0.
        seed: of everything random in the bot; None for a different one each time.

    Returns a `pyspiel.Bot`, or the object with `step(state)` that a foreign factory returned.

    Raises:
        SpecError: the spec does not parse, or names what does not exist.
        UnsupportedGameError: the agent cannot play the game.
    """
    game = load_game(game)
    seat = whole_number("player", player)
    if not 0 <= seat < game.num_players:
        raise SpecError(f"player must be in 0..{game.num_players - 1} for {game.name}, got {shown(player)}.")
    seed = seed_number(seed)
    refuse_changes(game, game.new_initial_state())
    parsed = as_spec(spec)
    agent = find_agent(parsed.name)
    parsed, book = _without_book(parsed, agent)
    handed = game_for_factory(game, agent.factory) if agent.is_foreign else game
    given = {name: bot_argument(name, handed, seat, seed) for name in agent.offered}
    try:
        bot = call_with_params(agent.factory, parsed, reserved=agent.reserved, **given)
        bot = bot_of(bot, game, seat, seed) if agent.is_foreign else bot
    except StarspielError as error:
        raise type(error)(f"agent {parsed}: {error}") from None
    except (Exception, SystemExit) as error:
        raise SpecError(f"agent {parsed}: making it raised {type(error).__name__}: {error}.") from error
    if not callable(getattr(bot, "step", None)):
        raise SpecError(f"{parsed} made {shown(bot)}, which has no step(state) and so is no bot.")
    return bot if book is None else with_book(game, bot, book_of(game, book))


def bot_maker(spec: str | Spec, game: Any) -> Callable[[int, int | None], Any]:
    """`make_bot` for many games: looks up once, and returns a function (player, seed) -> fresh bot.

    Raises SpecError where the spec does not parse or names no agent. No bot is made, so no parameter checked:
    the function raises whatever the agent's factory does.
    """
    game = load_game(game)
    parsed = as_spec(spec)
    agent = find_agent(parsed.name)
    parsed, book = _without_book(parsed, agent)
    handed = game_for_factory(game, agent.factory) if agent.is_foreign else game
    parameters = inspect.signature(agent.factory).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    asked = [name for name in agent.offered if takes_any or name in parameters]

    def make(player: int, seed: int | None) -> Any:
        given = {name: bot_argument(name, handed, player, seed) for name in asked}
        made = agent.factory(**parsed.params, **given)
        bot = bot_of(made, game, player, seed) if agent.is_foreign else made
        return bot if book is None else with_book(game, bot, book_of(game, book))

    return make


def _without_book(spec: Spec, agent: Agent) -> tuple[Spec, Any]:
    """(the spec without its book, the book's file); None where there is none, or the agent's own."""
    if "book" not in spec.params or "book" in agent.parameters:
        return spec, None
    others = {name: value for name, value in spec.params.items() if name != "book"}
    return Spec(spec.name, others), spec.params["book"]


def find_agent(name: str) -> Agent:
    """The roster's entry for a name, or a foreign factory for `package.module:factory`.

    Raises SpecError where there is none.
    """
    if name.startswith(EXEC):
        from starspiel.agents.seats.bot import EngineBot

        return Agent(partial(EngineBot, name), "a program that speaks the seat protocol")
    if ":" in name:
        return Agent(_foreign(name), "foreign", is_foreign=True)
    if name not in _AGENTS:
        raise SpecError(
            f"unknown agent {shown(name)}.{did_you_mean(name, _AGENTS)} "
            "An agent of your own is named package.module:factory, or exec:COMMAND."
        )
    return _AGENTS[name]


def _foreign(name: str) -> Callable[..., Any]:
    found = find_in_module(name, "agent")
    if is_player(found):
        return lambda game, player, seed: fresh_bot(found, load_game(game), player, seed)
    if not callable(found):
        raise SpecError(
            f"agent {shown(name)}: {name.partition(':')[2]} is not a function or class, nor a bot, a policy, "
            "an RL agent or an MCTS evaluator."
        )
    return _with_signature(name, found)


def _with_signature(name: str, factory: Callable[..., Any]) -> Callable[..., Any]:
    """The factory; raises SpecError where Python cannot tell what it takes."""
    made = in_python(factory)
    try:
        inspect.signature(made)
    except (TypeError, ValueError):
        raise SpecError(
            f"agent {shown(name)}: Python cannot tell what {getattr(factory, '__name__', 'it')} takes, as it "
            "is compiled; write a function around it that names game, player or seed."
        ) from None
    return made
