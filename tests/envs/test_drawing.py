"""One drawing, two pictures of it: pixels and SVG."""

from xml.etree import ElementTree

import numpy as np

from starspiel.envs.drawing import Drawing

RED, BLUE = (200, 0, 0), (0, 0, 200)


def test_shapes_are_where_they_were_drawn_in_pixels_and_in_svg() -> None:
    drawing = Drawing(100, 60)
    drawing.box(10, 10, 20, 20, RED)
    drawing.polygon(((50, 10), (90, 10), (70, 50)), BLUE)
    pixels = drawing.pixels
    assert pixels.shape == (60, 100, 3)
    assert pixels[20, 20].tolist() == list(RED)
    assert pixels[15, 70].tolist() == list(BLUE)
    assert pixels[45, 52].tolist() == pixels[0, 0].tolist()  # beside the triangle's tip
    root = ElementTree.fromstring(drawing.svg())
    assert root.attrib["viewBox"] == "0 0 100 60"
    fills = [element.attrib.get("fill") for element in root]
    assert fills[1:] == ["#c80000", "#0000c8"]


def test_polygons_are_filled_whichever_way_their_corners_go_round() -> None:
    there, back = Drawing(30, 30), Drawing(30, 30)
    corners = ((5.0, 5.0), (25.0, 5.0), (15.0, 25.0))
    there.polygon(corners, RED)
    back.polygon(corners[::-1], RED)
    assert np.array_equal(there.pixels, back.pixels)


def test_text_in_svg_is_escaped() -> None:
    drawing = Drawing(50, 20)
    drawing.text("<b>&", 0, 0)
    assert ElementTree.fromstring(drawing.svg('"<x>'))[-1].text == "<b>&"
