"""Shows expected returns as chances to win, equities or points."""

import functools
import random
from collections.abc import Hashable
from dataclasses import dataclass
from math import isclose, isfinite
from typing import Any

from starspiel.envs.base import Game, has_vector_values, utility_sum
from starspiel.envs.rules import Rules
from starspiel.envs.scoring import points_of

#: The least loss of each grade, as a share of the game's range: GNU Backgammon's thresholds of "doubtful",
#: "bad" and "very bad" (.04, .08 and .16 of an equity between -1 and 1).
GRADES = ((0.08, "blunder"), (0.04, "mistake"), (0.02, "inaccuracy"))


#: How many random games of a user's rules are played, and the maximum number of events in each.
_GAMES, _EVENTS = 20, 1000


@dataclass(frozen=True, slots=True)
class Outlook:
    """How a game's values are shown to people. Values are those of searches: see `SearchResult.perspective`.

    Attributes:
        word: what a value is called. "chance to win" if one player wins what all others lose in equal parts,
            with draws as a chance shared by all (in `Rules`: if a few random games all end like this), or
            "estimated chance to win" if the evaluator is not calibrated; "equity" in other two-player
            zero-sum games; "expected score" in one-player games whose points are known; else "expected
            return".
        low, high: the least and the greatest return; None if there are no finite bounds.
        opposed: whether player 1 loses what player 0 gains, so that values are player 0's.
        points: how many points a return of 1 stands for.
    """

    word: str
    low: float | None
    high: float | None
    opposed: bool
    points: float = 1.0

    @property
    def is_chance(self) -> bool:
        """Whether values are shown as chances to win."""
        return self.word.endswith("chance to win")

    @property
    def is_score(self) -> bool:
        """Whether values are shown as points."""
        return self.word == "expected score"

    def of(self, value: float, player: int = 0) -> float:
        """Returns the value from the side of `player`: a chance between 0 and 1, points, or a return."""
        own = -value if self.opposed and player == 1 else value
        if not self.is_chance or self.low is None or self.high is None:
            return own * self.points
        return (own - self.low) / (self.high - self.low)

    def text(self, value: float, player: int = 0) -> str:
        """Returns the value from the side of `player` as text: "62.3 %", "168.1" points, or "+0.412"."""
        told = self._shown(self.of(value, player))
        return told.lstrip("+") if self.is_score else told

    def change(self, difference: float, player: int = 0) -> str:
        """Returns a difference of two values from the side of `player` as text, with its sign unless it is 0:
        "−3.1 %"."""
        own = -difference if self.opposed and player == 1 else difference
        if not self.is_chance or self.low is None or self.high is None:
            text = self._shown(own * self.points)
        else:
            text = _signed(f"{100 * own / (self.high - self.low) + 0.0:+.1f} %")
        return text if any(digit in text for digit in "123456789") else text.lstrip("+")

    def paid(self, value: float) -> str:
        """Returns the result of a one-player game as text: "168 points", "1 point", or "a return of 3"."""
        if not self.is_score:
            return f"a return of {value:g}"
        points = f"{value * self.points:.6g}"
        return f"{points} point{'s' * (points != '1')}"

    def _shown(self, own: float) -> str:
        if self.is_chance:
            return f"{100 * own:.1f} %"
        if self.is_score:
            return _signed(f"{own:+,.1f}")
        return _signed(f"{own:+,.1f}" if abs(own) >= 1000 else f"{own:+.3f}")

    def share(self, difference: float) -> float | None:
        """Returns a difference as a share of the game's range; None if the range is not known."""
        if self.low is None or self.high is None or self.high <= self.low:
            return None
        return abs(difference) / (self.high - self.low)

    def grade(self, loss: float) -> str:
        """Returns the grade of a move that loses `loss`: "", "inaccuracy", "mistake" or "blunder"."""
        share = self.share(loss) or 0.0
        return next((word for least, word in GRADES if share >= least), "")


def outlook(game: Game) -> Outlook:
    """Returns the outlook of a game."""
    opposed = game.num_players == 2 and not has_vector_values(game)
    low, high = game.utility_range or (None, None)
    if low is None or high is None or not (isfinite(low) and isfinite(high)):
        low = high = None
    lost, points = _lost(game, low, high), points_of(game.name)
    if lost is not None:
        word, low = "chance to win", lost
    elif opposed:
        word = "equity"
    else:
        word = "expected return" if points is None else "expected score"
    return Outlook(word, low, high, opposed, points or 1.0)


def _lost(game: Game, low: float | None, high: float | None) -> float | None:
    """Returns the return of a loser, if one player wins what all others lose in equal parts; else None."""
    if game.num_players < 2 or low is None or high is None or high <= 0 or utility_sum(game) != 0:
        return None
    lost = -high / (game.num_players - 1)
    if isinstance(game, Rules):
        # Rules that are a dataclass may have no hash, so they cannot be cached.
        looked = _pays_nothing_between if isinstance(game, Hashable) else _pays_nothing_between.__wrapped__
        if not looked(game, lost, high):
            return None
    if game.num_players == 2:
        return lost if (low, high) == (-1.0, 1.0) else None
    # OpenSpiel claims a minimum of -1 for pig with any number of players, but losers get -1 / (players - 1).
    return lost if isclose(low, lost) or game.name.partition("(")[0] == "pig" else None


@functools.lru_cache(maxsize=8)
def _pays_nothing_between(game: Rules[Any], lost: float, high: float) -> bool:
    """Returns whether random games of a user's rules all end with one winner or in a draw."""
    rng = random.Random(1)
    for _ in range(_GAMES):
        state = game.new_initial_state()
        for _ in range(_EVENTS):
            if state.is_terminal():
                break
            outcomes = [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else []
            state = state.child(rng.choice(outcomes or state.legal_actions()))
        *others, won = sorted(state.returns())
        if state.is_terminal() and won != 0 and not (won == high and all(isclose(o, lost) for o in others)):
            return False
    return True


def _signed(text: str) -> str:
    """Returns the text with a typographic minus sign; zeros get a plus."""
    if not any(digit in text for digit in "123456789"):
        text = text.replace("-", "+")
    return text.replace("-", "\N{MINUS SIGN}")
