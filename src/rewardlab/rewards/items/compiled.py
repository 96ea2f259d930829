"""Which engine counts and fits: numpy, or kernels that numba compiles (the extra ``fast``)."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Literal

from rewardlab.errors import InputError

Engine = Literal["auto", "numpy", "compiled"]

REPAYS_IMPORT = 6_000_000
"""Rows from which the compiled kernels repay the import of numba and their loading, .6 to .9 s."""
REPAYS_CALL = 50_000
"""Rows from which they are worth calling once numba is imported."""


def takes_compiled(engine: Engine, n: int) -> bool:
    """Whether work on n rows is done by the compiled kernels.

    Args:
        engine: "auto" compiles where numba is installed and what it saves repays its import (about
            .7 s a process, and some seconds at the first use on a machine).
        n: Rows.

    Raises:
        InputError: "compiled" was asked for and numba is not installed, or no such engine exists.
    """
    match engine:
        case "numpy":
            return False
        case "compiled":
            if find_spec("numba") is None:
                raise InputError(
                    "engine: expected numba for 'compiled', which is not installed; run "
                    "pip install 'rewardlab[fast]', or take the engine 'numpy'"
                )
            return True
        case "auto":
            if "numba" in sys.modules:
                return n >= REPAYS_CALL
            return n >= REPAYS_IMPORT and find_spec("numba") is not None
    raise InputError(f"engine: expected auto, numpy or compiled, got {engine!r}")
