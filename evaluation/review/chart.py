"""Player 0's prospects over a game's events as a drawing, with its biggest mistake and its greatest luck."""

from collections import defaultdict
from typing import Any

from starspiel.envs.base import CHANCE
from starspiel.envs.chart import Axis, dot, element, line, polyline, text, up
from starspiel.evaluation.review.review import Review

# Room for text twice as large, as the page has it on a narrow screen; labels are moved down in em.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 900, 230, 84, 888, 44, 196
_LOSS, _LUCK = "#b5402e", "#7a5a08"
_HALO: dict[str, Any] = {
    "paint_order": "stroke",
    "stroke": "#ffffff",
    "stroke_width": 5,
    "stroke_linejoin": "round",
}


def value_chart(review: Review) -> str:
    """An `svg` of player 0's chance to win, or value, over the events, or of every player's; "" without."""
    told, lines, last = review.outlook, _lines(review), len(review.events) + 1
    if not lines:
        return ""
    low, high = (told.of(bound or 0.0) for bound in (told.low, told.high))
    if high - low < 1e-12:
        low, high = low - 1, high + 1
    x, y = Axis("event", 0, last, _LEFT, _RIGHT), Axis(told.word, low, high, _BOTTOM, _TOP)
    ticks = [
        (tick, f"{100 * tick:g} %" if told.is_chance else f"{tick:.3g}")
        for tick in (low, (low + high) / 2, high)
    ]
    parts = [up(y, _LEFT, _RIGHT, ticks)]
    labels = []  # Drawn after the lines, which may be close together.
    for moment, colour, label, down in (
        (review.biggest_mistake, _LOSS, "mistake", "1em"),
        (review.luckiest, _LUCK, "luck", "2.1em"),
    ):
        if moment is not None:
            at = x.at(moment.event.number + 1)
            parts.append(line((at, _TOP), (at, _BOTTOM), colour, stroke_width=2))
            # The label is on the side on which there is room, and has a white halo.
            side, anchor = (-4, "end") if at > 0.85 * _WIDTH else (4, "start")
            labels.append(text(at + side, _TOP, label, dy=down, text_anchor=anchor, fill=colour, **_HALO))
    for player, points in lines.items():
        drawn = f"side p{player % 6}" if review.movers else None  # coloured by the stylesheet
        parts.append(polyline([(x.at(step), y.at(value)) for step, value in points], "#333333", class_=drawn))
    for event in review.events:
        if event.event.player != CHANCE and event.loss and (grade := told.grade(event.loss)):
            at, level = x.at(event.event.number + 1), y.at(told.of(event.best or 0.0))
            lost = told.change(-event.loss)
            parts.append(dot(at, level, 4, _LOSS, f"{event.name}: {grade}, {lost}"))
    parts.append(line((0, _TOP), (0, _BOTTOM), "#2e649e", stroke_dasharray="4 3", id="here"))
    parts += labels
    whose = "every player" if review.movers else "player 0"
    parts += [text(_LEFT, _HEIGHT - 8, "start"), text(_RIGHT, _HEIGHT - 8, "end", text_anchor="end")]
    parts += [
        text(4, 24, f"{whose}'s {told.word}", font_weight=600),
        text((_LEFT + _RIGHT) / 2, _HEIGHT - 8, f"event, {last - 1} in all", text_anchor="middle"),
    ]
    return element(
        "svg",
        "".join(parts),
        class_="chart wide",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        data_left=_LEFT,
        data_right=_RIGHT,
        data_last=last,
        aria_label=f"{whose}'s {told.word} over the game",
    )


def _lines(review: Review) -> dict[int, list[tuple[int, float]]]:
    """(event, value as told) by the player whose values these are: player 0, or each at its own moves."""
    told, lines = review.outlook, defaultdict[int, list[tuple[int, float]]](list)
    for event in review.events:
        if (value := event.best) is not None:
            lines[event.event.player if review.movers else 0].append((event.event.number + 1, told.of(value)))
    if review.game.record.fault is None:
        for player, points in lines.items():
            points.append((len(review.events) + 1, told.of(float(review.game.record.returns[player]))))
    return dict(sorted(lines.items()))
