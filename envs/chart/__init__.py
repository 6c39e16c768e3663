"""Draws charts as SVG: elements, axes with titles and units, plots, and rows of intervals.

Colours are classes of the shared stylesheet, so that charts are light or dark like their page.
"""
