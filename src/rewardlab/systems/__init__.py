"""The exact laboratory, one file a system: what it shows, its controls, its question, its figures.

A system is declared once (``declaration.System``). From that declaration come ``rewardlab reproduce
NAME``, the page in ``docs/systems`` and the widget in the browser; none of them computes anything.
"""
