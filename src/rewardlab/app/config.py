"""How the web lab is served: to whom, from which database, within which limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path

from rewardlab.errors import InputError

MEGABYTE = 1_000_000

WITHOUT_LIMIT = "'rewardlab audit FILE' on the command line has no such limit"
"""What to do about an upload that holds more than it may."""

MAKE_WITHOUT_LIMIT = "'rewardlab annotate new NAME FILE' on the command line has no such limit"
"""What to do about a project's file that holds more than it may."""

WITH_OPTIONS = (
    "here, rename the columns and send the file again: options that begin with -- are for "
    "'rewardlab audit FILE' on the command line"
)
"""What to do about an upload for which a refusal names options."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names under which a browser on the same machine asks."""


def default_folder() -> Path:
    """Where the lab keeps its database and uploads, unless told otherwise."""
    return user_data_path("rewardlab")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may bring.

    Attributes:
        body_bytes: Of any request but an upload.
        upload_bytes: Of an uploaded file as sent.
        unpacked_bytes: Of an uploaded file once decompressed.
        upload_rows: Rows of an uploaded file.
        uploads_bytes: Of all uploads that are kept.
    """

    body_bytes: int = MEGABYTE // 4
    upload_bytes: int = 64 * MEGABYTE
    unpacked_bytes: int = 512 * MEGABYTE
    upload_rows: int = 200_000
    uploads_bytes: int = 1_024 * MEGABYTE


@dataclass(frozen=True, slots=True)
class AppConfig:
    """Settings of the server.

    Attributes:
        hosts: Host names that requests may be addressed to, without a port; any other is refused,
            so that a foreign site cannot reach the lab under a name of its own (DNS rebinding).
        database_url: Where labels and audits are kept, as SQLAlchemy writes it; "" for a file in
            ``folder``.
        folder: For the database file and uploads.
        limits: What a request may bring.
        open_annotation: True lets everybody who reaches the lab label and manage every project
            without a link, as one person at their own machine does.

    Raises:
        InputError: Annotation is open, and the lab is served under more names than this machine's.
    """

    hosts: tuple[str, ...] = LOOPBACK
    database_url: str = ""
    folder: Path = field(default_factory=default_folder)
    limits: Limits = Limits()
    open_annotation: bool = False

    def __post_init__(self) -> None:
        if self.open_annotation and self.shared:
            raise InputError(
                "--open: lets in everybody who can reach the lab, so it is for this machine alone; "
                "leave out --host and --allow-host, or give each person a link with "
                "'rewardlab annotate invite'"
            )

    @property
    def shared(self) -> bool:
        """Whether the lab is served under more names than this machine's own."""
        return not set(self.hosts) <= set(LOOPBACK)

    @property
    def url(self) -> str:
        """The database's URL."""
        return self.database_url or f"sqlite:///{self.folder / 'lab.sqlite'}"
