"""The charts of examples are sound SVG and have their points where the values are."""

from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from starspiel.envs.errors import StarspielError

EXAMPLES = Path(__file__).parents[2] / "examples"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def charts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The examples' module of charts."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return import_module("charts")


def test_greater_values_are_higher_and_names_are_escaped(charts: Any) -> None:
    line = charts.Line("a < b", [(1, 1.0), (2, 10.0), (3, 100.0)])
    chart = charts.line_chart([line], title="t & u", across="x", up="y", logarithmic=True)
    root = ElementTree.fromstring(chart)
    heights = [float(dot.attrib["cy"]) for dot in root.iter(f"{SVG}circle")]
    assert heights[0] > heights[1] > heights[2]
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=0.2)  # of a logarithm
    assert any(text.text == "a < b" for text in root.iter(f"{SVG}text"))


def test_bars_are_as_long_as_their_values(charts: Any) -> None:
    root = ElementTree.fromstring(
        charts.bar_chart([("one", [1.0]), ("four", [4.0])], names=["n"], title="t", unit=" %")
    )
    one, four = [float(bar.attrib["width"]) for bar in list(root.iter(f"{SVG}rect"))[1:]]
    assert four == pytest.approx(4 * one, rel=0.01)


def test_nothing_to_draw_is_said(charts: Any) -> None:
    with pytest.raises(StarspielError, match="needs points"):
        charts.line_chart([charts.Line("a", [])], title="t", across="x", up="y")
    with pytest.raises(StarspielError, match="above 0"):
        charts.line_chart([charts.Line("a", [(1, 0.0)])], title="t", across="x", up="y", logarithmic=True)
    with pytest.raises(StarspielError, match="above 0"):
        charts.bar_chart([("a", [0.0])], names=["n"], title="t", unit="")
