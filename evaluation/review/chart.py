"""Draws player 0's prospects over the events of a game, with the biggest mistake and the greatest luck."""

from collections import defaultdict

from starspiel.envs.base import CHANCE
from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import Plot
from starspiel.envs.chart.svg import line
from starspiel.evaluation.review.review import Review

# Room for text of twice the size, which the page uses on narrow screens.
_LEFT, _RIGHT, _TOP, _BOTTOM, _FOOT = 84, 874, 52, 204, 74


def value_chart(review: Review) -> str:
    """Returns an `svg` of player 0's (or every player's) chance to win or value over the events, or ""."""
    told, lines, last = review.outlook, _lines(review), len(review.events) + 1
    if review.ranks_only or not lines:
        return ""
    low, high = (told.of(bound or 0.0) for bound in (told.low, told.high))
    if high - low < 1e-12:
        low, high = low - 1, high + 1
    whose = "every player" if review.movers else "player 0"
    title = f"{whose}'s {told.word}"
    x = Axis("event", 0, last, _LEFT, _RIGHT)
    y = Axis(
        title,
        *(low, high, _BOTTOM, _TOP),
        told=lambda tick: f"{100 * tick:g} %" if told.is_chance else f"{tick:.3g}",
        places=(low, (low + high) / 2, high),
    )
    plot = Plot(x, y)
    moments = ((review.biggest_mistake, "bad", "mistake"), (review.luckiest, "luck", "luck"))
    for down, (moment, kind, label) in enumerate(moments):
        if moment is not None:
            plot.mark(moment.event.number + 1, label, kind, down)
    for player, points in lines.items():
        plot.line(points, f"side p{player % 6}" if review.movers else "ink")
    for event in review.events:
        if event.event.player != CHANCE and event.loss and (grade := told.grade(event.loss)):
            lost = f"{event.name}: {grade}, {told.change(-event.loss)}"
            plot.dot(event.event.number + 1, told.of(event.best or 0.0), "bad", lost)
    plot.raw(line((0, _TOP), (0, _BOTTOM), "here", stroke_dasharray="4 3", id="here"))
    label = f"{title} over the game"
    places = {"data_left": float(_LEFT), "data_right": float(_RIGHT), "data_last": float(last)}
    return plot.inline(label, _FOOT, class_="chart wide", **places)


def _lines(review: Review) -> dict[int, list[tuple[int, float]]]:
    """Returns player -> (event, displayed value), for player 0, or for every player at its own moves."""
    told, lines = review.outlook, defaultdict[int, list[tuple[int, float]]](list)
    for event in review.events:
        if (value := event.best) is not None:
            lines[event.event.player if review.movers else 0].append((event.event.number + 1, told.of(value)))
    if review.game.record.fault is None:
        for player, points in lines.items():
            points.append((len(review.events) + 1, told.of(float(review.game.record.returns[player]))))
    return dict(sorted(lines.items()))
