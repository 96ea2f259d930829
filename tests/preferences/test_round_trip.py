"""Whatever is written is read back unchanged."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from rewardlab.preferences.formats import ReadOptions, open_preferences, read_preferences
from rewardlab.preferences.writing import Layout, write_preferences
from rewardlab.types import Preferences
from tests.preferences.preference_files import differences, preferences

KINDS = (".jsonl", ".jsonl.gz", ".parquet", ".parquet.gz")


def _written_and_read(original: Preferences, layout: Layout, kind: str) -> list[str]:
    with TemporaryDirectory() as folder:
        path = Path(folder, f"pairs{kind}")
        written = write_preferences(lambda: iter([original]), path, layout=layout)
        assert written.n_written == len(original)
        reader = open_preferences(path, ReadOptions(chunk_rows=2))
        assert reader.layout.name == {"trl": "trl-explicit", "native": "native"}[layout]
        return differences(original, reader.read())


@pytest.mark.parametrize("kind", KINDS)
@given(original=preferences())
@settings(max_examples=60, deadline=None)
def test_native_files_give_back_every_field(kind: str, original: Preferences) -> None:
    assert _written_and_read(original, "native", kind) == []


@pytest.mark.parametrize("kind", KINDS)
@given(original=preferences(with_ties=False, with_texts=True))
@settings(max_examples=60, deadline=None)
def test_trl_files_give_back_every_field(kind: str, original: Preferences) -> None:
    assert _written_and_read(original, "trl", kind) == []


def test_real_pairs_survive_both_layouts_and_kinds(data_dir: Path, tmp_path: Path) -> None:
    original = read_preferences(data_dir / "hh_harmless_test_filtered.jsonl.gz")
    layouts: tuple[Layout, ...] = ("trl", "native")
    for layout in layouts:
        for kind in KINDS:
            path = tmp_path / f"{layout}{kind}"
            write_preferences(lambda: iter([original]), path, layout=layout)
            assert differences(original, read_preferences(path)) == []
