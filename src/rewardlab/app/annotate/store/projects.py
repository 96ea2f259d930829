"""Projects and their pairs: made once, then read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import Connection, Engine, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from rewardlab.app.annotate.store.contents import LEASE_S, Content, Pair, Project, checked_name
from rewardlab.app.annotate.store.tables import PAIRS, PROJECTS
from rewardlab.errors import InputError
from rewardlab.preferences.pair_pool import MOST_PAIRS

MOST_OVERLAP = 100

LARGEST = 2**31 - 1
"""That every database keeps as a number."""

MOST_GUIDELINES = 50_000
"""Characters of guidelines."""


def create_project(
    engine: Engine,
    name: str,
    pairs: Sequence[Pair],
    *,
    overlap: int = 1,
    guidelines: str = "",
    lease_s: int = LEASE_S,
    known_every: int = 0,
    seed: int = 0,
    about: Mapping[str, Any] | None = None,
) -> Project:
    """Make a project, whole or not at all.

    Args:
        engine: The database.
        name: See ``checked_name``.
        pairs: Numbered from 0.
        overlap: How many people judge each pair.
        guidelines: In Markdown.
        lease_s: Seconds.
        known_every: See ``Project``.
        seed: Of the sides.
        about: Where the pairs came from.

    Raises:
        InputError: There is such a project, there are no pairs, or an argument is out of range.
    """
    _check(pairs, overlap=overlap)
    require_number("lease", lease_s, least=1)
    require_number("known_every", known_every)
    require_number("seed", seed)
    _check_guidelines(guidelines)
    project = Project(
        checked_name(name),
        datetime.now(UTC),
        guidelines,
        overlap,
        lease_s,
        known_every,
        seed,
        dict(about or {}),
    )
    row = {**asdict(project), "about": orjson.dumps(project.about).decode()}
    try:
        with engine.begin() as connection:
            connection.execute(insert(PROJECTS), [row])
            connection.execute(insert(PAIRS), [_row(project.project, pair) for pair in pairs])
            _count_rows(connection)
    except IntegrityError:
        raise InputError(
            f"project: there is a project {name!r} already; choose another name"
        ) from None
    return project


def require_number(argument: str, number: int, *, least: int = 0) -> None:
    """Refuse a number that is too small, or too large for a database.

    Raises:
        InputError: It is.
    """
    if not least <= number <= LARGEST:
        raise InputError(f"{argument}: expected {least} to {LARGEST:,}, got {number:,}")


def _count_rows(connection: Connection) -> None:
    """Let PostgreSQL count now: it takes a project that it has not counted for one of few pairs."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"ANALYZE {PAIRS.name}"))


def find_project(engine: Engine, name: str) -> Project | None:
    """The project of that name, or None."""
    with engine.connect() as connection:
        row = connection.execute(select(PROJECTS).where(PROJECTS.c.project == name)).first()
    return None if row is None else Project(**{**row._mapping, "about": orjson.loads(row.about)})


def all_projects(engine: Engine) -> list[Project]:
    """Every project, the oldest first."""
    query = select(PROJECTS).order_by(PROJECTS.c.made_at, PROJECTS.c.project)
    with engine.connect() as connection:
        rows = connection.execute(query).all()
    return [Project(**{**row._mapping, "about": orjson.loads(row.about)}) for row in rows]


def change_guidelines(engine: Engine, project: str, guidelines: str) -> None:
    """What annotators are asked to do, from now on.

    Args:
        engine: The database.
        project: Its name.
        guidelines: In Markdown; "" for none.

    Raises:
        InputError: They are too long, or there is no such project.
    """
    _check_guidelines(guidelines)
    mine = update(PROJECTS).where(PROJECTS.c.project == project)
    with engine.begin() as connection:
        n = connection.execute(mine.values(guidelines=guidelines)).rowcount
    if not n:
        raise InputError(f"project: there is no project {project[:60]!r}")


def pairs_of(engine: Engine, project: str) -> list[Pair]:
    """All pairs of a project, by number."""
    query = select(
        PAIRS.c.pair, PAIRS.c.kind, PAIRS.c.content, PAIRS.c.of, PAIRS.c.known, PAIRS.c.place
    ).where(PAIRS.c.project == project)
    with engine.connect() as connection:
        rows = connection.execute(query.order_by(PAIRS.c.pair)).all()
    return [Pair(r.pair, r.kind, read_content(r.content), r.of, r.known, r.place) for r in rows]


def read_content(text: str) -> Content:
    """What ``_row`` wrote."""
    return Content(**orjson.loads(text))


def _check(pairs: Sequence[Pair], *, overlap: int) -> None:
    if not 1 <= len(pairs) <= MOST_PAIRS:
        raise InputError(f"pairs: expected 1 to {MOST_PAIRS:,}, got {len(pairs):,}")
    if not 1 <= overlap <= MOST_OVERLAP:
        raise InputError(f"overlap: expected 1 to {MOST_OVERLAP} people a pair, got {overlap}")


def _check_guidelines(guidelines: str) -> None:
    if len(guidelines) > MOST_GUIDELINES:
        raise InputError(
            f"guidelines: expected at most {MOST_GUIDELINES:,} characters, got {len(guidelines):,}"
        )
    if "\0" in guidelines:
        raise InputError("guidelines: expected no NUL characters, which no database takes")


def _row(project: str, pair: Pair) -> dict[str, Any]:
    return {
        "project": project,
        "pair": pair.pair,
        "kind": pair.kind,
        "of": pair.of,
        "known": pair.known,
        "place": pair.place,
        "taken": 0,
        "content": orjson.dumps(asdict(pair.content)).decode(),
    }
