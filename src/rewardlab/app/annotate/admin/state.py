"""What the admin's page shows, computed once for each new state and kept."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Engine

from rewardlab.app.annotate.admin.fitted import FittedSoFar, fitted_so_far
from rewardlab.app.annotate.admin.summary import (
    AskedPair,
    Summary,
    asked_pairs,
    state_key,
    summarised,
)
from rewardlab.app.annotate.store.contents import Project

MOST_KEPT = 32
"""Projects whose state is kept."""

GROWN = 1.05
"""A reward is fitted anew once there are so many times the judgements: a fit takes seconds, and
less than that moves it by little. So the work stays in proportion to the labels."""


REST = 10.0
"""A summary is kept for so many times the time that it took, so that pages which look on leave
nine tenths of a processor to those who label."""


@dataclass(slots=True)
class _Kept:
    key: str = ""
    summary: Summary | None = None
    fresh_until_s: float = 0.0
    asked: Mapping[int, AskedPair] = field(default_factory=dict)
    fitted: FittedSoFar | None = None
    computing: threading.Lock = field(default_factory=threading.Lock)
    fitting: threading.Lock = field(default_factory=threading.Lock)


class AdminStates:
    """Summaries and fits of projects; safe to use from many threads.

    Args:
        engine: The database; other servers may add to it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def key(self, project: Project, now: datetime) -> str:
        """What the newest state goes by."""
        return state_key(self._engine, project, now)

    def summary(self, project: Project, now: datetime) -> tuple[str, Summary]:
        """The newest state and its summary; whoever asks at the same time waits for the one."""
        kept = self._of(project.project)
        with kept.computing:
            key = self.key(project, now)
            started_s = time.monotonic()
            if kept.summary is None or (kept.key != key and started_s > kept.fresh_until_s):
                kept.asked = kept.asked or asked_pairs(self._engine, project.project)
                kept.summary = summarised(self._engine, project, now, asked=kept.asked)
                kept.key = key
                took_s = time.monotonic() - started_s
                kept.fresh_until_s = started_s + took_s * (1 + REST)
            return kept.key, kept.summary

    def fitted(self, project: Project, summary: Summary) -> FittedSoFar:
        """The reward fitted so far; one fit at a time in a project."""
        kept = self._of(project.project)
        with kept.fitting:
            if kept.fitted is None or _is_due(kept.fitted, summary.n_preferences):
                kept.fitted = fitted_so_far(self._engine, project, summary.judgements)
            return kept.fitted

    def _of(self, project: str) -> _Kept:
        with self._lock:
            kept = self._kept.setdefault(project, _Kept())
            self._kept.move_to_end(project)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return kept


def _is_due(fitted: FittedSoFar, n: int) -> bool:
    return n < fitted.n or n > GROWN * fitted.n


def states_of(app: Any) -> AdminStates:
    """The states that a server keeps."""
    if not hasattr(app.state, "annotation_admin"):
        app.state.annotation_admin = AdminStates(app.state.engine)
    states: AdminStates = app.state.annotation_admin
    return states
