"""The contract as checks that anyone can run on their own game: `check_game` says in words what is wrong.

What a search relies on and cannot see for itself: probabilities that sum to one, bounds that hold, keys that
never give two different futures the same name, states that stay as they are. Each check counts what it looked
at, so that "ok" can be weighed.
"""

import copy
import itertools
import math
import pickle
import random
import time
import traceback
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.sampled.foresight import foreseen
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.openspiel.keys import Counted
from starspiel.envs.rules import Rules, RulesError, RulesState

_TOLERANCE = 1e-9
#: Plies after which a random game is given up.
_LONGEST = 5000
#: The shares of a check's time after which random games and the search for positions met twice end.
_PLAYING, _WALKING = 0.5, 0.9
#: Findings of one check that are kept.
_SHOWN = 3


@dataclass(frozen=True)
class Check:
    """One part of the contract: whether it held, what was looked at, and the first things that were wrong."""

    name: str
    ok: bool
    looked_at: str
    findings: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{'ok' if self.ok else 'FAILED':6s} {self.name}: {self.looked_at}"]
        return "\n".join(lines + [f"       {finding}" for finding in self.findings])


@dataclass(frozen=True)
class Report:
    """What `check_game`, `check_bot` or `check_evaluator` found.

    Attributes:
        subject: the game, bot or evaluator.
        checks: one for each part of the contract; a check that does not apply is absent.
        notes: things worth knowing that break nothing.
    """

    subject: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every check held; False where there was nothing to check."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    @property
    def failed(self) -> list[str]:
        """The names of the checks that did not hold."""
        return [check.name for check in self.checks if not check.ok]

    def __str__(self) -> str:
        if not self.checks:
            verdict = "was not checked: no position came up that could be"
        else:
            verdict = "keeps the contract" if self.ok else f"breaks the contract: {', '.join(self.failed)}"
        lines = [str(check) for check in self.checks] + [f"note   {note}" for note in self.notes]
        return "\n".join([*lines, f"{self.subject} {verdict}."])


@dataclass
class Tally:
    """A check in the making."""

    name: str
    unit: str
    count: int = 0
    wrong: int = 0
    findings: list[str] = field(default_factory=list)

    def check(self, holds: bool) -> bool:
        self.count += 1
        self.wrong += not holds
        return holds

    def tell(self, finding: str) -> None:
        if len(self.findings) < _SHOWN:
            self.findings.append(finding)

    def done(self, more: str = "") -> Check:
        looked_at = f"{self.count:,} {self.unit}{more}" + (f", {self.wrong:,} wrong" if self.wrong else "")
        return Check(self.name, not self.wrong, looked_at, tuple(self.findings))


def check_game(
    game: Any, *, games: int = 1000, positions: int = 3000, seconds: float = 20.0, seed: int = 1
) -> Report:
    """Whether `game` keeps the contract of `envs/base.py`, by random play from `seed`.

    Plays up to `games` random games, and walks `positions` positions looking for ones that are reached in
    more than one way, to compare what equal keys promise to be equal. `game` is anything that `load_game`
    takes. All of it ends after about `seconds`, half of which are for the games.
    """
    game = load_game(game)
    try:
        return _looked_over(game, games, positions, Timer(seconds), random.Random(seed))
    except RulesError as error:
        # Rules notice by themselves what no search could go on from.
        stopped = Check(error.broken, False, "stopped at the first contradiction", (str(error),))
        return Report(game.name, (stopped,))
    except Exception as error:  # whatever a user's rules or environment raise is what the check has found
        return Report(
            game.name, (Check("play goes on", False, "stopped at the first error", (told(error),)),)
        )


