"""Writes a review as a self-contained page that steps through the game and needs no network."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starspiel.agents.search.result import tie_tolerance
from starspiel.envs.base import CHANCE
from starspiel.envs.boards import board_html, side_of
from starspiel.envs.load import game_of
from starspiel.envs.outlook import GRADES
from starspiel.envs.scoring import told_chances
from starspiel.envs.template import filled
from starspiel.envs.text import plain
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.play.pairing import units
from starspiel.evaluation.review.chart import value_chart
from starspiel.evaluation.review.review import Review, ReviewedEvent
from starspiel.evaluation.review.verdict import counted, verdict

#: Number of earlier events that a board may show, such as the last move and the last roll of dice.
_TRAIL = 8
#: The minimum loss or luck that is shown: smaller ones are below the last digit.
_SHOWN = 0.001

_ELEMENT = re.compile("(?<=>)")


def write_review(review: Review, path: str | Path, store: str | Path | None = None) -> None:
    """Writes the page of a review. Raises StarspielError if that fails, or would replace the store."""
    path = Path(path)
    check_output("the page", path, [] if store is None else files_of_store(store))
    with replacing("the page", path) as file:
        file.write(page(review))


def page(review: Review) -> str:
    """Returns the HTML text of the page."""
    game = review.game
    first = {"board": board_html(review.start), "title": "The start", "rows": [], "columns": [], "notes": []}
    trail = [(event.before, event.event.action) for event in review.events]
    steps = [
        first,
        *(_step(review, event, trail[max(0, at - _TRAIL) : at]) for at, event in enumerate(review.events, 1)),
    ]
    # Boards have many elements in common, so a page contains each element once.
    pieces: dict[str, int] = {}
    for step in steps:
        step["board"] = [pieces.setdefault(piece, len(pieces)) for piece in _ELEMENT.split(step["board"])]
    rules = game_of(review.start)
    return filled(
        Path(__file__).with_name("page.html"),
        review=review,
        game=game,
        title=plain(game.game),
        unit=units(len(game.names)).removesuffix("s"),
        seats=[(seat, plain(name), side_of(rules, seat)) for seat, name in enumerate(game.names)],
        verdict=plain(verdict(review)),
        counts=[(seat, counted(review, seat)) for seat in range(len(game.names))],
        returns=", ".join(f"{value:g}" for value in game.record.returns),
        mistake=_moment(review, review.biggest_mistake),
        luckiest=_moment(review, review.luckiest),
        grades=_grades(review),
        told=review.outlook,
        chart=value_chart(review),
        judge=review.judges[-1],
        notes=map(plain, review.notes),
        events=[_line(review, event) for event in review.events],
        data=json.dumps({"pieces": [*pieces], "steps": steps}, ensure_ascii=False).replace("<", "\\u003c"),
    )


def number(value: float | None) -> str:
    """Formats a value with its sign, to four decimals; "" for None."""
    if value is None:
        return ""
    value = round(value, 4) + 0.0  # turns -0.0 into 0.0
    text = f"{value:+.4f}" if abs(value) < 100 else f"{value:+,.1f}"
    return text.replace("-", "−")


def _who(review: Review, event: ReviewedEvent) -> str:
    player, is_given = event.event.player, event.event.number < len(review.game.start)
    if player == CHANCE or is_given:
        return "the start position" if is_given else "chance"
    return f"player {player}, {plain(review.game.names[player])}"


def _line(review: Review, event: ReviewedEvent) -> dict[str, Any]:
    """Returns the entry of an event in the list of all events."""
    whose = f" of player {event.lucky}" if review.movers else ""
    told, player = review.outlook, event.event.player
    is_given = event.event.number < len(review.game.start)
    marks = [
        ("start position", is_given),
        (told.grade(event.loss or 0.0), bool(event.loss)),
        ("greatest luck", event is review.luckiest),
    ]
    return {
        "player": player,
        "name": plain(event.name),
        "loss": _lost(review, event) if (event.loss or 0.0) >= _SHOWN else "",
        "luck": told.change(event.luck) + whose if event.luck and abs(event.luck) >= _SHOWN else "",
        "marks": [mark for mark, holds in marks if mark and holds],
    }


def _lost(review: Review, event: ReviewedEvent) -> str:
    """Returns the mover's loss in words, with a minus."""
    return review.outlook.change(-(event.loss or 0.0))


