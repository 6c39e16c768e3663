"""`starspiel merge`: merges stores of one tournament, and salvages the undamaged part of a damaged store."""

from pathlib import Path

from starspiel.cli.flags import Json, Output
from starspiel.cli.output import show_json, tell_of_damage
from starspiel.envs.text import printable
from starspiel.evaluation.store.merge import merge as merge_stores


def merge(
    store: Path, /, *others: Path, output: Output = None, salvage: bool = False, as_json: Json = False
) -> None:
    """Merge several stores into one.

    The stores must have the same game, seed, agents, settings and versions, e.g. from two machines that ran
    the same command. A pair that several stores hold is kept once. Nothing is written if its results differ,
    or if one of up to 20 randomly chosen games of each store deviates when it is replayed. `starspiel verify`
    replays all games.

    For example:

        starspiel merge pig.db from_elsewhere.db
        starspiel merge pig.db from_elsewhere.db --output all.db
        starspiel merge pig.db --salvage --output mended.db

    Args:
        store: A store. Without --output, the pairs of the other stores are added to it.
        others: More stores; they stay unchanged.
        output: A new store for all pairs; the file must not exist yet.
        salvage: Leave out damaged pairs and list them. Needs --output.
    """
    merged = merge_stores([store, *others], output, salvage=salvage)
    tell_of_damage(merged.skipped)
    new = list(zip([store, *others], merged.new, strict=True))
    if as_json:
        counts = {str(path): count for path, count in new}
        found = {"new": counts, "damaged": merged.skipped, "compared": merged.compared}
        show_json({"store": output or store, "pairs": merged.pairs, **found})
        return
    brought = ", ".join(
        f"{count:,} {'of' if place == 0 else 'new ones of'} {path}" for place, (path, count) in enumerate(new)
    )
    told = f"{output or store} holds {merged.pairs:,} {merged.units}: {brought}."
    if merged.compared:
        told += f" {merged.compared} games, drawn at random, were replayed without a difference."
    elif not salvage:
        told += f" No game could be replayed; see starspiel verify {output or store}."
    print(printable(told))
