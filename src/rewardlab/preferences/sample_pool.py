"""Writing a file again with columns added: rewards, or what is to be labelled."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rewardlab.errors import InputError
from rewardlab.preferences.table_writing import Columns, require_other_file, write_columns
from rewardlab.preferences.tables import open_tables
from rewardlab.types import BoolArray

BATCH_ROWS = 5_000


def write_with_columns(
    source: Path,
    out: Path,
    added: Mapping[str, Sequence[Any]],
    *,
    keep: BoolArray | None = None,
    renewed: Collection[str] = (),
    remedy: str = "rename it, or for gold name another column with --gold (to choose more beside "
    "labels, give --probability too)",
) -> int:
    """Copy a file's rows, all their columns kept, with further columns at the end.

    The file is streamed. Lines that cannot be read as rows at all are not copied.

    Args:
        source: JSONL, CSV or Parquet, each also gzipped, or a saved HF dataset.
        out: The new file; its name says the kind.
        added: Name -> length n, one value for each row of the source.
        keep: Shape [n]; rows to write; None for all.
        renewed: Added names that may be the source's too; their values are written anew.
        remedy: What to do where another added name is the source's too.

    Returns:
        The number of rows written.

    Raises:
        InputError: The source has a column of an added name that is not renewed, or not n rows, or
            ``out`` is the source.
    """
    require_other_file(out, [source])
    names: dict[str, None] = {}
    n = 0
    for batch in _batches(source):
        n += len(batch)
        names.update((name, None) for row in batch for name in row)
    taken = [name for name in added if name in names and name not in renewed]
    if taken:
        raise InputError(f"{source}: there is a column {taken[0]!r} already; {remedy}")
    for name, values in added.items():
        if len(values) != n:
            raise InputError(
                f"{name}: expected {n} values, one a row of {source}, got {len(values)}"
            )
    kept = np.ones(n, dtype=bool) if keep is None else keep

    def chunks() -> Iterator[Columns]:
        first = 0
        for batch in _batches(source):
            at = (first + np.flatnonzero(kept[first : first + len(batch)])).tolist()
            rows = [batch[i - first] for i in at]
            columns: dict[str, list[Any]] = {
                name: [row.get(name) for row in rows] for name in names
            }
            yield columns | {name: [values[i] for i in at] for name, values in added.items()}
            first += len(batch)

    return write_columns(out, chunks, list(dict.fromkeys([*names, *added])))


def _batches(source: Path) -> Iterator[list[dict[str, Any]]]:
    for table in open_tables(source):
        for batch in table.batches(BATCH_ROWS):
            yield [row.values for row in batch.rows]
