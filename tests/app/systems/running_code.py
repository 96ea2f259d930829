"""Code that a page shows, run."""

from __future__ import annotations

import contextlib
import io


def printed(code: str) -> str:
    """What three lines of Python print, when run as a reader would run them."""
    assert code.count("\n") == 2
    with contextlib.redirect_stdout(io.StringIO()) as written:
        exec(compile(code, "shown", "exec"), {})
    return written.getvalue().removesuffix("\n")
