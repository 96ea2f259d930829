"""The oddities known to be in real files are found, each with its count."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rewardlab.preferences.doctor import Diagnosis, examine
from rewardlab.preferences.formats import ReadOptions, open_preferences
from rewardlab.types import Status

HH = "hh_harmless_test_filtered.jsonl.gz"


def diagnose_file(path: Path, **options: Any) -> Diagnosis:
    return examine(open_preferences(path, ReadOptions(on_bad="count", **options)))


@pytest.fixture(scope="module")
def hh(data_dir: Path) -> Diagnosis:
    return diagnose_file(data_dir / HH)


@pytest.fixture(scope="module")
def hh_lines(data_dir: Path) -> dict[int, int]:
    """Row number in the file's own source -> line."""
    with gzip.open(data_dir / HH, "rt", encoding="utf-8") as lines:
        return {json.loads(line)["source_row"]: n for n, line in enumerate(lines, 1)}


def votes(data_dir: Path, judge: str) -> Diagnosis:
    return diagnose_file(
        data_dir / "llmfao_battles.csv.gz",
        join=data_dir / "llmfao_pairs_text.jsonl.gz",
        join_on="pair_id",
        where={"judge_kind": judge},
    )


@pytest.fixture(scope="module")
def crowd(data_dir: Path) -> Diagnosis:
    return votes(data_dir, "crowd")


def lines_of(diagnosis: Diagnosis, name: str) -> list[int]:
    return [int(place.rsplit(":", 1)[1]) for place in diagnosis[name].examples]


def test_hh_is_read_whole_and_its_sides_are_unknown(hh: Diagnosis) -> None:
    assert (hh.n_votes, hh.n_prompts) == (1442, 1441)
    assert hh["wrong-types"].status is Status.PASS
    assert hh["side-bias"].status is Status.CANNOT_SAY


def test_hh_has_one_whitespace_side_and_it_won(hh: Diagnosis, hh_lines: dict[int, int]) -> None:
    finding = hh["whitespace-sides"]
    assert (finding.status, finding.count, finding.details["blank_won"]) == (Status.FAIL, 1, 1)
    assert lines_of(hh, "whitespace-sides") == [hh_lines[1103]]
    assert hh["empty-sides"].count == 0


def test_hh_has_three_rows_of_unequal_turns(hh: Diagnosis, hh_lines: dict[int, int]) -> None:
    expected = [hh_lines[row] for row in (1254, 1688, 1952)]
    assert lines_of(hh, "unequal-turns") == expected
    assert lines_of(hh, "extra-turns") == expected


def test_hh_has_two_prompts_with_a_repeated_role(hh: Diagnosis, hh_lines: dict[int, int]) -> None:
    assert lines_of(hh, "repeated-roles") == [hh_lines[row] for row in (667, 1849)]


def test_hh_has_inline_markers_in_25_winning_transcripts(hh: Diagnosis) -> None:
    # 25 counts prompt + chosen; 7 more rows have one in the rejected response alone.
    finding = hh["inline-role-markers"]
    assert finding.details["in_prompt_or_winner"] == 25
    assert (finding.details["in_prompt"], finding.details["in_response"]) == (14, 24)
    assert finding.count == 32


def test_hh_has_one_repeated_prompt_and_no_repeated_pair(hh: Diagnosis) -> None:
    assert hh["repeated-prompts"].count == 1
    assert hh["repeated-prompts"].status is Status.PASS
    names = ("identical-sides", "duplicates", "swapped-twins", "contradicting-pairs")
    assert [hh[name].count for name in names] == [0, 0, 0, 0]


def test_hh_winners_are_shorter_more_often_than_not(hh: Diagnosis) -> None:
    finding = hh["length-bias"]
    assert (finding.status, finding.count, finding.total) == (Status.WARN, 643, 1434)
    assert finding.details["equally_long"] == 8


def test_hh_has_exactly_the_failures_and_warnings_it_should(hh: Diagnosis) -> None:
    assert [f.name for f in hh.with_status(Status.FAIL)] == ["whitespace-sides"]
    assert [f.name for f in hh.with_status(Status.WARN)] == [
        "extra-turns",
        "inline-role-markers",
        "repeated-roles",
        "unequal-turns",
        "length-bias",
    ]


def test_crowd_votes_are_joined_and_what_is_left_out_is_said(crowd: Diagnosis) -> None:
    # 23 of the 8,931 crowd votes are on the 6 pairs whose texts the file leaves out.
    assert (crowd.n_votes, crowd.n_pairs, crowd.n_prompts) == (8908, 2133, 13)
    assert crowd.n_annotators == 124
    assert (crowd["unusable-rows"].count, crowd["wrong-types"].count) == (23, 0)
    assert crowd["enough-prompts"].status is Status.WARN


