"""Rankings of items: from files in long form, from rows that rank responses, and their checks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.battles import Codes
from rewardlab.preferences.formats import read_rankings
from rewardlab.preferences.item_rankings import (
    ItemRankings,
    item_rankings_of,
    rankings_of_orders,
    read_item_rankings,
)
from rewardlab.preferences.tallies import Tally


def as_codes(values: Any) -> Codes:
    """Whatever is given, as the checker takes it from code without types."""
    return np.asarray(values)


def in_csv(folder: Path, rows: Sequence[str]) -> Path:
    path = folder / "races.csv"
    path.write_text("\n".join(["race,place,driver", *rows]) + "\n", encoding="utf-8")
    return path


def read(path: Path, *, lower: str | None = None) -> ItemRankings:
    return read_item_rankings(path, ranking="race", item="driver", lower=lower)


def orders(rankings: ItemRankings) -> list[list[str]]:
    ends = zip(rankings.first[:-1], rankings.first[1:], strict=True)
    return [[rankings.names[k] for k in rankings.order[i:j]] for i, j in ends]


def test_rows_of_a_ranking_need_not_be_adjacent_nor_its_places(tmp_path: Path) -> None:
    rankings = read(in_csv(tmp_path, ["1,2,x", "2,1,y", "1,1,y", "2,7,z", "1,10,z"]))
    assert orders(rankings) == [["y", "x", "z"], ["y", "z"]]
    assert rankings.n_ranked.tolist() == [3, 2]


def test_what_is_known_only_to_be_lower_is_not_in_order(tmp_path: Path) -> None:
    path = in_csv(tmp_path, ["1,DNF,x", "1,2,y", "1,1,z"])
    rankings = read(path, lower="DNF")
    assert orders(rankings) == [["z", "y", "x"]]
    assert rankings.n_ranked.tolist() == [2]


def test_an_empty_place_can_mean_lower_too(tmp_path: Path) -> None:
    assert read(in_csv(tmp_path, ["1,,x", "1,1,y"]), lower="").n_ranked.tolist() == [1]


def test_a_ranking_of_one_item_is_left_out_and_counted(tmp_path: Path) -> None:
    rankings = read(in_csv(tmp_path, ["1,1,x", "2,1,x", "2,2,y"]))
    assert (len(rankings), rankings.n_single) == (1, 1)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["1,1,x", "1,1,y"], r"races.csv, line 3: column 'place': got '1', expected places with"),
        (["1,1,x", "1,2,x"], r"races.csv, line 3: column 'driver': got 'x', expected each item"),
        (["1,1,x", "1,DNF,y"], r"races.csv, line 3: column 'place': got 'DNF', expected a place"),
        (["1,0,x", "1,1,y"], r"races.csv, line 2: column 'place': got '0', expected a place"),
        (["1,1.5,x", "1,1,y"], r"races.csv, line 2: column 'place': got '1.5'"),
        (["1,,x", "1,1,y"], r"races.csv, line 2: column 'place': got ''"),
        (["1,1,", "1,2,y"], r"races.csv, line 2: column 'driver': got '', expected a name"),
    ],
)
def test_a_place_that_cannot_be_used_is_refused_by_line(
    tmp_path: Path, rows: list[str], told: str
) -> None:
    with pytest.raises(RowError, match=told):
        read(in_csv(tmp_path, rows))


def test_a_ranking_without_any_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RowError, match="line 4: column 'place': got 'DNF', expected at least one"):
        read(in_csv(tmp_path, ["1,1,x", "1,2,y", "2,DNF,x", "2,DNF,y"]), lower="DNF")


def test_a_ranking_with_a_row_of_no_use_is_left_out_whole_on_request(tmp_path: Path) -> None:
    rows = ["1,1,x", "1,2,y", "2,DNF,x", "2,1,y", "2,2,z", "3,1,x", "3,1,y", "4,1,x", "4,2,x"]
    tally = Tally("count")
    path = in_csv(tmp_path, [*rows, "5,,w", ",1,x", "6,1,y,y", "7,2,z", "7,1,y"])
    rankings = read_item_rankings(path, ranking="race", item="driver", tally=tally)
    assert orders(rankings) == [["x", "y"], ["y", "z"]]
    assert rankings.names == ("x", "y", "z")
    assert (rankings.n_spoilt, tally.n_rows) == (4, 14)
    assert {(x.reason, x.count, x.examples[0].split(":")[-1]) for x in tally.left_out()} == {
        ("place is text", 1, "4"),
        ("place is blank", 1, "11"),
        ("two items share a place", 1, "8"),
        ("an item stands twice in a ranking", 1, "10"),
        ("race is blank", 1, "12"),
        ("a record of 4 fields under a header of 3", 1, "13"),
    }


def test_rankings_of_which_none_can_be_used_are_refused_with_the_reasons(tmp_path: Path) -> None:
    path = in_csv(tmp_path, ["1,1,x", "1,1,y"])
    with pytest.raises(FormatError, match="all 2 rows were left out: 1: two items share a place"):
        read_item_rankings(path, ranking="race", item="driver", tally=Tally("count"))


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"ranking 'races'.*did you mean 'race'"):
        read_item_rankings(in_csv(tmp_path, ["1,1,x"]), ranking="races", item="driver")


def test_nascar_has_36_races_of_83_drivers(data_dir: Path) -> None:
    races = read_item_rankings(data_dir / "nascar2002.csv.gz", ranking="race", item="driver_id")
    assert (len(races), races.n_items, len(races.order)) == (36, 83, 1543)


def listed(path: Path, **columns: object) -> Path:
    row = {"prompt": "p", "responses": ["r", "s", "t"], **columns}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


def test_ranked_responses_become_rankings_of_who_wrote_them(tmp_path: Path) -> None:
    path = listed(tmp_path / "a.jsonl", ranks=[2, 3, 1], models=["x", "y", "z"])
    rankings = item_rankings_of(read_rankings(path)[0])
    assert orders(rankings) == [["z", "x", "y"]]
    assert rankings.cluster is not None


@pytest.mark.parametrize(
    ("ranks", "models", "told"),
    [
        ([1, 2, 2], ["x", "y", "z"], r"a.jsonl, line 1: got \[1, 2, 2\], expected places without"),
        ([1, 2, 3], ["x", "y", "x"], "a.jsonl, line 1: .*each item once"),
        ([1, 2, 3], ["x", "y", None], "a.jsonl, line 1: got None, expected the item"),
    ],
)
def test_ranked_responses_that_are_no_ranking_of_items_are_refused(
    tmp_path: Path, ranks: list[int], models: list[str | None], told: str
) -> None:
    path = listed(tmp_path / "a.jsonl", ranks=ranks, models=models)
    with pytest.raises(RowError, match=told):
        item_rankings_of(read_rankings(path)[0])


def test_an_item_twice_in_a_ranking_is_refused() -> None:
    with pytest.raises(InputError, match="ranking 1: 'y' stands in it twice"):
        rankings_of_orders([[0, 1], [1, 0, 1]], ["x", "y"])


def test_codes_that_are_no_items_are_refused() -> None:
    with pytest.raises(InputError, match="codes from 0 to 1, got 0 to 2"):
        rankings_of_orders([[0, 2]], 2)


def test_weights_must_be_above_zero() -> None:
    with pytest.raises(InputError, match="weight: expected 1 finite numbers > 0"):
        rankings_of_orders([[0, 1]], 2, weight=np.zeros(1))


def test_a_name_of_two_items_is_refused() -> None:
    with pytest.raises(InputError, match="names: expected each name once, got 'x' 2 times"):
        rankings_of_orders([[0, 1]], ["x", "x"])


def test_codes_of_any_integers_do_and_floats_are_refused() -> None:
    first, n_ranked = np.array([0, 2]), np.array([2])
    unsigned = ItemRankings(("x", "y"), np.array([1, 0], dtype=np.uint64), first, n_ranked)
    assert unsigned.order.dtype == np.int64
    with pytest.raises(InputError, match="order: expected integer codes, got float64"):
        ItemRankings(("x", "y"), as_codes(np.array([1.0, 0.0])), first, n_ranked)
