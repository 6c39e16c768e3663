"""Finds the OpenSpiel game and states that stand for a Game and its own states.

OpenSpiel's policies and agents support no others.
"""

from copy import copy
from typing import Any

import pyspiel

from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.openspiel.game import REGISTERED_HERE, OpenSpielGame
from starspiel.envs.openspiel.registered import RegisteredGame, RegisteredState, registered_name


def pyspiel_game(game: Game) -> pyspiel.Game:
    """Returns the `pyspiel.Game` of a Game from OpenSpiel, or of one registered with OpenSpiel.

    Raises UnsupportedGameError if there is none.
    """
    if isinstance(game, OpenSpielGame):
        return game.pyspiel_game
    name = registered_name(game)
    if name is None and game.name.partition("(")[0] in REGISTERED_HERE:
        name = game.name
    if name is not None:
        found = pyspiel.load_game(name)
        if isinstance(found, RegisteredGame) and type(found.starspiel_game) is type(game):
            return found
    remedy = (
        "register it with register_openspiel."
        if game.explicit_chance
        else "it cannot be registered, because its chances are sampled, not listed. Agents can play it in "
        "tournaments and, if it is a Gymnasium environment, as EnvAgent."
    )
    raise UnsupportedGameError(
        f"{game.name} is not a game of OpenSpiel, whose policies and agents support no others; {remedy}"
    )


def pyspiel_state(game: pyspiel.Game, state: Any) -> pyspiel.State:
    """Returns a pyspiel state unchanged; for others, a state of the `pyspiel_game` without a history."""
    if isinstance(state, pyspiel.State):
        return state
    standing = game.new_initial_state()
    standing.stand_for(state)
    return standing


class Followed:
    """The pyspiel states of one game in progress, with their history.

    If the game's own states are not pyspiel states, `event` must be called for every event, in order.
    """

    def __init__(self, game: Game) -> None:
        self.game = pyspiel_game(game)
        self._tells_itself = isinstance(game, OpenSpielGame)
        self.restart()

    def __deepcopy__(self, memo: Any) -> "Followed":
        duplicate = copy(self)  # shares the game, which never changes
        duplicate._state = None if self._state is None else self._state.clone()
        return duplicate

    def restart(self) -> None:
        """Starts a new game."""
        self._state = None if self._tells_itself else self.game.new_initial_state()

    def begin_at(self, state: Any) -> None:
        """Continues the game from `state`; only a pyspiel state has a history."""
        if not self._tells_itself:
            self._state = (
                state.clone() if isinstance(state, RegisteredState) else self.game.new_initial_state()
            )

    def event(self, state: Any, action: int) -> None:
        """Records that a player or chance played `action` at `state`."""
        if self._state is not None and not isinstance(state, pyspiel.State):
            self._at(state).apply_action(action)

    def at(self, state: Any) -> pyspiel.State:
        """Returns the pyspiel state for `state`, which must not be changed.

        Raises StarspielError if it does not follow from the recorded events.
        """
        return state if isinstance(state, pyspiel.State) else self._at(state)

    def _at(self, state: Any) -> pyspiel.State:
        followed = self._state
        assert followed is not None, "games of OpenSpiel are played by pyspiel states"
        held, asked = (getattr(each, "position", each) for each in (followed.state, state))
        if held is not asked and held != asked:
            raise StarspielError(
                "this state does not follow from what the bot was told by inform_action; expected\n"
                f"{followed.state}\ngot\n{state}\nGive it states of pyspiel.load_game({str(self.game)!r}), "
                "which know their history."
            )
        return followed
