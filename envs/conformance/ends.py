"""How random games ended, against what the game says of its ends: bounds, results, and that there are any."""

from collections.abc import Iterator, Sequence

from starspiel.envs.base import Game
from starspiel.envs.conformance.play import LONGEST, End
from starspiel.envs.conformance.report import Check, Tally
from starspiel.envs.openspiel.game import OpenSpielGame

_TOLERANCE = 1e-9


def look_at_ends(game: Game, ends: Sequence[End]) -> Check | None:
    """Whether games end at all; with a discount they need not."""
    if game.discount != 1.0 or not ends:
        return None
    if any(end.finished for end in ends):
        return None
    tally = Tally("games end", "random games")
    tally.check(False)
    tally.found(
        f"none of {len(ends):,} random games had ended after {LONGEST:,} plies, so nothing is known of "
        "their returns; a game needs an end that random play can reach, or a cap on its moves (a horizon)"
    )
    return tally.done()


def look_at_bounds(game: Game, ends: Sequence[End]) -> Check | None:
    """Whether every random game that ended did so inside `utility_range`."""
    ended = [end for end in ends if end.finished]
    if game.utility_range is None or not ended:
        return None
    least, greatest = game.utility_range
    tally = Tally("bounds", "random games")
    for end in ended:
        if not tally.check(least - _TOLERANCE <= end.returns <= greatest + _TOLERANCE):
            tally.found(
                f"a random game of {end.plies} plies returned {end.returns:g}, outside the declared "
                f"utility_range [{least:g}, {greatest:g}]; Star pruning with it would give wrong values"
            )
    return tally.done(f" in [{least:g}, {greatest:g}]" if not tally.wrong else "")


def look_at_results(game: Game, ends: Sequence[End]) -> Check | None:
    """Whether a two-player game tells winners from losers: where lengths differ much, returns should."""
    ends = [end for end in ends if end.finished]
    plies = [end.plies for end in ends]
    if game.num_players != 2 or len(plies) < 50 or max(plies) < 1.2 * min(plies):
        return None
    tally = Tally("games have results", "random games")
    same = len({end.returns for end in ends}) == 1
    for end in ends:
        if not tally.check(not same):
            tally.found(
                f"a game that ended after {end.plies} plies returned {end.returns:g}, and so did every other "
                "one: either returns() does not tell who wins, or a limit ends every game before anyone can"
            )
    return tally.done()


def notes_on(game: Game, ends: Sequence[End]) -> Iterator[str]:
    cut = sum(not end.finished for end in ends)
    if cut:
        yield f"{cut:,} of {len(ends):,} random games had not ended after {LONGEST:,} plies"
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
