"""Charts as SVG: the pieces, axes with titles and units, plots, and rows of intervals and bars.

Colours are classes of the one stylesheet: charts are light or dark as the page they are on.
"""
