"""Sample data that ships with the package; ``README.md`` beside it says what is planted."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from rewardlab.errors import InputError


def demo_path(name: str) -> Path:
    """Path of a packaged sample file, such as "demo_preferences" (or with its suffixes).

    Raises:
        InputError: No sample file has that name.
    """
    paths = sorted(Path(str(files(__name__))).glob("demo_*"))
    for path in paths:
        if name in (path.name, path.name.partition(".")[0]):
            return path
    known = ", ".join(path.name for path in paths)
    raise InputError(f"name: no sample file is called {name!r}; there are {known}")
