"""The agents in the other seats of a session."""

from collections.abc import Sequence
from typing import Any

from starspiel.agents.bot import tell
from starspiel.agents.roster import make_bot
from starspiel.cli.seating import PEOPLE
from starspiel.envs.base import NO_ACTION, Game, actions_of
from starspiel.envs.errors import StarspielError
from starspiel.envs.joint_move import JointMove
from starspiel.evaluation.play.dice import derived_seed
from starspiel.evaluation.starting import starts


class Opponents:
    """The bots of one game, in the seats whose spec is not PEOPLE."""

    def __init__(self, game: Game, seats: Sequence[str], seed: int) -> None:
        self._seats = seats
        self._bots: dict[int, Any] = {}
        for seat, spec in enumerate(seats):
            if spec != PEOPLE:  # With the seed of the dice, the bot could predict them.
                starts(spec, spec)
                among = (seat,) if game.num_players > 2 else ()
                self._bots[seat] = make_bot(spec, game, seat, derived_seed("play", seed, "opponent", *among))

    def answer(self, state: Any, player: int) -> int:
        """Returns a bot's move; if all players move at once, the bot is not told the others' choices.

        Raises StarspielError if the bot raises or its move is not legal.
        """
        state = _node(state)
        legal = list(actions_of(state, player))
        if not legal:
            return NO_ACTION
        try:
            action = self._bots[player].step(state)
        except StarspielError:
            raise
        except Exception as error:  # a user's own agent may raise anything
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise StarspielError(f"the agent {self._seats[player]} raised {reason}") from error
        if action not in legal:
            raise StarspielError(
                f"the agent {self._seats[player]} played {action!r}, which is not legal here; legal are "
                f"{legal[:12]}."
            )
        return int(action)

    def inform(self, state: Any, player: int, action: int) -> None:
        """Tells the other bots about an event at `state`; about simultaneous moves once all are known."""
        if isinstance(state, JointMove):
            if player == len(self._seats) - 1:
                for bot in self._bots.values():
                    tell(bot, "inform_actions", state.node, [*state.chosen, action])
            return
        for seat, bot in self._bots.items():
            if seat != player:
                tell(bot, "inform_action", state, player, action)

    def restart_at(self, state: Any) -> None:
        for bot in self._bots.values():
            tell(bot, "restart_at", _node(state))


def _node(state: Any) -> Any:
    return state.node if isinstance(state, JointMove) else state
