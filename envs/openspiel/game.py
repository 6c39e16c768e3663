"""Any OpenSpiel game that search can play soundly, as a Game; everything else refused by name.

Soundness is checked here, not believed: keys come from `openspiel_keys`, and claims of OpenSpiel that are
known to be false (2048's greatest utility, maedn's +-3, hyper-backgammon's scores) are corrected or refused.
"""

import importlib
import re
from collections.abc import Callable, Hashable
from typing import Any

import pyspiel

from starspiel.envs.errors import StarspielError, UnsupportedGameError, did_you_mean
from starspiel.envs.games import GAMES
from starspiel.envs.keys import check_keys
from starspiel.envs.openspiel.keys import key_rule
from starspiel.envs.openspiel.quiet import quiet_stderr

#: What starspiel has registered with OpenSpiel, by name; not OpenSpiel's own games.
REGISTERED_HERE: dict[str, Any] = {}

_Type = pyspiel.GameType


class OpenSpielGame:
    """A `pyspiel.Game` as a Game. Its states are pyspiel's own.

    Attributes (besides those of `Game`):
        pyspiel_game: the game itself.
        key: `key(state)`; returns None for every state of a game without a sound key.
        has_key: whether the game has one.
        key_depth: for how many decision plies of search equal keys are good; None where for any number.

    Raises `UnsupportedGameError` for a game that search cannot play soundly.
    """

    explicit_chance = True
    discount = 1.0

    def __init__(self, game: pyspiel.Game, *, believe: bool = False) -> None:
        """Wraps `game`; with `believe`, even one known to be broken (`check_game` needs to see it)."""
        name = str(game).removesuffix("()")
        reason = _refusal(game.get_type(), game.num_players()) or (None if believe else _broken(game))
        if reason:
            raise UnsupportedGameError(f"{name} {reason}")
        self.pyspiel_game = game
        self.name = name
        self.num_players: int = game.num_players()
        self.num_distinct_actions: int = game.num_distinct_actions()
        self.step_rewards: bool = game.get_type().reward_model == _Type.RewardModel.REWARDS
        self.utility_range: tuple[float, float] | None = _utility_range(game)
        rule = key_rule(game)
        self.has_key = rule is not None
        self.key: Callable[[Any], Hashable | None] = rule.key if rule else _no_key
        self.key_depth: int | None = rule.depth if rule else None

    def new_initial_state(self) -> Any:
        """The state a game starts from (often a chance node)."""
        return self.pyspiel_game.new_initial_state()

    def frame(self, state: Any) -> tuple[float, float]:
        """(return of player 0 so far, 1.0); (0.0, 1.0) in games that only pay at the end."""
        return (state.player_return(0), 1.0) if self.step_rewards else (0.0, 1.0)

    def reroot(self, state: Any) -> Any:
        """The state itself: OpenSpiel's returns are not discounted."""
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.pyspiel_game,)  # keys are functions made for the game

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"


def load_openspiel(spec: str) -> OpenSpielGame:
    """The Game for an OpenSpiel game string such as `pig` or `yacht(players=1)`.

    Raises `UnsupportedGameError` where search cannot play it soundly, and `StarspielError` where OpenSpiel
    has no game of that name (with the nearest name) or refuses a parameter (with those it takes).
    """
    return OpenSpielGame(load_pyspiel(spec))


def load_pyspiel(spec: str) -> pyspiel.Game:
    """`pyspiel.load_game` with the errors of `load_openspiel`, and nothing printed."""
    check_keys(spec)
    kind = _registered(spec)
    reason = _static_refusal(kind)
    if reason:
        raise UnsupportedGameError(f"{spec} {reason}")
    with quiet_stderr():
        try:
            parameters = pyspiel.game_parameters_from_string(spec)
        except pyspiel.SpielError as error:
            raise StarspielError(f"cannot read game {spec!r}: {_one_line(error)}") from None
    del parameters["name"]
    _check_parameters(kind, parameters)
    with quiet_stderr():
        try:
            game = pyspiel.load_game(spec)
            state = game.new_initial_state()
            moves = state.legal_actions()
        except Exception as error:  # whatever C++ or a game written in Python throws
            raise StarspielError(f"OpenSpiel cannot make {spec!r}: {_one_line(error)}") from error
    if not moves and not state.is_terminal():
        raise StarspielError(f"{spec} has no legal move at its start; give it other parameters.")
    return game