def _grades(review: Review) -> str:
    """Returns the thresholds of inaccuracies, mistakes and blunders, in words."""
    told = review.outlook
    width = (told.high or 0.0) - (told.low or 0.0)
    return ", ".join(
        f"{grade} from {told.change(least * width).lstrip('+')}" for least, grade in reversed(GRADES)
    )


def _step(review: Review, event: ReviewedEvent, trail: Sequence[tuple[Any, int]]) -> dict[str, Any]:
    """Returns what the page shows of one event: the board after it, and the values of the legal moves."""
    shown = event.event
    columns, rows = _values(review, event)
    return {
        "board": board_html(shown.after, trail=trail),
        "title": f"{shown.number + 1}. {_who(review, event)}: {plain(event.name)}",
        "columns": columns,
        "rows": rows,
        "notes": _notes(review, event),
    }


def _notes(review: Review, event: ReviewedEvent) -> list[str]:
    notes, told, player = [], review.outlook, event.event.player
    if event.luck is not None:
        notes.append(f"Luck of player {event.lucky}: {told.change(event.luck)}.")
    if event.loss is not None:
        grade = told.grade(event.loss)
        loses = f"costs {told.change(event.loss).lstrip('+')}" if event.loss >= _SHOWN else "the best move"
        named = f"{grade.capitalize()}: {loses}" if grade else loses[:1].upper() + loses[1:]
        notes.append(f"{named} according to the {review.judges[-1]}.")
    elif event.event.number < len(review.game.start):
        notes.append("Part of the start position: nobody chose it.")
    elif player != CHANCE and not event.values:
        notes.append("There was no other move.")
    if event.chances:
        chances = told_chances(review.game.game, event.chances, player)
        notes.append(f"After it, by the network without search: {chances}.")
    if event.event.value is not None:
        valued = told.text(event.event.value, player)
        notes.append(f"When it was played, the mover's own search valued it at {valued}.")
    if event is review.biggest_mistake:
        notes.append("The biggest mistake of the game.")
    if event is review.luckiest:
        notes.append("No throw of the game changed more.")
    return notes


def _values(review: Review, event: ReviewedEvent) -> tuple[list[str], list[Any]]:
    """Returns the names of the judges, and for each move its name, whether it was played, and the values.

    A value is [text, whether it is best, return] for each judge. The text is from the mover's perspective;
    the return is player 0's.
    """
    judges = [(name, values) for name, values in zip(review.judges, event.values, strict=False) if values]
    if not judges:
        return [], []
    told, player = review.outlook, event.event.player
    first = event.maximises
    tops = [(max if first else min)(values.values()) for _, values in judges]
    reference, rows = judges[-1][1], []
    for play in sorted(event.plays, key=lambda play: reference.get(play.action, 0.0) * (-1 if first else 1)):
        cells = []
        for (_, values), top in zip(judges, tops, strict=True):
            value = values.get(play.action)
            text = "" if value is None else told.text(value, player)
            is_best = value is not None and abs(value - top) <= tie_tolerance(abs(top))
            cells.append([text, is_best, number(value)])
        rows.append([plain(play.name), event.event.action in play.actions, cells])
    return [plain(name) for name, _ in judges], rows


def _moment(review: Review, event: ReviewedEvent | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {
        "step": event.event.number + 1,
        "who": _who(review, event),
        "name": plain(event.name),
        "grade": review.outlook.grade(event.loss or 0.0),
        "loss": review.outlook.change(event.loss or 0.0).lstrip("+"),
        "luck": review.outlook.change(event.luck or 0.0),
        "lucky": event.lucky,
    }
