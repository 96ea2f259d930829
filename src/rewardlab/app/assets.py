"""Scripts, styles and images of the lab, read and compressed once, and named by their content.

All lie under ``/static/<version>/``, where the version is a digest of all of them: a browser may
keep them for ever, and scripts import each other by relative paths without a build step.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_COMPRESSED = (".js", ".css", ".svg")
_COMMENTED = (".js", ".css")
_BLOCK = re.compile(rb"^[ \t]*/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n", re.MULTILINE)
_LINE = re.compile(rb"^[ \t]*//.*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asset:
    """One file.

    Attributes:
        body: As it lies on disk, but for comments.
        gzipped: Compressed; the same as ``body`` where that does not pay.
        media_type: Such as "text/css".
    """

    body: bytes
    gzipped: bytes
    media_type: str


@cache
def all_assets() -> dict[str, Asset]:
    """Every file by its path below ``static``, such as "js/core/dom.js"."""
    return {path: _asset(path, body) for path, body in sorted(_walk(_root(), ""))}


@cache
def version() -> str:
    """A digest of all files."""
    digest = hashlib.sha256()
    for path, asset in all_assets().items():
        digest.update(path.encode() + b"\0" + asset.body)
    return digest.hexdigest()[:12]


def _root() -> Traversable:
    return files("rewardlab.app").joinpath("static")


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        else:
            found.append((prefix + entry.name, entry.read_bytes()))
    return found


def without_comments(source: bytes) -> bytes:
    """A script or style without the comments that have lines of their own: a fifth of what travels.

    Where a line starts with ``/*`` or ``//`` outside of a comment there must be a comment.
    """
    return _LINE.sub(b"", _BLOCK.sub(b"", source))


def _asset(path: str, body: bytes) -> Asset:
    suffix = "." + path.rsplit(".", 1)[-1]
    if suffix in _COMMENTED and not path.startswith("vendor/"):
        body = without_comments(body)
    kind = _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    packed = gzip.compress(body, mtime=0) if suffix in _COMPRESSED else body
    return Asset(body, packed if len(packed) < len(body) else body, kind)
