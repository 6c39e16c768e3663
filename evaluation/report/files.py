"""Names and checks the files of a tournament's reports, which never replace files that it reads."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.field import entrants
from starspiel.evaluation.outputs import check_output, files_of_spec, files_of_store
from starspiel.evaluation.settings import Settings


def report_files(settings: Settings) -> Iterator[Path]:
    """Yields a file for each game: report.html, report-2.html, …; none without a report."""
    if settings.report is not None:
        first = Path(settings.report)
        yield first
        for number in range(2, len(settings.games) + 1):
            yield first.with_stem(f"{first.stem}-{number}")


def check_report_files(settings: Settings, config: Path | None) -> None:
    """Raises StarspielError if a report cannot be written, or would replace a file that the tournament reads.

    `config` is the file that the settings were read from, if any.
    """
    inputs = list(_inputs(settings, config))
    for path in report_files(settings):
        check_output("the report", path, inputs)


def _inputs(settings: Settings, config: Path | None) -> Iterator[tuple[str, str | Path]]:
    """Yields (description, path) of the files that the settings name."""
    if settings.store is not None:
        yield from files_of_store(settings.store)
    if config is not None:
        yield "the configuration", config
    if settings.starts is not None:
        yield "the start positions", settings.starts
    field = () if settings.agents is None else entrants(settings.agents)  # default agents read no files
    sources = [entrant.source for entrant in field]
    for text in (*settings.games, *sources, settings.luck):
        with suppress(StarspielError):  # Invalid specs are reported where they are read.
            if isinstance(text, str):
                yield from files_of_spec(parse_spec(text))
