"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data files; the test is skipped, with the reason, where it is absent.

    A folder that REWARDLAB_DATA names must be there: asked for and missing is a failure.
    """
    named = os.environ.get("REWARDLAB_DATA")
    folder = Path(named or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        if named:
            pytest.fail(f"REWARDLAB_DATA names {folder}, which is no folder")
        pytest.skip(f"real data not found at {folder}; set REWARDLAB_DATA to its folder")
    return folder
