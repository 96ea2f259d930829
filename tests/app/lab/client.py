"""A visitor of the lab, without a browser."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from starlette.testclient import TestClient

from rewardlab.app.config import AppConfig
from rewardlab.app.database import open_database
from rewardlab.app.server import create_app

URL = "http://127.0.0.1"
ALICE, BOB = "a" * 32, "b" * 32


class Visitor:
    """Sends what the lab's page would send.

    Args:
        client: Of the application.
        name: 32 hexadecimal digits.
    """

    def __init__(self, client: TestClient, name: str = ALICE) -> None:
        self.client = client
        self.headers = {"Origin": URL, "X-Visitor": name}
        self._numbers = itertools.count()

    def post(self, path: str, body: Any = None) -> Any:
        """The response, whatever it is."""
        return self.client.post(
            f"/api/lab/{path}", json={} if body is None else body, headers=self.headers
        )

    def ask(self, path: str, body: Any = None) -> Any:
        """What comes back if nothing is wrong."""
        response = self.post(path, body)
        assert response.status_code == 200, response.text
        return response.json()

    def refused(self, path: str, body: Any = None) -> str:
        """Why a request is refused."""
        response = self.post(path, body)
        assert response.status_code == 422, response.text
        return str(response.json()["error"])

    def state(self) -> Any:
        """The visitor's state."""
        response = self.client.get("/api/lab/state", headers=self.headers)
        assert response.status_code == 200, response.text
        return response.json()

    def do(self, *events: dict[str, Any]) -> Any:
        """The state after some events, each with an id of its own where it has none."""
        named = [
            {"id": f"{self.headers['X-Visitor'][0]}-{next(self._numbers)}"} | e for e in events
        ]
        return self.ask("events", {"events": named})["state"]


def label(outcome: str = "a", a: Any = 0, b: int = 300, **more: Any) -> dict[str, Any]:
    """A pair judged by hand."""
    return {"kind": "label", "prompt": "coding", "a": a, "b": b, "outcome": outcome, **more}


def auto(n: int = 100, **more: Any) -> dict[str, Any]:
    """A batch for the hurried rater."""
    given = {"kind": "auto", "prompt": "coding", "rater": "hurried", "n": n, "seed": 3}
    return {**given, "thumbs_weight": 0.0, "writer": "reference", "run": None, **more}


UNDO, CLEAR = {"kind": "undo"}, {"kind": "clear"}


def client_in(folder: Path) -> TestClient:
    """A client of an application that keeps its database in a folder."""
    return TestClient(create_app(AppConfig(folder=folder)), base_url=URL)


@contextmanager
def database_in(folder: Path) -> Iterator[Engine]:
    """The database that such an application keeps."""
    engine = open_database(AppConfig(folder=folder).url)
    yield engine
    engine.dispose()
