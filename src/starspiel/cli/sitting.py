"""A game in progress between a person and an agent: what can be undone, saved and taken up again.

No input or output here but the save file; `play.py` talks to the person.
"""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from starspiel.agents.book import Searcher
from starspiel.agents.bots.auto import usual_search
from starspiel.agents.roster import make_bot
from starspiel.agents.search import SearchResult
from starspiel.envs.base import CHANCE, Game, possible_outcomes
from starspiel.envs.errors import StarspielError
from starspiel.envs.files import written_whole
from starspiel.envs.load import load_game
from starspiel.envs.plays import Play, meant, name_of, plays
from starspiel.evaluation.play.course import SEEDS, Course
from starspiel.evaluation.play.dice import derived_seed

#: The opponent's spec where a person plays every seat.
NOBODY = "human"


class Saved(msgspec.Struct, forbid_unknown_fields=True):
    """A save file: everything that makes the sitting again."""

    game: str
    opponent: str
    seat: int
    seed: int
    history: list[int]


class Sitting:
    """One game: whose move it is, what has happened, and the way back.

    The dice are drawn from the seed and the number of the event, so that an undone throw falls the same way
    again, and a resumed game goes on as it would have. Where chances are drawn and not listed, the game is
    played with its own dice, which follow from the seed: of an environment, those of `reset(seed=seed)`.

    Args:
        game: a game string.
        opponent: the spec of the agent in the other seat, "human" for a person in every seat, or None for
            the usual search.
        seat: the person's seat.
        seed: of the dice and the opponent; where chances are drawn from 0 to 2^31 - 1.
        history: actions and outcomes to replay first.

    Raises `StarspielError` where game, opponent, seat or history do not fit.
    """

    def __init__(
        self, game: str, opponent: str | None, seat: int = 0, seed: int = 1, history: list[int] | None = None
    ) -> None:
        self.game: Game = load_game(game)
        self._spec = game
        if seat not in range(self.game.num_players):
            raise StarspielError(f"seat must be in 0..{self.game.num_players - 1}, got {seat}.")
        if opponent is None:
            opponent = usual_search(self.game)
        self.opponent = opponent if self.game.num_players == 2 else NOBODY
        self.seat = seat
        self.seed = seed
        self._bot: Any = None
        if self.opponent != NOBODY:
            self._bot = make_bot(self.opponent, self.game, 1 - seat, self.seed_for("opponent"))
        #: Where chances are drawn: the game as it really goes on.
        self._course: Course | None = None if self.game.explicit_chance else self._under_way([])
        start = self.game.new_initial_state() if self._course is None else self._course.state
        #: Every state from the start, and the action or outcome that led on from each but the last.
        self.states: list[Any] = [start]
        self.history: list[int] = []
        for action in history or []:
            self._check(action)
            self._append(action)

    @property
    def state(self) -> Any:
        return self.states[-1]

    @property
    def over(self) -> bool:
        return bool(self.state.is_terminal())

    @property
    def persons_turn(self) -> bool:
        return self._persons(self.state)

    @property
    def begun(self) -> bool:
        """Whether the person has made a move."""
        return any(map(self._persons, self.states[:-1]))

    @property
    def viewer(self) -> int:
        """Who the board is drawn for: the person, or where people play both seats whoever moves."""
        player = self.state.current_player()
        return int(player) if self.opponent == NOBODY and player >= 0 else self.seat

    @property
    def repeatable(self) -> bool:
        """Whether the same moves lead to the same game again, so that it can be undone and saved."""
        return not getattr(self.game, "own_dice", False)

    def seed_for(self, who: str) -> int:
        """The seed of an agent at the table: none that the dice are drawn from, which it would foresee."""
        return derived_seed("play", self.seed, who)

    def again(self) -> "Sitting":
        """A new game at the same table, with the next seed."""
        return Sitting(self._spec, self.opponent, self.seat, self.seed + 1)

    def plays(self) -> tuple[Play, ...]:
        """The legal moves, each distinct one once."""
        return plays(self.game, self.state)

    def meant(self, text: str) -> list[int]:
        """The actions that a person's text means. Raises StarspielError where it means none."""
        return meant(self.game, self.state, text)

    def name_of(self, action: int) -> str:
        """What an action or outcome is called."""
        return name_of(self.state, self.state.current_player(), action)

    def hint(self, hinter: Searcher) -> SearchResult:
        """What an agent thinks of the moves, by their numbers in `plays`, from 1."""
        result = hinter.search(self.state, explain=True, exact_action_values=True)
        offered = self.plays()
        number = {action: i for i, play in enumerate(offered, start=1) for action in play.actions}
        return replace(
            result,
            best_action=number[result.best_action],
            action_values={number[action]: value for action, value in result.action_values.items()},
            best_actions=tuple(sorted({number[action] for action in result.best_actions})),
            soonest_actions=tuple(sorted({number[action] for action in result.soonest_actions})),
            names={i: play.name for i, play in enumerate(offered, start=1)},
        )

    def verdict(self) -> str:
        """How the game that is over ended."""
        returns = list(self.state.returns())
        if self.game.num_players == 1:
            return f"over: return {returns[0]:g}."
        if returns[0] == returns[1]:
            return "a draw."
        winner = 0 if returns[0] > returns[1] else 1
        if self.opponent == NOBODY:
            return f"player {winner} wins (returns {returns[0]:g}, {returns[1]:g})."
        return f"you {'win' if winner == self.seat else 'lose'} (return {returns[self.seat]:g})."

    def move(self, action: int) -> None:
        """The person's move."""
        self._append(action)

    def event(self) -> tuple[int, str]:
        """Let the dice or the opponent act; who acted (CHANCE or a seat), and the name of what happened."""
        state = self.state
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*possible_outcomes(state), strict=True)
            dice = random.Random(f"{self.seed}/{len(self.history)}")
            action = dice.choices(outcomes, chances)[0]
        else:
            action = self._answer(state)
        name = name_of(state, player, action)
        self._append(action)
        return player, name

    def _answer(self, state: Any) -> int:
        """The opponent's move; raises `StarspielError` where it raises or is not legal."""
        try:
            action = self._bot.step(state)
        except StarspielError:
            raise
        except Exception as error:  # a user's own agent may raise anything
            raise StarspielError(
                f"the agent {self.opponent} raised {type(error).__name__}: {' '.join(str(error).split())}"
            ) from error
        legal = state.legal_actions()
        if action not in legal:
            raise StarspielError(
                f"the agent {self.opponent} played {action!r}, which is not legal here; "
                f"legal are {list(legal)[:12]}."
            )
        return int(action)

    def undo(self) -> bool:
        """Back to the person's last decision before this one; False where there is none.

        Raises `StarspielError` where the game cannot be played again up to there.
        """
        self._check_repeatable("undone")
        for i in range(len(self.history) - 1, -1, -1):
            if self._persons(self.states[i]):
                if self._course is not None:
                    self._course = self._under_way(self.history[:i])
                del self.states[i + 1 :], self.history[i:]
                if self._bot is not None and hasattr(self._bot, "restart_at"):
                    self._bot.restart_at(self.state)
                return True
        return False

    def save(self, path: Path) -> None:
        """Write the save file.

        Raises `StarspielError` where it cannot be written, or the game not be played again from it.
        """
        self._check_repeatable("saved")
        saved = Saved(self._spec, self.opponent, self.seat, self.seed, self.history)
        try:
            with written_whole(path) as file:
                file.write(msgspec.json.encode(saved) + b"\n")
        except OSError as error:
            raise StarspielError(f"cannot save to {path}: {error.strerror}.") from None

    @classmethod
    def load(cls, path: Path) -> "Sitting":
        """The sitting of a save file.

        Raises `StarspielError` where the file is missing, is no save file, or holds an illegal history.
        """
        try:
            saved = msgspec.json.decode(path.read_bytes(), type=Saved)
        except OSError as error:
            raise StarspielError(f"cannot resume from {path}: {error.strerror}.") from None
        except msgspec.DecodeError as error:
            raise StarspielError(f"{path} is not a game saved by starspiel play: {error}.") from None
        return cls(saved.game, saved.opponent, saved.seat, saved.seed, saved.history)

    def _persons(self, state: Any) -> bool:
        player = state.current_player()
        return player >= 0 and (self.opponent == NOBODY or player == self.seat)

    def _append(self, action: int) -> None:
        state = self.state
        following = state.child(action) if self._course is None else self._moved(self._course, action)
        if self._bot is not None and state.current_player() != 1 - self.seat:
            inform = getattr(self._bot, "inform_action", None)
            if inform is not None:
                inform(state, state.current_player(), action)
        self.states.append(following)
        self.history.append(action)

    def _moved(self, under_way: Course, action: int) -> Any:
        try:
            under_way.move(action)
        except StarspielError:  # the environment raised, perhaps after half a step
            self._course = self._under_way(self.history)
            raise
        return under_way.state

    def _under_way(self, history: list[int]) -> Course:
        """The game of this seed, whose chances are drawn, after these moves."""
        if not 0 <= self.seed < SEEDS:
            raise StarspielError(
                f"the chances of {self.game.name} are drawn from a seed: expected one from 0 to {SEEDS - 1}, "
                f"got {self.seed}."
            )
        under_way = Course(self.game, self.seed)
        for action in history:
            under_way.move(action)
        return under_way

    def _check_repeatable(self, what: str) -> None:
        if not self.repeatable:
            raise StarspielError(
                f"{self.game.name} throws dice that no seed decides (own_dice), so a game of it cannot be "
                f"{what}."
            )

    def _check(self, action: int) -> None:
        state = self.state
        legal = [] if state.is_terminal() else state.legal_actions()
        if state.is_chance_node():
            legal = [outcome for outcome, _ in state.chance_outcomes()]
        if action not in legal:
            raise StarspielError(
                f"the history's action {len(self.history) + 1}, {action}, is not legal there."
            )
