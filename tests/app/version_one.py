"""A database as version 1 of the schema was, with rows in it."""

from __future__ import annotations

from sqlalchemy import Engine, create_engine, text

EVENTS = 2_500
REPORT = "0123456789abcdef"

_ZONED = {"sqlite": "DATETIME", "postgresql": "TIMESTAMP WITH TIME ZONE"}

_TABLES = """
CREATE TABLE schema_version (version INTEGER NOT NULL, PRIMARY KEY (version));
CREATE TABLE lab_events (
    visitor VARCHAR(32) NOT NULL, position INTEGER NOT NULL, id VARCHAR(40) NOT NULL,
    asked TEXT NOT NULL, happened TEXT NOT NULL, made_at {zoned} NOT NULL,
    PRIMARY KEY (visitor, position), UNIQUE (visitor, id)
);
CREATE TABLE reports (
    report VARCHAR(16) NOT NULL, title TEXT NOT NULL, made_at VARCHAR(32) NOT NULL,
    state VARCHAR(8) NOT NULL, error TEXT NOT NULL, upload VARCHAR(16) NOT NULL,
    settings TEXT NOT NULL, counts TEXT NOT NULL, html TEXT NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (report)
);
CREATE INDEX ix_reports_made_at ON reports (made_at);
INSERT INTO schema_version VALUES (1);
INSERT INTO reports VALUES ('{report}', 'votes – “all”', '2026-01-02T03:04:05.678+00:00', 'done',
    '', '', '{{}}', '{{}}', '<p>page</p>', '{{}}')
"""


def write_version_one(url: str) -> None:
    """Make what version 1 made, in an empty database."""
    engine = create_engine(url)
    kind = engine.dialect.name
    with engine.begin() as connection:
        for statement in _TABLES.format(zoned=_ZONED[kind], report=REPORT).split(";"):
            connection.execute(text(statement))
        connection.execute(
            text("INSERT INTO lab_events VALUES (:visitor, :position, :id, '{}', '{}', :made_at)"),
            [
                {
                    "visitor": f"{i % 3:032x}",
                    "position": i // 3,
                    "id": f"e{i}",
                    "made_at": "2026-01-02 03:04:05.678000" + ("+00" * (kind != "sqlite")),
                }
                for i in range(EVENTS)
            ],
        )
    engine.dispose()


def everything(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables of a version 1 database, for comparison."""
    keys = {"lab_events": "visitor, position", "reports": "report", "schema_version": "version"}
    with engine.connect() as connection:
        return {
            name: [
                tuple(row)
                for row in connection.execute(text(f"SELECT * FROM {name} ORDER BY {key}"))
            ]
            for name, key in keys.items()
        }
