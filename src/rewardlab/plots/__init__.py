"""Figures as SVG text: one look for the report, the docs and the command line.

The writer is our own because matplotlib would take the core past its 550 MB budget, and because
inline SVG styled by CSS looks the same in the report, the docs and the web lab, light and dark.

Every figure is a pure function from numbers to a ``str`` of inline SVG; ``svg.standalone`` turns
one into a file. A page that shows figures inline includes ``style.FIGURE_CSS`` once.
"""
