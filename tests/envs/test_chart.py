"""The pieces of charts: ticks are round and inside, names are escaped, and places follow the values."""

import re
from xml.etree import ElementTree

import pytest

from starspiel.envs.chart import Axis, across, element, paragraph, picture, round_numbers, text


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
    body = text(1, 2, "a < b", class_='"x"', fill=None) + across(Axis("x", 0, 10, 0, 100), 50, 0)
    root = ElementTree.fromstring(picture(100, 60, "t & u", body))
    words = next(root.iter("{http://www.w3.org/2000/svg}text"))
    assert (words.text, words.attrib) == ("a < b", {"x": "1", "y": "2", "class": '"x"'})
    assert element("path", stroke_width=2.25) == '<path stroke-width="2.2"/>'


def test_a_paragraph_loses_no_word_and_keeps_its_width() -> None:
    words = "heuristic(pig) in " + "a_name_without_a_space(" * 9 + " and some more words"
    drawn, below = paragraph(10, 20, words, 200.0, font_size=14)
    lines = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    assert len(lines) > 3
    assert max(map(len, lines)) * 14 * 0.6 <= 200
    assert below == pytest.approx(20 + 14 * 1.35 * len(lines))
