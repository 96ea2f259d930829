"""Which prompts a reward was fitted on: digests kept beside it, so that no test reuses them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import ModelError
from rewardlab.types import Text, as_text

FILE_NAME = "trained_prompts.txt"


def prompt_digests(prompts: Sequence[Text]) -> NDArray[np.uint64]:
    """A digest of each prompt's text, blanks at the ends aside; the same in every file.

    Shape [n], uint64. Two of a million different prompts share one with a chance of 3e-8.
    """
    digests = b"".join(
        blake2b(as_text(p).strip().encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for p in prompts
    )
    return np.frombuffer(digests, dtype=np.uint64)


def save_training_prompts(digests: NDArray[np.uint64], folder: Path) -> None:
    """Write the digests as lines of 16 hexadecimal digits."""
    lines = "".join(f"{digest:016x}\n" for digest in np.unique(digests).tolist())
    (folder / FILE_NAME).write_text(lines, encoding="ascii")


def load_training_prompts(folder: Path) -> NDArray[np.uint64]:
    """The digests that ``save_training_prompts`` wrote. Shape [k], sorted.

    Raises:
        ModelError: The file is missing or damaged, so that nobody can tell what is held out.
    """
    path = folder / FILE_NAME
    try:
        lines = path.read_text(encoding="ascii").split()
        return np.array([int(line, 16) for line in lines], dtype=np.uint64)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, OverflowError) as error:
        raise ModelError(f"{path}: expected lines of 16 hexadecimal digits: {error}") from error
