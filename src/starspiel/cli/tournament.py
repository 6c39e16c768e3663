"""`starspiel tournament`: plays a tournament, with live progress and tables at the end."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.flags import Json, Trust, flags_of, given
from starspiel.cli.names import AgentName, GameName
from starspiel.cli.output import key_from, show, show_json, stdout_kept_clean
from starspiel.cli.progress import Display, starting_shown
from starspiel.envs.errors import StarspielError
from starspiel.envs.modules import resolve
from starspiel.evaluation import TournamentResult
from starspiel.evaluation.checked_settings import read_settings
from starspiel.evaluation.console import PlainConsole
from starspiel.evaluation.estimate import Estimate, estimate
from starspiel.evaluation.plan import plans
from starspiel.evaluation.run import play
from starspiel.evaluation.settings import TYPES, about

if TYPE_CHECKING:
    Flags = Any
else:
    Flags = flags_of(
        "Flags",
        {name: hint for name, hint in TYPES.items() if name != "game"},
        kinds={"agents": list[AgentName]},
        parameters={
            "agents": Parameter(consume_multiple=True),
            "pairs": Parameter(env_var="STARSPIEL_PAIRS"),
            "key": Parameter(allow_leading_hyphen=True),
        },
    )


def tournament(
    *game: Annotated[GameName, Parameter(help=about("game").description)],
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
    config: Path | None = None,
    trust: Trust = False,
    dry_run: bool = False,
    as_json: Json = False,
) -> int:
    """Play a tournament between agents and rate them.

    Every two agents play pairs: two games with the same dice and swapped seats. With more than two players,
    they play blocks: one game for each rotation of the seats. The same command plays the same games, move for
    move, unless agents are limited by seconds. Ctrl-C ends early and prints the results so far.

    For example:

        starspiel tournament
        starspiel tournament pig --agents random greedy "star2(depth=1)" --workers 2
        starspiel tournament pig --agents "star2(depth={1,2,3})" --luck
        starspiel tournament "pig(players=3)" --blocks 20
        starspiel tournament pig --agents random star2 --pairs 50 --store pig.db
        starspiel tournament pig --agents star2 "exec:./engine" --secret --luck
        starspiel tournament pig --agents star1 star2 --sprt nelo0=0,nelo1=20

    Args:
        config: A TOML file with any of these settings, under the same names but with underscores
            (move_limit, not move-limit). The command line overrides it.
        dry_run: Only check the settings and estimate the number of games and the time they would take.
    """
    said = ({} if flags is None else given(flags)) | ({"game": list(game)} if game else {})
    if "key" in said:
        said["key"] = key_from(said["key"])
    settings = read_settings(config, said, trust=trust)
    if settings.report is not None:
        resolve("starspiel.evaluation.report.files:check_report_files")(settings, config)
    results: list[TournamentResult] = []
    failure, interrupted = None, False
    with stdout_kept_clean():
        with starting_shown(PlainConsole(stderr=True)):
            planned = plans(settings)
        if settings.part is not None and settings.store is None:
            raise StarspielError(
                f"the games of part {settings.part} would be lost: give it its own --store, which "
                "`starspiel merge` joins with those of the other parts."
            )
        estimates = [estimate(plan) for plan in planned if dry_run]
        with _ended_as_by_ctrl_c():
            for plan in () if dry_run else planned:
                try:
                    with Display(PlainConsole(stderr=True)) as display:
                        results.append(play(plan, display.show, display.show_luck))
                except StarspielError as error:
                    failure = error
                interrupted = bool(results) and results[-1].interrupted
                if interrupted or failure is not None:
                    break
    if dry_run:
        _answer(estimates, as_json)
        return OK
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # A second Ctrl-C must not lose the results.
    if results:  # Before the report, which may fail: the results must not be lost.
        _answer(results, as_json)
    if failure is not None:
        raise failure
    if settings.report is not None:
        files = list(resolve("starspiel.evaluation.report.files:report_files")(settings))
        write = resolve("starspiel.evaluation.report:write_reports")
        for file in write(results, files, store=settings.store):
            print(f"Report: {file}", file=sys.stderr)
    return INTERRUPTED if interrupted else OK


@contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Within this context, SIGTERM and SIGHUP act as Ctrl-C: results so far and a secret key are shown."""
    asking = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_DFL]
    for each in asking:
        signal.signal(each, signal.default_int_handler)
    try:
        yield
    finally:
        for each in asking:
            signal.signal(each, signal.SIG_DFL)


def _answer(answers: Sequence[TournamentResult | Estimate], as_json: bool) -> None:
    if as_json:
        made = [answer.to_dict() for answer in answers]
        show_json(made[0] if len(made) == 1 else {"tournaments": made})
    else:
        for answer in answers:
            show(answer)
