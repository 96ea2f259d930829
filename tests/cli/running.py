"""The command line run in the process of the tests, and what it leaves behind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from rewardlab.cli import main


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def words(self) -> str:
        """Standard output with line breaks taken out, so that sentences can be found."""
        return " ".join(self.stdout.split())


Run = Callable[..., Done]


def ran(
    words: Sequence[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Done:
    """Run ``rewardlab`` with these words after it."""
    monkeypatch.setattr(sys, "argv", ["rewardlab", *words])
    with pytest.raises(SystemExit) as ended:
        main.run()
    told = capsys.readouterr()
    return Done(int(ended.value.code or 0), told.out, told.err)
