"""Uploaded preference files: taken in whole or not at all, within bounds, under names of our own.

Each lies in a folder that is named by a random id, beside a record of how it was read. While it
arrives and is checked, the folder's name ends in ``.part``: what is left of an interrupted upload
can be told from what is kept.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from rewardlab.app.config import MEGABYTE, WITH_OPTIONS, WITHOUT_LIMIT, Limits
from rewardlab.app.security import BodyTooLargeError
from rewardlab.app.uploads.process import UploadWork
from rewardlab.errors import InputError
from rewardlab.plots.text import visible

READING_LIMIT_S = 120.0
"""After so long the reading of an upload is given up."""

_RECORD = "-record.json"  # no name that file_name gives begins like that
_PART = ".part"
_ID = re.compile(r"[0-9a-f]{16}")
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow", ".gz")
_ROOM_EVERY = 4 * MEGABYTE
"""Bytes of an upload after which the room for all is looked at again."""

_LONGEST_LABEL = 120
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Upload:
    """A preference file that is kept.

    Attributes:
        upload: Its id, 16 hex digits.
        name: What it was called, as a label.
        file: Its name in its folder.
        made_at: When it came, in UTC as ISO 8601 writes it.
        n_bytes: Its size as it came.
        sentence: How it was read.
        n_rows: Rows in the file.
        n_votes: Votes in them.
        left_out: A sentence for each reason for which rows were left out.
    """

    upload: str
    name: str
    file: str
    made_at: str
    n_bytes: int
    sentence: str
    n_rows: int
    n_votes: int
    left_out: tuple[str, ...]


class UploadFolder:
    """The folder of all uploads.

    Args:
        folder: Where they lie; made when the first one comes.
        limits: What they may hold.
    """

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.limits = limits

    @contextmanager
    def incoming(self, name: str) -> Iterator[Incoming]:
        """A place for a file that arrives; nothing stays of it unless it is kept inside the block.

        Args:
            name: What the sender calls it.

        Raises:
            InputError: There is no room for any.
        """
        self.require_room()
        identity = secrets.token_hex(8)
        place = self.folder / (identity + _PART)
        place.mkdir(parents=True)
        try:
            file = place / file_name(name)
            with file.open("xb") as stream:
                yield Incoming(self, identity, label(name), file, stream)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def get(self, upload: str) -> Upload | None:
        """An upload by its id; None where there is none."""
        record = self.folder / upload / _RECORD
        if not _ID.fullmatch(upload):
            return None
        try:
            text = record.read_text(encoding="utf-8")
        except FileNotFoundError:  # it may just have been deleted
            return None
        found: dict[str, Any] = json.loads(text)
        return Upload(**{**found, "left_out": tuple(found["left_out"])})

    def path(self, upload: Upload) -> Path:
        """Where its file lies."""
        return self.folder / upload.upload / upload.file

    def all(self) -> list[Upload]:
        """Every upload, the newest first."""
        if not self.folder.is_dir():
            return []
        found = [self.get(entry.name) for entry in self.folder.iterdir()]
        return sorted((u for u in found if u), key=lambda u: u.made_at, reverse=True)

    def delete(self, upload: str) -> None:
        """Remove an upload, if it is there."""
        if _ID.fullmatch(upload):
            shutil.rmtree(self.folder / upload, ignore_errors=True)

    def sweep(self) -> None:
        """Remove what interrupted uploads left; only while none arrives."""
        if self.folder.is_dir():
            for place in self.folder.glob(f"*{_PART}"):
                shutil.rmtree(place, ignore_errors=True)

    def n_bytes(self) -> int:
        """Bytes of all uploads, those that arrive now among them."""
        n_bytes = 0
        with contextlib.suppress(FileNotFoundError):  # there is none yet
            for place in self.folder.iterdir():
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # it came or went
                    n_bytes += sum(file.stat().st_size for file in place.iterdir())
        return n_bytes

    def require_room(self) -> None:
        """Refuse what comes when all uploads hold more than they may.

        Raises:
            InputError: They do.
        """
        if self.n_bytes() > self.limits.uploads_bytes:
            raise InputError(
                f"all uploads together may hold {self.limits.uploads_bytes:,} bytes, and there is "
                f"no room left for this one; delete some on the reports page, or {WITHOUT_LIMIT}"
            )


@dataclass(slots=True)
class Incoming:
    """A file that arrives.

    Attributes:
        uploads: Where it will be kept.
        upload: The id it will have.
        name: What it is called, as a label.
        file: Where it lies meanwhile.
        stream: Takes its bytes.
        n_bytes: How many came so far.
        n_fitting: How many of them were there when the room was last looked at.
    """

    uploads: UploadFolder
    upload: str
    name: str
    file: Path
    stream: IO[bytes]
    n_bytes: int = 0
    n_fitting: int = 0

    def write(self, piece: bytes) -> None:
        """The next bytes.

        Raises:
            BodyTooLargeError: They are more than a file may hold.
            InputError: There is no room for them beside the other uploads.
        """
        self.n_bytes += len(piece)
        if self.n_bytes > self.uploads.limits.upload_bytes:
            raise BodyTooLargeError(self.uploads.limits.upload_bytes)
        self.stream.write(piece)
        if self.n_bytes - self.n_fitting >= _ROOM_EVERY:
            self.uploads.require_room()
            self.n_fitting = self.n_bytes

    def keep(self) -> Upload:
        """Read the file once within the limits, and keep it.

        Raises:
            InputError: It cannot be read, holds too much, or there is no room for it.
        """
        self.stream.close()
        if not self.n_bytes:
            raise InputError(f"{self.name}: the file is empty")
        self.uploads.require_room()
        found = self._inspected()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        left_out = tuple(found.pop("left_out"))
        kept = Upload(
            self.upload, self.name, self.file.name, now, self.n_bytes, left_out=left_out, **found
        )
        record = self.file.parent / _RECORD
        record.write_text(json.dumps(asdict(kept)), encoding="utf-8")
        self.file.parent.rename(self.uploads.folder / self.upload)
        return kept

    def _inspected(self) -> dict[str, Any]:
        """How the file was read; a refusal calls it what its sender does."""
        limits = self.uploads.limits
        bounds = {"unpacked_bytes": limits.unpacked_bytes, "rows": limits.upload_rows}
        try:
            return UploadWork("inspect", self.file, bounds, limit_s=READING_LIMIT_S).run()
        except InputError as error:
            said = str(error).replace(self.file.name, self.name)
            raise InputError(f"{said}; {WITH_OPTIONS}" if "--column" in said else said) from None


def label(name: str) -> str:
    """What a file is called, as a label: without folders, visible throughout, not too long."""
    last = re.split(r"[/\\]", name.strip())[-1]
    shown = visible(" ".join(last.split())) or "upload"
    return shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + "…"


def file_name(name: str) -> str:
    """A harmless file name that reminds of ``name``: letters, digits, dots, dashes; one of the
    endings that preference files have."""
    last = unicodedata.normalize("NFC", re.split(r"[/\\]", name.strip())[-1])
    tame = "".join(c if c.isalnum() or c in "._-" else "_" for c in last)
    stem, ending = tame.strip("._-"), ""
    for _ in range(2):  # such as .jsonl.gz
        dot = stem.rfind(".")
        if dot > 0 and stem[dot:].lower() in _SUFFIXES:
            stem, ending = stem[:dot], stem[dot:].lower() + ending
    return (_short(stem) or "upload") + (ending or ".data")


def _short(stem: str) -> str:
    """At most so many bytes, as file systems count them."""
    return stem.encode()[:_LONGEST_NAME].decode(errors="ignore").rstrip("._-")