def test_crowd_blank_sides_are_62_empty_and_226_whitespace_pairs(crowd: Diagnosis) -> None:
    empty, space = crowd["empty-sides"].details, crowd["whitespace-sides"].details
    assert (empty["pairs"], space["pairs"]) == (62, 226)
    assert empty["both_sides_blank"] + space["both_sides_blank"] == 0
    won, tied, lost = (
        empty[part] + space[part] for part in ("blank_won", "blank_tied", "blank_lost")
    )
    assert (won, tied, lost) == (71, 676, 459)
    assert crowd["empty-sides"].status is crowd["whitespace-sides"].status is Status.FAIL


def test_crowd_texts_hold_their_odd_characters(crowd: Diagnosis) -> None:
    details = crowd["odd-characters"].details
    assert details["zero_width_pairs"] == 27
    assert details["outside_basic_plane_pairs"] == 6
    assert details["no_break_space_pairs"] == 3


def test_crowd_texts_leak_role_markers_in_52_responses(crowd: Diagnosis) -> None:
    assert crowd["extra-turns"].details["pairs"] == 52


def test_crowd_verdicts_are_counted(crowd: Diagnosis) -> None:
    # The file's 2,911 / 2,549 / 3,471 less the 23 votes without texts.
    assert crowd["verdicts"].details == {"a": 2908, "b": 2540, "tie": 3460, "both_bad": 0}


def test_all_votes_are_counted_without_their_texts(data_dir: Path) -> None:
    found = diagnose_file(data_dir / "llmfao_battles.csv.gz", where={"judge_kind": "crowd"})
    assert found["verdicts"].details == {"a": 2911, "b": 2549, "tie": 3471, "both_bad": 0}
    refused = found["empty-sides"]
    assert refused.status is Status.CANNOT_SAY
    assert "--join FILE --on COLUMN" in refused.action
    assert found["item-links"].details["strongly_connected"] is True
    assert found["item-links"].details["items"] == 59


@pytest.mark.parametrize(("judge", "share_a"), [("gpt-3", 0.672), ("gpt-4", 0.451)])
def test_judge_models_lean_to_a_side(data_dir: Path, judge: str, share_a: float) -> None:
    found = diagnose_file(data_dir / "llmfao_battles.csv.gz", where={"judge_kind": judge})
    finding = found["side-bias"]
    assert finding.status is Status.WARN
    assert finding.figure is not None
    assert finding.figure.value == pytest.approx(share_a, abs=5e-4)


def test_the_crowd_as_a_whole_does_not_lean_but_one_annotator_does(crowd: Diagnosis) -> None:
    assert crowd["side-bias"].status is Status.PASS
    assert crowd["one-sided-annotators"].details["annotators"] == ["w32"]


@pytest.mark.parametrize(
    ("subset", "longer_won", "n"),
    [
        ("natural", 54, 95),
        ("adv_neighbor", 16, 131),
        ("adv_gptinst", 12, 90),
        ("adv_gptout", 21, 47),
        ("adv_manual", 8, 45),
        # 3 more of the 191 are right only if equal lengths are read as "the second is longer".
        ("mtbench_human_majority", 127, 191),
    ],
)
def test_llmbar_longer_answers_win_as_often_as_counted(
    data_dir: Path, subset: str, longer_won: int, n: int
) -> None:
    found = diagnose_file(data_dir / "llmbar_pairs.jsonl.gz", where={"subset": subset})
    finding = found["length-bias"]
    assert finding.count == longer_won
    assert finding.total is not None
    assert finding.total + finding.details["equally_long"] == n
    assert not found.failed


@pytest.mark.parametrize(
    ("subset", "title", "status"),
    [
        ("hard_100", "' (A)' beats ' (B)' in 70.1% of 97 votes", Status.WARN),
        ("anthropic_150", "' (B)' beats ' (A)' in 51.4% of 144 votes", Status.CANNOT_SAY),
    ],
)
def test_sycophancy_probes_show_which_letter_is_favoured(
    data_dir: Path, subset: str, title: str, status: Status
) -> None:
    found = diagnose_file(data_dir / "sycophancy_probes.jsonl.gz", where={"subset": subset})
    finding = found["fixed-answers"]
    assert finding.title.startswith(title)
    assert finding.status is status
