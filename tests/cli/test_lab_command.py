"""Starting the lab: under which names it is served, and what is said of who reaches it."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rewardlab.app.config import LOOPBACK, AppConfig
from rewardlab.cli.main import YOUNG_OBJECTS, app, run


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[AppConfig]:
    """What the lab would be served with."""
    configs: list[AppConfig] = []

    def serve(config: AppConfig, **_: Any) -> None:
        configs.append(config)

    monkeypatch.setattr("rewardlab.app.serving.serve", serve)
    return configs


@pytest.mark.parametrize(
    ("options", "names", "open_to_all", "refused"),
    [
        ((), (), False, False),
        (("--host", "::1"), (), False, False),
        (("--host", "0.0.0.0"), ("0.0.0.0",), True, True),
        (("--host", "::"), ("[::]",), True, True),
        (("--host", "192.0.2.2"), ("192.0.2.2",), True, False),
        (
            ("--host", "0.0.0.0", "--allow-host", "Lab.example.org"),
            ("0.0.0.0", "lab.example.org"),
            True,
            False,
        ),
    ],
)
def test_who_reaches_the_lab_is_said_and_no_other_name_is_served(
    tmp_path: Path,
    served: list[AppConfig],
    options: tuple[str, ...],
    names: tuple[str, ...],
    open_to_all: bool,
    refused: bool,
) -> None:
    result = CliRunner().invoke(app, ["lab", "--folder", str(tmp_path), *options])
    assert result.exit_code == 0
    assert served[0].hosts == (*LOOPBACK, *names)
    assert ("asks for no password" in result.output) == open_to_all
    assert ("Browsers elsewhere are refused until --allow-host" in result.output) == refused


@pytest.mark.parametrize(
    ("words", "seldom"), [(("lab", "--no-browser"), False), (("score",), True)]
)
def test_garbage_is_looked_for_less_often_in_commands_but_not_in_a_server(
    words: tuple[str, ...],
    seldom: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual, during = gc.get_threshold(), []
    monkeypatch.setattr("typer.Typer.__call__", lambda *_: during.append(gc.get_threshold()))
    monkeypatch.setattr(sys, "argv", ["rewardlab", *words])
    run()
    assert (during[0][0] == YOUNG_OBJECTS) == seldom
    assert gc.get_threshold() == usual
