"""`check_bot` and `check_evaluator`: what tournaments and searches rely on, as checks of one's own agents."""

import math
import random
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

import numpy as np

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.roster import make_bot
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import TERMINAL, Game
from starspiel.envs.conformance import (
    Check,
    Report,
    Tally,
    Timer,
    described,
    draw,
    picture,
    successors,
    where,
)
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.load import load_game

_TOLERANCE = 1e-6
#: Plies after which a game is given up.
_LONGEST = 2000
#: Seconds that no check takes.
_FOR_EVER = 1e9

Maker = Callable[[int, int], Any]


def check_bot(
    bot: str | Maker, game: Any, *, games: int = 10, seconds: float = math.inf, seed: int = 1
) -> Report:
    """Whether a bot can play in a tournament: legal moves, states left alone, one seed one game.

    Args:
        bot: an agent's spec, or a function of (player, seed) that makes a bot.
        game: anything `load_game` takes.
        games: how many; the bot plays the seats in turn, against random moves.
        seconds: after which no further move is asked for.
        seed: where all of it starts from.
    """
    played = load_game(game)
    games, seed = whole_number("games", games), whole_number("seed", seed)
    timer = Timer(_seconds(seconds))
    make: Maker = bot if callable(bot) else lambda player, seed: make_bot(bot, played, player, seed)
    checks = _BotChecks(played, timer)
    number = 0
    while number < games and not checks.answers.wrong and not (number and timer.over()):
        checks.play(make, number % played.num_players, random.Random(f"{seed % 2**64} {number}"))
        number += 1
    notes = []
    if not checks.policy.count and not checks.answers.wrong:
        notes.append(
            "no policy was checked: the bot provides none (provides_policy), as those of the roster do"
        )
    if timer.over():
        notes.append(f"{number:,} of {games:,} games were begun in the time there was")
    return Report(f"{bot} in {played.name}", checks.done(), tuple(notes))


