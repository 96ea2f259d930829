"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from rewardlab.errors import InputError


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text; an interruption leaves the old file, never half of a new one.

    Raises:
        InputError: The folder does not exist or cannot be written.
    """
    try:
        with NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            file.write(text)
        Path(file.name).chmod(0o666 & ~_umask())
        Path(file.name).replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
