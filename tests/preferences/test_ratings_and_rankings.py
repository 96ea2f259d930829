"""Rankings, ratings, unpaired labels and steps: read as they are, or compared on request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.errors import FormatError, RowError
from rewardlab.preferences.formats import (
    ReadOptions,
    read_rankings,
    read_ratings,
    read_steps,
    read_unpaired,
)
from rewardlab.preferences.records import UNKNOWN_STEP
from tests.preferences.preference_files import Rows, opened, write_jsonl


def _file(tmp_path: Path, rows: Rows) -> Path:
    return write_jsonl(tmp_path / "rows.jsonl", rows)


def _helpsteer(prompt: str, response: str, helpfulness: Any, **more: Any) -> dict[str, Any]:
    return {"prompt": prompt, "response": response, "helpfulness": helpfulness, **more}


HELPSTEER = [
    _helpsteer("p", "x", 4, verbosity=1),
    _helpsteer("p", "y", 2, verbosity=3),
    _helpsteer("q", "x", 3, verbosity=1),
    _helpsteer("p", "z", 4, verbosity=2),
]


def test_ratings_become_all_pairs_within_a_prompt(tmp_path: Path) -> None:
    reader = opened(tmp_path, HELPSTEER, rating="helpfulness")
    assert reader.layout.name == "ratings"
    p = reader.read()
    assert list(zip(p.response_a, p.response_b, strict=True)) == [
        ("x", "y"),
        ("x", "z"),
        ("y", "z"),
    ]
    assert p.outcome.tolist() == [0, 2, 1]
    assert p.margin.tolist() == [2.0, 0.0, 2.0]
    assert len(set(p.prompt_id)) == 1
    assert p.id == ["1-2", "1-4", "2-4"]
    assert not p.sides_recorded
    assert p.extra["verbosity_a"] == [1, 1, 3]
    assert p.extra["helpfulness_b"] == [2, 4, 4]


def test_a_prompts_only_response_and_unrated_ones_are_counted(tmp_path: Path) -> None:
    rows = [*HELPSTEER, _helpsteer("p", "w", None)]
    reader = opened(tmp_path, rows, rating="helpfulness")
    reader.read()
    report = reader.report
    assert {x.reason: x.count for x in report.left_out} == {
        "no rating helpfulness": 1,
        "the only rated response to its prompt": 1,
    }
    assert (report.n_rows, report.n_delivered, report.n_votes) == (5, 3, 3)


def test_ratings_of_different_annotators_are_compared_apart(tmp_path: Path) -> None:
    rows = [
        _helpsteer("p", text, value, annotator=who)
        for who, values in (("w1", (1, 2)), ("w2", (5, 3)))
        for text, value in zip(("x", "y"), values, strict=True)
    ]
    p = opened(tmp_path, rows, rating="helpfulness").read()
    assert (p.annotator, p.outcome.tolist()) == (["w1", "w2"], [1, 0])
    assert p.id[0] == p.id[1]


def test_without_a_rating_the_names_are_listed(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"--rating NAME, one of: helpfulness, verbosity"):
        opened(tmp_path, HELPSTEER)
    with pytest.raises(FormatError, match=r"no such rating; .* one of: helpfulness, verbosity"):
        opened(tmp_path, HELPSTEER, rating="kindness").read()


def _completion(model: str, text: str, score: float, helpfulness: str) -> dict[str, Any]:
    rated = {"helpfulness": {"Rating": helpfulness, "Rationale": "why"}}
    return {"model": model, "response": text, "overall_score": score, "annotations": rated}


ULTRAFEEDBACK = [
    {
        "source": "evol",
        "instruction": "p",
        "models": ["m", "n", "o"],
        "completions": [
            _completion("m", "x", 7.5, "4"),
            _completion("n", "y", 8.0, "N/A"),
            _completion("o", "z", 7.5, "4"),
        ],
    }
]


def test_listed_completions_become_pairs_by_a_score_or_an_annotation(tmp_path: Path) -> None:
    p = opened(tmp_path, ULTRAFEEDBACK, rating="overall_score").read()
    assert p.outcome.tolist() == [1, 2, 0]
    assert p.margin.tolist() == [0.5, 0.0, 0.5]
    assert (p.item_a, p.id) == (["m", "m", "n"], ["1:0-1", "1:0-2", "1:1-2"])
    assert p.extra["rated_b"][0]["annotations"]["helpfulness"]["Rationale"] == "why"
    by_help = opened(tmp_path, ULTRAFEEDBACK, rating="helpfulness").read()
    assert by_help.outcome.tolist() == [2]
    with pytest.raises(FormatError, match=r"one of: overall_score, helpfulness"):
        opened(tmp_path, ULTRAFEEDBACK)


def test_ratings_are_read_as_ratings_too(tmp_path: Path) -> None:
    ratings, report = read_ratings(_file(tmp_path, HELPSTEER))
    assert len(ratings) == report.n_rows == 4
    assert ratings.ratings["helpfulness"].tolist() == [4.0, 2.0, 3.0, 4.0]
    listed, _ = read_ratings(_file(tmp_path, ULTRAFEEDBACK))
    assert listed.response == ["x", "y", "z"]
    np.testing.assert_array_equal(listed.ratings["helpfulness"], [4.0, np.nan, 4.0])
    assert listed.rows.line.tolist() == [1, 1, 1]
    assert listed.rows.extra["source"] == ["evol"] * 3


def test_a_rating_that_is_no_number_is_named(tmp_path: Path) -> None:
    rows = [{"instruction": "p", "completions": [_completion("m", "x", 1.0, "good")] * 2}]
    with pytest.raises(RowError, match=r"line 1: column 'completions': got 'good'"):
        read_ratings(_file(tmp_path, rows))


def _ranked(**ranks: Any) -> Rows:
    return [{"prompt": "p", "responses": ["x", "y", "z"], **ranks}]


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ({"ranks": [2, 1, 3]}, [2, 1, 3]),
        ({"ranks": [1, 1, 2]}, [1, 1, 2]),
        ({"ranking": [2, 0, 1]}, [2, 3, 1]),
        ({"order": [3, 1, 2]}, [2, 3, 1]),
        ({"ranking": [1, 1, 2]}, [1, 1, 2]),
        ({"ranking": [2, 1, 3]}, [2, 1, 3]),
    ],
)
def test_ranks_and_orders_are_told_apart(
    tmp_path: Path, ranks: dict[str, Any], expected: list[int]
) -> None:
    rankings, _ = read_rankings(_file(tmp_path, _ranked(**ranks)))
    assert rankings.ranks[0].tolist() == expected
    assert rankings.responses == [["x", "y", "z"]]


def test_an_ambiguous_ranking_is_refused_and_both_remedies_work(tmp_path: Path) -> None:
    rows = _ranked(ranking=[2, 3, 1])
    with pytest.raises(RowError, match=r"--column ranks=ranking .*--column order=ranking"):
        read_rankings(_file(tmp_path, rows))
    for field, expected in (("ranks", [2, 3, 1]), ("order", [3, 1, 2])):
        options = ReadOptions(columns={field: "ranking"})
        rankings, _ = read_rankings(_file(tmp_path, rows), options)
        assert rankings.ranks[0].tolist() == expected


@pytest.mark.parametrize(
    "ranks", [{"ranks": [1, 2]}, {"order": [0, 0, 1]}, {"ranks": ["a", 1, 2]}, {"ranks": None}]
)
def test_ranks_that_do_not_fit_are_named(tmp_path: Path, ranks: dict[str, Any]) -> None:
    with pytest.raises(RowError, match=r"line 1"):
        read_rankings(_file(tmp_path, _ranked(**ranks)))


def test_rankings_become_all_pairs_with_ties(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"--from-rankings"):
        opened(tmp_path, _ranked(ranks=[1, 2, 2]))
    p = opened(tmp_path, _ranked(ranks=[1, 2, 2], id="r"), from_rankings=True).read()
    assert p.outcome.tolist() == [0, 0, 2]
    assert (p.response_a, p.id) == (["x", "x", "y"], ["r:0-1", "r:0-2", "r:1-2"])
    assert np.isnan(p.margin).all()
    assert p.extra["rank_a"] == [1, 1, 2]


def test_answers_that_carry_their_rank_are_rankings(tmp_path: Path) -> None:
    answers = [{"answer": t, "model": t * 2, "rank": r} for t, r in (("x", 2.0), ("y", 1.0))]
    rankings, _ = read_rankings(_file(tmp_path, [{"prompt": "p", "answers": answers}]))
    assert rankings.ranks[0].tolist() == [2, 1]
    assert rankings.items == [["xx", "yy"]]


def test_unpaired_labels_are_true_or_false_and_nothing_else(tmp_path: Path) -> None:
    rows = [{"prompt": "p", "completion": "x", "label": label} for label in (True, 0, 1.0)]
    unpaired, _ = read_unpaired(_file(tmp_path, rows))
    assert unpaired.label.tolist() == [True, False, True]
    for label in ("yes", -100, None, 2, float("nan")):
        with pytest.raises(RowError, match=r"column 'label'.*true or false"):
            read_unpaired(_file(tmp_path, [{**rows[0], "label": label}]))
    table = tmp_path / "rows.csv"
    table.write_text("prompt,completion,label\np,x,True\np,y,0\n")
    assert read_unpaired(table)[0].label.tolist() == [True, False]


def test_step_labels_of_minus_100_stay_unknown(tmp_path: Path) -> None:
    labels = [True, -100, 0, None, 1]
    rows = [{"prompt": "p", "completions": list("abcde"), "labels": labels}]
    steps, _ = read_steps(_file(tmp_path, rows))
    assert steps.labels[0].tolist() == [1, UNKNOWN_STEP, 0, UNKNOWN_STEP, 1]
    for bad in ([2] * 5, ["good"] * 5, [1] * 4, [-1] * 5):
        with pytest.raises(RowError, match=r"column 'labels'"):
            read_steps(_file(tmp_path, [{**rows[0], "labels": bad}]))


def test_steps_after_the_first_mistake_are_unknown(tmp_path: Path) -> None:
    rows = [{"input": "p", "steps": list("abc"), "mistake_index": at} for at in (None, 0, 1, 2)]
    steps, report = read_steps(_file(tmp_path, rows))
    assert report.layout.name == "first-mistake"
    assert [x.tolist() for x in steps.labels] == [[1, 1, 1], [0, -1, -1], [1, 0, -1], [1, 1, 0]]
    with pytest.raises(RowError, match=r"a step from 0 to 2"):
        read_steps(_file(tmp_path, [{**rows[0], "mistake_index": 3}]))


def test_a_rated_row_with_a_bad_id_is_counted_on_request(tmp_path: Path) -> None:
    rows = [_helpsteer("p", text, i, id=i) for i, text in enumerate("xyz")]
    rows[1]["id"] = [1]
    with pytest.raises(RowError, match=r"line 2: column 'id'"):
        opened(tmp_path, rows, rating="helpfulness").read()
    reader = opened(tmp_path, rows, rating="helpfulness", on_bad="count")
    assert reader.read().id == ["0-2"]
    assert [(x.reason, x.count) for x in reader.report.left_out] == [("id is a list", 1)]