class Timer:
    """Tells when a share of a check's time has passed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started = time.perf_counter()

    def over(self, share: float = 1.0) -> bool:
        """Whether that share has passed."""
        return self.left(share) <= 0.0

    def left(self, share: float = 1.0) -> float:
        """Seconds until that share has passed."""
        return share * self.seconds - (time.perf_counter() - self._started)


def _looked_over(game: Game, games: int, positions: int, timer: Timer, rng: random.Random) -> Report:
    walk = _Walk(game, timer)
    ends: list[_End] = []
    while len(ends) < games and not timer.over(_PLAYING):
        end = walk.play(rng, closely=len(ends) < 50)
        if end is not None:
            ends.append(end)
    checks = [*walk.checks(), _ends(game, ends), _bounds(game, ends), _results(game, ends)]
    if game.explicit_chance:
        checks.append(_keys(game, rng, positions, timer))
    if isinstance(game, SampledGame):
        checks.append(_foresight(game, max(timer.left(_WALKING), 0.1 * timer.seconds)))
    checks.append(_encoding(game, rng, timer))
    notes = list(_notes(game, ends))
    if len(ends) < games:
        notes.append(f"{len(ends):,} of {games:,} random games were played in the time there was")
    return Report(game.name, tuple(check for check in checks if check is not None), tuple(notes))


@dataclass(frozen=True)
class _End:
    """How a random game ended."""

    returns: float
    plies: int
    finished: bool


class _Walk:
    """Random games, each position of which is held against the contract."""

    def __init__(self, game: Game, timer: Timer) -> None:
        self.game = game
        self.timer = timer
        self.players = Tally("players and moves", "looks at positions")
        self.chances = Tally("probabilities", "looks at chance nodes")
        self.rewards = Tally("returns as declared", "looks at positions")
        self.still = Tally("states stay as they are", "positions searched two plies deep")
        self.replay = Tally("replay", "positions reached again from their history")

    def checks(self) -> Iterator[Check]:
        yield self.players.done()
        if self.chances.count:
            yield self.chances.done()
        yield self.rewards.done()
        yield self.still.done()
        if self.replay.count:
            yield self.replay.done()

    def play(self, rng: random.Random, closely: bool) -> _End | None:
        """One random game; `closely` looks at every position, otherwise only at the moves played.

        None where time ended it.
        """
        state = self.game.new_initial_state()
        history: list[int] = []
        while not state.is_terminal() and len(history) < _LONGEST:
            if self.timer.over(_PLAYING):
                return None
            if closely:
                self.look(state)
                if rng.random() < 0.05:
                    self.look_twice(state, history, rng)
            outcomes = successors(self.game, state, rng)
            if outcomes is None:
                state = state.sample(np.random.default_rng(rng.getrandbits(64)))
                history.append(-1)
                continue
            if not outcomes:
                break  # already among the findings
            action = draw(outcomes, rng)
            state = state.child(action)
            history.append(action)
        finished = bool(state.is_terminal())
        if finished:
            self.look(state)
        return _End(state.returns()[0], len(history), finished)

    def look(self, state: Any) -> None:
        """Players, moves, probabilities and returns of one position."""
        game, player = self.game, state.current_player()
        legal = [] if player == CHANCE else list(state.legal_actions())
        expected = player == TERMINAL, player == CHANCE
        if not self.players.check(
            (state.is_terminal(), state.is_chance_node()) == expected
            and (player in (CHANCE, TERMINAL) or 0 <= player < game.num_players)
        ):
            self.players.tell(
                f"current_player() is {player} where is_terminal() is {state.is_terminal()} and "
                f"is_chance_node() is {state.is_chance_node()}, {where(state)}"
            )
        if player == TERMINAL:
            if not self.players.check(not legal):
                self.players.tell(f"{len(legal)} legal actions after the end, {where(state)}")
        elif player != CHANCE:
            if not self.players.check(bool(legal)):
                self.players.tell(f"no legal action at a decision, {where(state)}")
            if not self.players.check(
                legal == sorted(set(legal)) and all(0 <= a < game.num_distinct_actions for a in legal)
            ):
                self.players.tell(
                    f"legal actions {legal[:9]} are not ascending in range({game.num_distinct_actions}), "
                    f"{where(state)}"
                )
        elif game.explicit_chance:
            outcomes = list(state.chance_outcomes())
            total = math.fsum(p for _, p in outcomes)
            if not self.chances.check(abs(total - 1.0) <= _TOLERANCE and all(p > 0 for _, p in outcomes)):
                self.chances.tell(
                    f"probabilities {[p for _, p in outcomes[:9]]} sum to {total:.12g}, expected "
                    f"positive ones that sum to 1, {where(state)}"
                )
            if not self.chances.check(len({a for a, _ in outcomes}) == len(outcomes)):
                self.chances.tell(f"an outcome is listed twice, {where(state)}")
        self.look_at_returns(state, player)

    def look_at_returns(self, state: Any, player: int) -> None:
        game, returns = self.game, list(state.returns())
        if not self.rewards.check(len(returns) == game.num_players and all(map(math.isfinite, returns))):
            self.rewards.tell(
                f"returns {returns}, expected {game.num_players} finite numbers, {where(state)}"
            )
        if not self.rewards.check(len(returns) < 2 or abs(sum(returns)) <= _TOLERANCE):
            self.rewards.tell(f"returns {returns} do not sum to zero, {where(state)}")
        if not self.rewards.check(game.step_rewards or player == TERMINAL or not any(returns)):
            self.rewards.tell(
                f"returns {returns} before the end in a game without step rewards, {where(state)}"
            )
        if game.step_rewards and player == TERMINAL:
            collected, _ = game.frame(state)
            if not self.rewards.check(abs(collected - returns[0]) <= _TOLERANCE * max(1.0, abs(collected))):
                self.rewards.tell(
                    f"frame() says {collected} is collected, returns() {returns[0]}, {where(state)}"
                )

    def look_twice(self, state: Any, history: Sequence[int], rng: random.Random) -> None:
        """Whether a search leaves the state alone, and whether its history leads to it again."""
        before = picture(self.game, state)
        _search_two_plies(self.game, state, rng)
        if not self.still.check(picture(self.game, state) == before):
            self.still.tell(f"looking at its successors changed the state, {where(state)}")
        if -1 in history:
            return  # a sampled outcome cannot be asked for again
        again = self.game.new_initial_state()
        for action in history:
            again = again.child(action)
        if not self.replay.check(picture(self.game, again) == before):
            self.replay.tell(f"the same {len(history)} actions from the start lead elsewhere, {where(state)}")


def _ends(game: Game, ends: Sequence[_End]) -> Check | None:
    """Whether games end at all; with a discount they need not."""
    if game.discount != 1.0 or not ends:
        return None
    if any(end.finished for end in ends):
        return None
    tally = Tally("games end", "random games")
    tally.check(False)
    tally.tell(
        f"none of {len(ends):,} random games had ended after {_LONGEST:,} plies, so nothing is known of "
        "their returns; a game needs an end that random play can reach, or a cap on its moves (a horizon)"
    )
    return tally.done()


def _bounds(game: Game, ends: Sequence[_End]) -> Check | None:
    """Whether every random game that ended did so inside `utility_range`."""
    ended = [end for end in ends if end.finished]
    if game.utility_range is None or not ended:
        return None
    least, greatest = game.utility_range
    tally = Tally("bounds", "random games")
    for end in ended:
        if not tally.check(least - _TOLERANCE <= end.returns <= greatest + _TOLERANCE):
            tally.tell(
                f"a random game of {end.plies} plies returned {end.returns:g}, outside the declared "
                f"utility_range [{least:g}, {greatest:g}]; Star pruning with it would give wrong values"
            )
    return tally.done(f" in [{least:g}, {greatest:g}]" if not tally.wrong else "")


def _results(game: Game, ends: Sequence[_End]) -> Check | None:
    """Whether a two-player game tells winners from losers: where lengths differ much, returns should."""
    ends = [end for end in ends if end.finished]
    plies = [end.plies for end in ends]
    if game.num_players != 2 or len(plies) < 50 or max(plies) < 1.2 * min(plies):
        return None
    tally = Tally("games have results", "random games")
    same = len({end.returns for end in ends}) == 1
    for end in ends:
        if not tally.check(not same):
            tally.tell(
                f"a game that ended after {end.plies} plies returned {end.returns:g}, and so did every other "
                "one: either returns() does not tell who wins, or a limit ends every game before anyone can"
            )
    return tally.done()


def _notes(game: Game, ends: Sequence[_End]) -> Iterator[str]:
    cut = sum(not end.finished for end in ends)
    if cut:
        yield f"{cut:,} of {len(ends):,} random games had not ended after {_LONGEST:,} plies"
    values = {end.returns for end in ends}
    if len(values) == 1 and cut < len(ends):
        yield f"all {len(ends):,} random games returned {values.pop():g}"
    if game.utility_range is None:
        yield "no bounds are declared: Star pruning is off"
    if not game.explicit_chance:
        yield "chances can only be sampled: only sampling searches play this game"
    if isinstance(game, OpenSpielGame):
        least, greatest = game.pyspiel_game.min_utility(), game.pyspiel_game.max_utility()
        wrong = sum(not least <= end.returns <= greatest for end in ends)
        if wrong:
            yield (
                f"OpenSpiel's own bounds [{least:g}, {greatest:g}] were passed in {wrong:,} of {len(ends):,} "
                f"random games; starspiel does not use them"
            )


class ClaimedGame(OpenSpielGame):
    """An OpenSpiel game taken at its word: its own bounds, its text as the key, its known faults let through.

    What `check_game` finds wrong with it is why `OpenSpielGame` does not believe OpenSpiel.
    """

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game, believe=True)
        self.utility_range = game.min_utility(), game.max_utility()
        self.key = str


def _foresight(game: SampledGame, seconds: float) -> Check:
    """Whether clones throw dice of their own, looked at for longer than when the game was made."""
    found = foreseen(game.env, game.name, episodes=30, steps=20, seconds=seconds)
    tally = Tally(
        "dice cannot be foreseen", f"steps on clones, episodes begun: {found.episodes:,}", found.steps
    )
    if found.reason is not None:
        tally.wrong += 1
        tally.tell(f"{game.name}: {found.reason}")
    return tally.done("" if found.settled else "; not settled: too slow to try")


# Keys: equal ones must mean equal futures.


def _keys(game: Game, rng: random.Random, positions: int, timer: Timer) -> Check | None:
    """Looks for positions with one key that differ in player, moves, chances, returns or successors' keys.

    If they never do, over all positions of a game, then by induction equal keys have equal values.
    """
    tally = Tally("keys", "positions reached again in another way")
    first: dict[Hashable, tuple[Any, Any]] = {}
    met = 0
    for state in itertools.islice(_positions_met_twice(game, rng), positions):
        if timer.over(_WALKING):
            break
        met += 1
        key = game.key(state)
        if key is None:
            continue
        if key not in first:
            first[key] = state, None
            continue
        other, future = first[key]
        if isinstance(state, pyspiel.State) and state.history() == other.history():
            continue  # the same way again
        if future is None:
            future = _future(game, other)
            first[key] = other, future
        difference = _difference(future, _future(game, state))
        if not tally.check(difference is None):
            tally.tell(f"one key for two futures ({difference}): {where(other)} and {where(state)}")
    if not first:
        return None  # no key: nothing is merged
    return tally.done(f", of {met:,}")


def _positions_met_twice(game: Game, rng: random.Random) -> Iterator[Any]:
    """Positions by random play, each with a small tree of few actions, in which orders of moves meet."""
    pool = [game.new_initial_state()]
    while True:
        state = rng.choice(pool[-200:]) if rng.random() < 0.7 else pool[0]
        for _ in range(rng.choice((2, 5, 15, 60))):
            outcomes = successors(game, state, rng)
            if not outcomes:
                break
            state = state.child(draw(outcomes, rng))
            yield state
            if rng.random() < 0.2:
                pool.append(state)
        yield from _tree(game, state, rng)


def _tree(game: Game, root: Any, rng: random.Random) -> Iterator[Any]:
    """All successors of `root`, and breadth first those by the same few actions wherever they are legal.

    Two orders of the same moves then both occur, and with them positions that are reached twice.
    """
    rank: dict[int, float] = {}
    level = [root]
    for depth in range(6):
        following: list[Any] = []
        for state in level:
            actions = [action for action, _ in successors(game, state, rng) or []]
            if depth or len(actions) > 60:
                width = 2 if state.is_chance_node() else 4
                actions = sorted(actions, key=lambda action: rank.setdefault(action, rng.random()))[:width]
            for action in actions:
                child = state.child(action)
                yield child
                following.append(child)
        level = following if len(following) <= 60 else rng.sample(following, 60)


def _future(game: Game, state: Any, deep: bool = True) -> tuple[Any, ...]:
    """(kind, moves or outcomes, successors): all that equal keys promise to be equal."""
    player = state.current_player()
    collected, scale = game.frame(state)
    if player == TERMINAL:
        return TERMINAL, round((state.returns()[0] - collected) / scale, 9), ()
    if player == CHANCE:
        choices: list[Any] = [(a, round(p, 12)) for a, p in state.chance_outcomes()]
        actions = [a for a, _ in choices]
    else:
        choices = actions = list(state.legal_actions())
    if len(actions) > 60:
        actions = actions[:: len(actions) // 30]
    following = []
    for action in actions if deep else ():
        child = state.child(action)
        key = game.key(child)
        now, _ = game.frame(child)
        paid = round((now - collected) / scale, 9)
        following.append((action, paid, _future(game, child, False) if key is None else key))
    return player, tuple(choices), tuple(following)


def _difference(one: tuple[Any, ...], two: tuple[Any, ...]) -> str | None:
    """What two futures differ in, in words."""
    if one[0] != two[0]:
        return f"player {one[0]} and player {two[0]} to act"
    if one[1] != two[1]:
        if one[0] == TERMINAL:
            return f"returns {one[1]:g} and {two[1]:g}"
        return "different outcomes or chances" if one[0] == CHANCE else "different legal moves"
    for (action, paid, key), (_, other_paid, other_key) in zip(one[2], two[2], strict=True):
        if paid != other_paid:
            return f"action {action} pays {paid:g} and {other_paid:g}"
        # A key that has just begun to count the plies left differs from that of a position with more of them.
        if key != other_key and isinstance(key, Counted) == isinstance(other_key, Counted):
            return f"action {action} leads to different keys"
    return None


# Encodings.


def _encoding(game: Game, rng: random.Random, timer: Timer) -> Check | None:
    """Whether a state survives the encoding its kind has, and the game its name."""
    tally = Tally("encoding", "round trips")
    for number in range(20):
        if number and timer.over():
            break
        state = game.new_initial_state()
        for _ in range(rng.randrange(40)):
            outcomes = successors(game, state, rng)
            if not outcomes:
                break
            state = state.child(draw(outcomes, rng))
        try:
            again = _decoded(game, state)
        except Exception as error:
            if not tally.check(False):
                tally.tell(f"decoding raised {error!r}, {where(state)}")
            continue
        if not tally.check(picture(game, again) == picture(game, state)):
            tally.tell(f"decoding the encoded state gives another one, {where(state)}")
        if isinstance(game, Rules):
            _look_at_observation(game, state, tally)
    return tally.done()


def _look_at_observation(game: Rules[Any], state: Any, tally: Tally) -> None:
    for player in range(game.num_players):
        vector = game.observation(state.position, player)
        if not tally.check(
            vector.shape == game.observation(game.initial(), player).shape
            and bool(((vector >= 0) & (vector <= 1)).all())
        ):
            tally.tell(
                f"observation() has shape {vector.shape} and values from {vector.min():g} to "
                f"{vector.max():g}, expected the first one's shape and values in [0, 1], {where(state)}"
            )


def _decoded(game: Game, state: Any) -> Any:
    if isinstance(state, pyspiel.State):
        return state.get_game().deserialize_state(state.serialize())
    if isinstance(state, RulesState):
        return RulesState(state.rules, pickle.loads(pickle.dumps(state.position)))
    return copy.deepcopy(state)


# Shared pieces.


def successors(game: Game, state: Any, rng: random.Random) -> list[tuple[int, float]] | None:
    """(action, weight) pairs of a position; None where outcomes can only be sampled."""
    player = state.current_player()
    if player == TERMINAL:
        return []
    if player == CHANCE:
        return list(state.chance_outcomes()) if game.explicit_chance else None
    return [(action, 1.0) for action in state.legal_actions()]


def draw(outcomes: Sequence[tuple[int, float]], rng: random.Random) -> int:
    if outcomes[0][1] == outcomes[-1][1]:  # almost always uniform, and then a plain choice is far quicker
        return rng.choice(outcomes)[0]
    return rng.choices(outcomes, [weight for _, weight in outcomes])[0][0]


def _search_two_plies(game: Game, state: Any, rng: random.Random) -> None:
    """Everything that a search of two plies asks of a state and its successors."""
    for child in _some_successors(game, state, rng):
        for grandchild in _some_successors(game, child, rng):
            picture(game, grandchild)
            game.frame(grandchild)


def _some_successors(game: Game, state: Any, rng: random.Random) -> Iterator[Any]:
    outcomes = successors(game, state, rng)
    if outcomes is None:
        for _ in range(2):
            yield state.sample(np.random.default_rng(rng.getrandbits(64)))
        return
    for action, _ in outcomes[:: max(1, len(outcomes) // 8)]:
        yield state.child(action)


def picture(game: Game, state: Any) -> tuple[Any, ...]:
    """Everything of a state that can be seen."""
    player = state.current_player()
    return (
        player,
        () if player == CHANCE else tuple(state.legal_actions()),
        tuple(state.returns()),
        game.key(state),
        str(state),
    )


def told(error: Exception) -> str:
    """An error as a finding: starspiel's own in their words, others with type and place."""
    if isinstance(error, StarspielError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}(), {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def where(state: Any) -> str:
    """How to get to a state again: its history where it has one, else its text."""
    if isinstance(state, pyspiel.State):
        history = state.history()
        return f"after {','.join(map(str, history))}" if history else "at the start"
    return f"at {state!r}"
