"""What the three KL estimates average to, and where their gradients pull."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest

from rewardlab.errors import InputError
from rewardlab.policies.distributions import kl_nats
from rewardlab.policies.kl_estimators import Estimator, estimate, expected_gradient, score_weight
from rewardlab.types import FloatArray
from rewardlab.worlds.answer_set import normalised

_RNG = np.random.default_rng(5)
LOGITS, REF = _RNG.normal(size=6), normalised(_RNG.normal(size=6))
LOGPROBS = normalised(LOGITS)
LOG_RATIO = LOGPROBS - REF
each_estimator = pytest.mark.parametrize("estimator", get_args(Estimator))


def numeric_gradient(value: object, at: FloatArray) -> FloatArray:
    """Central differences."""
    assert callable(value)
    steps = 1e-6 * np.eye(len(at))
    return np.array([(value(at + s) - value(at - s)) / 2e-6 for s in steps])


def test_k1_and_k3_are_unbiased_and_k2_is_not() -> None:
    means = {k: float(np.exp(LOGPROBS) @ estimate(LOG_RATIO, k)) for k in get_args(Estimator)}
    kl = kl_nats(LOGPROBS, REF)
    assert means["k1"] == pytest.approx(kl, rel=1e-12)
    assert means["k3"] == pytest.approx(kl, rel=1e-12)
    assert abs(means["k2"] - kl) > 0.01
    assert (estimate(LOG_RATIO, "k2") >= 0).all()
    assert (estimate(LOG_RATIO, "k3") >= 0).all()


@each_estimator
def test_the_score_weight_is_the_slope_of_the_estimate(estimator: Estimator) -> None:
    slope = (estimate(LOG_RATIO + 1e-6, estimator) - estimate(LOG_RATIO - 1e-6, estimator)) / 2e-6
    np.testing.assert_allclose(score_weight(LOG_RATIO, estimator), slope, rtol=1e-7)


@each_estimator
def test_the_expected_gradient_is_the_mean_of_the_weighted_scores(estimator: Estimator) -> None:
    probs = np.exp(LOGPROBS)
    scores = np.eye(6) - probs  # grad log pi(y) in the logits, a row an answer
    mean = (probs * score_weight(LOG_RATIO, estimator)) @ scores
    np.testing.assert_allclose(expected_gradient(LOGPROBS, REF, estimator), mean, atol=1e-14)


def test_k2_pulls_as_the_reverse_divergence_and_k3_as_the_forward_one() -> None:
    reverse = numeric_gradient(lambda z: kl_nats(normalised(z), REF), LOGITS)
    forward = numeric_gradient(lambda z: kl_nats(REF, normalised(z)), LOGITS)
    np.testing.assert_allclose(expected_gradient(LOGPROBS, REF, "k2"), reverse, atol=1e-8)
    np.testing.assert_allclose(expected_gradient(LOGPROBS, REF, "k3"), forward, atol=1e-8)
    assert not expected_gradient(LOGPROBS, REF, "k1").any()


def test_an_unknown_estimator_is_refused() -> None:
    unknown: Any = "k4"
    with pytest.raises(InputError, match="k1, k2 or k3"):
        estimate(LOG_RATIO, unknown)
