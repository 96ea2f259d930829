"""``rewardlab database``: what each command says, and that a refusal is one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rewardlab.app.database import SCHEMA_VERSION
from rewardlab.cli.main import app
from rewardlab.errors import InputError
from tests.app.version_one import EVENTS, write_version_one


def said(*words: object) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app, ["database", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_an_old_lab_is_upgraded_backed_up_and_restored(tmp_path: Path) -> None:
    write_version_one(f"sqlite:///{tmp_path / 'lab.sqlite'}")
    lab = ("--folder", tmp_path)
    assert f"schema version 1, this rewardlab reads {SCHEMA_VERSION}" in said("status", *lab)
    upgraded = said("upgrade", *lab)
    assert f"Upgraded: schema version 1 to {SCHEMA_VERSION}" in upgraded
    kept = re.search(r"Backup of before: (.+\.sqlite)", upgraded)
    assert kept is not None
    assert Path(kept[1]).parent == tmp_path
    assert "Nothing to do" in said("upgrade", *lab)
    backup = tmp_path / "backup.sqlite"
    assert f"Written: {backup}" in said("backup", backup, *lab)
    restored = said("restore", backup, "--db", f"sqlite:///{tmp_path / 'new.sqlite'}")
    assert re.search(rf"lab_events +{EVENTS:,} rows", restored)
    assert f"lab_events: {EVENTS:,} of {EVENTS:,} rows" in restored


def test_no_backup_leaves_none(tmp_path: Path) -> None:
    write_version_one(f"sqlite:///{tmp_path / 'lab.sqlite'}")
    assert "Backup" not in said("upgrade", "--no-backup", "--folder", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["lab.sqlite"]


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no database file"):
        said("status", "--folder", tmp_path / "none")
    with pytest.raises(InputError, match="there is no database file"):
        said("upgrade", "--folder", tmp_path / "none")
    assert not (tmp_path / "none").exists()
