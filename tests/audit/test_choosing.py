"""Choosing what to label: exact size, recorded probabilities, no bias, less variance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rewardlab.audit.choosing import choose, chosen_rows
from rewardlab.audit.curves import curve
from rewardlab.audit.prompt_curves import prompt_curves
from rewardlab.errors import InputError
from rewardlab.stats.bootstrap import mean_curve
from rewardlab.stats.intervals import t_quantile
from rewardlab.types import BoolArray, FloatArray, ScoredSamples
from tests.audit.curve_worlds import World, as_samples, monotone_samples

WORLD = World(pull=(0.5, 1.5), cost=0.6)


def labelled(samples: ScoredSamples, asked: BoolArray, probability: FloatArray) -> ScoredSamples:
    """The pool once the asked samples are labelled, and only those."""
    return replace(samples, gold=np.where(asked, samples.gold, np.nan), probability=probability)


def gains(samples: ScoredSamples) -> FloatArray:
    """Shape [P, k]; each prompt's gain over one sample."""
    gold = prompt_curves(samples, "proxy").gold
    return np.asarray(gold[:, 1:] - gold[:, :1])


def test_exactly_k_are_asked_for_and_probabilities_add_up_to_k() -> None:
    rng = np.random.default_rng(0)
    samples = WORLD.draw(40, 16, rng)
    for k in (2, 39, 200, 640):
        chosen = choose(samples, "proxy", k, rng=rng)
        assert int(chosen.asked.sum()) == chosen.n_asked == k
        # Sums of 640 rounded probabilities.
        assert chosen.probability.sum() == pytest.approx(k, abs=1e-9)
        assert np.all((chosen.probability > 0) & (chosen.probability <= 1))
        assert np.all(chosen.asked[chosen.probability == 1.0])
    assert np.all(chosen.probability == 1.0)


def test_samples_are_asked_for_as_often_as_their_probability_says() -> None:
    rng = np.random.default_rng(1)
    samples = WORLD.draw(5, 8, rng)
    counts = np.zeros(40)
    for _ in range(4000):
        chosen = choose(samples, "proxy", 12, rng=rng)
        counts += chosen.asked
    # Standard error of 4,000 draws: at most .008; 40 samples are looked at.
    np.testing.assert_allclose(counts / 4000, chosen.probability, atol=0.032)


def test_the_top_samples_matter_most_and_ties_matter_alike() -> None:
    proxy = np.tile([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0], (10, 1))
    samples = as_samples(proxy, np.zeros_like(proxy))
    probability = choose(samples, "proxy", 30, rng=np.random.default_rng(2)).probability
    by_rank = probability.reshape(10, 8)
    np.testing.assert_allclose(by_rank, by_rank[:1].repeat(10, axis=0), rtol=1e-12)
    assert by_rank[0, 6] == pytest.approx(by_rank[0, 7], rel=1e-12)
    assert by_rank[0, 7] > by_rank[0, 5]
    assert by_rank[0, 7] == by_rank[0].max()


def test_gold_is_not_looked_at() -> None:
    samples = WORLD.draw(30, 8, np.random.default_rng(3))
    blind = replace(samples, gold=np.full(len(samples), np.nan))
    one, two = (choose(s, "proxy", 50, rng=np.random.default_rng(4)) for s in (samples, blind))
    np.testing.assert_array_equal(one.asked, two.asked)


def test_rows_to_label_are_named() -> None:
    samples = WORLD.draw(30, 8, np.random.default_rng(5))
    chosen = choose(samples, "proxy", 20, rng=np.random.default_rng(6))
    rows = chosen_rows(samples, chosen)
    assert len(rows) == 20
    assert [row.line for row in rows] == (np.flatnonzero(chosen.asked) + 2).tolist()
    first = int(np.flatnonzero(chosen.asked)[0])
    assert (rows[0].prompt_id, rows[0].sample) == (samples.prompt_id[first], samples.sample[first])
    assert rows[0].proxy == samples.proxy["proxy"][first]
    assert rows[0].probability == chosen.probability[first]


def test_labels_of_a_choice_estimate_the_full_curve_without_bias_and_beat_uniform() -> None:
    rng = np.random.default_rng(7)
    samples = WORLD.draw(60, 16, rng)
    full = gains(samples).mean(axis=0)
    n_draws, k = 600, 240
    errors = np.empty((2, n_draws, len(full)))
    for i in range(n_draws):
        chosen = choose(samples, "proxy", k, rng=rng)
        estimate = gains(labelled(samples, chosen.asked, chosen.probability)).mean(axis=0)
        errors[0, i] = estimate - full
        asked = np.zeros(960, dtype=bool)
        asked[rng.choice(960, k, replace=False)] = True
        even = labelled(samples, asked, np.full(960, k / 960))
        errors[1, i] = gains(even).mean(axis=0) - full
    standard_error = errors[0].std(axis=0) / np.sqrt(n_draws)
    # 15 points, strongly correlated: three standard errors would hold in 99% of seeds or more.
    assert np.all(np.abs(errors[0].mean(axis=0)) < 3.3 * standard_error)
    ratio = errors[1].var(axis=0) / errors[0].var(axis=0)
    n = np.arange(2, 17)
    assert ratio[n == 8][0] > 3.0
    assert ratio[n == 16][0] > 10.0
    assert np.all(ratio > 0.8)


