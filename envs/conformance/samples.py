"""Checks whether an environment's samples or table can be trusted, more thoroughly than at loading."""

from starspiel.envs.conformance.report import Check
from starspiel.envs.conformance.timer import WALKING, Timer
from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.sampled.differences import ERROR_RATE
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.trust import Trust
from starspiel.envs.gymnasium.table import TableGame

_EPISODES, _STEPS = 128, 50


def look_at_table(game: TableGame, timer: Timer) -> Check | None:
    """Checks that an environment's table lists what its steps do; returns None if there is no environment."""
    if game.steps is None:
        return None
    found = game.steps.compare(game, _budget(timer))
    finding = () if found.contradiction is None else (f"{game.name}: {found.contradiction}",)
    return Check("table and steps agree", not finding, str(found), finding, decided=found.failed is None)


def look_at_samples(game: SampledGame, timer: Timer) -> list[Check]:
    """Checks that clones throw their own dice, and that situations that look alike continue alike."""
    found = game.look(_EPISODES, _STEPS, _budget(timer, 2 / 3))
    return [_foresight(game, found), _hidden(game, found)]


def _budget(timer: Timer, share: float = 1.0) -> Budget:
    """Returns a budget of a share of the check's time left; twice as long at most on a busy machine."""
    return Budget(share * max(timer.left(WALKING), 0.05 * timer.seconds), waiting=2.0)


def _foresight(game: SampledGame, found: Trust) -> Check:
    looked_at = (
        f"{found.trials:,} comparisons of situations that look alike, in {found.steps:,} steps on clones of "
        f"{found.episodes:,} episodes"
    )
    name = "dice cannot be foreseen"
    if found.stored and game.hidden_is_declared:
        return Check(name, True, f"{looked_at}; stored, and allowed by hidden={game.hidden}")
    if reason := found.shared or found.stored:
        return Check(name, False, looked_at, (f"{game.name}: {reason}",))
    if found.trials:
        return Check(name, True, looked_at)
    why = "too slow to try" if found.timed_out else "too few episodes looked alike, so nothing is known"
    return Check(name, True, f"not settled: {why}; {looked_at}", decided=False)


def _hidden(game: SampledGame, found: Trust) -> Check:
    if found.compared == 0:
        nothing = f"not comparable: no two of {found.episodes:,} episodes looked alike, so nothing is known"
        return Check("hidden state", True, nothing, decided=False)
    looked_at = f"{found.compared:,} comparisons of situations that look alike, error rate {ERROR_RATE:g}"
    if found.hidden is None and not found.stored:
        return Check("hidden state", True, f"none found in {looked_at}")
    if game.hidden_is_declared:
        return Check("hidden state", True, f"{looked_at}; found, and declared: hidden={game.hidden}")
    reason = f"{game.name}: {found.hidden or found.stored}; a search sees what is hidden"
    return Check("hidden state", False, looked_at, (f"{reason}. Load it with hidden='redraw'",))
