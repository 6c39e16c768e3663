"""Where the reports of a tournament go: never over what it reads."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.field import entrants
from starspiel.evaluation.outputs import check_output, files_of_spec, files_of_store
from starspiel.evaluation.settings import Settings


def report_files(settings: Settings) -> Iterator[Path]:
    """Several games have a file each: report.html, report-2.html, ...; none without a report."""
    if settings.report is None:
        return
    first = Path(settings.report)
    yield first
    for number in range(2, len(settings.games) + 1):
        yield first.with_stem(f"{first.stem}-{number}")


def check_report_files(settings: Settings, config: Path | None) -> None:
    """Raises StarspielError where a report cannot be written, or would replace what the tournament reads.

    `config` is the file that the settings were read from.
    """
    files = list(report_files(settings))
    inputs = list(_inputs(settings, config)) if files else []
    for path in files:
        check_output("the report", path, inputs)


def _inputs(settings: Settings, config: Path | None) -> Iterator[tuple[str, str | Path]]:
    """The files that the settings name, with what they are."""
    if settings.store is not None:
        yield from files_of_store(settings.store)
    if config is not None:
        yield "the configuration", config
    if settings.starts is not None:
        yield "the start positions", settings.starts
    field = () if settings.agents is None else entrants(settings.agents)  # the usual ones read no file
    sources = [entrant.source for entrant in field]
    named = [*settings.games, *(source for source in sources if isinstance(source, str))]
    for text in named if settings.luck is None else [*named, settings.luck]:
        with suppress(StarspielError):  # What does not parse is for its reader to say.
            yield from files_of_spec(parse_spec(text))
