"""The list of reports, their pages and downloads, and audits kept by the command line."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from rewardlab.app.config import LOOPBACK, AppConfig
from rewardlab.app.reports.bar import with_bar
from rewardlab.app.reports.contents import contents_of
from rewardlab.app.reports.keeping import keep_audit, require_database
from rewardlab.app.reports.store import all_reports, keep_report
from rewardlab.app.server import create_app
from rewardlab.cli.main import app as command_line
from rewardlab.data import demo_path
from rewardlab.errors import InputError
from rewardlab.report.as_json import to_json
from tests.app.uploads.sending import BASE, app_of, client, start_audit, upload, votes, wait_for
from tests.report.fake_audit import hostile_audit, rich_audit


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path) as started:
        yield started


def keep(lab: TestClient, title: str = "votes.jsonl") -> str:
    contents = contents_of(rich_audit())
    return keep_report(app_of(lab).state.engine, contents, title=title, settings={}).report


def test_the_list_shows_each_report_with_its_counts(lab: TestClient) -> None:
    keep(lab, "first.jsonl")
    report = keep(lab, "second.jsonl")
    page = lab.get("/reports").text
    assert page.index("second.jsonl") < page.index("first.jsonl")
    assert f'href="/reports/{report}"' in page
    counts = contents_of(rich_audit()).counts
    for status, n in counts.items():
        assert (f"{n} {status}" in page) is (n > 0)


def test_an_empty_list_says_how_to_begin(lab: TestClient) -> None:
    assert "rewardlab audit FILE --keep" in lab.get("/reports").text


def test_a_report_is_the_librarys_page_under_a_bar(lab: TestClient) -> None:
    report = keep(lab)
    html = contents_of(rich_audit()).html
    shown = lab.get(f"/reports/{report}").text
    bar = re.search(r'<nav class="lab-bar".*?</nav>', shown, re.DOTALL)
    assert bar is not None
    assert f"/reports/{report}/report.html" in bar[0]
    style = re.findall(r"<style>.*?</style>\n", shown, re.DOTALL)[-1]
    plain = shown.replace(style, "").replace("\n" + bar[0], "").replace(' data-ready=""', "")
    assert plain == html
    assert lab.get(f"/reports/{report}/report.html").text == html


def test_the_bar_lands_at_the_top_whatever_a_report_holds() -> None:
    html = contents_of(hostile_audit()).html
    shown = with_bar(html, "0" * 16, made="today")
    assert shown.count("lab-bar") == html.count("lab-bar") + shown[:60_000].count("lab-bar")
    head, _, body = shown.partition("<body>")
    assert ".lab-bar{" in head
    assert body.index('<nav class="lab-bar"') < body.index("<header>")


def test_a_report_runs_nothing_and_has_only_its_own_styles(lab: TestClient) -> None:
    report = keep(lab)
    for address in (f"/reports/{report}", f"/reports/{report}/report.html"):
        response = lab.get(address)
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "script-src" not in policy
        assert "unsafe" not in policy
        assert "<script" not in response.text
        assert policy.count("sha256-") == response.text.count("<style>")


def test_downloads_are_saved_under_a_plain_name(lab: TestClient) -> None:
    report = keep(lab, 'a"b\r\n<x>é.csv')
    for ending in ("html", "json"):
        response = lab.get(f"/reports/{report}/report.{ending}")
        assert response.headers["content-disposition"] == (
            f'attachment; filename="audit-a_b___x_.{ending}"'
        )
    assert json.loads(lab.get(f"/reports/{report}/report.json").text)["version"] == "0.1.0"


@pytest.mark.parametrize("report", ["0123456789abcdef", "x", "A" * 16, "é" * 16])
def test_what_is_no_report_is_not_found(lab: TestClient, report: str) -> None:
    for address in (f"/reports/{report}", f"/reports/{report}/report.json"):
        assert lab.get(address).status_code == 404
    for method, address in (("GET", ""), ("POST", "/stop"), ("POST", "/start"), ("DELETE", "")):
        assert lab.request(method, f"/api/audits/{report}{address}").status_code == 404


def test_half_a_surrogate_pair_is_kept_as_its_escape(lab: TestClient) -> None:
    text = lab.get(f"/reports/{keep(lab)}/report.json").text
    assert "\\ud800" in text
    assert json.loads(text)["reading"] == to_json(rich_audit().reading)


def test_text_of_files_is_shown_as_text(lab: TestClient) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    taken = upload(lab, votes(60, annotator=evil), f"{evil}.jsonl")
    report = start_audit(lab, taken)
    assert wait_for(lab, report, "done", "failed")["state"] == "done"
    for address in ("/reports", f"/reports/{report}", f"/reports/{report}/report.html"):
        page = lab.get(address).text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(2)&gt;.jsonl" in lab.get("/reports").text


def test_the_page_warns_where_the_lab_is_served_to_others(tmp_path: Path) -> None:
    warning = "This lab is served to others"
    for hosts in (LOOPBACK, (*LOOPBACK, "lab.example.org")):
        app = create_app(AppConfig(folder=tmp_path, hosts=hosts))
        with TestClient(app, base_url=BASE) as lab:
            assert (warning in lab.get("/reports").text) is (hosts != LOOPBACK)


def test_writes_need_the_labs_own_origin(lab: TestClient) -> None:
    report = keep(lab)
    for origin in ("http://evil.example", "null", ""):
        for method, address in (
            ("DELETE", f"/api/audits/{report}"),
            ("POST", f"/api/audits/{report}/stop"),
            ("POST", "/api/uploads"),
            ("POST", "/api/uploads/sample"),
        ):
            response = lab.request(method, address, headers={"Origin": origin})
            assert response.status_code == 403
    assert lab.delete(f"/api/audits/{report}").status_code == 200
    assert lab.get(f"/reports/{report}").status_code == 404


def test_an_audit_of_no_upload_is_refused(lab: TestClient) -> None:
    for body in ({"upload": "0123456789abcdef"}, {"upload": "../x"}):
        assert lab.post("/api/audits", json=body).status_code == 404
    wrong_bodies: list[object] = [{}, {"upload": 3}, []]
    for wrong in wrong_bodies:
        assert lab.post("/api/audits", json=wrong).status_code == 422


def test_many_readers_see_the_list_while_it_grows(lab: TestClient) -> None:
    with ThreadPoolExecutor(4) as pool:
        kept = pool.map(lambda k: keep(lab, f"{k}.jsonl"), range(8))
        read = pool.map(lambda _: lab.get("/api/audits").status_code, range(8))
        assert len(set(kept)) == 8
        assert set(read) == {200}
    assert len(all_reports(app_of(lab).state.engine)) == 8


def run(*arguments: str | Path) -> str:
    done = CliRunner().invoke(command_line, [str(a) for a in arguments], catch_exceptions=False)
    return " ".join(done.output.split())


def test_the_command_line_keeps_an_audit_for_the_lab(tmp_path: Path) -> None:
    file = tmp_path / "lab.sqlite"
    page = tmp_path / "report.html"
    said = run(
        "audit", demo_path("demo_preferences"), "--out", page, "--keep", "--db", f"sqlite:///{file}"
    )
    found = re.search(r"Kept: /reports/([0-9a-f]{16}) in (\S+);", said)
    assert found is not None
    assert found[2] == str(file)
    with client(tmp_path) as lab:
        assert lab.get(f"/reports/{found[1]}/report.html").text == page.read_text()
        shown = lab.get("/reports").text
        assert "demo_preferences.jsonl.gz" in shown
        assert "from the command line" in shown


def test_the_command_line_keeps_in_the_labs_own_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rewardlab.app.config.user_data_path", lambda name: tmp_path / name)
    file = tmp_path / "votes.jsonl"
    file.write_bytes(votes(120))
    said = run("audit", file, "--features", "log_words", "--keep")
    assert f"in {tmp_path / 'rewardlab' / 'lab.sqlite'};" in said


def test_a_database_that_cannot_be_opened_is_refused_before_the_audit(tmp_path: Path) -> None:
    missing = tmp_path / "there is no such file.jsonl"
    with pytest.raises(InputError, match=r"--db: expected a database URL"):
        run("audit", missing, "--keep", "--db", "nonsense")
    with pytest.raises(InputError, match=r"expected --keep beside it"):
        run("audit", missing, "--db", "sqlite:///x")


def test_a_page_that_cannot_be_kept_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "full.sqlite"
    require_database(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(
            "create trigger full before insert on reports "
            "begin select raise(fail, 'disk full'); end"
        )
    with pytest.raises(InputError, match=r"--db: .*full\.sqlite cannot be written to: disk full"):
        keep_audit(rich_audit(), title="votes", url=f"sqlite:///{file}")