def qualifying_games() -> list[str]:
    """The names of OpenSpiel's games that load as they are and that search plays, sorted."""
    return sorted(
        kind.short_name
        for kind in pyspiel.registered_games()
        if kind.default_loadable and kind.short_name not in REGISTERED_HERE and _static_refusal(kind) is None
    )


def _registered(spec: str) -> pyspiel.GameType:
    name = spec.split("(", 1)[0].strip()
    if name.startswith("python_"):
        importlib.import_module("open_spiel.python.games")  # which registers OpenSpiel's games in Python
    for kind in pyspiel.registered_games():
        if kind.short_name == name:
            return kind
    raise StarspielError(f"there is no game {name!r}.{_nearest(name)}")


def _nearest(name: str) -> str:
    answer = did_you_mean(name, {*pyspiel.registered_names(), *GAMES})
    # The list of everything OpenSpiel registers, four fifths of which do not qualify, helps nobody.
    if answer.startswith(" Did"):
        return answer
    return " `starspiel games` lists those that search plays; one of your own is named package.module:Rules."


def _static_refusal(kind: pyspiel.GameType) -> str | None:
    """Why no game of this kind qualifies, as far as that is known before it is loaded."""
    if not kind.default_loadable:
        return None  # a wrapper around another game, or a file: its real kind shows when loaded
    return _refusal(kind, kind.min_num_players)


def _refusal(kind: pyspiel.GameType, players: int) -> str | None:
    """What keeps a game of this kind from being searched, and what to use instead, as a sentence's end."""
    if kind.short_name == "morpion_solitaire":
        return (
            "crashes the process in OpenSpiel when a state is cloned, which every search does; only "
            "apply_action on a single state is safe there."
        )
    if kind.dynamics == _Type.Dynamics.MEAN_FIELD:
        return "is a mean-field game, not a game of turns; use OpenSpiel's python/mfg algorithms."
    if kind.dynamics != _Type.Dynamics.SEQUENTIAL:
        return (
            "has simultaneous moves; search needs turns. Use OpenSpiel's regret or equilibrium solvers "
            "(cfr, fictitious play, matrix games)."
        )
    if kind.information != _Type.Information.PERFECT_INFORMATION:
        return (
            "has imperfect information; search here would see hidden cards. Use OpenSpiel's CFR "
            "(pyspiel.CFRSolver) or information-set MCTS (pyspiel.ISMCTSBot)."
        )
    if kind.chance_mode == _Type.ChanceMode.SAMPLED_STOCHASTIC:
        return (
            "only samples its chance outcomes and cannot list them; search needs the probabilities. Use "
            "OpenSpiel's MCTS (pyspiel.MCTSBot)."
        )
    if players > 2:
        fewer = " or load it with players=2" if kind.min_num_players <= 2 else ""
        return (
            f"has {players} players; search plays one or two. Use OpenSpiel's MCTS (pyspiel.MCTSBot){fewer}."
        )
    if players == 2 and kind.utility != _Type.Utility.ZERO_SUM:
        return (
            "is not zero-sum; its two players' values cannot be searched as one. Use OpenSpiel's MCTS "
            "(pyspiel.MCTSBot)."
        )
    return None


def _broken(game: pyspiel.Game) -> str | None:
    """A known fault of OpenSpiel that leaves nothing to play for."""
    if game.get_type().short_name == "backgammon" and game.get_parameters().get("hyper_backgammon"):
        return (
            "scores every game 0 in OpenSpiel, whoever wins: its returns wait for 15 checkers borne off "
            "where each side has three. Use backgammon without hyper_backgammon."
        )
    return None


