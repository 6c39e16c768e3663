"""Whether samples or a table of an environment can be trusted: looked at for longer than at loading."""

from collections.abc import Iterator

from starspiel.envs.conformance.report import Check
from starspiel.envs.conformance.timer import WALKING, Timer
from starspiel.envs.gymnasium.sampled.foresight import foreseen
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.hidden import ERROR_RATE, find_hidden
from starspiel.envs.gymnasium.sampled.unexplained import find_unexplained
from starspiel.envs.gymnasium.table import TableGame

_EPISODES, _STEPS = 128, 25


def look_at_table(game: TableGame, timer: Timer) -> Check | None:
    """Whether the table of an environment lists what its steps do; None if there is no environment."""
    if game.steps is None:
        return None
    found = game.steps.compare(game, _seconds(timer))
    finding = () if found.contradiction is None else (f"{game.name}: {found.contradiction}",)
    return Check("table and steps agree", not finding, str(found), finding, decided=found.failed is None)


def look_at_samples(game: SampledGame, timer: Timer) -> Iterator[Check]:
    """Whether clones throw dice of their own, and what is hidden is played with as declared."""
    yield _look_at_foresight(game, _seconds(timer, 0.5))
    yield _look_at_hidden(game, Timer(_seconds(timer)))


def _seconds(timer: Timer, share: float = 1.0) -> float:
    return max(share * timer.left(WALKING), 0.05 * timer.seconds)


def _look_at_foresight(game: SampledGame, seconds: float) -> Check:
    name = "dice cannot be foreseen"
    found = foreseen(
        game.env, game.view, episodes=_EPISODES, steps=_STEPS, seconds=seconds, own_dice=game.own_dice
    )
    looked_at = (
        f"{found.trials:,} comparisons of situations that look alike, in {found.steps:,} steps on clones of "
        f"{found.episodes:,} episodes"
    )
    if found.reason is None and not found.trials:
        why = "too slow to try" if found.timed_out else "too few episodes looked alike, so nothing is known"
        return Check(name, True, f"not settled: {why}; {looked_at}", decided=False)
    if found.reason is None:
        return Check(name, True, looked_at)
    if found.stored and game.hidden in ("redraw", "seen"):
        return Check(name, True, f"{looked_at}; stored, and allowed by hidden={game.hidden}")
    return Check(name, False, looked_at, (f"{game.name}: {found.reason}",))


def _look_at_hidden(game: SampledGame, timer: Timer) -> Check:
    name, declared = "hidden state", game.hidden in ("redraw", "seen")
    found = find_hidden(game.env, game.view, episodes=_EPISODES, steps=_STEPS, seconds=timer.seconds)
    if found.compared == 0:
        nothing = f"not comparable: no two of {found.episodes:,} episodes looked alike, so nothing is known"
        reason = None if declared else find_unexplained(game.env, game.view, max(0.0, timer.left()))
        finding = () if reason is None else (f"{game.name}: {reason}",)
        return Check(name, True, nothing, finding, decided=False)
    looked_at = f"{found.compared:,} comparisons of situations that look alike, error rate {ERROR_RATE:g}"
    if found.reason is None:
        return Check(name, True, f"none found in {looked_at}")
    if declared:
        return Check(name, True, f"{looked_at}; found, and declared: hidden={game.hidden}")
    finding = (f"{game.name}: {found.reason}; a search sees what is hidden. Load it with hidden='redraw'",)
    return Check(name, False, looked_at, finding)
