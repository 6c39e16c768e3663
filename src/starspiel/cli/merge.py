"""`starspiel merge`: stores of one tournament become one; what is sound in a damaged one is saved."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from starspiel.cli.output import show_json, tell_of_damage
from starspiel.envs.text import printable
from starspiel.evaluation.store.merge import merge as merge_stores


def merge(
    store: Path,
    /,
    *others: Path,
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    salvage: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Put the games of several stores into one.

    The stores are of the same game, seed, agents, settings and versions, as where two machines have played
    the same command. A pair that two of them hold is kept once; where its results differ, nothing is
    written. Of each, up to 20 games drawn at random are played again by their rules and dice, and nothing is
    written if one is not what was played; `starspiel verify` compares all.

    For example:

        starspiel merge pig.db from_elsewhere.db
        starspiel merge pig.db from_elsewhere.db --output all.db
        starspiel merge pig.db --salvage --output mended.db

    Parameters
    ----------
    store
        A store; without --output, the pairs of the others are put into it.
    others
        More stores, which stay as they are.
    output
        A new store for all pairs; no file of that name may be there.
    salvage
        Leave out what is damaged, and say which pairs those are. Needs --output.
    as_json
        Print one JSON object and nothing else.
    """
    merged = merge_stores([store, *others], output, salvage=salvage)
    tell_of_damage(merged.skipped)
    if as_json:
        new = {str(path): count for path, count in zip([store, *others], merged.new, strict=True)}
        found = {"new": new, "damaged": merged.skipped, "compared": merged.compared}
        show_json({"store": str(output or store), "pairs": merged.pairs, **found})
        return
    brought = ", ".join(
        f"{count:,} {'of' if place == 0 else 'new ones of'} {path}"
        for place, (path, count) in enumerate(zip([store, *others], merged.new, strict=True))
    )
    compared = "" if salvage else f" {merged.compared} games, drawn at random, are what was played."
    print(printable(f"{output or store} holds {merged.pairs:,} pairs: {brought}.{compared}"))
