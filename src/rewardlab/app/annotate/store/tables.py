"""The tables of annotation. What people said is only ever added to; what is lent out changes.

``annotate_labels`` is the record. ``annotate_assignments`` and ``annotate_pairs.taken`` say who has
which pair at the moment; they could be made again from the record, but for the sides that were
drawn and the leases that still run.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from rewardlab.app.database import METADATA, Moment

LONGEST_NAME = 40
"""Characters of a project's name, and of a label's id."""

LONGEST_ANNOTATOR = 60

PROJECTS = Table(
    "annotate_projects",
    METADATA,
    Column("project", String(LONGEST_NAME), primary_key=True),
    Column("made_at", Moment, nullable=False),
    Column("guidelines", Text, nullable=False),
    Column("overlap", Integer, nullable=False),
    Column("lease_s", Integer, nullable=False),
    Column("known_every", Integer, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("about", Text, nullable=False),
)
"""A project. ``about``: JSON of where its pairs came from, what was left out, and their order."""

PAIRS = Table(
    "annotate_pairs",
    METADATA,
    Column("project", String(LONGEST_NAME), primary_key=True),
    Column("pair", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(8), nullable=False),
    Column("of", Integer),
    Column("known", String(8)),
    Column("place", Float, nullable=False),
    Column("taken", Integer, nullable=False),
    Column("open", Boolean, nullable=False, default=True),
    Column("content", Text, nullable=False),
    ForeignKeyConstraint(["project"], ["annotate_projects.project"]),
    Index("annotate_pairs_in_order", "project", "kind", "open", "place", "pair", "of"),
)
"""A pair to judge.

``kind`` is "pair", "repeat" (pair number ``of`` once more, for whoever judged that) or "known" (its
right answer is ``known``, and everybody gets it). The lower ``place`` is asked first. ``taken``
counts the people who have it now or judged it; ``open`` says that somebody more may have it.
``content`` is JSON of ``Content``.
"""

IS_LEASED = text("state = 'leased'")
"""As the indices of leases have it: a parameter in its place would keep them from being used."""

ASSIGNMENTS = Table(
    "annotate_assignments",
    METADATA,
    Column("project", String(LONGEST_NAME), primary_key=True),
    Column("annotator", String(LONGEST_ANNOTATOR), primary_key=True),
    Column("pair", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(8), nullable=False),
    Column("flipped", Boolean, nullable=False),
    Column("state", String(8), nullable=False),
    Column("until", Moment),
    ForeignKeyConstraint(["project", "pair"], ["annotate_pairs.project", "annotate_pairs.pair"]),
    Index(
        "annotate_assignments_leased",
        "project",
        "annotator",
        sqlite_where=IS_LEASED,
        postgresql_where=IS_LEASED,
    ),
    Index(
        "annotate_assignments_until",
        "project",
        "until",
        sqlite_where=IS_LEASED,
        postgresql_where=IS_LEASED,
    ),
    sqlite_with_rowid=False,
)
"""Who was given which pair, with response b shown first where ``flipped``; ``kind`` is the pair's.

``state`` is "leased" (until ``until``), "judged", "skipped" or "returned" (the lease ended without
a judgement). The first two count in ``annotate_pairs.taken``. Beside the key no index covers all of
somebody's assignments: PostgreSQL, which takes them for few until it counts, could choose it.
"""

LINKS = Table(
    "annotate_links",
    METADATA,
    Column("link", String(16), primary_key=True),
    Column("project", String(LONGEST_NAME), nullable=False),
    Column("role", String(9), nullable=False),
    Column("annotator", String(LONGEST_ANNOTATOR), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    ForeignKeyConstraint(["project"], ["annotate_projects.project"]),
    Index("annotate_links_of_project", "project"),
)
"""Personal links: ``role`` is "annotator" or "admin"; only a digest of the secret is kept."""

LABELS = Table(
    "annotate_labels",
    METADATA,
    Column("project", String(LONGEST_NAME), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("annotator", String(LONGEST_ANNOTATOR), nullable=False),
    Column("id", String(LONGEST_NAME), nullable=False),
    Column("pair", Integer, nullable=False),
    Column("did", String(5), nullable=False),
    Column("outcome", String(8)),
    Column("flipped", Boolean, nullable=False),
    Column("strength", Integer),
    Column("reason", Text, nullable=False),
    Column("duration_s", Float),
    Column("undone", String(LONGEST_NAME)),
    Column("judged_at", Moment, nullable=False),
    Column("stored_at", Moment, nullable=False),
    UniqueConstraint("project", "annotator", "id"),
    ForeignKeyConstraint(["project", "pair"], ["annotate_pairs.project", "annotate_pairs.pair"]),
    Index("annotate_labels_on_pair", "project", "annotator", "pair"),
    Index("annotate_labels_in_order", "project", "annotator", "number"),
)
"""What people did, numbered from 0 within a project; never changed.

``did`` is "label" or "undo" (of the label with the id ``undone``). ``outcome`` is "a", "b", "tie",
"both_bad" or "skip", in terms of the stored pair whatever side it was shown on. ``judged_at`` is
the browser's clock, ``stored_at`` the server's.
"""
