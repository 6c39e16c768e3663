"""`OpenSpielGame`: an OpenSpiel game of perfect information as a Game.

Other games are refused. Where OpenSpiel is known to describe a game wrongly, the description is corrected, or
the game is refused.
"""

import re
from collections.abc import Callable, Hashable
from typing import Any

import pyspiel

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.inside import game_inside
from starspiel.envs.openspiel.identity import Contents, contents_of
from starspiel.envs.openspiel.joint_keys import joint_key_rule
from starspiel.envs.openspiel.keys import key_rule
from starspiel.envs.openspiel.parameters import checked_parameters, find_kind
from starspiel.envs.openspiel.refusals import broken, refusal, static_refusal
from starspiel.envs.spec import check_keys, quiet_stderr, read_parameters

#: The games that starspiel has registered with OpenSpiel, by name; without OpenSpiel's own games.
REGISTERED_HERE: dict[str, Any] = {}

_Type = pyspiel.GameType


class OpenSpielGame:
    """A `pyspiel.Game` as a Game. Its states are pyspiel's own.

    Attributes (besides those of `Game`):
        pyspiel_game: the game itself.
        contents: what distinguishes it from all other games.
        key: `key(state)`; returns None for every state of a game without a sound key.
        has_key: whether the game has a sound key.
        key_depth: the number of decision plies for which searches may rely on keys; None for any number.
        moves_left: `moves_left(state)`, the least number of decisions between a state and a cut-off that keys
            omit; None for games without such a cut-off.

    Raises `UnsupportedGameError` for a game that no agent can play soundly.
    """

    explicit_chance = True
    discount = 1.0

    def __init__(self, game: pyspiel.Game) -> None:
        name = str(game).removesuffix("()")
        reason = refusal(game.get_type()) or broken(game)
        if reason:
            raise UnsupportedGameError(f"{name} {reason}")
        self.pyspiel_game = game
        self.name = name
        self.contents: Contents = contents_of(game)
        self.num_players: int = game.num_players()
        self.num_distinct_actions: int = game.num_distinct_actions()
        self.step_rewards: bool = game.get_type().reward_model == _Type.RewardModel.REWARDS
        self.utility_range: tuple[float, float] | None = _utility_range(game)
        self.utility_sum: float | None = _utility_sum(game)
        self.simultaneous: bool = game.get_type().dynamics == _Type.Dynamics.SIMULTANEOUS
        rule = joint_key_rule(game) if self.simultaneous else key_rule(game)
        self.has_key = rule is not None
        self.key: Callable[[Any], Hashable | None] = rule.key if rule else lambda state: None
        self.key_depth: int | None = rule.depth if rule else None
        self.moves_left: Callable[[Any], int] | None = rule.moves_left if rule else None

    def new_initial_state(self) -> Any:
        """Returns the state that a game starts from (often a chance node)."""
        return self.pyspiel_game.new_initial_state()

    def frame(self, state: Any) -> tuple[float, float]:
        """Returns (player 0's return so far, 1.0); (0.0, 1.0) in games that only pay at the end."""
        return (state.player_return(0), 1.0) if self.step_rewards else (0.0, 1.0)

    def reroot(self, state: Any) -> Any:
        """Returns the state itself: OpenSpiel's returns are not discounted."""
        return state

    @property
    def canonical_name(self) -> str:
        """The name with all parameters, including defaults."""
        return self.contents.name

    @property
    def identity(self) -> str:
        """The canonical name, with hashes of the files or of the tree that it omits."""
        return self.contents.identity

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the game by name. Raises StarspielError if the name makes another game, or none."""
        if not self.contents.is_named:
            _again(type(self), self.name, self.identity)
        return _again, (type(self), self.name, self.identity)

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"


def _again(kind: type[OpenSpielGame], name: str, identity: str) -> OpenSpielGame:
    """Returns a pickled game from its name. Raises StarspielError if that name now makes another game."""
    reason = "its name makes another game here, as a file that it names has changed; load it again."
    try:
        game = load_pyspiel(name)
    except StarspielError as error:
        reason = f"its name does not make it again: {error} Write it to a file and load that by name."
    else:
        if contents_of(game).identity == identity:
            return kind(game)
    raise StarspielError(f"{name} cannot be sent to another process: {reason}")


def load_pyspiel(spec: str) -> pyspiel.Game:
    """Returns the `pyspiel.Game` of a string such as `pig` or `yacht(players=1)`, without printing anything.

    Raises `UnsupportedGameError` if no game of that name can be played, and `StarspielError` if OpenSpiel has
    no such game, refuses a parameter, or would crash.
    """
    check_keys(spec)
    kind = find_kind(spec)
    reason = static_refusal(kind)
    if reason:
        raise UnsupportedGameError(f"{spec} {reason}")
    parameters = read_parameters(spec)
    with quiet_stderr():
        try:
            game = pyspiel.load_game(parameters.pop("name"), checked_parameters(kind, parameters))
            state = game.new_initial_state()
            moves = state.is_simultaneous_node() or state.legal_actions()
        except StarspielError:
            raise
        except Exception as error:  # any exception of C++ or a Python game
            said = re.sub(r"\S+\.(cc|h):\d+ ", "", " ".join(str(error).split()))  # without file and line
            raise StarspielError(f"OpenSpiel cannot make {shown(spec)}: {said}") from error
    players = parameters.get("players", game.num_players())
    if players != game.num_players():
        raise StarspielError(
            f"{spec}: expected a game of {players} players, got one of {game.num_players()}: OpenSpiel lets "
            "other parameters of this game decide. Leave players out."
        )
    if not moves and not state.is_terminal():
        raise StarspielError(f"{spec} has no legal move at its start; give it other parameters.")
    return game


def qualifying_games() -> list[str]:
    """Returns the names of OpenSpiel's turn-based C++ games that load without parameters, sorted.

    They are one-player games and zero-sum games.
    """
    return sorted(
        kind.short_name
        for kind in pyspiel.registered_games()
        if kind.default_loadable
        and kind.short_name not in REGISTERED_HERE
        and not kind.short_name.startswith("python_")
        and static_refusal(kind) is None
        and kind.dynamics == _Type.Dynamics.SEQUENTIAL
        and (kind.min_num_players == 1 or kind.utility == _Type.Utility.ZERO_SUM)
    )


def _utility_range(game: pyspiel.Game) -> tuple[float, float] | None:
    """Returns bounds on every player's return: OpenSpiel's, unless these are known to be wrong."""
    name, parameters = game.get_type().short_name, game.get_parameters()
    if name in ("misere", "start_at"):
        low, high = _utility_range(game_inside(game)) or (None, None)
        if low is None or high is None:
            return None
        return (-high, -low) if name == "misere" else (low, high)
    if name == "2048" or "game" in parameters:
        return None  # 2048 exceeds its own bounds; a wrapper repeats the bounds of the game inside
    if name == "maedn":  # OpenSpiel claims +-3 for any number of players
        return -1.0, float(game.num_players() - 1)
    if name == "cliff_walking":  # OpenSpiel ignores that the horizon may come before the goal
        return game.min_utility(), max(game.max_utility(), -float(parameters["horizon"]))
    if name == "pathfinding":  # OpenSpiel assumes that steps cost and goals pay
        gains = -parameters["step_reward"], parameters["group_reward"], parameters["solve_reward"]
        return (game.min_utility(), game.max_utility()) if min(gains) >= 0 else None
    if name == "yacht" and game.num_players() == 1:
        return 0.0, 1.0  # the return is a share of the maximum score
    return game.min_utility(), game.max_utility()


def _utility_sum(game: pyspiel.Game) -> float | None:
    """Returns the sum of the players' returns; None if it varies."""
    if _is_zero_sum(game):
        return 0.0
    return float(game.utility_sum()) if game.get_type().utility == _Type.Utility.CONSTANT_SUM else None


def _is_zero_sum(game: pyspiel.Game) -> bool:
    """Returns whether the returns sum to 0, even if OpenSpiel's game type says otherwise."""
    kind = game.get_type()
    if kind.short_name == "laser_tag":
        return bool(game.get_parameters()["zero_sum"])
    return bool(kind.utility == _Type.Utility.ZERO_SUM)
