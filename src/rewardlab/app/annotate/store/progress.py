"""How many judgements a project has, counted by the database alone."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine, and_, case, func, select

from rewardlab.app.annotate.store.contents import Project
from rewardlab.app.annotate.store.tables import ASSIGNMENTS, PAIRS


@dataclass(frozen=True, slots=True)
class Done:
    """Judgements of a project's ordinary pairs.

    Attributes:
        made: That are wanted and stand.
        wanted: Pairs times the people who judge each.
    """

    made: int
    wanted: int


def progress_of(engine: Engine, project: Project) -> Done:
    """How far a project is; judgements beyond what is wanted of a pair do not count."""
    same = and_(ASSIGNMENTS.c.project == PAIRS.c.project, ASSIGNMENTS.c.pair == PAIRS.c.pair)
    ours = and_(PAIRS.c.project == project.project, PAIRS.c.kind == "pair")
    n = func.count().label("n")
    judged = (
        select(n)
        .select_from(PAIRS)
        .join(ASSIGNMENTS, same)
        .where(ours, ASSIGNMENTS.c.state == "judged")
        .group_by(PAIRS.c.pair)
        .subquery()
    )
    enough = case((judged.c.n > project.overlap, project.overlap), else_=judged.c.n)
    with engine.connect() as connection:
        made = connection.scalar(select(func.sum(enough))) or 0
        n_pairs = connection.scalar(select(func.count()).select_from(PAIRS).where(ours)) or 0
    return Done(int(made), n_pairs * project.overlap)
