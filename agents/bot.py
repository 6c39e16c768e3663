"""Provides `Bot`, the base class of agents: a `pyspiel.Bot` that OpenSpiel's own loops can run."""

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import game_of
from starspiel.envs.named import same_game

Policy = list[tuple[int, float]]

#: The methods that ask a bot for a move on its turn.
ASKED = ("step", "step_with_policy", "get_policy")


def check_seat(state: Any, seat: int | None) -> None:
    """Raises StarspielError if it is another player's turn than `seat`'s; None allows every player."""
    if seat is None or not hasattr(state, "current_player"):
        return
    player = state.current_player()
    if 0 <= player != seat:
        raise StarspielError(
            f"this bot plays for player {seat}, and player {player} is to move; make another for that seat, "
            f"as_bot(agent, game, {player}), or one with player=None, which plays whichever seat is to move."
        )


def _on_turn(call: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a method of Bot so that it first checks that it is the turn of the bot's seat."""

    @functools.wraps(call)
    def asked(bot: "Bot", state: Any, *given: Any) -> Any:
        check_seat(state, bot.seat)
        return call(bot, state, *given)

    return asked


class Bot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no type hints
    """A `pyspiel.Bot` that implements every method; a subclass defines `step` or `step_with_policy`.

    It accepts pyspiel states and, if called from Python, any other State. It can be pickled and copied. A
    copy keeps the state of the random number generator, so it plays the same moves.

    Attributes:
        last_nodes: states searched, or simulations run, for the last move; None if it counts neither.
        seat: the player on whose turn alone it may be asked; None if it moves for whichever player is to
            move.
        player: the player it moves for if all players move at once.
    """

    last_nodes: int | None = None
    seat: int | None = None
    player: int = 0
    #: Attributes that copies share. Games never change, and some games cannot be copied.
    _shared: ClassVar[tuple[str, ...]] = ("_game",)

    def __init_subclass__(cls, **named: Any) -> None:
        """Makes the subclass's `step` and policy methods raise on the turn of another player than `seat`."""
        super().__init_subclass__(**named)
        for name in ASKED:
            if name in vars(cls):
                setattr(cls, name, _on_turn(vars(cls)[name]))

    def __init__(self) -> None:
        super().__init__()

    def step(self, state: Any) -> int:
        """Returns the action to play."""
        return self.step_with_policy(state)[1]

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        """Returns the probabilities of all legal actions, and the action drawn from them."""
        action = self.step(state)
        return [(each, float(each == action)) for each in state.legal_actions()], action

    def get_policy(self, state: Any) -> Policy:
        """Returns the probabilities of all legal actions."""
        return self.step_with_policy(state)[0]

    def provides_policy(self) -> bool:
        return True

    def move_values(self, state: Any) -> dict[int, float] | None:
        """Returns player 0's expected return of the whole game after each move that the bot has valued; None
        if it has no values. In games whose values are vectors, it is the return of the player to move.
        """
        return None

    def restart(self) -> None:
        """Resets the bot, including its random number generator."""

    def restart_at(self, state: Any) -> None:
        """Prepares the bot to continue a game from `state`."""
        self.restart()

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Informs the bot that another player, or chance, took `action` at `state`. Searches ignore this."""

    def inform_actions(self, state: Any, actions: Sequence[int]) -> None:
        """Informs the bot of the actions that all players took at once. Searches ignore this."""

    def provides_force_action(self) -> bool:
        return True

    def force_action(self, state: Any, action: int) -> None:
        """Informs the bot that `action` is played for it at `state`; nothing changes: it follows states."""

    def is_clonable(self) -> bool:
        return True

    def clone(self) -> Self:
        """Returns a copy that plays the same moves from here on."""
        return copy.deepcopy(self)

    def seeded(self, seed: int) -> Self:
        """Returns a copy that plays like a bot made with another seed."""
        duplicate = self.clone()
        duplicate.__dict__["_seed"] = seed
        duplicate.restart()
        return duplicate

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        duplicate: Self = _blank(type(self))
        memo[id(self)] = duplicate
        memo |= {id(part): part for name in self._shared if (part := vars(self).get(name)) is not None}
        duplicate.__dict__.update(copy.deepcopy(self._kept(), memo))
        return duplicate

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _blank, (type(self),), self._kept()

    def _kept(self) -> dict[str, Any]:
        """Returns the attributes that a copy keeps."""
        return self.__dict__


def listens(bot: Any) -> bool:
    """Returns whether the bot uses inform_action."""
    listener = getattr(type(bot), "inform_action", None)
    # A plain `pyspiel.Bot` is a C++ bot; Python cannot see whether it overrides inform_action.
    deaf = (pyspiel.Bot.inform_action, Bot.inform_action)
    return listener is not None and (listener not in deaf or type(bot) is pyspiel.Bot)


def hears_joint_moves(bot: Any) -> bool:
    """Returns whether the bot uses inform_actions."""
    listener = getattr(type(bot), "inform_actions", None)
    deaf = (pyspiel.Bot.inform_actions, Bot.inform_actions)
    return listener is not None and (listener not in deaf or type(bot) is pyspiel.Bot)


def tell(bot: Any, what: str, *news: Any) -> None:
    """Calls a method of an external bot, such as `inform_action`, if the bot has it."""
    call = getattr(bot, what, None)
    if callable(call):
        call(*news)


def _blank(kind: Any) -> Any:
    """Returns an empty bot to unpickle into. The C++ part cannot be copied, but it holds no data."""
    bot = kind.__new__(kind)
    pyspiel.Bot.__init__(bot)
    return bot


def provides_policy(bot: Any) -> bool:
    """Returns whether the bot has a policy."""
    provides = getattr(bot, "provides_policy", None)
    return callable(getattr(bot, "get_policy", None)) if provides is None else bool(provides())


def move_chances(bot: Any, state: Any) -> dict[int, float]:
    """Returns {action: probability} of a bot at a decision node; {move: 1.0} if it has no policy.

    The result depends on the state alone, because the bot is restarted there.
    """
    if callable(begin := getattr(bot, "restart_at", None)):
        begin(state)
    return dict(bot.get_policy(state)) if provides_policy(bot) else {int(bot.step(state)): 1.0}


def check_turn(state: Any, game: Game) -> None:
    """Raises StarspielError unless the state is a decision node of `game`."""
    if not same_game(theirs := game_of(state), game):
        other = f"another game named {theirs.name}" if theirs.name == game.name else theirs.name
        raise StarspielError(f"this bot was made for {game.name}, but the state is of {other}.")
    player = state.current_player()
    if player == CHANCE:
        raise StarspielError(f"no player moves at a chance node of {game.name}; apply an outcome first.")
    if player == TERMINAL:
        raise StarspielError(f"no player moves in a terminal state of {game.name}: the game is over.")
