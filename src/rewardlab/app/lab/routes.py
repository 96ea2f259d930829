"""The lab: its page, a visitor's labels, and runs against the reward that they teach."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Header, Request
from fastapi.responses import Response

from rewardlab.app.lab.exports import labels_file, path_file
from rewardlab.app.lab.kept import fit_of, reward_of, run_of
from rewardlab.app.lab.models import Events, PairsWanted, Run, SweepWanted, Visitor
from rewardlab.app.lab.record import policy_logprobs
from rewardlab.app.lab.sessions import Sessions
from rewardlab.app.lab.views import card, rubric_view, run_view, start_data, state
from rewardlab.app.pages import render, served
from rewardlab.app.wire import HTML, answer, packed
from rewardlab.experiments.lab_policies import beta_sweep
from rewardlab.systems.lab_story import sweep_shown
from rewardlab.types import FloatArray
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import draw_pairs

router = APIRouter()

Who = Annotated[Visitor, Header(alias="X-Visitor")]


def _sessions(request: Request) -> Sessions:
    sessions: Sessions = request.app.state.sessions
    return sessions


def _reward(request: Request, visitor: str, revision: int | None) -> FloatArray:
    return reward_of(_sessions(request).history(visitor, revision=revision).votes())


@router.get("/")
def lab_page(request: Request) -> Response:
    """The lab."""
    page = render("lab.jinja", place=served(), page="lab", title="The lab", boot=start_data())
    return packed(request, page.encode(), media_type=HTML)


@router.post("/api/lab/pairs")
def pairs(request: Request, wanted: PairsWanted, visitor: Who) -> Response:
    """Pairs to judge, by their numbers in an endless stream."""
    world = lab_world(wanted.prompt)
    writer = world.ref_logprobs
    if wanted.writer == "policy":
        revision = wanted.run.revision if wanted.run else None
        history = _sessions(request).history(visitor, revision=revision)
        writer = policy_logprobs(history, wanted.run)
    found = []
    for index in range(wanted.start, wanted.start + wanted.n):
        a, b = draw_pairs(writer, 1, rng=np.random.default_rng([wanted.seed, index]))[0].tolist()
        found.append({"index": index, "a": card(world, a), "b": card(world, b)})
    return answer(request, {"pairs": found})


@router.post("/api/lab/events")
def events(request: Request, sent: Events, visitor: Who) -> Response:
    """Store what the visitor did; what is acknowledged is on disk."""
    history = _sessions(request).add(visitor, sent.events)
    ids = [event.id for event in sent.events]
    return answer(request, {"acknowledged": ids, "state": state(history)})


@router.get("/api/lab/state")
def current_state(request: Request, visitor: Who) -> Response:
    """What was said and learned so far."""
    return answer(request, state(_sessions(request).history(visitor)))


@router.post("/api/lab/run")
def run(request: Request, wanted: Run, visitor: Who) -> Response:
    """A run against the learned reward."""
    reward = _reward(request, visitor, wanted.revision)
    return answer(request, run_view(reward, wanted.settings(), wanted.prompt))


@router.post("/api/lab/sweep")
def sweep(request: Request, wanted: SweepWanted, visitor: Who) -> Response:
    """The optimum over a range of beta."""
    revision = wanted.run.revision if wanted.run else None
    found = sweep_shown(beta_sweep(lab_world(), _reward(request, visitor, revision)))
    return answer(
        request,
        {
            "sentence": found.sentence,
            "chart": {"kind": "LineChart", **asdict(found.chart)},
            "table": found.table,
            "best_beta": found.best_beta,
        },
    )


@router.post("/api/lab/rubric")
def rubric(request: Request, visitor: Who) -> Response:
    """The hidden rubric beside what was learned."""
    votes = _sessions(request).history(visitor).votes()
    return answer(request, rubric_view(fit_of(votes)))


@router.post("/api/lab/labels.jsonl")
def labels(request: Request, visitor: Who) -> Response:
    """The visitor's labels as preferences that trainers read."""
    file = labels_file(_sessions(request).history(visitor).votes())
    headers = {
        "Content-Disposition": 'attachment; filename="lab-labels.jsonl"',
        "X-Left-Out": str(file.n_left_out),
        "X-Left-Out-Reason": file.reason,
    }
    return packed(request, file.body, media_type="application/jsonl", headers=headers)


@router.post("/api/lab/path.csv")
def path(request: Request, wanted: Run, visitor: Who) -> Response:
    """A run's path as a table."""
    reward = _reward(request, visitor, wanted.revision)
    body = path_file(run_of(reward, wanted.settings()).path)
    headers = {"Content-Disposition": 'attachment; filename="lab-path.csv"'}
    return packed(request, body, media_type="text/csv; charset=utf-8", headers=headers)
