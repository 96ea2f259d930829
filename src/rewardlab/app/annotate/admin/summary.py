"""How far a project is and what its judgements say, as an admin sees it; computed below the app."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import Engine, func, select

from rewardlab.app.annotate.store.contents import Kind, Label, Project
from rewardlab.app.annotate.store.projects import read_content
from rewardlab.app.annotate.store.record import labels_of, standing
from rewardlab.app.annotate.store.tables import ASSIGNMENTS, LABELS, LINKS, PAIRS
from rewardlab.audit.annotators import AnnotatorReport, measure_annotators
from rewardlab.audit.judgements import Judgements, judgements_of
from rewardlab.audit.labelling_pace import Pace, Throughput, count_over_time, measure_pace


@dataclass(frozen=True, slots=True)
class Counts:
    """How far a project is.

    Attributes:
        n_pairs: Pairs to judge; planted repeats and known pairs are not among them.
        wanted: Judgements that these need.
        made: Of them, how many are made.
        beyond: Judgements beyond what is wanted: they came after their time was over.
        complete: Pairs with all judgements that they need.
        lent: Pairs that somebody has at the moment.
        repeats: Planted repeats in the project.
        known: Pairs with a known answer.
    """

    n_pairs: int
    wanted: int
    made: int
    beyond: int
    complete: int
    lent: int
    repeats: int
    known: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A project at one moment.

    Attributes:
        project: The project.
        n_record: Lines of its record.
        n_undone: Judgements that were taken back.
        counts: How far it is.
        judgements: All that stand, checks and skips included.
        report: What the judgements that stand say of those who made them.
        pace: When it is done.
        throughput: Judgements over time.
        last_seen: Annotator -> when they last judged or took back.
    """

    project: Project
    n_record: int
    n_undone: int
    counts: Counts
    judgements: Judgements
    report: AnnotatorReport
    pace: Pace
    throughput: Throughput
    last_seen: dict[str, datetime]

    @property
    def n_preferences(self) -> int:
        """Judgements that an export as preferences holds: neither checks nor skips."""
        return self.counts.made + self.counts.beyond


@dataclass(frozen=True, slots=True)
class AskedPair:
    """A pair without its texts."""

    kind: Kind
    prompt: str
    of: int | None
    known: str | None


def state_key(engine: Engine, project: Project, now: datetime) -> str:
    """Changes when there is something new to show; figures that age are due every ten minutes."""
    labels = select(func.max(LABELS.c.number)).where(LABELS.c.project == project.project)
    links = select(func.count(), func.count(LINKS.c.revoked_at)).where(
        LINKS.c.project == project.project
    )
    with engine.connect() as connection:
        last = connection.scalar(labels)
        n_links, n_revoked = connection.execute(links).one()
    n = 0 if last is None else last + 1
    return f"{n}-{n_links}-{n_revoked}-{int(now.timestamp()) // 600}"


def summarised(
    engine: Engine, project: Project, now: datetime, *, asked: Mapping[int, AskedPair]
) -> Summary:
    """All that is known of a project now.

    Args:
        engine: The database.
        project: The project.
        now: The present.
        asked: From ``asked_pairs``; they never change.
    """
    record = labels_of(engine, project.project)
    stand = standing(record)
    judgements = _judgements(stand, asked)
    counts = _counts(engine, project, stand, asked)
    made_at_s = np.array([label.judged_at.timestamp() for label in stand if _judged(label)])
    pairs_at_s = np.array(
        [x.judged_at.timestamp() for x in stand if _judged(x) and asked[x.pair].kind == "pair"]
    )
    left = counts.wanted - counts.made
    now_s = now.timestamp()
    return Summary(
        project=project,
        n_record=len(record),
        n_undone=sum(label.did == "undo" for label in record),
        counts=counts,
        judgements=judgements,
        report=measure_annotators(judgements),
        pace=measure_pace(pairs_at_s, now_s=now_s, n_left=left),
        throughput=count_over_time(made_at_s, now_s=now_s),
        last_seen=_last_seen(record),
    )


def _judged(label: Label) -> bool:
    return label.outcome != "skip"


def asked_pairs(engine: Engine, project: str) -> dict[int, AskedPair]:
    """All pairs of a project, by number."""
    columns = (PAIRS.c.pair, PAIRS.c.kind, PAIRS.c.of, PAIRS.c.known, PAIRS.c.content)
    with engine.connect() as connection:
        rows = connection.execute(select(*columns).where(PAIRS.c.project == project)).all()
    return {
        row.pair: AskedPair(row.kind, read_content(row.content).prompt_id, row.of, row.known)
        for row in rows
    }


def _judgements(stand: list[Label], asked: Mapping[int, AskedPair]) -> Judgements:
    pairs = [asked[label.pair] for label in stand]
    return judgements_of(
        pair=[label.pair for label in stand],
        annotator=[label.annotator for label in stand],
        outcome=[label.outcome or "skip" for label in stand],
        prompt=[pair.prompt for pair in pairs],
        a_first=[not label.flipped for label in stand],
        duration_s=[label.duration_s for label in stand],
        asked=[pair.kind for pair in pairs],
        of=[pair.of if pair.kind == "repeat" else None for pair in pairs],
        known=[pair.known if pair.kind == "known" else None for pair in pairs],
    )


def _counts(
    engine: Engine, project: Project, stand: list[Label], asked: Mapping[int, AskedPair]
) -> Counts:
    kinds = [pair.kind for pair in asked.values()]
    judged: dict[int, int] = {}
    for label in stand:
        if _judged(label) and asked[label.pair].kind == "pair":
            judged[label.pair] = judged.get(label.pair, 0) + 1
    made = sum(min(n, project.overlap) for n in judged.values())
    lent = select(func.count()).where(
        ASSIGNMENTS.c.project == project.project, ASSIGNMENTS.c.state == "leased"
    )
    with engine.connect() as connection:
        n_lent = connection.scalar(lent) or 0
    return Counts(
        n_pairs=kinds.count("pair"),
        wanted=kinds.count("pair") * project.overlap,
        made=made,
        beyond=sum(judged.values()) - made,
        complete=sum(n >= project.overlap for n in judged.values()),
        lent=n_lent,
        repeats=kinds.count("repeat"),
        known=kinds.count("known"),
    )


def _last_seen(record: list[Label]) -> dict[str, datetime]:
    return {label.annotator: label.stored_at for label in record}
