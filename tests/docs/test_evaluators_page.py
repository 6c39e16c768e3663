from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.envs.kits import KITS
from starspiel.envs.modules import path_of

PAGE = Path(__file__).parents[2] / "docs" / "evaluators.md"


def trainings(made: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the file says of its training, and of those of the networks it began with."""
    yield made
    if "begun_with" in made:
        yield from trainings(made["begun_with"]["made"])


def row(network: NetworkFile) -> str:
    hidden = ", ".join(str(size) for size in network.sizes[1:-1])
    all_of_it = list(trainings(network.made))
    games = sum(each.get("games", 0) for each in all_of_it)
    minutes = sum(each.get("processor_seconds", 0) for each in all_of_it) / 60
    return f"| `{network.game}` | {hidden} | {games:,} | {minutes:.0f} | `{network.made['command']}` |"


def test_the_page_tells_how_each_network_was_trained() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = [name for kit in KITS for name in (*kit.networks, kit.small_network) if name]
    assert len(named) > 10
    for name in named:
        assert row(read_network(path_of(name))) in page
