"""Exceptions that rewardlab raises on purpose.

The tree::

    RewardLabError
    ├── InputError              a file, a row or an argument is not what was asked for
    │   ├── FormatError         the layout of a file is not recognised, or columns are missing
    │   └── RowError            one row cannot be read: file, line, column, value, expectation
    ├── EstimationError         an estimate does not exist or was not reached
    │   ├── SeparationError     features (or items) separate the outcomes perfectly
    │   └── ConvergenceError    a solver stopped before its gradient was small enough
    └── ModelError              a saved reward cannot be read or does not fit its input

Messages name the argument, what was expected and what came. The command line turns a
``RewardLabError`` into one line on standard error and exit code 2.
"""

from __future__ import annotations

from collections.abc import Sequence


class RewardLabError(Exception):
    """Base of every exception that rewardlab raises on purpose."""

    @property
    def told(self) -> str:
        """What a person is told, in one line."""
        return " ".join(str(self).split())


class InputError(RewardLabError, ValueError):
    """An argument, a file or a row is not what was asked for."""


class FormatError(InputError):
    """The layout of a file is not recognised, or a column it needs is missing."""


class RowError(InputError):
    """One row of a file cannot be read.

    Attributes:
        source: File name as the user gave it.
        line: 1-based line (JSONL, CSV) or row (Parquet, Arrow) number.
        column: Name of the column, or "" where the whole row is meant.
        value: The offending value as text, shortened.
        expected: What would have been accepted.
        reason: The same in a few words without the value, such as "chosen is a boolean", by
            which alike rows are counted.
    """

    def __init__(
        self,
        source: str,
        line: int,
        column: str,
        value: object,
        expected: str,
        *,
        reason: str = "",
    ) -> None:
        self.source = source
        self.line = line
        self.column = column
        text = str(value).lower() if isinstance(value, bool) else repr(value)  # as in JSON
        self.value = text if len(text) <= 80 else text[:77] + "..."
        self.expected = expected
        self.reason = reason or f"{column or 'the row'} is not {expected}"
        where = f"column {column!r}: " if column else ""
        super().__init__(f"{source}, line {line}: {where}got {self.value}, expected {expected}")


class EstimationError(RewardLabError):
    """An estimate does not exist for these data, or was not reached.

    Attributes:
        remedy: What would make it exist, in a sentence.
    """

    def __init__(self, message: str, *, remedy: str = "") -> None:
        self.remedy = remedy
        super().__init__(message)

    @property
    def told(self) -> str:
        """What a person is told, in one line: what is missing, and what would help."""
        message = super().told
        return f"{message}. {self.remedy}" if self.remedy else message


class SeparationError(EstimationError):
    """A combination of features predicts every outcome, so no finite fit exists.

    Attributes:
        names: The features (or items) that take part in the separation.
    """

    def __init__(self, message: str, names: Sequence[str]) -> None:
        self.names = tuple(names)
        listed = ", ".join(self.names)
        super().__init__(message, remedy=f"Leave out {listed}, or add votes that go against it.")


class ConvergenceError(EstimationError):
    """A solver stopped before its gradient was small enough."""


class ModelError(RewardLabError):
    """A saved reward cannot be read, or its input is not what it was fitted on."""
