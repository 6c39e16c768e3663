"""How the value of a game went, as a drawing, with the two moments that counted most."""

from html import escape

from starspiel.envs.base import CHANCE
from starspiel.evaluation.review.review import Review

# Room for text twice as large, as the page has it on a narrow screen; where lines stand is said in em.
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 900, 204, 84, 18, 34
_HALO = 'paint-order="stroke" stroke="#fff" stroke-width="5" stroke-linejoin="round"'
_COLOURS = {"line": "#333333", "loss": "#c64e3c", "luck": "#b0851f"}


def value_chart(review: Review) -> str:
    """An `svg` of player 0's value over the events; "" where no move was valued."""
    points = [
        (event.event.number + 1, value)
        for event in review.events
        if (value := review.value_before(event)) is not None
    ]
    if not points:
        return ""
    returns = review.game.record.returns
    if review.game.record.fault is None:
        points.append((len(review.events) + 1, float(returns[0])))
    low, high = min(value for _, value in points), max(value for _, value in points)
    if low < 0 < high or len(returns) == 2:
        high = max(abs(low), abs(high))
        low = -high
    if high - low < 1e-12:
        low, high = low - 1, high + 1
    last = len(review.events) + 1

    def x(step: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - 12) * step / last

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)

    parts, labels = [], []
    for tick in (low, (low + high) / 2, high):
        parts.append(
            f'<path d="M{_LEFT} {y(tick):.1f}H{_WIDTH - 12}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{y(tick):.1f}" dy="0.35em" text-anchor="end">{tick:.3g}</text>'
        )
    for moment, kind, label in ((review.decided, "loss", "decided"), (review.luckiest, "luck", "luck")):
        if moment is not None:
            at = x(moment.event.number + 1)
            left = at > 0.85 * _WIDTH  # the label is on the side where there is room
            parts.append(
                f'<path d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="{_COLOURS[kind]}" stroke-width="2"/>'
            )
            labels.append(  # drawn after both lines, which may be close together
                f'<text x="{at + (-4 if left else 4):.1f}" y="{_TOP}" '
                f'dy="{"1em" if kind == "loss" else "2.1em"}" '
                f'text-anchor="{"end" if left else "start"}" {_HALO} '
                f'fill="{_COLOURS[kind]}">{label}</text>'
            )
    path = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in points)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS["line"]}" stroke-width="2"/>')
    for event in review.events:
        if event.event.player != CHANCE and event.loss and event.loss > 0.01 * (high - low):
            value = review.value_before(event) or 0.0
            parts.append(
                f'<circle cx="{x(event.event.number + 1):.1f}" cy="{y(value):.1f}" r="4" '
                f'fill="{_COLOURS["loss"]}"><title>{escape(event.name)}: loses {event.loss:.4f}</title>'
                "</circle>"
            )
    parts.append(
        f'<path id="here" d="M0 {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#2e649e" stroke-dasharray="4 3"/>'
    )
    parts += labels
    parts.append(
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">start</text>'
        f'<text x="{_WIDTH - 12}" y="{_HEIGHT - 8}" text-anchor="end">end</text>'
    )
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" data-left="{_LEFT}" '
        f'data-right="{_WIDTH - 12}" data-last="{last}" '
        f'aria-label="player 0\'s value over the game">{"".join(parts)}</svg>'
    )
