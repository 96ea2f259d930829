"""Personal links: a random token opens one project for one person, and can be revoked.

A token is "LINK.SECRET". The database keeps a digest of the secret, which is compared in constant
time; the link's own part only says which digest. In an address the token stands behind "#", which
browsers send to nobody: it reaches the server in the body of one request and from then on in a
cookie that scripts cannot read. A secret has 256 random bits, so that guessing it is hopeless at
any speed, and attempts need not be counted.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from rewardlab.app.annotate.store.contents import Role, Who, checked_annotator, is_name
from rewardlab.app.annotate.store.queue import end_leases
from rewardlab.app.annotate.store.tables import LINKS
from rewardlab.app.annotate.store.writing import lock_project
from rewardlab.errors import InputError

_NOBODY = hashlib.sha256(b"").hexdigest()
"""Compared with where there is no such link, so that both refusals take as long."""

LONGEST_TOKEN = 100

_STILL_OPEN = select(LINKS.c.link).where(
    LINKS.c.link == bindparam("of_link"), LINKS.c.revoked_at.is_(None)
)

_TOKEN = re.compile(r"([0-9a-f]{12})\.([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as an admin sees it.

    Attributes:
        link: Its name; not secret.
        role: What it opens.
        annotator: For whom; "" for an admin's.
        made_at: When.
        revoked_at: Since when it opens nothing; None while it does.
    """

    link: str
    role: Role
    annotator: str
    made_at: datetime
    revoked_at: datetime | None


def new_link(engine: Engine, project: str, role: Role, annotator: str = "") -> str:
    """Make a link; returns its token, which is kept nowhere.

    Args:
        engine: The database.
        project: Which must exist.
        role: What it opens.
        annotator: For whom; "" for an admin's link.

    Raises:
        InputError: The annotator's name is none, an admin has one, or there is no such project.
    """
    if role == "annotator":
        checked_annotator(annotator)
    elif annotator:
        raise InputError(f"annotator: expected none for an admin's link, got {annotator[:80]!r}")
    link, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    row = {
        "link": link,
        "project": project,
        "role": role,
        "annotator": annotator,
        "digest": _digest(secret),
        "made_at": datetime.now(UTC),
    }
    try:
        with engine.begin() as connection:
            connection.execute(insert(LINKS), [row])
    except IntegrityError:
        raise InputError(f"project: there is no project {project[:60]!r}") from None
    return f"{link}.{secret}"


def who_has(engine: Engine, project: str, token: str) -> Who | None:
    """Whom a token lets into a project; None for nobody."""
    parts = _TOKEN.fullmatch(token)
    link, secret = (parts[1], parts[2]) if parts else ("", "")
    query = select(LINKS.c.role, LINKS.c.annotator, LINKS.c.digest).where(
        LINKS.c.link == link,
        LINKS.c.project == (project if is_name(project) else ""),
        LINKS.c.revoked_at.is_(None),
    )
    with engine.connect() as connection:
        row = connection.execute(query).first()
    same = hmac.compare_digest(_digest(secret), row.digest if row else _NOBODY)
    return Who(project, row.role, row.annotator, link) if row and same else None


def still_open(connection: Connection, who: Who) -> bool:
    """Whether nobody has revoked the link of somebody who was let in a moment ago.

    Args:
        connection: In a transaction that holds the project's lock: nobody revokes it meanwhile.
        who: Who asks.
    """
    return not who.link or connection.scalar(_STILL_OPEN, {"of_link": who.link}) is not None


def links_of(engine: Engine, project: str) -> list[Link]:
    """All links of a project, the oldest first."""
    columns = (LINKS.c.link, LINKS.c.role, LINKS.c.annotator, LINKS.c.made_at, LINKS.c.revoked_at)
    query = select(*columns).where(LINKS.c.project == project)
    with engine.connect() as connection:
        rows = connection.execute(query.order_by(LINKS.c.made_at, LINKS.c.link)).all()
    return [Link(*row) for row in rows]


def revoke(engine: Engine, project: str, link: str) -> None:
    """From now on the link opens nothing; what is lent to somebody without another is given back.

    Revoking it again leaves the moment as it was.

    Raises:
        InputError: The project has no such link.
    """
    this = LINKS.c.project == project, LINKS.c.link == link
    with engine.begin() as connection:
        lock_project(connection, project)
        row = connection.execute(select(LINKS.c.role, LINKS.c.annotator).where(*this)).first()
        if row is None:
            raise InputError(
                f"link: {project} has no link {link[:20]!r}; 'rewardlab annotate links {project}' "
                "shows them"
            )
        still = update(LINKS).where(*this, LINKS.c.revoked_at.is_(None))
        connection.execute(still.values(revoked_at=datetime.now(UTC)))
        if row.role == "annotator" and not _n_links(connection, project, row.annotator):
            end_leases(connection, project, row.annotator)


def _n_links(connection: Connection, project: str, annotator: str) -> int:
    """How many links still let an annotator in."""
    query = select(func.count()).where(
        LINKS.c.project == project,
        LINKS.c.role == "annotator",
        LINKS.c.annotator == annotator,
        LINKS.c.revoked_at.is_(None),
    )
    return connection.scalar(query) or 0


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
