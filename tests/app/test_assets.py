"""Tests of what is served of scripts and styles: all of them but their comments."""

from __future__ import annotations

import gzip
from importlib.resources import files

import pytest

from rewardlab.app.assets import all_assets, without_comments

OURS = [path for path in all_assets() if not path.startswith("vendor/") and path[-3:] != "svg"]


@pytest.mark.parametrize("path", OURS)
def test_nothing_but_lines_of_comments_is_left_out(path: str) -> None:
    source = files("rewardlab.app").joinpath("static", path).read_text(encoding="utf-8")
    kept = iter(all_assets()[path].body.decode().splitlines())
    expected = next(kept, None)
    inside = False
    for line in source.splitlines():
        bare = line.strip()
        inside = inside or (bare.startswith("/*") and "*/" not in bare[:-2])
        if not inside and not bare.startswith("//"):
            assert line == expected
            expected = next(kept, None)
        inside = inside and not bare.endswith("*/")
    assert expected is None


def test_a_comment_behind_code_stays_with_it() -> None:
    source = b'/** Of a\n * file. */\nconst a = "/* no */";  // why\n  // gone\nb();\n'
    assert without_comments(source) == b'const a = "/* no */";  // why\nb();\n'


def test_what_is_sent_compressed_is_the_same_file() -> None:
    for asset in all_assets().values():
        if asset.gzipped is not asset.body:
            assert gzip.decompress(asset.gzipped) == asset.body


def test_a_licence_stays_with_what_it_covers() -> None:
    assert b"Copyright" in all_assets()["vendor/uPlot.LICENSE"].body
