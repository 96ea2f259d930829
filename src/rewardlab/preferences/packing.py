"""What a file is (JSON Lines, JSON array, CSV, Parquet, Arrow), and whether it is gzipped."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from rewardlab.errors import FormatError

UTF8_BOM = b"\xef\xbb\xbf"
GZIP_MAGIC = b"\x1f\x8b"
_PEEK_BYTES = 65_536
_FOREIGN: dict[bytes, str] = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\xff\xfe": "in UTF-16",
    b"\xfe\xff": "in UTF-16",
    b"SQLite format 3": "a SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"\x80\x04\x95": "a Python pickle",
}
READABLE = "JSON Lines, a JSON array, CSV or Parquet, each also gzipped, or a saved HF dataset"
FROM_UTF16 = "convert it with: iconv -f UTF-16 -t UTF-8 OLD > NEW"
FROM_LATIN1 = "convert a file in Latin-1 with: iconv -f LATIN1 -t UTF-8 OLD > NEW"


@dataclass(frozen=True, slots=True)
class Packing:
    """What a file is.

    Attributes:
        kind: "jsonl", "json" (an array), "csv", "parquet", "arrow-file" or "arrow-stream".
        gzipped: True if those bytes are compressed with gzip.
    """

    kind: str
    gzipped: bool


def recognise_packing(path: Path) -> Packing:
    """What the file is, by its first bytes, and for text by its name too.

    Raises:
        FormatError: There is no such file, it is empty, or it is of a kind that cannot be read.
    """
    if path.exists() and not path.is_file():
        raise FormatError(
            f"{path}: is no file on disk: a pipe can be read only once, and files are read several "
            "times; save it as a file and give that one"
        )
    try:
        with path.open("rb") as raw:
            gzipped = raw.read(2) == GZIP_MAGIC
        with open_bytes(path, gzipped) as stream:
            head = stream.read(_PEEK_BYTES)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FormatError(f"{path}: there is no such file") from error
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error
    return Packing(_kind(path, head), gzipped)


def _kind(path: Path, head: bytes) -> str:
    for magic, kind in (
        (b"PAR1", "parquet"),
        (b"ARROW1", "arrow-file"),
        (b"\xff\xff\xff\xff", "arrow-stream"),
    ):
        if head.startswith(magic):
            return kind
    for magic, name in _FOREIGN.items():
        if head.startswith(magic):
            remedy = f"; {FROM_UTF16}" if "UTF-16" in name else ""
            raise FormatError(f"{path}: the file is {name}; expected {READABLE}{remedy}")
    text = head.removeprefix(UTF8_BOM).lstrip()
    if not text:
        raise FormatError(f"{path}: the file holds no rows (it is empty or blank)")
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".parquet":
        raise FormatError(f"{path}: named .parquet, but it does not begin as a Parquet file")
    if suffix in (".csv", ".tsv"):
        return "csv"
    if text.startswith(b"["):
        return "json"
    if text.startswith(b"{") or suffix in (".jsonl", ".ndjson", ".json"):
        return "jsonl"
    return "csv"


def open_bytes(path: Path, gzipped: bool) -> IO[bytes]:
    """The file's bytes, decompressed where needed."""
    return cast(IO[bytes], gzip.open(path)) if gzipped else path.open("rb")


class ByteLines:
    """Numbered lines of a file, split at newlines only.

    Iterating yields each line's bytes. A fault of the stream (a truncated or damaged gzip) raises
    ``FormatError`` that names the line it was met in.

    Attributes:
        source: Name of the file as given.
        number: Number of the last line yielded; 0 before the first.
    """

    def __init__(self, path: Path, gzipped: bool) -> None:
        self.source = str(path)
        self.number = 0
        self._raw = path.open("rb")
        self._stream = cast(IO[bytes], gzip.GzipFile(fileobj=self._raw)) if gzipped else self._raw
        self._size = max(1, path.stat().st_size)

    def share(self) -> float:
        """Share of the file's (compressed) bytes read so far, in [0, 1]."""
        return min(1.0, self._raw.tell() / self._size)

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self._raw, self._stream:
                for line in self._stream:
                    self.number += 1
                    yield line.removeprefix(UTF8_BOM) if self.number == 1 else line
        except (OSError, EOFError, zlib.error) as error:
            raise FormatError(
                f"{self.source}, line {self.number + 1}: the file is truncated or damaged "
                f"({error}); {self.number} lines before it are whole"
            ) from error
