"""``rewardlab systems export``: what is written, what is said of it, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from rewardlab.cli.main import app
from rewardlab.errors import InputError


def test_a_copy_says_what_was_written_and_goes_on_with_what_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    command = ["systems", "export", str(folder), "leash", "--states", "3"]
    first, again = (CliRunner().invoke(app, command, catch_exceptions=False) for _ in range(2))
    assert first.exit_code == again.exit_code == 0
    said = first.output.splitlines()
    assert said[0] == "leash: 3 states"
    assert said[1].startswith(f"Written: {folder} (1 system, 3 states, ")
    assert again.output.startswith("leash: 3 states, 3 of them kept\n")
    assert (folder / "leash.html").is_file()


@pytest.mark.parametrize(
    ("there", "name", "why"),
    [
        (["thesis.txt"], "leash", "expected a new or empty folder"),
        ([], "leesh", "did you mean leash"),
    ],
)
def test_folders_of_other_things_and_unknown_systems_are_refused(
    tmp_path: Path, there: list[str], name: str, why: str
) -> None:
    for file in there:
        (tmp_path / file).write_text("mine")
    result = CliRunner().invoke(app, ["systems", "export", str(tmp_path), name])
    assert isinstance(result.exception, InputError)
    assert why in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == there
