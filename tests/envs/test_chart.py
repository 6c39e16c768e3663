"""The pieces of charts: ticks are round and inside, names are escaped, and places follow the values."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from starspiel.envs.chart.axis import Axis, round_numbers
from starspiel.envs.chart.svg import element, picture, text, wrapped
from starspiel.envs.stylesheet import palettes


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-3.7, 12.1), (5.0, 5.0), (0.0011, 0.0019), (-1e6, 2e6)]
)
def test_round_numbers_enclose_what_is_shown(low: float, high: float) -> None:
    ticks = round_numbers(low, high)
    assert ticks[0] <= low + 1e-9
    assert ticks[-1] >= high - 1e-9
    assert 2 <= len(ticks) <= 9 or low == high


def test_ticks_lie_inside_the_axis_and_ratios_are_equally_far_apart() -> None:
    assert Axis("x", -3.7, 12.1, 0, 100).ticks == [-2.5, 0.0, 2.5, 5.0, 7.5, 10.0]
    ratios = Axis("x", 1, 100, 0, 100, is_log=True)
    assert [ratios.at(value) for value in (1, 10, 100)] == [0, 50, 100]
    assert {1, 10, 100} <= set(ratios.ticks)
    assert [Axis("x", 0, 1, 10, 20).inside(value) for value in (-1, 0.5, float("inf"))] == [10, 15, 20]


def test_names_and_attributes_are_text_and_nothing_else() -> None:
    body = text(1, 2, "a < b", class_='"x"', fill=None) + Axis("x", 0, 10, 0, 100).across(50, 0)
    root = ElementTree.fromstring(picture(100, 60, "t & u", body))
    words = next(root.iter("{http://www.w3.org/2000/svg}text"))
    assert (words.text, words.attrib) == ("a < b", {"x": "1", "y": "2", "class": '"x"'})
    assert element("path", stroke_width=2.25) == '<path stroke-width="2.2"/>'


def test_wrapped_words_lose_nothing_and_keep_their_width() -> None:
    words = "heuristic(pig) in " + "a_name_without_a_space(" * 9 + " and some more words"
    lines = wrapped(words, 200.0, 14)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    assert len(lines) > 3
    assert max(map(len, lines)) * 14 * 0.6 <= 200


def test_labels_along_an_axis_keep_apart() -> None:
    drawn = Axis("x", 0, 6e6, 0, 200, told=lambda value: f"{value:,.0f} moves").across(50, 0)
    places = [float(x) for x in re.findall(r'<text x="([\d.]+)"[^>]*>[\d,]+ moves<', drawn)]
    assert min(b - a for a, b in pairwise(places)) > 7 * len("1,000,000 moves")


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", palettes(), ids=["light", "dark"])
def test_lines_and_text_stand_out_from_the_paper(colours: dict[str, str]) -> None:
    """WCAG AA: 3 to 1 for what is drawn, 4.5 to 1 for what is read."""
    for name, colour in colours.items():
        low, high = sorted((luminance(colour), luminance(colours["paper"])))
        least = 4.5 if name in ("ink", "quiet", "accent", "good", "bad", "luck") else 3.0
        if name not in ("paper", "line", "soft", "hit", "here", "on-mark", "in-max", "in-min"):
            assert (high + 0.05) / (low + 0.05) >= least, name


def test_a_file_is_drawn_in_colours_of_the_stylesheet_without_variables() -> None:
    drawn = picture(100, 60, "t", "")
    light, dark = palettes()
    assert "var(" not in drawn
    assert all(f"color: {colours['c0']}" in drawn for colours in (light, dark))
