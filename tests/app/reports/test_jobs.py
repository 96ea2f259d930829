"""Audits in the background: few at a time, followed, stopped, taken up after a restart."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from rewardlab.app.reports import jobs
from rewardlab.app.reports.contents import contents_of
from rewardlab.app.reports.jobs import AuditJobs
from rewardlab.app.reports.routes import jobs_of
from rewardlab.app.reports.store import all_reports, new_report
from rewardlab.app.uploads import process
from rewardlab.app.uploads.process import UploadWork, WorkStoppedError
from rewardlab.app.uploads.routes import uploads_of
from rewardlab.audit.running import audit
from rewardlab.data import demo_path
from rewardlab.errors import InputError
from rewardlab.preferences.formats import open_preferences
from tests.app.running import Lab
from tests.app.uploads.sending import (
    DEMO,
    app_of,
    client,
    left_behind,
    start_audit,
    upload,
    votes,
    wait_for,
)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path) as started:
        yield started


def slow() -> bytes:
    """Votes whose audit takes seconds, so that it can be seen to run."""
    return votes(30_000)


def test_an_audit_is_the_librarys(lab: TestClient) -> None:
    report = start_audit(lab, upload(lab, DEMO, "demo.jsonl.gz"))
    done = wait_for(lab, report, "done", "failed")
    assert done["state"] == "done"
    expected = contents_of(audit(open_preferences(demo_path("demo_preferences"))))
    assert done["counts"] == expected.counts
    found = json.loads(lab.get(f"/reports/{report}/report.json").text)
    same = json.loads(expected.json)
    for part, figure in (
        ("accuracy", "overall"),
        ("ceiling", "agreement"),
        ("calibration", "slope"),
    ):
        for end in ("value", "low", "high"):
            assert found[part][figure][end] == pytest.approx(same[part][figure][end], rel=1e-6)
    assert [f["title"] for f in found["findings"]] == [f["title"] for f in same["findings"]]
    assert found["data"]["files"] == ["demo.jsonl.gz"]
    assert found["settings"]["command"] == "rewardlab audit demo.jsonl.gz"


def test_an_audit_tells_its_step_and_share(lab: TestClient) -> None:
    taken = upload(lab, votes(3000))
    steps: dict[str, list[float]] = {}

    def follow(step: str, share: float | None) -> None:
        steps.setdefault(step, []).append(share or 0.0)

    file = uploads_of(app_of(lab)).path(uploads_of(app_of(lab)).all()[0])
    assert file.name == taken["file"]
    UploadWork("audit", file, {"seed": 0}, limit_s=120).run(follow)
    assert [*steps] == [
        "Examining the data", "Scoring the votes", "Fetching what to read", "Writing the page",
    ]  # fmt: skip
    for shares in steps.values():
        assert shares == sorted(shares)
        assert 0 <= shares[0] <= shares[-1] <= 1


def test_a_failed_audit_says_why_and_can_start_again(lab: TestClient) -> None:
    same = [json.dumps({"prompt": f"q{k}", "chosen": "a", "rejected": "b"}) for k in range(9)]
    report = start_audit(lab, upload(lab, "\n".join(same).encode()))
    failed = wait_for(lab, report, "failed", "done")
    assert failed["state"] == "failed"
    assert failed["error"] == "features: none differs between the two responses of any pair"
    assert lab.post(f"/api/audits/{report}/start").status_code == 202
    assert wait_for(lab, report, "failed")["error"] == failed["error"]
    assert failed["error"] in lab.get(f"/reports/{report}").text


def test_an_audit_can_be_stopped_and_started_again(lab: TestClient) -> None:
    report = start_audit(lab, upload(lab, slow()))
    wait_for(lab, report, "running")
    stopped = lab.post(f"/api/audits/{report}/stop").json()
    assert stopped["state"] == "stopped"
    assert lab.get(f"/reports/{report}/report.html").status_code == 404
    assert lab.post(f"/api/audits/{report}/start").json()["state"] == "running"
    refused = lab.post(f"/api/audits/{report}/start")
    assert refused.status_code == 422
    assert "this audit is running" in refused.json()["error"]
    lab.delete(f"/api/audits/{report}")


def test_others_wait_their_turn_and_can_be_stopped_while_they_wait(tmp_path: Path) -> None:
    with client(tmp_path) as lab:
        app_of(lab).state.audit_jobs = AuditJobs(
            app_of(lab).state.engine, uploads_of(app_of(lab)), at_once=1
        )
        taken = upload(lab, slow())
        first, second, third = (start_audit(lab, taken) for _ in range(3))
        wait_for(lab, first, "running")
        assert wait_for(lab, second, "waiting")["step"] == "Waiting for 1 other audit"
        assert wait_for(lab, third, "waiting")["step"] == "Waiting for 2 other audits"
        assert lab.post(f"/api/audits/{second}/stop").json()["state"] == "stopped"
        lab.post(f"/api/audits/{first}/stop")
        wait_for(lab, third, "running")
        assert lab.post(f"/api/audits/{third}/stop").json()["state"] == "stopped"


def test_a_restart_takes_up_what_ran_and_what_waited(tmp_path: Path) -> None:
    with client(tmp_path) as lab:
        reports = [start_audit(lab, upload(lab, votes(400), f"{k}.jsonl")) for k in range(3)]
    with client(tmp_path) as lab:
        for report in reports:
            assert wait_for(lab, report, "done", "failed", "stopped")["state"] == "done"


def test_an_interrupted_lab_leaves_its_audit_to_the_next_start(
    own_lab: Callable[..., Lab],
) -> None:
    lab = own_lab()
    taken = lab.ask("POST", "/api/uploads?name=slow.jsonl", slow())
    report = lab.ask("POST", "/api/audits", {"upload": taken["upload"]})["report"]
    while lab.ask("GET", f"/api/audits/{report}")["share"] is None:
        pass
    lab.interrupt()
    lab.restart()
    again = lab.ask("GET", f"/api/audits/{report}")
    assert (again["state"], again["error"]) == ("running", "")


def test_a_restart_says_that_a_file_is_gone(tmp_path: Path) -> None:
    with client(tmp_path) as lab:
        report = new_report(app_of(lab).state.engine, title="lost", upload="0123456789abcdef")
    with client(tmp_path) as lab:
        assert "file is gone" in wait_for(lab, report.report, "failed")["error"]


def test_deleting_a_running_audit_ends_it_and_removes_its_file(
    lab: TestClient, tmp_path: Path
) -> None:
    taken = upload(lab, slow())
    first, second = start_audit(lab, taken), start_audit(lab, taken)
    wait_for(lab, first, "running")
    assert lab.delete(f"/api/audits/{first}").status_code == 200
    assert left_behind(tmp_path) == [taken["upload"]]
    assert lab.delete(f"/api/audits/{second}").status_code == 200
    assert left_behind(tmp_path) == []
    assert all_reports(app_of(lab).state.engine) == []
    assert lab.get(f"/api/audits/{first}").status_code == 404
    jobs_of(app_of(lab)).wait(first, timeout_s=60)
    assert all_reports(app_of(lab).state.engine) == []


def test_the_server_answers_while_audits_run(lab: TestClient) -> None:
    report = start_audit(lab, upload(lab, slow()))
    wait_for(lab, report, "running")
    for _ in range(5):
        assert lab.get("/reports").status_code == 200
    assert lab.get(f"/api/audits/{report}").json()["state"] == "running"
    lab.delete(f"/api/audits/{report}")


def test_an_answer_that_breaks_off_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken_off() -> subprocess.Popen[str]:
        says = 'print(\'{"done": {"html": "<h\', end=\'\')'
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", says], stdin=pipe, stdout=pipe, text=True)

    monkeypatch.setattr(process, "_start", broken_off)
    with pytest.raises(InputError, match="ended without an answer"):
        UploadWork("audit", tmp_path / "a.jsonl", {"seed": 0}, limit_s=60).run()


def test_work_that_was_stopped_before_it_began_does_nothing(tmp_path: Path) -> None:
    work = UploadWork("audit", tmp_path / "none.jsonl", {"seed": 0}, limit_s=10)
    work.stop()
    with pytest.raises(WorkStoppedError):
        work.run()


def test_no_process_outlives_its_lab(tmp_path: Path) -> None:
    with client(tmp_path) as lab:
        report = start_audit(lab, upload(lab, slow()))
        wait_for(lab, report, "running")
        before = threading.active_count()
    assert threading.active_count() < before


def test_an_audit_that_nobody_runs_any_more_can_be_stopped_and_started(lab: TestClient) -> None:
    taken = upload(lab, votes(60))
    lost = new_report(app_of(lab).state.engine, title="lost", upload=taken["upload"])
    assert lab.post(f"/api/audits/{lost.report}/stop").json()["state"] == "stopped"
    assert lab.post(f"/api/audits/{lost.report}/start").status_code == 202
    assert wait_for(lab, lost.report, "done", "failed")["state"] == "done"


def test_an_audit_that_cannot_be_kept_says_why(
    lab: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OperationalError("insert", {}, Exception("database or disk is full"))

    monkeypatch.setattr(jobs, "finish", full)
    failed = wait_for(lab, start_audit(lab, upload(lab, votes(60))), "done", "failed")
    assert failed["error"] == "the lab's database cannot be used: database or disk is full"
