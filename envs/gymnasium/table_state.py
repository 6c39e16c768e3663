"""States of a game over a transition table."""

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from starspiel.envs.base import CHANCE, TERMINAL, check_legal


class Transition(NamedTuple):
    """One outcome of an action; equal rows of the table are merged into one."""

    probability: float
    successor: int
    reward: float
    terminated: bool


@dataclass(slots=True, eq=False)
class TableState:
    """A node of a `TableGame`: a table state, the chance node after an action, or the initial chance node.

    Attributes:
        at: the table state; None at the chance node that draws the first one.
        action: at the chance node after an action, that action; None at other nodes.
        left: the number of actions left before the horizon; None without a horizon.
        collected, scale: the return so far, and the factor on later rewards.
        over: whether the game has ended in `at`.
    """

    game: Any
    at: int | None
    action: int | None
    left: int | None
    collected: float = 0.0
    scale: float = 1.0
    over: bool = False

    def is_terminal(self) -> bool:
        return self.over

    def is_chance_node(self) -> bool:
        return not self.over and (self.at is None or self.action is not None)

    def current_player(self) -> int:
        if self.over:
            return TERMINAL
        return CHANCE if self.is_chance_node() else 0

    def legal_actions(self) -> list[int]:
        if self.over:
            return []
        if self.at is None or self.action is not None:
            return [outcome for outcome, _ in self.chance_outcomes()]
        actions: list[int] = self.game.actions(self.at)
        return actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the outcomes, numbered in the order of the merged transitions or of the first states."""
        if self.at is None:
            return [(i, p) for i, (_, p) in enumerate(self.game.starts)]
        assert self.action is not None, "chance_outcomes asked at a decision node"
        return [(i, t.probability) for i, t in enumerate(self.game.transitions(self.at, self.action))]

    def child(self, action: int) -> "TableState":
        if self.at is None:
            return TableState(self.game, self.game.starts[action][0], None, self.left)
        if self.action is not None:
            return self._after(self.game.transitions(self.at, self.action)[action])
        transitions = self.game.transitions(self.at, action)
        if len(transitions) == 1:
            return self._after(transitions[0])
        return TableState(self.game, self.at, action, self.left, self.collected, self.scale)

    def apply_action(self, action: int) -> None:
        """Becomes `child(action)`. Raises StarspielError if it is not legal."""
        check_legal(self, action)
        child = self.child(action)
        for field in fields(self):
            setattr(self, field.name, getattr(child, field.name))

    def clone(self) -> "TableState":
        """Returns a separate state of the same position."""
        return replace(self)

    def _after(self, transition: Transition) -> "TableState":
        left = None if self.left is None else self.left - 1
        return TableState(
            self.game,
            transition.successor,
            None,
            left,
            self.collected + self.scale * transition.reward,
            self.scale * self.game.discount,
            over=transition.terminated or left == 0,
        )

    def returns(self) -> list[float]:
        return [self.collected]

    def action_to_string(self, player: int, action: int) -> str:
        if player != CHANCE:
            return str(self.game.action_names.get(action, f"action {action}"))
        if self.at is None:
            return f"start in {self.game.starts[action][0]}"
        assert self.action is not None, "a chance name asked at a decision node"
        t = self.game.transitions(self.at, self.action)[action]
        return f"to {t.successor}, reward {t.reward:g}{', end' if t.terminated else ''}"

    def get_game(self) -> Any:
        return self.game

    def __str__(self) -> str:
        picture = None if self.at is None or self.game.picture is None else self.game.picture(self.at)
        return self._in_words() if picture is None else f"{picture}\n{self._in_words()}"

    def _in_words(self) -> str:
        if self.at is None:
            return "before the first state"
        parts = [f"state {self.at}"]
        if self.over:
            parts.append("over")
        elif self.action is not None:
            parts.append(f"after {self.action_to_string(0, self.action)}")
        if self.left is not None:
            parts.append(f"{self.left} actions left")
        return ", ".join([*parts, f"return {self.collected:g}"])

    def __repr__(self) -> str:
        return f"TableState({self.game.name}: {self._in_words()})"
