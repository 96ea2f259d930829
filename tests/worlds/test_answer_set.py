"""Answer sets refuse what is no distribution, and take rewards as callables or vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.types import FloatArray, RewardFn, Text
from rewardlab.worlds.answer_set import AnswerSet, normalised
from rewardlab.worlds.leash import NONSENSE, leash_reward, leash_world


def counting_words(
    prompts: Sequence[Text], responses: Sequence[Text], /, **columns: Sequence[Any]
) -> FloatArray:
    """Words of each response, less a hundred where it is the nonsense."""
    words = np.array([len(str(response).split()) for response in responses], dtype=float)
    nonsense = np.array(columns[NONSENSE], dtype=np.float64)
    return np.asarray(words - 100 * nonsense)


def test_a_callable_sees_prompt_texts_and_features_by_name() -> None:
    world = leash_world()
    expected = [len(text.split()) for text in world.texts]
    expected[-1] -= 100
    np.testing.assert_array_equal(world.rewards(counting_words), expected)


def test_a_vector_is_taken_as_it_is() -> None:
    np.testing.assert_array_equal(leash_world().rewards(leash_reward()), leash_reward())


def test_an_answer_without_a_reward_is_counted_and_named() -> None:
    reward = leash_reward()
    reward[[1, 3]] = np.nan
    with pytest.raises(InputError, match=r"2 of 5 have none, the first of them 'Could you post"):
        leash_world().rewards(reward)


def test_rewards_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match=r"expected shape \(5,\), got \(4,\)"):
        leash_world().rewards(np.zeros(4))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gold": np.zeros(4)}, r"gold: expected shape \(5,\)"),
        ({"gold": np.array([0, 0, 0, 0, np.nan])}, "gold: expected finite"),
        ({"ref_logprobs": np.zeros(5)}, "that sum to 1, got 5"),
        ({"features": np.zeros((5, 2))}, r"features: expected shape \(5, 1\)"),
        ({"gold": [0.0] * 5}, "gold: expected a numpy array, got <class 'list'>"),
        ({"feature_names": ("responses",)}, "expected different names, none of them prompts"),
        ({"features": np.zeros((5, 2)), "feature_names": ("x", "x")}, "expected different names"),
    ],
)
def test_what_is_no_answer_set_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(leash_world(), **changed)


def test_a_set_without_answers_is_refused() -> None:
    with pytest.raises(InputError, match="at least one answer"):
        AnswerSet("", (), np.zeros((0, 0)), (), np.zeros(0), np.zeros(0))


def test_a_feature_is_found_by_name_or_the_names_are_listed() -> None:
    np.testing.assert_array_equal(leash_world().feature(NONSENSE), [0, 0, 0, 0, 1])
    with pytest.raises(InputError, match="expected one of nonsense, got 'length'"):
        leash_world().feature("length")


def test_normalising_holds_for_far_apart_and_impossible_logits() -> None:
    logprobs = normalised(np.array([[1e4, 0.0, -np.inf], [2.0, 2.0, 2.0]]))
    np.testing.assert_allclose(np.exp(logprobs), np.array([[1, 0, 0], [1 / 3] * 3]), atol=1e-15)


def test_a_callable_that_takes_no_columns_is_told_what_to_take() -> None:
    def narrow(prompts: Sequence[Text], responses: Sequence[Text]) -> FloatArray:
        return np.zeros(len(responses))

    with pytest.raises(InputError, match=r"takes \(prompts, responses, /, \*\*columns\)"):
        leash_world().rewards(cast(RewardFn, narrow))


def test_rewards_that_are_no_numbers_are_refused() -> None:
    def wordy(prompts: Sequence[Text], responses: Sequence[Text], /, **_: Sequence[Any]) -> Any:
        return ["good"] * len(responses)

    with pytest.raises(InputError, match="reward: expected numbers"):
        leash_world().rewards(wordy)
