"""Small preference files, and a client that may write, for the tests of uploads and reports."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from rewardlab.app.config import AppConfig, Limits
from rewardlab.app.server import create_app
from rewardlab.data import demo_path

BASE = "http://127.0.0.1"
DEMO = demo_path("demo_preferences").read_bytes()
LONGEST_WAIT_S = 120.0


def client(folder: Path, **limits: int) -> TestClient:
    """A client of a lab that keeps everything in the folder; use it as a context manager."""
    app = create_app(AppConfig(folder=folder, limits=Limits(**limits)))
    return TestClient(app, base_url=BASE, headers={"Origin": BASE})


def app_of(lab: TestClient) -> FastAPI:
    """The application that a client asks."""
    assert isinstance(lab.app, FastAPI)
    return lab.app


def votes(n: int = 60, **more: str) -> bytes:
    """A file of votes on as many prompts, in which longer answers mostly win."""
    lines = []
    for i in range(n):
        texts = {"chosen": f"word {'more ' * (i % 7)}{i}", "rejected": f"no {i}"}
        if i % 5 == 0:
            texts = {"chosen": texts["rejected"], "rejected": texts["chosen"]}
        lines.append(json.dumps({"prompt": f"question {i}", **texts, **more}))
    return ("\n".join(lines) + "\n").encode()


def upload(lab: TestClient, body: bytes, name: str = "votes.jsonl") -> dict[str, Any]:
    """Upload a file that is taken."""
    response = lab.post("/api/uploads", params={"name": name}, content=body)
    assert response.status_code == 201, response.text
    said: dict[str, Any] = response.json()
    return said


def start_audit(lab: TestClient, taken: dict[str, Any]) -> str:
    """Start an audit of an upload; its report's id."""
    response = lab.post("/api/audits", json={"upload": taken["upload"]})
    assert response.status_code == 202, response.text
    return str(response.json()["report"])


def wait_for(lab: TestClient, report: str, *states: str) -> dict[str, Any]:
    """Wait until an audit is in one of these states."""
    deadline = time.monotonic() + LONGEST_WAIT_S
    while time.monotonic() < deadline:
        audit: dict[str, Any] = lab.get(f"/api/audits/{report}").json()
        if audit["state"] in states:
            return audit
        time.sleep(0.02)
    raise AssertionError(f"the audit is {audit['state']}, not {states}")


def left_behind(folder: Path) -> list[str]:
    """Names in the folder of uploads."""
    return sorted(entry.name for entry in folder.glob("uploads/*"))
