"""From a file to an audit: two people judge by keyboard, an admin looks, the labels go on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.browser import Watch
from tests.app.running import Lab
from tests.cli.running import ran

if TYPE_CHECKING:
    from playwright.sync_api import Page

N_PAIRS = 24
N_DISAGREED = 3


def judge_all(page: Page, link: str, *, otherwise: int) -> None:
    """Prefer the answer that says why, by keyboard; in the first ``otherwise`` pairs the other."""
    page.goto(link)
    page.wait_for_selector("html[data-ready] #work", state="attached")
    for k in range(N_PAIRS):
        page.wait_for_function(
            "k => document.querySelector('.counts').textContent.startsWith(`${k} judged`)"
            " && !document.getElementById('work').hidden",
            arg=k,
        )
        ask = page.locator(".prompt .text").inner_text()
        left = "because" in page.locator(".column.side .text").first.inner_text()
        contrary = int(ask.split()[-1]) < otherwise
        page.keyboard.press("a" if left is not contrary else "b")
    page.wait_for_function(
        "n => document.querySelector('.counts').textContent.startsWith(`${n} judged`)"
        " && document.querySelector('.saved').textContent === 'all saved'",
        arg=N_PAIRS,
    )


def test_what_two_people_judge_reaches_the_admin_and_the_audit(
    lab: Lab,
    watch: Watch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    watch.allow("401")
    monkeypatch.chdir(tmp_path)
    rows = [
        {"prompt": f"Question {k}", "responses": [f"Yes, because of {k}.", f"No, never {k}."]}
        for k in range(N_PAIRS)
    ]
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    place = ("--folder", str(lab.folder))
    new = ("new", "together", "pairs.jsonl", "--overlap", "2", "--repeat", "0")
    done = ran(["annotate", *new, *place], monkeypatch, capsys)
    assert (done.returncode, f"{N_PAIRS} pairs, each for 2 people" in done.stdout) == (0, True)

    def link(*whom: str) -> str:
        words = ("annotate", "invite", "together", *whom, "--address", lab.url, *place)
        return ran(words, monkeypatch, capsys).stdout.split()[0]

    judge_all(watch.open(), link("--annotator", "ann"), otherwise=0)
    judge_all(watch.open(), link("--annotator", "bob"), otherwise=N_DISAGREED)

    admin = watch.open()
    admin.goto(link("--admin"))
    admin.locator("#progress-sentence", has_text=f"{2 * N_PAIRS} of {2 * N_PAIRS}").wait_for()
    agreed = f"{(N_PAIRS - N_DISAGREED) / N_PAIRS:.0%}"
    admin.locator("section", has_text="Two people say the same").get_by_text(
        agreed, exact=True
    ).first.wait_for()

    done = ran(["annotate", "status", "together", *place], monkeypatch, capsys)
    assert f"Agreement of two people on a pair: {agreed} (" in done.stdout
    out = ("--out", "labels.jsonl")
    done = ran(["annotate", "export", "together", *out, *place], monkeypatch, capsys)
    assert (done.returncode, f"{2 * N_PAIRS}" in done.stdout) == (0, True)
    done = ran(["audit", "labels.jsonl", "--json", "audit.json"], monkeypatch, capsys)
    assert done.returncode in (0, 1)
    ceiling = next(
        f for f in json.loads(Path("audit.json").read_text())["findings"] if f["name"] == "ceiling"
    )
    assert re.search(rf"agree on {(N_PAIRS - N_DISAGREED) / N_PAIRS:.1%} of", ceiling["meaning"])
