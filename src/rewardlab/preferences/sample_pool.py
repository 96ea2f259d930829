"""Writing a file of samples again with columns added, ready to be labelled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.table_writing import Columns, write_columns
from rewardlab.preferences.tables import read_table
from rewardlab.types import BoolArray


def write_with_columns(
    source: Path,
    out: Path,
    added: Mapping[str, Sequence[Any]],
    *,
    keep: BoolArray,
    renewed: Collection[str] = (),
) -> int:
    """Copy a file's rows, all their columns kept, with further columns at the end.

    Args:
        source: JSONL, CSV or Parquet, each also gzipped.
        out: The new file; its name says the kind.
        added: Name -> length n, one value for each row of the source.
        keep: Shape [n]; rows to write.
        renewed: Added names that may be the source's too; their values are written anew.

    Returns:
        The number of rows written.

    Raises:
        InputError: The source has a column of an added name that is not renewed, or ``out`` is
            the source.
    """
    if out.exists() and out.samefile(source):
        raise InputError(f"{out}: expected another file than the samples themselves")
    rows = [values for _, values in read_table(source)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    taken = [name for name in added if name in names and name not in renewed]
    if taken:
        raise InputError(
            f"{source}: there is a column {taken[0]!r} already; rename it, or for gold name "
            "another column with --gold (to choose more beside labels, give --probability too)"
        )
    kept = [int(i) for i in np.flatnonzero(keep)]

    def chunks() -> Iterable[Columns]:
        columns: dict[str, list[Any]] = {name: [rows[i].get(name) for i in kept] for name in names}
        yield columns | {name: [values[i] for i in kept] for name, values in added.items()}

    return write_columns(out, chunks, list(dict.fromkeys([*names, *added])))
