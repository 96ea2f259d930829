"""Sample data that ships with the package; ``README.md`` beside it says what is planted."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from rewardlab.errors import InputError


def demo_path(name: str) -> Path:
    """Path of a packaged sample file, such as "demo_preferences.jsonl.gz".

    Raises:
        InputError: No sample file has that name.
    """
    folder = Path(str(files(__name__)))
    known = sorted(path.name for path in folder.glob("demo_*"))
    if name not in known:
        raise InputError(f"name: no sample file is called {name!r}; there are {', '.join(known)}")
    return folder / name
