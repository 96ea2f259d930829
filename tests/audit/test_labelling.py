"""What labels owe of a curve's variance, and how many more of them clear a refusal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rewardlab.audit.choosing import choose
from rewardlab.audit.labelling import Labelling
from rewardlab.audit.peak import measured_peak
from rewardlab.audit.prompt_curves import PromptCurves, prompt_curves
from rewardlab.audit.verdict import Call, Verdict, verdict
from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import Ties
from rewardlab.types import BoolArray, FloatArray, ScoredSamples
from tests.audit.curve_worlds import World, as_samples, monotone_samples

PEAKED = World(pull=(2.0,), cost=0.5)


def labelled(samples: ScoredSamples, asked: BoolArray, probability: FloatArray) -> ScoredSamples:
    return replace(samples, gold=np.where(asked, samples.gold, np.nan), probability=probability)


def judged(samples: ScoredSamples, rng: np.random.Generator) -> Verdict:
    curves = prompt_curves(samples, "proxy")
    return verdict(curves, measured_peak(curves), rng=rng)


def labels_of(curves: PromptCurves) -> Labelling:
    assert curves.labelling is not None
    return curves.labelling


@pytest.mark.parametrize("ties", ["average", "first", "last"])
def test_weights_times_expanded_gold_give_the_curve(ties: Ties) -> None:
    rng = np.random.default_rng(0)
    proxy = rng.integers(0, 4, (30, 8)).astype(float)
    samples = as_samples(proxy, rng.standard_normal((30, 8)))
    chosen = choose(samples, "proxy", 120, rng=rng)
    partly = labelled(samples, chosen.asked, chosen.probability)
    curves = prompt_curves(partly, "proxy", ties=ties)
    labels = labels_of(curves)
    each = labels.weight * (labels.distance / labels.probability)[:, None]
    at = np.searchsorted(curves.n, labels.n)
    known = ~np.isnan(partly.gold)
    mean = np.average(partly.gold[known], weights=1 / partly.probability[known])
    np.testing.assert_allclose(
        mean + each.sum(axis=0) / 30, curves.gold[:, at].mean(axis=0), rtol=1e-12
    )


def test_gold_known_throughout_owes_nothing_to_labels() -> None:
    samples = PEAKED.draw(30, 8, np.random.default_rng(1))
    assert prompt_curves(samples, "proxy").labelling is None


@pytest.mark.parametrize("k", [150, 600, 1600])
def test_variance_owed_to_labels_is_that_of_repeated_choices(k: int) -> None:
    rng = np.random.default_rng(2)
    samples = PEAKED.draw(200, 16, rng)
    full = prompt_curves(samples, "proxy").gold.mean(axis=0)
    errors, told = [], []
    for _ in range(300):
        chosen = choose(samples, "proxy", k, rng=rng)
        curves = prompt_curves(labelled(samples, chosen.asked, chosen.probability), "proxy")
        gold = curves.gold.mean(axis=0)
        errors.append((gold[-1] - gold[0]) - (full[-1] - full[0]))
        told.append(labels_of(curves).variance(1, 16))
    # A variance over 300 draws has a standard error of 8%.
    assert np.mean(told) == pytest.approx(np.var(errors), rel=0.25)


def test_more_labels_are_the_fewest_that_reach_the_target() -> None:
    rng = np.random.default_rng(3)
    samples = PEAKED.draw(100, 16, rng)
    chosen = choose(samples, "proxy", 150, rng=rng)
    labels = labels_of(prompt_curves(labelled(samples, chosen.asked, chosen.probability), "proxy"))
    target = labels.variance(1, 16) / 5
    needed = labels.more_labels(target, 1, 16)
    assert needed is not None
    assert labels.variance_with_more(needed, 1, 16) <= target
    assert labels.variance_with_more(needed - 1, 1, 16) > target
    assert labels.more_labels(0.0, 1, 16) is None
    assert labels.more_labels(1e-12, 1, 16) == labels.unlabelled == 1450


def test_labels_to_come_are_foretold_to_within_a_third() -> None:
    rng = np.random.default_rng(4)
    foretold, found = [], []
    for _ in range(60):
        samples = PEAKED.draw(200, 16, rng)
        first = choose(samples, "proxy", 600, rng=rng)
        before = prompt_curves(labelled(samples, first.asked, first.probability), "proxy")
        foretold.append(labels_of(before).variance_with_more(900, 1, 16))
        more = choose(samples, "proxy", 900, labelled=first.asked, rng=rng)
        both = labelled(samples, first.asked | more.asked, more.probability)
        found.append(labels_of(prompt_curves(both, "proxy")).variance(1, 16))
    # Labels of the second round are spread a little less evenly than the first were.
    assert 0.67 <= np.mean(foretold) / np.mean(found) <= 1.33


def test_labels_chosen_in_two_rounds_estimate_the_full_curve_without_bias() -> None:
    rng = np.random.default_rng(5)
    samples = PEAKED.draw(60, 8, rng)
    full = prompt_curves(samples, "proxy").gold.mean(axis=0)
    first = choose(samples, "proxy", 60, rng=rng)
    errors = []
    for _ in range(400):
        more = choose(samples, "proxy", 120, labelled=first.asked, rng=rng)
        assert not np.any(more.asked & first.asked)
        np.testing.assert_array_equal(more.probability[first.asked], 1.0)
        both = labelled(samples, first.asked | more.asked, more.probability)
        gold = prompt_curves(both, "proxy").gold.mean(axis=0)
        errors.append((gold - gold[0]) - (full - full[0]))
    standard_error = np.std(errors, axis=0)[1:] / np.sqrt(400)
    # 7 strongly correlated points: three standard errors hold in 99% of seeds or more.
    assert np.all(np.abs(np.mean(errors, axis=0)[1:]) < 3 * standard_error)


def shares_after_remedy(
    draw: Callable[[np.random.Generator], ScoredSamples], k: int, n_runs: int
) -> Counter[Call]:
    """Verdicts of runs that were refused with k labels, once the labels asked for are there."""
    counted: Counter[Call] = Counter()
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        samples = draw(rng)
        first = choose(samples, "proxy", k, rng=rng)
        refused = judged(labelled(samples, first.asked, first.probability), rng)
        if refused.call is not Call.CANNOT_SAY:
            continue
        assert refused.labels_needed is not None
        assert refused.prompts_needed is None
        assert f"Labels for about {refused.labels_needed:,} more of these" in refused.remedy
        more = choose(samples, "proxy", refused.labels_needed, labelled=first.asked, rng=rng)
        both = labelled(samples, first.asked | more.asked, more.probability)
        counted[judged(both, rng).call] += 1
    return counted


def test_a_refusal_for_want_of_labels_is_cleared_by_the_labels_it_asks_for() -> None:
    counted = shares_after_remedy(
        lambda rng: monotone_samples("independent", 805, 16, rng, effect=0.0), 500, 25
    )
    assert counted.total() >= 15
    # The remedy aims at 80% power; some 20 runs have a standard error of 9 points.
    assert counted[Call.CANNOT_SAY] <= 0.4 * counted.total()
    assert counted[Call.NEVER] >= 0.6 * counted.total()


def test_an_unsettled_end_is_cleared_by_the_labels_it_asks_for() -> None:
    counted = shares_after_remedy(
        lambda rng: monotone_samples("increasing", 805, 16, rng, effect=0.3), 500, 25
    )
    assert counted.total() >= 12
    assert counted[Call.RISING] >= 0.6 * counted.total()


def test_prompts_are_asked_for_once_labels_of_the_whole_pool_are_too_few() -> None:
    rng = np.random.default_rng(6)
    samples = monotone_samples("independent", 100, 16, rng, effect=0.0)
    chosen = choose(samples, "proxy", 1200, rng=rng)
    refused = judged(labelled(samples, chosen.asked, chosen.probability), rng)
    assert refused.call is Call.CANNOT_SAY
    assert refused.labels_needed == 400
    assert refused.prompts_needed is not None
    assert f"about {refused.prompts_needed:,} prompts instead of 100" in refused.remedy
    settled = 0
    for _ in range(25):
        more = monotone_samples("independent", refused.prompts_needed, 16, rng, effect=0.0)
        settled += judged(more, rng).call is not Call.CANNOT_SAY
    # The remedy aims at 80% power; 25 runs have a standard error of 8 points.
    assert settled >= 16


def test_labels_beyond_the_pool_are_not_asked_for() -> None:
    rng = np.random.default_rng(7)
    samples = PEAKED.draw(20, 8, rng)
    chosen = choose(samples, "proxy", 40, rng=rng)
    for k in (1, 121):
        with pytest.raises(InputError, match=f"expected 2 to 120.*got {k}"):
            choose(samples, "proxy", k, labelled=chosen.asked, rng=rng)
