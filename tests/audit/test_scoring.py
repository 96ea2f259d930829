"""Rewards for votes: nothing is judged on what it was fitted on, and nothing is lost in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewardlab.audit.accuracy import measure_accuracy
from rewardlab.audit.reward_choice import (
    FittedHere,
    RecordedScores,
    SavedModel,
    parse_features,
    parse_reward,
)
from rewardlab.audit.scoring import score_votes
from rewardlab.errors import InputError, ModelError
from rewardlab.preferences.formats import open_preferences
from rewardlab.rewards.feature_fit import fit_text_feature_reward
from rewardlab.rewards.saving import save
from rewardlab.rewards.training_prompts import FILE_NAME, prompt_digests

WORDS = ("yes", "perhaps", "sorry", "the", "glad", "never", "water", "seven", "of", "course")


def write_votes(path: Path, prompts: range, *, seed: int, **columns: Any) -> Path:
    """Winner-first pairs of made-up words, where longer responses win in three of four pairs."""
    rng = np.random.default_rng(seed)
    with path.open("w") as file:
        for i, p in enumerate(prompts):
            short, long = (
                " ".join(rng.choice(WORDS, size=k)) for k in rng.integers((3, 12), (12, 40))
            )
            chosen, rejected = (long, short) if rng.random() < 0.75 else (short, long)
            row = {"prompt": f"Question {p}?", "chosen": chosen, "rejected": rejected}
            row |= {name: values[i] for name, values in columns.items()}
            file.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    train = write_votes(tmp_path / "train.jsonl", range(200), seed=0)
    fit = fit_text_feature_reward(open_preferences(train), rng=np.random.default_rng(0))
    save(fit, tmp_path / "model")
    return tmp_path / "model"


def test_a_model_is_judged_on_prompts_it_has_not_seen(model: Path, tmp_path: Path) -> None:
    both = write_votes(tmp_path / "both.jsonl", range(150, 300), seed=1)
    (scored,) = score_votes(open_preferences(both), [SavedModel(model)], 0)
    assert len(scored.votes) == 100
    assert scored.left_out == (f"50 votes: {model} was trained on their prompts",)
    assert not scored.fitted_here


def test_where_all_prompts_were_trained_on_the_features_are_fitted_on_folds(
    model: Path, tmp_path: Path
) -> None:
    (scored,) = score_votes(open_preferences(tmp_path / "train.jsonl"), [SavedModel(model)], 0)
    (folds,) = score_votes(open_preferences(tmp_path / "train.jsonl"), [FittedHere()], 0)
    assert "trained on every one of their prompts" in scored.reward
    assert measure_accuracy(scored.votes) == measure_accuracy(folds.votes)


def test_scores_out_of_fold_equal_those_of_the_fit_command(tmp_path: Path) -> None:
    votes = write_votes(tmp_path / "votes.jsonl", range(150), seed=2)
    fit = fit_text_feature_reward(open_preferences(votes), rng=np.random.default_rng(3))
    (scored,) = score_votes(open_preferences(votes), [FittedHere()], 3)
    assert measure_accuracy(scored.votes).overall.value == fit.accuracy.value


def test_recorded_scores_follow_their_side_however_pairs_are_ordered(tmp_path: Path) -> None:
    n = 60
    right: list[object] = [1.5] * n
    wrong: list[object] = [-0.5] * n
    path = write_votes(tmp_path / "v.jsonl", range(n), seed=4, good=right, bad=wrong)
    (scored,) = score_votes(open_preferences(path), [RecordedScores("good", "bad")], 0)
    assert measure_accuracy(scored.votes).overall.value == 1.0
    assert scored.votes.swapped.any()
    assert not scored.votes.swapped.all()


def test_a_missing_score_leaves_the_vote_out_of_both_rewards_and_is_counted(tmp_path: Path) -> None:
    scores: list[object] = [None, "", *[1.0] * 38]
    other: list[object] = [2.0] * 40
    path = write_votes(tmp_path / "v.jsonl", range(40), seed=5, a=scores, b=other, c=other)
    one, two = score_votes(
        open_preferences(path), [RecordedScores("a", "b"), RecordedScores("c", "b")], 0
    )
    assert len(one.votes) == len(two.votes) == 38
    assert one.left_out == ("2 votes: a side has no reward",)
    assert two.left_out == ()


def test_any_callable_is_a_reward_and_gets_the_extra_columns(tmp_path: Path) -> None:
    n = 40
    path = write_votes(tmp_path / "v.jsonl", range(n), seed=8, bonus=[0.5] * n)

    def longest(prompts: Any, responses: Any, /, **columns: Any) -> Any:
        assert len(columns["bonus"]) == len(prompts) == len(responses)
        return np.array([len(r.split()) for r in responses], dtype=float)

    (scored,) = score_votes(open_preferences(path), [longest], 0)
    gap = scored.votes.n_words_a - scored.votes.n_words_b
    np.testing.assert_array_equal(scored.votes.reward_gap, gap)
    assert scored.reward == "the callable longest"


@pytest.mark.parametrize("value", ["high", True, [1], float("inf")])
def test_a_score_that_is_no_number_is_refused_with_its_line(value: object, tmp_path: Path) -> None:
    scores: list[object] = [1.0, value]
    path = write_votes(tmp_path / "v.jsonl", range(2), seed=6, a=scores, b=[0.0, 0.0])
    with pytest.raises(InputError, match=r"v\.jsonl:2: column 'a'"):
        score_votes(open_preferences(path), [RecordedScores("a", "b")], 0)


def test_a_column_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.jsonl", range(2), seed=7, a=[0.0, 1.0])
    with pytest.raises(InputError, match=r"column 'x'.*other columns are a"):
        score_votes(open_preferences(path), [RecordedScores("x", "a")], 0)


def test_a_model_without_its_training_prompts_is_refused(model: Path, tmp_path: Path) -> None:
    (model / FILE_NAME).unlink()
    with pytest.raises(ModelError, match="trained_prompts"):
        score_votes(open_preferences(tmp_path / "train.jsonl"), [SavedModel(model)], 0)


def test_digests_do_not_depend_on_blanks_at_the_ends() -> None:
    one, two, other = prompt_digests([" Why?\n", "Why?", "Why not?"])
    assert one == two != other


def test_words_for_rewards_are_parsed_or_refused(tmp_path: Path) -> None:
    assert parse_reward("features:all") == FittedHere()
    assert parse_reward("features:n_words,hedges") == FittedHere(("n_words", "hedges"))
    assert parse_reward("scores:a,b") == RecordedScores("a", "b")
    assert parse_reward(str(tmp_path)) == SavedModel(tmp_path)
    for wrong in ("features:lenght", "scores:a", "no/such/folder"):
        with pytest.raises(InputError):
            parse_reward(wrong)
    with pytest.raises(InputError, match="got none"):
        parse_features("")


def test_votes_without_a_score_are_not_told_from_zero(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "v.jsonl", range(5), seed=9)

    def never(prompts: Any, responses: Any, /, **columns: Any) -> Any:
        return np.full(len(responses), np.nan)

    with pytest.raises(InputError, match="no vote has a finite reward"):
        score_votes(open_preferences(path), [never], 0)