def test_intervals_from_chosen_labels_cover_the_true_gain() -> None:
    rng = np.random.default_rng(8)
    true = WORLD.expected_gold(np.arange(1.0, 17.0))
    hits = np.zeros(15)
    n_runs = 400
    for _ in range(n_runs):
        samples = WORLD.draw(100, 16, rng)
        chosen = choose(samples, "proxy", 300, rng=rng)
        found = mean_curve(gains(labelled(samples, chosen.asked, chosen.probability)))
        half = t_quantile(0.95, found.dof) * found.std_error
        hits += np.abs(found.mean - (true[1:] - true[0])) <= half
    # 400 runs have a standard error of 1.1 points.
    assert np.all(hits / n_runs >= 0.915)
    assert np.all(hits / n_runs <= 0.985)


def test_labels_for_a_quarter_of_a_pool_reach_the_verdict_of_all() -> None:
    rng = np.random.default_rng(9)
    world = World(pull=(2.0,), cost=0.5)
    samples = world.draw(400, 16, rng)
    chosen = choose(samples, "proxy", 1600, rng=rng)
    partly = curve(labelled(samples, chosen.asked, chosen.probability), "proxy", rng=rng)
    whole = curve(samples, "proxy", rng=rng)
    assert partly.verdict.call is whole.verdict.call
    assert partly.n_labelled == 1600
    assert any("1,600 of 6,400 samples" in caution for caution in partly.cautions)


def test_labels_that_are_missing_or_too_many_are_refused_and_the_right_ones_accepted() -> None:
    rng = np.random.default_rng(10)
    samples = monotone_samples("increasing", 60, 8, rng, effect=1.0)
    chosen = choose(samples, "proxy", 100, rng=rng)
    right = labelled(samples, chosen.asked, chosen.probability)
    unsure = np.flatnonzero(chosen.asked & (chosen.probability < 1))
    fewer, more = right.gold.copy(), right.gold.copy()
    fewer[unsure[:3]] = np.nan
    more[np.flatnonzero(~chosen.asked)[:3]] = 0.0
    for gold, n in ((fewer, 97), (more, 103)):
        with pytest.raises(InputError, match=f"add up to 100.0 labels, but {n} samples have gold"):
            curve(replace(right, gold=gold), "proxy", rng=rng)
    assert curve(right, "proxy", rng=rng).n_labelled == 100


def test_a_certain_sample_without_its_label_is_named() -> None:
    rng = np.random.default_rng(11)
    samples = monotone_samples("increasing", 20, 8, rng, effect=1.0)
    chosen = choose(samples, "proxy", 120, rng=rng)
    certain = int(np.flatnonzero(chosen.probability == 1.0)[0])
    right = labelled(samples, chosen.asked, chosen.probability)
    gold = right.gold.copy()
    gold[certain] = np.nan
    with pytest.raises(InputError, match=f"line {certain + 2}: gold is missing here"):
        curve(replace(right, gold=gold), "proxy", rng=rng)


def test_k_out_of_range_is_refused() -> None:
    rng = np.random.default_rng(12)
    samples = WORLD.draw(5, 4, rng)
    for k in (1, 21):
        with pytest.raises(InputError, match=f"k: expected 2 to 20.*got {k}"):
            choose(samples, "proxy", k, rng=rng)


def test_short_prompts_are_left_out_of_the_pool_aloud() -> None:
    rng = np.random.default_rng(13)
    long, short = WORLD.draw(20, 8, rng), WORLD.draw(3, 2, rng)
    samples = ScoredSamples(
        prompt_id=[*long.prompt_id, *(f"short {p}" for p in short.prompt_id)],
        sample=[*long.sample, *short.sample],
        proxy={"proxy": np.concatenate([long.proxy["proxy"], short.proxy["proxy"]])},
        gold=np.full(166, np.nan),
        probability=np.ones(166),
        line=np.arange(166, dtype=np.int64) + 1,
        source="pool",
    )
    with pytest.raises(InputError, match="3 of 23 prompts have fewer than 8 samples"):
        choose(samples, "proxy", 40, n_max=8, rng=rng)
    chosen = choose(samples, "proxy", 40, n_max=8, short_prompts="drop", rng=rng)
    assert chosen.n_dropped_prompts == 3
    assert np.all(np.isnan(chosen.probability[160:]))
    assert not chosen.asked[160:].any()
    assert int(chosen.asked.sum()) == 40
