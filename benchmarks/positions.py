"""Positions to measure at, drawn by a seed from games of shipped agents and of random play."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.load import load_game

#: The games for two that have a model in C++. OpenSpiel's expectiminimax supports no others.
GAMES = (
    "backgammon",
    "banqi",
    "cant_stop",
    "connect_four",
    "dice",
    "einstein_wurfelt_nicht",
    "knucklebones",
    "maedn(players=2)",
    "pig",
    "royal_game_of_ur",
    "star_pig",
    "yacht(players=2)",
)
#: Who plays the games that positions are drawn from: each seat of every other game has one of `AGENTS`, and
#: the others are random play.
RANDOM = "random"
AGENTS = ("star2(depth=1)", "greedy(evaluator=heuristic)", "star2(depth=2,evaluator=heuristic)")
#: The thirds of a game.
STAGES = ("early", "middle", "late")
#: Games without a choice in the third that is wanted are played again; so many at most.
_TRIES = 100


@dataclass(frozen=True, slots=True)
class Position:
    """A position to measure at, with at least two legal actions.

    Attributes:
        game: the game.
        history: the actions and outcomes that lead to the position.
        players: who played the game that it is from, by seat.
        stage: the third of that game that it is from.
    """

    game: str
    history: tuple[int, ...]
    players: tuple[str, ...]
    stage: str

    @property
    def state(self) -> Any:
        """The state to search."""
        state = loaded(self.game).new_initial_state()
        for action in self.history:
            state = state.child(action)
        return state


@cache
def loaded(game: str) -> Game:
    """The game, loaded once."""
    return load_game(game)


def drawn(game: str, count: int, seed: str) -> Iterator[Position]:
    """Draws positions, each from a game of its own: of random play and of agents by turns, and as many early
    as in the middle and late. The same seed draws the same ones, and fewer are the first of more."""
    seen: set[tuple[int, ...]] = set()
    for number in range(count):
        draw = random.Random(f"{seed} {game} {number}")
        for _ in range(_TRIES):
            position = _drawn(game, number % 2 == 1, STAGES[number // 2 % len(STAGES)], draw)
            if position.history not in seen:
                break
        seen.add(position.history)
        yield position


def _drawn(game: str, by_agents: bool, stage: str, draw: random.Random) -> Position:
    for _ in range(_TRIES):
        seats = range(loaded(game).num_players)
        players = tuple(draw.choice(AGENTS) if by_agents else RANDOM for _ in seats)
        history, choices = _played(loaded(game), players, draw)
        place, parts = STAGES.index(stage), len(STAGES)
        low, high = len(history) * place // parts, len(history) * (place + 1) // parts
        found = [length for length in choices if low <= length < high]
        if found:
            return Position(game, tuple(history[: draw.choice(found)]), players, stage)
    raise RuntimeError(f"{game}: {_TRIES} games had no choice in their {stage} third")


def _played(game: Game, players: Sequence[str], draw: random.Random) -> tuple[list[int], list[int]]:
    """A game: its actions and outcomes, and the lengths of the histories after which there is a choice."""
    bots = [make_bot(name, game, seat, draw.randrange(2**31)) for seat, name in enumerate(players)]
    state: Any = game.new_initial_state()
    history: list[int] = []
    choices: list[int] = []
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            action = draw.choices(outcomes, chances)[0]
        else:
            if len(state.legal_actions()) > 1:
                choices.append(len(history))
            action = bots[state.current_player()].step(state)
        history.append(int(action))
        state = state.child(action)
    return history, choices
