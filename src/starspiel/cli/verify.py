"""`starspiel verify`: checks that a store holds the games as they were played."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from starspiel.cli.app import FAILED, OK
from starspiel.cli.flags import AnyText, Json, Stored, Trust
from starspiel.cli.output import key_from, picked, show_json, stdout_kept_clean
from starspiel.cli.progress import Display
from starspiel.envs.text import printable
from starspiel.evaluation.checked_settings import checked_key
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.play.pairing import in_units
from starspiel.evaluation.store.verify import Verified
from starspiel.evaluation.store.verify import verify as compared

#: The maximum number of lines shown of each kind of deviation; --json gives all.
_SHOWN = 10


def verify(
    store: Stored,
    /,
    *,
    key: AnyText = None,
    trust: Trust = False,
    as_json: Json = False,
) -> int:
    """Verify a store: replay each game by its rules and dice, and compare.

    Verified are checksums, the legality of each move, the returns, the figures that tables count for each
    game, and each chance outcome against the dice of the seed, or of the key if it is known. Not verified are
    which agent made a move, measured luck, and whether a forfeit was justified.

    Exit codes: 0 if nothing deviates, 1 if something does or no game could be compared, 2 for wrong usage.

    For example:

        starspiel verify pig.db
        starspiel verify pig.db --key -

    Args:
        key: The key of the tournament, if the store does not contain it; - reads it from standard input.
    """
    known = None if key is None else checked_key(key_from(key))
    with stdout_kept_clean(), Display(PlainConsole(stderr=True), "the store is read") as display:
        found = compared(store, key=known, trust=trust, on_pair=display.show_compared)
    if as_json:
        counts = "games pairs replayed forfeited with_dice not_replayed without_dice other_rules"
        answer = {"store": store} | picked(found, counts)
        answer["deviations"] = [each._asdict() for each in found.deviations]
        answer |= picked(found, "unpaired damage")
        show_json(answer | {"ok": found.ok})
    else:
        print("\n".join(map(printable, _lines(store, found))))
    return OK if found.ok else FAILED


def _lines(store: Path, found: Verified) -> Iterator[str]:
    """Yields lines that say what was compared, and what deviates."""
    if found.damage is not None:
        yield f"NOT OK: {found.damage}"
        return
    yield f"{store}: {in_units(found.games, found.pairs, found.units)}. Checksums match."
    forfeits = f", {found.forfeited:,} of them up to a forfeit" if found.forfeited else ""
    yield f"Rules: {found.replayed:,} games played again{forfeits}."
    yield from _counted("not played again", found.not_replayed)
    yield f"Dice: {found.with_dice:,} games compared with those of their seed or key."
    yield from _counted("not compared", found.without_dice)
    if found.other_rules:
        yield (
            f"{found.other_rules:,} games are of other versions, or of rules that have changed since, which "
            "may be why some deviate."
        )
    wrong = [*map(str, found.deviations), *found.unpaired]
    yield from (f"  {what}" for what in wrong[:_SHOWN])
    if len(wrong) > _SHOWN:
        yield f"  and {len(wrong) - _SHOWN:,} more, which --json lists"
    if wrong:
        yield f"NOT OK: {len(wrong):,} deviations."
    else:
        yield "OK: nothing deviates." if found.ok else "NOT OK: no game could be compared."


def _counted(what: str, why: Counter[str]) -> Iterator[str]:
    for reason, number in why.most_common(_SHOWN):
        yield f"  {number:,} {what}: {reason}"
