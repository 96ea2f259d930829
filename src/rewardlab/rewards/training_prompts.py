"""Which prompts a reward was fitted on: digests kept beside it, so that no test reuses them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rewardlab.errors import ModelError
from rewardlab.types import BoolArray, Text, as_text

FILE_NAME = "trained_prompts.txt"
WHOLE_FOLDER = "copy the whole folder that 'rewardlab fit' wrote"


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
    if not path.exists():
        raise ModelError(f"{path}: cannot be read: there is no such file; {WHOLE_FOLDER}")
    try:
        lines = path.read_text(encoding="ascii").split()
        return np.array([int(line, 16) for line in lines], dtype=np.uint64)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, OverflowError) as error:
        raise ModelError(f"{path}: expected lines of 16 hexadecimal digits: {error}") from error


def known_training_prompts(folder: Path) -> NDArray[np.uint64] | None:
    """The same, or None where nothing is said of them. Shape [k], sorted.

    Raises:
        ModelError: The file is damaged.
    """
    return load_training_prompts(folder) if (folder / FILE_NAME).exists() else None


class RowsOnTrainedPrompts:
    """Counts rows on prompts that the reward was fitted on.

    Args:
        digests: Those of the prompts; None where they are not known.
    """

    def __init__(self, digests: NDArray[np.uint64] | None) -> None:
        self._digests = digests
        self._n_rows = self._n_trained = 0

    def among(self, prompts: Sequence[Text]) -> BoolArray:
        """Shape [len(prompts)]; True where the prompt is one of them."""
        if self._digests is None:
            return np.zeros(len(prompts), dtype=bool)
        return np.isin(prompt_digests(prompts), self._digests)

    def count(self, trained: BoolArray) -> None:
        """Count rows by whether their prompt is one of them."""
        self._n_rows += len(trained)
        self._n_trained += int(trained.sum())

    @property
    def n_trained(self) -> int | None:
        """Rows counted on such prompts; None where they are not known."""
        return None if self._digests is None else self._n_trained

    @property
    def sentence(self) -> str:
        """The same in words."""
        if self._digests is None:
            return (
                "Which prompts the reward was fitted on is not known, so no score here counts as "
                "held out."
            )
        if not self._n_trained:
            return f"None of {self._n_rows:,} rows is on a prompt that the reward was fitted on."
        return (
            f"{self._n_trained:,} of {self._n_rows:,} rows are on prompts that the reward was "
            "fitted on: their scores are not held out."
        )
