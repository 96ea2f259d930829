"""What annotators may look at over HTTP: pairs that they were given, and what they said."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from rewardlab.app.annotate.entering import engine_of, required
from rewardlab.app.annotate.judging.reading import history_of, shown_to
from rewardlab.app.annotate.judging.views import diff_view, judged_view, pair_view
from rewardlab.app.annotate.store.contents import Assigned
from rewardlab.app.annotate.store.models import PairNumber
from rewardlab.app.wire import answer

router = APIRouter()


@router.get("/api/annotate/{project}/pairs/{pair}")
def one_pair(request: Request, project: str, pair: PairNumber) -> Response:
    """A pair that the annotator was given, at any time."""
    return answer(request, pair_view(_given(request, project, pair)))


@router.get("/api/annotate/{project}/pairs/{pair}/diff")
def pair_diff(request: Request, project: str, pair: PairNumber) -> Response:
    """Which words only one side of a pair has."""
    return answer(request, diff_view(_given(request, project, pair)))


@router.get("/api/annotate/{project}/history")
def own_history(request: Request, project: str, skipped: bool = False) -> Response:
    """The annotator's latest judgements that stand, the newest first."""
    found, who = required(request, project, "annotator")
    judged = history_of(engine_of(request), found, who.annotator, skipped=skipped)
    return answer(request, {"judged": [judged_view(one) for one in judged]})


def _given(request: Request, project: str, pair: PairNumber) -> Assigned:
    """A pair of whoever asks.

    Raises:
        HTTPException: 401 where nobody may ask; 404 where it was never theirs.
    """
    found, who = required(request, project, "annotator")
    shown = shown_to(engine_of(request), found, who.annotator, pair)
    if shown is None:
        raise HTTPException(404, f"pair: {pair} was never given to {who.annotator}")
    return shown