def _utility_range(game: pyspiel.Game) -> tuple[float, float] | None:
    """Bounds on player 0's return, OpenSpiel's own except where they are known to be wrong."""
    name, parameters = game.get_type().short_name, game.get_parameters()
    if name == "2048" or "game" in parameters:
        return None  # 2048 goes past its own claim; a wrapper repeats the claim of whatever it wraps
    if name == "maedn":
        return -1.0, 1.0  # OpenSpiel says +-3 for any number of players
    if name == "cliff_walking":  # OpenSpiel forgets that the horizon may come before the goal
        return game.min_utility(), max(game.max_utility(), -float(parameters["horizon"]))
    if name == "yacht" and game.num_players() == 1:
        return 0.0, 1.0  # the share of the greatest score there is
    return game.min_utility(), game.max_utility()


#: Least and greatest values of parameters with which OpenSpiel crashes, hangs or makes a game without moves.
_LIMITS: dict[str, dict[str, tuple[int, int]]] = {
    "pig": {"players": (2, 10), "horizon": (1, 10**9), "winscore": (1, 10**6), "diceoutcomes": (1, 10**6)},
    "yacht": {"players": (1, 10), "num_dice": (1, 8), "dice_sides": (1, 20), "rolls_per_turn": (1, 100)},
    "maedn": {"players": (2, 4)},
    "catch": {"rows": (1, 1000), "columns": (1, 1000)},
    "backgammon": {"max_player_turns": (1, 10**9)},
    "banqi": {"max_no_progress": (1, 10**9)},
    "2048": {"max_tile": (4, 2**17)},
    "breakthrough": {"rows": (2, 26), "columns": (2, 26)},
    "cliff_walking": {"height": (1, 1000), "width": (2, 1000), "horizon": (1, 10**9)},
    "clobber": {"rows": (1, 100), "columns": (2, 100)},
    "connect_four": {"rows": (1, 100), "columns": (1, 100), "x_in_row": (1, 100)},
    "crazyhouse": {"insanity": (0, 1000)},
    "gomoku": {"size": (1, 32), "dims": (1, 4), "connect": (1, 32)},
    "havannah": {"board_size": (2, 12)},
    "hex": {"board_size": (2, 26), "num_cols": (2, 26), "num_rows": (2, 26)},
    "mnk": {"m": (1, 100), "n": (1, 100), "k": (1, 100)},
    "oware": {"num_houses_per_player": (1, 26), "num_seeds_per_house": (1, 1000)},
    "quoridor": {"board_size": (2, 25), "players": (2, 4), "wall_count": (0, 1000)},
    "y": {"board_size": (1, 26)},
}


def _check_parameters(kind: pyspiel.GameType, given: dict[str, Any]) -> None:
    """Refuses a parameter the game does not have, of the wrong type, or out of range; OpenSpiel may crash."""
    known = kind.parameter_specification
    name = kind.short_name
    for needed in ("game", "filename"):
        if needed in known and needed not in given:
            example = "tic_tac_toe()" if needed == "game" else "PATH"
            raise StarspielError(f"{name} needs the parameter {needed}: {name}({needed}={example}).")
    for parameter, value in given.items():
        if parameter not in known:
            raise StarspielError(f"{name} has no parameter {parameter!r}.{_takes(known, parameter)}")
        expected = type(known[parameter])
        if expected in (bool, int, float, str) and not _fits(value, expected):
            raise StarspielError(
                f"{name}({parameter}={value}): expected {_TYPE_NAMES[expected]}, got {value!r}."
            )
        least, greatest = _LIMITS.get(name, {}).get(parameter, (None, None))
        if least is not None and greatest is not None and not least <= value <= greatest:
            raise StarspielError(f"{name}({parameter}={value}): expected {least} to {greatest}, got {value}.")


_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number such as 0.5", str: "text"}


def _fits(value: Any, expected: type) -> bool:
    return type(value) is expected or (expected is str and type(value) in (int, float, bool))


def _takes(known: dict[str, Any], parameter: str) -> str:
    return did_you_mean(parameter, known) if known else " It takes none."


def _one_line(error: Exception) -> str:
    """The message without its line breaks and without where in OpenSpiel's sources it comes from."""
    return re.sub(r"\S+\.(cc|h):\d+ ", "", " ".join(str(error).split()))


def _no_key(state: Any) -> None:
    return None
