"""Makes bots from specs."""

import inspect
from collections.abc import Callable
from typing import Any

from starspiel.agents.factories import bot_argument, game_for_factory, in_python
from starspiel.agents.from_openspiel import bot_of, fresh_bot, is_player
from starspiel.agents.registry import BOTS, Entry, check_new, extra, installed, unknown
from starspiel.agents.seated import seated
from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.load import load_game
from starspiel.envs.modules import find_in_module
from starspiel.envs.spec import Spec, as_spec, call_with_params, is_command
from starspiel.envs.unchanged import refuse_changes


def register_bot(name: str, factory: Callable[..., Any], about: str = "registered") -> None:
    """Registers `name(param=…)` as an agent's spec in this process.

    `factory` is called with the spec's parameters. It also gets those of the following arguments that it
    names: `game` (a `pyspiel.Game` for OpenSpiel games, otherwise a Game), `player` and `seed`, or, as
    OpenSpiel's own bots and RL agents name them, `player_id`, `rng` (a `numpy.random.RandomState`) and
    `num_actions`. It returns an object with `step(state)`, or an OpenSpiel policy, RL agent or MCTS
    evaluator. Other processes do not know the name; use `package.module:factory` there.

    Raises SpecError if the name is taken or not an identifier, or if the factory has no signature.
    """
    check_new(BOTS, "agent", name, factory)
    BOTS[name] = Entry(_with_signature(name, factory), about, is_foreign=True)


def registered_here() -> frozenset[str]:
    """Returns the names registered by `register_bot`, which other processes do not know."""
    return frozenset(name for name, agent in BOTS.items() if agent.is_foreign)


def registered_agents() -> dict[str, Entry]:
    """Returns every agent available in this installation by name."""
    return installed(BOTS)


def make_bot(spec: str | Spec, game: Any, player: int | None = None, seed: int | None = None) -> Any:
    """Makes the bot of a spec, for one seat of one game.

    Args:
        spec: `star2(depth=3,evaluator=rollout(n=20))`, any name of `registered_agents()`, or
            `package.module:factory(param=…)` for a factory as in `register_bot`, or `exec:COMMAND` for a
            program that speaks the seat protocol (docs/protocol.md).
        game: a game string, a `pyspiel.Game` or a Game.
        player: the seat, from 0, on whose turn alone the bot moves. If None, the bot moves for whichever
            player is to move, and for player 0 if all move at once.
        seed: seed of the bot's random numbers; if None, a different one each time.

    Returns a `pyspiel.Bot`, or the object with `step(state)` that the user's factory returned.

    Raises:
        SpecError: the spec does not parse, names something that does not exist, lacks a parameter, or needs
            an evaluator that the game does not have.
        UnsupportedGameError: the agent cannot play the game.
    """
    game = load_game(game)
    seat = 0 if player is None else whole_number("player", player)
    if not 0 <= seat < game.num_players:
        raise SpecError(f"player must be in 0..{game.num_players - 1} for {game.name}, got {shown(player)}.")
    seed = seed_number(seed)
    refuse_changes(game, game.new_initial_state())
    parsed, agent, book = _taken_apart(spec)
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
        raise SpecError(f"{parsed} made {shown(bot)}, which has no step(state).")
    bot = bot if book is None else extra("bot with a book")(game, bot, book)
    return seated(bot, None if player is None else seat)


def bot_maker(spec: str | Spec, game: Any) -> Callable[[int, int | None], Any]:
    """Returns a function (player, seed) -> new bot, for many games of a spec.

    Unlike those of `make_bot`, its bots do not check whose turn it is. Raises SpecError if the spec does not
    parse or names no agent. Parameters are checked only when the function makes a bot.
    """
    game = load_game(game)
    parsed, agent, book = _taken_apart(spec)
    factory = agent.factory
    handed = game_for_factory(game, factory) if agent.is_foreign else game
    parameters = inspect.signature(factory).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    asked = [name for name in agent.offered if takes_any or name in parameters]

    def make(player: int, seed: int | None) -> Any:
        given = {name: bot_argument(name, handed, player, seed) for name in asked}
        made = factory(**parsed.params, **given)
        bot = bot_of(made, game, player, seed) if agent.is_foreign else made
        return bot if book is None else extra("bot with a book")(game, bot, book)

    return make


def _taken_apart(spec: str | Spec) -> tuple[Spec, Entry, Any]:
    """Returns the spec, without `book` unless the agent itself takes one; the agent; and the book's file or
    None.
    """
    parsed = as_spec(spec)
    agent = find_agent(parsed.name)
    if "book" not in parsed.params or "book" in agent.parameters:
        return parsed, agent, None
    others = {name: value for name, value in parsed.params.items() if name != "book"}
    return Spec(parsed.name, others), agent, parsed.params["book"]


def find_agent(name: str) -> Entry:
    """Returns the entry of a name, or the user's factory for `package.module:factory`. Raises SpecError if
    there is none.
    """
    if is_command(name):
        engine = extra(about := "program that speaks the seat protocol")
        return Entry(engine, about, {"command": name}, ("command",))
    if ":" in name:
        return Entry(_foreign(name), "foreign", is_foreign=True)
    if name not in BOTS:
        raise SpecError(
            f"{unknown('agent', name, registered_agents())} "
            "Name an agent of your own as package.module:factory or exec:COMMAND."
        )
    return BOTS[name]


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
    """Returns the factory, in Python if it is pyspiel's. Raises SpecError if it has no signature."""
    made = in_python(factory)
    try:
        inspect.signature(made)
    except (TypeError, ValueError):
        raise SpecError(
            f"agent {shown(name)}: Python cannot tell what {getattr(factory, '__name__', 'it')} takes, as it "
            "is compiled; write a function around it that names game, player or seed."
        ) from None
    return made
