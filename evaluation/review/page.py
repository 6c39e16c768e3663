"""A review as a page that steps through the game; it needs no other file and no network."""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starspiel.agents.search.result import tie_tolerance
from starspiel.envs.base import CHANCE
from starspiel.envs.boards import board_html, side_of
from starspiel.envs.load import game_of
from starspiel.envs.text import plain
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.review.chart import value_chart
from starspiel.evaluation.review.review import Review, ReviewedEvent

if TYPE_CHECKING:
    from jinja2 import Template

#: Losses and luck that four decimals show.
_SHOWN = 0.00005


def write_review(review: Review, path: str | Path, store: str | Path | None = None) -> None:
    """Writes the page. Raises StarspielError where it cannot be written, or would replace the store."""
    path = Path(path)
    check_output("the page", path, [] if store is None else files_of_store(store))
    with replacing("the page", path) as file:
        file.write(page(review))


def page(review: Review) -> str:
    """The page."""
    game = review.game
    steps = [_step(review, event) for event in review.events]
    first = {"board": board_html(review.start), "title": "The start", "rows": [], "columns": [], "notes": []}
    data = json.dumps([first, *steps], ensure_ascii=False).replace("<", "\\u003c")
    rules = game_of(review.start)
    return _template().render(
        title=plain(game.game),
        id=game.id,
        seats=[(seat, plain(name), side_of(rules, seat)) for seat, name in enumerate(game.names)],
        seed=game.seed,
        pair=game.number,
        end=_end(review),
        forfeited=game.record.fault is not None,
        had_chance=any(event.event.player == CHANCE for event in review.events),
        decided=_moment(review, review.decided, "loss"),
        luckiest=_moment(review, review.luckiest, "luck"),
        chart=value_chart(review),
        judge=review.judges[-1],
        luck_by=review.luck_by,
        notes=[plain(note) for note in review.notes],
        events=[_line(review, event) for event in review.events],
        data=data,
    )


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("starspiel.evaluation.review", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("page.html")


def number(value: float | None) -> str:
    """A value with its sign, to the fourth decimal; nothing where there is none."""
    if value is None:
        return ""
    value = round(value, 4) + 0.0  # never a minus before 0
    text = f"{value:+.4f}" if abs(value) < 100 else f"{value:+,.1f}"
    return text.replace("-", "−")


def _who(review: Review, event: ReviewedEvent) -> str:
    player = event.event.player
    return "chance" if player == CHANCE else f"player {player}, {plain(review.game.names[player])}"


def _line(review: Review, event: ReviewedEvent) -> dict[str, Any]:
    """An event in the list of all."""
    marks = []
    if event is review.decided:
        marks.append("decided here")
    if event is review.luckiest:
        marks.append("greatest luck")
    return {
        "player": event.event.player,
        "name": plain(event.name),
        "loss": number(-event.loss) if event.loss and event.loss >= _SHOWN else "",
        "luck": number(event.luck) if abs(event.luck or 0.0) >= _SHOWN else "",
        "marks": marks,
    }


def _step(review: Review, event: ReviewedEvent) -> dict[str, Any]:
    """What the page shows of one event: the board after it, and the values of the moves there were."""
    shown = event.event
    notes = []
    if event.luck is not None:
        notes.append(f"Luck of player 0: {number(event.luck)}.")
    if event.loss is not None and event.loss >= _SHOWN:
        notes.append(f"Loses {event.loss:.4f} in the eyes of the {review.judges[-1]}.")
    elif event.loss is not None:
        notes.append(f"Best in the eyes of the {review.judges[-1]}.")
    elif shown.player != CHANCE:
        notes.append("There was no other move.")
    if shown.value is not None:
        notes.append(f"When it was played the mover valued the position at {number(shown.value)}.")
    if event is review.decided:
        notes.append("No move of the game lost more: here it was decided.")
    if event is review.luckiest:
        notes.append("No throw of the game changed more.")
    columns, rows = [], []
    if event.values:
        judges = [(name, values) for name, values in zip(review.judges, event.values, strict=True) if values]
        columns = [plain(name) for name, _ in judges]
        best = max if shown.player == 0 else min
        tops = [best(values.values()) for _, values in judges]
        order = sorted(
            event.plays,
            key=lambda play: judges[-1][1].get(play.action, 0.0) * (-1 if shown.player == 0 else 1),
        )
        for play in order:
            shown_values = [values.get(play.action) for _, values in judges]
            cells = [
                [number(value), value is not None and abs(value - top) <= tie_tolerance(abs(top))]
                for value, top in zip(shown_values, tops, strict=True)
            ]
            rows.append([plain(play.name), shown.action in play.actions, cells])
    return {
        "board": board_html(shown.after),
        "title": f"{shown.number + 1}. {_who(review, event)}: {plain(event.name)}",
        "columns": columns,
        "rows": rows,
        "notes": notes,
    }


def _moment(review: Review, event: ReviewedEvent | None, what: str) -> dict[str, Any] | None:
    if event is None:
        return None
    size = event.loss if what == "loss" else event.luck
    return {
        "step": event.event.number + 1,
        "who": _who(review, event),
        "name": plain(event.name),
        "size": f"{abs(size or 0.0):.4f}",
        "signed": number(size),
    }


def _end(review: Review) -> str:
    record = review.game.record
    if record.fault is not None:
        name = review.game.names[record.fault.seat]
        return plain(
            f"Forfeited by player {record.fault.seat}, {name}: {record.fault.kind}, {record.fault.message}."
        )
    returns = ", ".join(f"{value:g}" for value in record.returns)
    return f"Returns: {returns}."
