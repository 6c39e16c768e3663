"""Provides the agent and the evaluator `gnubg(plies=…)`: GNU Backgammon, if that program is installed."""

from collections.abc import Sequence
from typing import Any

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.encoders.backgammon import BackgammonEncoder
from starspiel.agents.evaluators.bearoff import has_bearoff
from starspiel.agents.evaluators.positions import values_of
from starspiel.agents.reference.process import gnubg_of
from starspiel.agents.search import Limits
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.gnubg.fibs import board_line
from starspiel.envs.gnubg.position import position_of, side_of
from starspiel.envs.plays import meant
from starspiel.envs.scoring import returns_of

_MOST_PLIES = 3


class GnubgEvaluator:
    """Values positions of backgammon by GNU Backgammon, cubeless: player 0's expected return.

    It supports all scorings: the value is computed from the program's five chances, to win, and to win or
    lose a gammon or a backgammon. If dice are thrown, it is the value of the best play with them. Raises
    SpecError for another game, or if the program is not installed.
    """

    by_position = True

    def __init__(self, game: Game, plies: int = 0) -> None:
        if not has_bearoff(game):
            raise SpecError(f"gnubg plays backgammon, not {game.name}.")
        self.plies = whole_number("plies", plies, 0, _MOST_PLIES)
        #: The greatest return of a win: 1, 2 or 3.
        self.most = int(max(returns_of(game) or (1,)))
        self.range = -float(self.most), float(self.most)
        self.name = f"gnubg(plies={self.plies})"
        self._encoder = BackgammonEncoder()
        gnubg_of(self.plies)

    def __call__(self, state: Any, /) -> float:
        return float(values_of([state], self._encoder, self._values)[0])

    def _values(self, states: Sequence[Any]) -> list[float]:
        return [self._value(state) for state in states]

    def _value(self, state: Any) -> float:
        """Returns the value for the player about to throw."""
        turn = self._encoder.turn(state)
        own, other = side_of(state, turn), side_of(state, 1 - turn)
        # The program's settings apply to plays only, so the command of an evaluation must give the plies.
        line = f"{board_line(own, other, (), self.most)} plies {self.plies}"
        answer = gnubg_of(self.plies).ask(f"evaluation fibsboard {line}")
        try:
            win, *more = map(float, answer.split()[:5])
            won, lost = [win, *more[:2]], [1 - win, *more[2:]]
        except ValueError:
            raise StarspielError(f"expected five chances of GNU Backgammon, got {answer!r}.") from None
        return sum(won[: self.most]) - sum(lost[: self.most])


class GnubgBot(SearchBot):
    """Plays GNU Backgammon's choice at a number of plies, with its move filters. It finishes a double as
    planned in the first half. If another player made that half, it plays the best move by the program's
    values.
    """

    def __init__(self, game: Game, player: int = 0, seed: int | None = None, *, plies: int = 0) -> None:
        self._gnubg = GnubgEvaluator(game, plies)
        super().__init__(game, "expectiminimax", Limits(depth=1), self._gnubg, player=player, seed=seed)
        self._next: tuple[list[int], int] | None = None

    def restart(self) -> None:
        super().restart()
        self._next = None

    def step(self, state: Any) -> int:
        return self._best(state)[0]

    def _best(self, state: Any) -> tuple[int, ...]:
        planned, self._next = self._next, None
        history = state.history()
        if planned is not None and planned[0] == history:
            return (planned[1],)
        events = state.full_history()
        if len(state.legal_actions()) == 1 or events[-1].player == state.current_player():
            return super()._best(state)
        self.last_result, self.last_nodes = None, None
        first, *second = self._chosen(state)
        if second:
            self._next = [*history, first], second[0]
        return (first,)

    def _chosen(self, state: Any) -> list[int]:
        """Returns the actions of the play that the program chooses."""
        position = position_of(state)
        own, other = position.on_roll
        line = board_line(own, other, position.dice, self._gnubg.most)
        return meant(self._game, state, gnubg_of(self._gnubg.plies).ask(line))
