"""A game between people and agents, whose moves can be undone and which can be saved and resumed.

It does no input or output: `terminal.py` and `web.py` are its two user interfaces.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starspiel.agents.bots.auto import unknown, usual_search
from starspiel.agents.bots.mcts import MCTSBot
from starspiel.agents.bots.uct import UCTBot
from starspiel.agents.search import SearchResult
from starspiel.agents.search.joint_deepening import unsearched
from starspiel.cli.hints import hinter, numbered
from starspiel.cli.opponents import Opponents
from starspiel.cli.saved import Saved
from starspiel.cli.seating import PEOPLE, seated, verdict
from starspiel.envs.base import Game, is_simultaneous, possible_outcomes
from starspiel.envs.errors import StarspielError
from starspiel.envs.joint_move import JointMove, one_by_one
from starspiel.envs.load import load_game
from starspiel.envs.plays import Play, meant, name_of, plays
from starspiel.evaluation.play.course import SEEDS, Course


class Session:
    """One game in progress: its states so far, whose move it is, and who plays which seat.

    The seed and the number of an event determine its dice, so that dice fall the same way after an undo or a
    resume. Agents that draw random numbers start afresh. If chance outcomes are sampled, not listed, the game
    has its own dice, which follow from the seed: those of `env.reset(seed=seed)`.

    If all players move at once, the person chooses first. The agents are then asked without being told that
    choice, and nothing is shown until all have chosen.

    Args:
        opponent: spec of the agent in all other seats, or one spec for each of them in seat order; "human"
            for a person. Defaults to the usual search.
        hint: spec of the agent that gives hints. Defaults to the usual search.
        history: actions and outcomes to replay first.

    Attributes:
        note: what a person must know about the default agents; empty if nothing.
        seats: who plays each seat: a spec, or "human" for the person and for other people.
        states: every state from the start.
        history: the action or outcome that followed each state except the last.
        log: for each entry of `history`, who made it (a seat or CHANCE) and its name.
        version: how often the position has changed.

    Raises StarspielError if game, agents, seat or history do not fit together.
    """

    def __init__(
        self,
        game: str,
        opponent: str | Sequence[str] | None = None,
        seat: int = 0,
        seed: int = 1,
        history: Sequence[int] = (),
        hint: str | None = None,
    ) -> None:
        self.game: Game = load_game(game)
        self._spec, self.seat, self.seed = game, seat, seed
        if seat not in range(self.game.num_players):
            raise StarspielError(f"seat must be in 0..{self.game.num_players - 1}, got {seat}.")
        if (reason := unsearched(self.game)) and opponent is None:
            raise StarspielError(f"{self.game.name} {reason} Try --opponent random.")
        usual = "" if reason else usual_search(self.game)
        self.note = unknown(self.game) if not (opponent and hint) else ""
        self.seats = seated(self.game, seat, opponent, usual)
        if is_simultaneous(self.game) and self.people > 1:
            raise StarspielError(
                f"{self.game.name} has simultaneous moves, which people at one screen cannot make unseen: "
                "name an agent as --opponent."
            )
        self.version = 0
        self._begin()
        self._hinter = hinter(hint or usual, self.game, seat, seed)
        for number, action in enumerate(history, start=1):
            state = self.state
            legal = [] if state.is_terminal() else state.legal_actions()
            if action not in ([each for each, _ in state.chance_outcomes()] if self._dice_next else legal):
                raise StarspielError(f"the history's action {number}, {action}, is not legal there.")
            self._append(action)
        if isinstance(self.state, JointMove) and self.state.chosen:
            raise StarspielError("the history ends in the middle of a simultaneous move.")

    def _begin(self) -> None:
        self._opponents = Opponents(self.game, self.seats, self.seed)
        self._course = None if self.game.explicit_chance else self._replayed([])
        begun = self.game.new_initial_state() if self._course is None else self._course.state
        self.states = [one_by_one(begun)]
        self._choice: int | None = None
        self.history: list[int] = []
        self.log: list[tuple[int, str]] = []

    @property
    def state(self) -> Any:
        return self.states[-1]

    @property
    def over(self) -> bool:
        return bool(self.state.is_terminal())

    @property
    def persons_turn(self) -> bool:
        return self._choice is None and self._persons(self.state)

    @property
    def hinted(self) -> bool:
        """Whether there are hints: not without a search that plays the game."""
        return self._hinter is not None

    @property
    def people(self) -> int:
        """How many seats are played by people."""
        return self.seats.count(PEOPLE)

    @property
    def thinking(self) -> str:
        """The agent whose move is awaited; empty if it is not an agent's."""
        if self._choice is not None:
            return next((spec for spec in self.seats if spec != PEOPLE), "")
        return "" if self._dice_next or self.persons_turn else self.seats[self.state.current_player()]

    def called(self, player: int) -> str:
        """Returns who plays a seat, in words."""
        return "you" if player == self.seat and self.people == 1 else self.seats[player]

    @property
    def unfinished(self) -> bool:
        """Whether the person has made a move in a game that is not over."""
        return not self.over and any(map(self._persons, self.states[:-1]))

    @property
    def _dice_next(self) -> bool:
        return bool(self.state.is_chance_node())

    def viewer(self, state: Any) -> int:
        """Returns the seat whose view a board shows: that of the person to move, else `seat`."""
        alone = self._persons(state) and not isinstance(state, JointMove)
        return int(state.current_player()) if alone else self.seat

    def plays(self) -> tuple[Play, ...]:
        """Returns the legal moves, each distinct one once."""
        return plays(self.game, self._asked())

    def move(self, text: str) -> None:
        """Makes the person's move, given by its number in `plays` or its name.

        Raises StarspielError if it is not a legal move.
        """
        found = meant(self.game, self._asked(), text)
        if isinstance(self.state, JointMove):
            [self._choice] = found
            self.version += 1
            return
        for action in found:
            self._append(action)

    def event(self) -> list[tuple[int, str]]:
        """Lets the dice, an opponent or all players at once act; returns the new entries of `log`."""
        state, known = self.state, len(self.log)
        if self._choice is not None:
            chosen = [
                self._choice if seat == self.seat else self._opponents.answer(state, seat)
                for seat in range(self.game.num_players)
            ]
            self._choice = None
            for action in chosen:
                self._append(action)
        elif self._dice_next:
            outcomes, chances = zip(*possible_outcomes(state), strict=True)
            self._append(random.Random(f"{self.seed}/{len(self.history)}").choices(outcomes, chances)[0])
        else:
            self._append(self._opponents.answer(state, state.current_player()))
        return self.log[known:]

    def _asked(self) -> Any:
        """Returns the position as a decision of the person."""
        return self.state.asking(self.seat) if isinstance(self.state, JointMove) else self.state

    def undo(self) -> None:
        """Goes back to the person's last decision. Raises StarspielError if that cannot be done."""
        self._check_repeatable("undone")
        made = self.states if self._choice is not None else self.states[:-1]
        decisions = [i for i, state in enumerate(made) if self._persons(state)]
        if not decisions:
            raise StarspielError("nothing to undo.")
        last, self._choice = decisions[-1], None
        if self._course is not None:
            self._course = self._replayed(self.history[:last])
        del self.states[last + 1 :], self.history[last:], self.log[last:]
        self.version += 1
        self._opponents.restart_at(self.state)

    def restart(self) -> None:
        """Starts another game with the next seed."""
        self.seed += 1
        self.version += 1
        self._begin()

    def hint(self) -> SearchResult:
        """Returns the hint agent's search, whose actions are the moves' numbers in `plays`, from 1.

        Raises StarspielError if no search supports the game.
        """
        asked, state = self._hinter, self.state
        if asked is None:
            raise StarspielError(f"no hint: {self.game.name} {unsearched(self.game)}")
        searched = state.node if isinstance(state, JointMove) else state
        if isinstance(asked, UCTBot | MCTSBot):
            result: SearchResult = asked.analysis(searched)
        else:
            result = asked.search(searched, explain=True, exact_action_values=True)
        return numbered(result, self.plays(), self.seat)

    def verdict(self) -> str:
        """Returns how the finished game ended, in words."""
        return verdict(self.game, self.state.returns(), self.seats, self.seat)

    def save(self, path: Path) -> None:
        """Writes the save file. Raises StarspielError if that fails or if the game is not repeatable."""
        self._check_repeatable("saved")
        others = [spec for seat, spec in enumerate(self.seats) if seat != self.seat] or [PEOPLE]
        opponent = others[0] if len(set(others)) == 1 else others
        Saved(self._spec, opponent, self.seat, self.seed, self.history).write(path)

    @classmethod
    def load(cls, path: Path, hint: str | None = None) -> "Session":
        """Returns the session of a save file.

        Raises StarspielError if the file is not a save file or its history is not legal.
        """
        saved = Saved.read(path)
        return cls(saved.game, saved.opponent, saved.seat, saved.seed, saved.history, hint)

    @property
    def repeatable(self) -> bool:
        """Whether the same seed and moves lead to the same game again."""
        return not getattr(self.game, "own_dice", False)

    def _check_repeatable(self, what: str) -> None:
        if not self.repeatable:
            raise StarspielError(
                f"{self.game.name} has dice that no seed controls (own_dice), so its games cannot be {what}."
            )

    def _persons(self, state: Any) -> bool:
        if isinstance(state, JointMove):
            return not state.chosen
        player = state.current_player()
        return bool(player >= 0 and self.seats[player] == PEOPLE)

    def _append(self, action: int) -> None:
        state = self.state
        player = state.current_player()
        entry = player, name_of(state, player, action)
        if self._course is None:
            following = one_by_one(state.child(action))
        else:
            try:
                self._course.move(action)
            except StarspielError:  # the environment raised, perhaps after half a step
                self._course = self._replayed(self.history)
                raise
            following = self._course.state
        self._opponents.inform(state, player, action)
        self.states.append(following)
        self.history.append(action)
        self.log.append(entry)
        self.version += 1

    def _replayed(self, history: Sequence[int]) -> Course:
        """Returns the game of this seed after these moves, for games whose chance outcomes are sampled."""
        if not 0 <= self.seed < SEEDS:
            raise StarspielError(
                f"the dice of {self.game.name} follow from a seed: expected one from 0 to {SEEDS - 1}, "
                f"got {self.seed}."
            )
        replayed = Course(self.game, self.seed)
        for action in history:
            replayed.move(action)
        return replayed
