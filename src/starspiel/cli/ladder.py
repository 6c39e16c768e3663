"""`starspiel ladder`: keeps a tournament going for months, to which agents can be added at any time."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from cyclopts import App, Parameter
from msgspec import Meta

from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.flags import AnyText, Json, Trust, flags_of, given
from starspiel.cli.output import key_from, show, show_json, stdout_kept_clean
from starspiel.cli.progress import Display
from starspiel.envs.errors import StarspielError
from starspiel.envs.modules import resolve
from starspiel.envs.text import printable
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.ladder import Ladder, LadderSettings
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.settings import TYPES, about

ladder = App(
    name="ladder",
    help=(
        "Keep a ladder of agents in a folder: add agents, play the most informative games, show ratings.\n\n"
        "For example:\n\n"
        '    starspiel ladder pig-ladder add random "star2(depth={1,2})" --game pig\n'
        "    starspiel ladder pig-ladder play --pairs 200\n"
        "    starspiel ladder pig-ladder add mine=mybots:Timid\n"
        "    starspiel ladder pig-ladder table"
    ),
    help_format="markdown",
)

Folder = Annotated[Path, Parameter(help="The ladder's folder.")]
Page = Annotated[Path | None, Parameter(help="Write the ladder as a web page to this file.")]
LadderKey = Annotated[
    AnyText,
    Parameter(
        help="Draw the dice and the agents' seeds from this key of 32 hexadecimal digits instead of the "
        "seed, which agents can read in the ladder's folder. - reads the key from standard input, where no "
        "agent can see it. A ladder created with a key must always be played with it."
    ),
]
if TYPE_CHECKING:
    Flags = Any
else:
    _ANCHOR = Annotated[str, Meta(description="The agent whose Elo is 0; defaults to the first one added.")]
    _NAMES = ("game", "seed", "anchor", "clock", "move_limit", "memory_limit")
    Flags = flags_of(
        "Flags", {name: TYPES[name] for name in _NAMES} | {"anchor": _ANCHOR}, kinds={"game": str}
    )


@ladder.command
def add(
    folder: Folder,
    /,
    *spec: str,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
    key: LadderKey = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Add agents to a ladder, which is created if it does not exist.

    Agents are named as for `starspiel tournament`, and each is tried out before it is added. The settings of
    the games are fixed when the ladder is created. If you add modules or programs, the ladder's file names
    them, and `play` runs them only with --trust or after asking at a terminal.

    For example:

        starspiel ladder add pig-ladder random "star2(depth={1,2})" --game pig
        starspiel ladder add pig-ladder mine=mybots:Timid

    Args:
        spec: Agents: specs, or name=spec.
    """
    said = {} if flags is None else given(flags)
    if key is not None and "seed" in said:
        raise StarspielError("dice come from either a seed or a key: give --seed or --key, not both.")
    rules = Ladder(folder).rules if Ladder.is_in(folder) else LadderSettings()
    with stdout_kept_clean():
        opened = Ladder(folder, msgspec.structs.replace(rules, **said), trust=trust, key=_read(key))
        if "game" not in said:
            opened.check_consent()
        added = opened.add(spec)
    names, asked = [entry.name for entry in added], opened.to_be_asked()
    if as_json:
        answer = {"game": opened.rules.game, "added": names, "agents": len(opened.agents)}
        show_json(answer | {"runs_with_trust": asked})
        return
    agents = f"{len(opened.agents)} agents of {opened.rules.game}"
    print(printable(f"{folder}: added {', '.join(names)}; {agents}."))
    if asked:
        print(printable(f"Play with `starspiel ladder {folder} play --trust`: it runs {', '.join(asked)}."))
        if not opened.rules.keyed:
            print(f"They can read the seed in {opened.folder}; a ladder created with --key - hides it.")


@ladder.command
def play(
    folder: Folder,
    /,
    *,
    pairs: int = 100,
    workers: Annotated[int, Parameter(help=about("workers").description)] = 1,
    engine: Annotated[Literal["local", "ray"], Parameter(help=about("engine").description)] = "local",
    address: Annotated[str | None, Parameter(help=about("address").description)] = None,
    key: LadderKey = None,
    report: Page = None,
    trust: Trust = False,
    as_json: Json = False,
) -> int:
    """Play the most informative pairs: of agents with few games, and between agents of similar strength.

    Ctrl-C ends early and shows what was played so far.

    For example:

        starspiel ladder play pig-ladder --pairs 200
        starspiel ladder play pig-ladder --pairs 200 --workers 2 --trust

    Args:
        pairs: How many more pairs to play, or blocks with more than two players.
    """
    key = _read(key)
    with stdout_kept_clean():
        opened = Ladder(folder, trust=trust, key=key)
        with Display(PlainConsole(stderr=True)) as display:
            result = opened.play(pairs, workers=workers, engine=engine, address=address, on_pair=display.show)
    _answer(opened, result, report, as_json)
    return INTERRUPTED if result.interrupted else OK


@ladder.command
def table(folder: Folder, /, *, report: Page = None, trust: Trust = False, as_json: Json = False) -> None:
    """Show the ratings of a ladder's agents.

    For example:

        starspiel ladder table pig-ladder --report pig.html
    """
    opened = Ladder(folder, trust=trust)
    _answer(opened, opened.result(), report, as_json)


@ladder.command
def retire(folder: Folder, name: str, /, *, as_json: Json = False) -> None:
    """Retire an agent: it plays no more games, but stays in the table.

    For example:

        starspiel ladder retire pig-ladder "star2(depth=1)"

    Args:
        name: The agent, by its name in the table.
    """
    Ladder(folder).retire(name)
    if as_json:
        show_json({"retired": name})
    else:
        print(printable(f"{folder}: retired {name}."))


def _read(key: str | None) -> str | None:
    return None if key is None else key_from(key)


def _answer(opened: Ladder, result: TournamentResult, report: Path | None, as_json: bool) -> None:
    if as_json:
        entries = [msgspec.to_builtins(entry) for entry in opened.agents]
        show_json(result.to_dict() | {"ladder": entries, "versions": opened.versions()})
    else:
        show(result)
        retired = [entry.name for entry in opened.agents if entry.retired]
        if retired:
            print(printable(f"Retired: {', '.join(retired)}."))
        if len(found := opened.versions()) > 1:
            print(printable(f"The games were played with several versions: {'; '.join(found)}."))
        print(printable(f"`starspiel export {opened.store}` lists the games, `starspiel replay` shows one."))
    if report is not None:
        opened.check_consent()
        store = opened.store if opened.store.exists() else None
        resolve("starspiel.evaluation.report:write_report")(result, report, store=store)
