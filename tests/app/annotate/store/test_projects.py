"""Projects: what cannot be made is refused before the database is asked."""

from __future__ import annotations

from typing import Any

import pytest

from rewardlab.app.annotate.store.projects import all_projects, change_guidelines, create_project
from rewardlab.app.database import open_database
from rewardlab.errors import InputError
from tests.app.annotate.people import pairs


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"overlap": 0}, "overlap: expected 1 to 100"),
        ({"lease_s": 0}, "lease: expected 1 to"),
        ({"known_every": -1}, "known_every: expected 0 to"),
        ({"seed": 2**31}, "seed: expected 0 to 2,147,483,647, got 2,147,483,648"),
        ({"guidelines": "be\0fair"}, "guidelines: expected no NUL"),
        ({"guidelines": "x" * 50_001}, "guidelines: expected at most 50,000 characters"),
    ],
)
def test_what_no_database_keeps_is_refused_in_words(
    database_url: str, options: dict[str, Any], said: str
) -> None:
    engine = open_database(database_url)
    with pytest.raises(InputError, match=said):
        create_project(engine, "demo", pairs(2), **options)
    assert all_projects(engine) == []
    engine.dispose()


def test_guidelines_are_changed_within_the_same_bounds(database_url: str) -> None:
    engine = open_database(database_url)
    create_project(engine, "demo", pairs(2))
    with pytest.raises(InputError, match="no NUL"):
        change_guidelines(engine, "demo", "\0")
    change_guidelines(engine, "demo", "Be fair.")
    assert all_projects(engine)[0].guidelines == "Be fair."
    engine.dispose()
