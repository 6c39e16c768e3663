"""A review as a page that steps through the game; it needs no other file and no network."""

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from starspiel.agents.search.result import tie_tolerance
from starspiel.envs.base import CHANCE
from starspiel.envs.boards import board_html, side_of
from starspiel.envs.load import game_of
from starspiel.envs.text import plain
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.review.chart import side_colour, value_chart
from starspiel.evaluation.review.review import Review, ReviewedEvent

#: Losses and luck that four decimals show.
_SHOWN = 0.00005


def write_review(review: Review, path: str | Path, store: str | Path | None = None) -> None:
    """Writes the page. Raises StarspielError if it cannot be written, or would replace the store."""
    path = Path(path)
    check_output("the page", path, [] if store is None else files_of_store(store))
    with replacing("the page", path) as file:
        file.write(page(review))


def page(review: Review) -> str:
    """The page."""
    game = review.game
    first = {"board": board_html(review.start), "title": "The start", "rows": [], "columns": [], "notes": []}
    steps = [first, *(_step(review, event) for event in review.events)]
    rules = game_of(review.start)
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template("page.html").render(
        review=review,
        game=game,
        title=plain(game.game),
        seats=[
            (seat, plain(name), side_of(rules, seat), side_colour(seat))
            for seat, name in enumerate(game.names)
        ],
        end=plain(_end(review)),
        forfeited=game.record.fault is not None,
        had_chance=any(event.event.player == CHANCE for event in review.events),
        decided=_moment(review, review.decided),
        luckiest=_moment(review, review.luckiest),
        chart=value_chart(review),
        judge=review.judges[-1],
        notes=map(plain, review.notes),
        events=[_line(review, event) for event in review.events],
        data=json.dumps(steps, ensure_ascii=False).replace("<", "\\u003c"),
    )


def number(value: float | None) -> str:
    """A value with its sign, to the fourth decimal; nothing for None."""
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
    whose = f" of player {event.lucky}" if review.movers else ""
    marks = [("decided here", review.decided), ("greatest luck", review.luckiest)]
    return {
        "player": event.event.player,
        "name": plain(event.name),
        "loss": number(-event.loss) if event.loss and event.loss >= _SHOWN else "",
        "luck": number(event.luck) + whose if abs(event.luck or 0.0) >= _SHOWN else "",
        "marks": [mark for mark, moment in marks if event is moment],
    }


def _step(review: Review, event: ReviewedEvent) -> dict[str, Any]:
    """What the page shows of one event: the board after it, and the values of the moves there were."""
    shown = event.event
    columns, rows = _values(review, event)
    return {
        "board": board_html(shown.after),
        "title": f"{shown.number + 1}. {_who(review, event)}: {plain(event.name)}",
        "columns": columns,
        "rows": rows,
        "notes": _notes(review, event),
    }


def _notes(review: Review, event: ReviewedEvent) -> list[str]:
    notes = []
    if event.luck is not None:
        notes.append(f"Luck of player {event.lucky}: {number(event.luck)}.")
    if event.loss is not None:
        loses = f"Loses {event.loss:.4f}" if event.loss >= _SHOWN else "Best"
        notes.append(f"{loses} according to the {review.judges[-1]}.")
    elif event.event.player != CHANCE:
        notes.append("There was no other move.")
    if event.event.value is not None:
        notes.append(f"When it was played the mover valued the position at {number(event.event.value)}.")
    if event is review.decided:
        notes.append("No move of the game lost more: here it was decided.")
    if event is review.luckiest:
        notes.append("No throw of the game changed more.")
    return notes


def _values(review: Review, event: ReviewedEvent) -> tuple[list[str], list[Any]]:
    """Who values the moves; of each move its name, whether it was played, and [value, is best] by each."""
    judges = [(name, values) for name, values in zip(review.judges, event.values, strict=False) if values]
    if not judges:
        return [], []
    first = event.maximises
    tops = [(max if first else min)(values.values()) for _, values in judges]
    reference, rows = judges[-1][1], []
    for play in sorted(event.plays, key=lambda play: reference.get(play.action, 0.0) * (-1 if first else 1)):
        cells = []
        for (_, values), top in zip(judges, tops, strict=True):
            value = values.get(play.action)
            cells.append([number(value), value is not None and abs(value - top) <= tie_tolerance(abs(top))])
        rows.append([plain(play.name), event.event.action in play.actions, cells])
    return [plain(name) for name, _ in judges], rows


def _moment(review: Review, event: ReviewedEvent | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {
        "step": event.event.number + 1,
        "who": _who(review, event),
        "name": plain(event.name),
        "loss": f"{event.loss or 0.0:.4f}",
        "luck": number(event.luck),
        "lucky": event.lucky,
    }


def _end(review: Review) -> str:
    record = review.game.record
    if record.fault is None:
        return f"Returns: {', '.join(f'{value:g}' for value in record.returns)}."
    who = f"player {record.fault.seat}, {review.game.names[record.fault.seat]}"
    return f"Forfeited by {who}: {record.fault.kind}, {record.fault.message}."