def _seconds(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise StarspielError(f"seconds must be a number of at least 0, got {shown(given)}.")
    return float(given) if given < _FOR_EVER else math.inf


class _BotChecks:
    def __init__(self, game: Game, timer: Timer) -> None:
        self.game = game
        self.timer = timer
        self.answers = Tally("every call is answered", "calls")
        self.legal = Tally("moves are legal", "moves")
        self.still = Tally("the state is left alone", "moves")
        self.same = Tally("the same seed plays the same", "moves")
        self.policy = Tally("policies are over legal moves", "policies")

    def done(self) -> tuple[Check, ...]:
        tallies = self.answers, self.legal, self.still, self.same, self.policy
        return tuple(tally.done() for tally in tallies if tally.count)

    def play(self, make: Maker, player: int, rng: random.Random) -> None:
        """One game of the bot, of its duplicate and, if it has policies, of a third that tells them."""
        seed = rng.getrandbits(31)
        try:
            bot, duplicate = make(player, seed), make(player, seed)
            asked = make(player, seed) if _provides_policy(bot) else None
        except StarspielError:  # a spec that makes no bot for this game
            raise
        except Exception as error:
            self.answers.check(False)
            self.answers.found(f"making the bot raised {described(error)}")
            return
        try:
            self.play_on(bot, duplicate, asked, player, rng)
        except Exception as error:  # the game's rules, or inform_action
            self.answers.check(False)
            self.answers.found(described(error))

    def play_on(self, bot: Any, duplicate: Any, asked: Any, player: int, rng: random.Random) -> None:
        state = self.game.new_initial_state()
        for _ in range(_LONGEST):
            acting = state.current_player()
            if acting == TERMINAL or (self.answers.count and self.timer.over()):
                break
            if acting != player:
                choices = successors(self.game, state, rng)
                if choices is None:  # nothing to inform bots of: a sampled outcome has no number
                    state = state.sample(np.random.default_rng(rng.getrandbits(64)))
                    continue
                action = draw(choices, rng)
            else:
                try:
                    action = self.step(bot, state)
                    if not self.same.check(duplicate.step(state) == action):
                        self.same.found(f"two bots made with one seed play differently, {where(state)}")
                    if asked is not None:
                        self.look_at_policy(asked, state)
                except Exception as error:  # whatever a user's bot raises is what the check has found
                    self.answers.check(False)
                    self.answers.found(f"{described(error)}, {where(state)}")
                    break
                self.answers.check(True)
                if action not in state.legal_actions():
                    break
            for each in (bot, duplicate, asked):
                _inform(each, state, acting, player, action)
            state = state.child(action)

    def step(self, bot: Any, state: Any) -> Any:
        before = picture(self.game, state)
        action = bot.step(state)
        legal = state.legal_actions()
        whole = isinstance(action, Integral) and not isinstance(action, bool)
        if not self.legal.check(whole and action in legal):
            self.legal.found(f"plays {shown(action)} where {list(legal)[:12]} are legal, {where(state)}")
        if not self.still.check(picture(self.game, state) == before):
            self.still.found(f"step() changed the state, {where(state)}")
        return action

    def look_at_policy(self, bot: Any, state: Any) -> None:
        policy, action = bot.step_with_policy(state)
        chances = dict(policy)
        if not self.policy.check(
            set(chances) <= set(state.legal_actions())
            and abs(math.fsum(chances.values()) - 1.0) <= _TOLERANCE
            and min(chances.values()) >= 0.0
        ):
            self.policy.found(
                f"the policy {policy[:9]} is no distribution over {list(state.legal_actions())[:9]}, "
                f"{where(state)}"
            )
        if not self.policy.check(chances.get(action, 0.0) > 0.0):
            self.policy.found(f"plays {action}, which its own policy never does, {where(state)}")


def _provides_policy(bot: Any) -> bool:
    provides = getattr(bot, "provides_policy", None)
    return bool(provides and provides())


def _inform(bot: Any, state: Any, acting: int, player: int, action: int) -> None:
    inform = getattr(bot, "inform_action", None)
    if inform is not None and acting != player:
        inform(state, acting, action)


def check_evaluator(
    evaluator: str | Evaluator | Callable[[Any], float],
    game: Any,
    *,
    positions: int = 1000,
    seconds: float = math.inf,
    seed: int = 1,
) -> Report:
    """Whether an evaluator serves a search: finite values inside its range, at chance nodes too.

    Args:
        evaluator: a spec, an Evaluator, or a function of a state.
        game: anything `load_game` takes.
        positions: how many of random games to value, the ends among them.
        seconds: after which no further position is valued.
        seed: of the games.
    """
    played = load_game(game)
    positions, seed = whole_number("positions", positions), whole_number("seed", seed)
    timer = Timer(_seconds(seconds))
    made = as_evaluator(evaluator, played, seed)
    bounds = made.range or played.utility_range
    answers = Tally("every call is answered", "calls")
    finite = Tally("values are finite numbers", "positions")
    inside = Tally("values are inside the range", "positions")
    still = Tally("the state is left alone", "positions")
    ends = Tally("ends have their return as value", "ends")
    came_up = _positions(played, random.Random(seed), positions)
    while not (answers.count and timer.over()):
        try:
            state = next(came_up, None)
            if state is None:
                break
            before = picture(played, state)
        except Exception as error:  # the game's rules
            answers.check(False)
            answers.found(described(error))
            break
        try:
            value = made(state)
        except Exception as error:  # whatever a user's evaluator raises is what the check has found
            answers.check(False)
            answers.found(f"{described(error)}, {where(state)}")
            continue
        answers.check(True)
        if not finite.check(isinstance(value, int | float) and math.isfinite(value)):
            finite.found(f"value {shown(value)}, expected a finite number, {where(state)}")
            continue
        if bounds is not None and not inside.check(bounds[0] - _TOLERANCE <= value <= bounds[1] + _TOLERANCE):
            inside.found(f"value {value:g}, outside [{bounds[0]:g}, {bounds[1]:g}], {where(state)}")
        if not still.check(picture(played, state) == before):
            still.found(f"valuing it changed the state, {where(state)}")
        if state.is_terminal():
            ends.check(abs(value - state.returns()[0]) <= _TOLERANCE)
    checks = [tally.done() for tally in (answers, finite, inside, still) if tally.count]
    notes = []
    if ends.wrong:
        notes.append(
            f"{ends.wrong:,} of {ends.count:,} ends are not valued at their return; no search asks there"
        )
    if timer.over():
        notes.append(f"{answers.count:,} of {positions:,} positions were valued in the time there was")
    if bounds is None:
        notes.append("neither the evaluator nor the game has a range: Star pruning is off")
    return Report(f"{made.name} in {played.name}", tuple(checks), tuple(notes))


def _positions(game: Game, rng: random.Random, count: int) -> Iterator[Any]:
    """Positions of random games: chance nodes, decisions and ends."""
    state = game.new_initial_state()
    for _ in range(count):
        yield state
        choices = successors(game, state, rng)
        if choices is None:
            state = state.sample(np.random.default_rng(rng.getrandbits(64)))
        else:
            state = state.child(draw(choices, rng)) if choices else game.new_initial_state()
