"""The four verdicts: what fires them, how often they err, and that remedies clear refusals."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rewardlab.audit.changes import changes_of_gold
from rewardlab.audit.choosing import choose
from rewardlab.audit.knots import knots
from rewardlab.audit.peak import measured_peak
from rewardlab.audit.prompt_curves import PromptCurves, prompt_curves
from rewardlab.audit.verdict import Call, Verdict, verdict
from rewardlab.policies.best_of_n import log_spaced_n
from rewardlab.types import ScoredSamples
from tests.audit.curve_worlds import Shape, World, as_samples, curves_of, monotone_samples

Draw = Callable[[int, np.random.Generator], ScoredSamples]
MONOTONE: tuple[tuple[Shape, float], ...] = (
    ("independent", 0.0),
    ("increasing", 0.1),
    ("increasing", 0.5),
    ("decreasing", 0.1),
    ("decreasing", 0.5),
    ("saturating", 0.1),
    ("saturating", 0.5),
    ("step", 0.1),
    ("step", 0.5),
    ("rare step", 0.1),
    ("rare step", 0.5),
)
PEAKED = {
    "peak near 2, steep fall": World(pull=(2.0,), cost=0.5),
    "peak near 2, slow fall": World(pull=(1.5,), cost=0.6),
    "peak near 9, slow fall": World(pull=(0.5, 1.5), cost=0.6),
    "win or loss": World(pull=(2.0,), cost=0.5, win_or_loss=True),
}


def judged(samples: ScoredSamples, rng: np.random.Generator) -> Verdict:
    return judged_curves(prompt_curves(samples, "proxy"), rng)


def judged_curves(curves: PromptCurves, rng: np.random.Generator) -> Verdict:
    return verdict(curves, measured_peak(curves), rng=rng)


def calls(draw: Draw, n_prompts: int, n_runs: int, seed: int) -> dict[Call, float]:
    """Share of runs that end in each verdict."""
    rng = np.random.default_rng(seed)
    counted = Counter(
        judged_curves(curves_of(draw(n_prompts, rng), n_prompts), rng).call for _ in range(n_runs)
    )
    return {call: counted[call] / n_runs for call in Call}


def shaped(shape: Shape, effect: float, n_samples: int = 16) -> Draw:
    return lambda n_prompts, rng: monotone_samples(shape, n_prompts, n_samples, rng, effect=effect)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_clear_worlds_get_their_verdicts() -> None:
    peaked = judged(PEAKED["peak near 2, steep fall"].draw(500, 16, rng(1)), rng())
    assert peaked.call is Call.PEAKED
    assert "Peaked at n = 2" in peaked.sentence
    assert peaked.remedy == ""
    rising = judged(monotone_samples("increasing", 500, 16, rng(2), effect=1.0), rng())
    assert rising.call is Call.RISING
    assert "Still rising at n = 16" in rising.sentence
    falling = judged(monotone_samples("decreasing", 500, 16, rng(3), effect=1.0), rng())
    assert falling.call is Call.NEVER
    assert "below that of a single sample" in falling.sentence
    useless = judged(monotone_samples("independent", 3000, 16, rng(4), effect=0.0), rng())
    assert useless.call is Call.NEVER
    assert "gain more than" in useless.sentence
    assert 0 < useless.gain_at_most < useless.smallest_gain


def test_sentence_states_the_tests_that_fired() -> None:
    found = judged(PEAKED["peak near 2, steep fall"].draw(500, 16, rng(1)), rng())
    assert found.rise is not None
    assert found.fall is not None
    for change in (found.rise, found.fall):
        assert change.significant
        assert f"{abs(change.change):.3g}" in found.sentence
        assert f"from n = {change.n_from} to {change.n_to}" in found.sentence
    assert found.rise.n_from == 1
    assert found.rise.low > 0
    assert found.fall.high < 0


def test_win_rates_are_judged_like_scores() -> None:
    found = judged(PEAKED["win or loss"].draw(1500, 16, rng(5)), rng())
    assert found.call is Call.PEAKED


def test_verdict_does_not_depend_on_the_scale_of_gold() -> None:
    samples = PEAKED["peak near 9, slow fall"].draw(300, 16, rng(6))
    scaled = replace(samples, gold=1000 * samples.gold - 7)
    one, other = judged(samples, rng()), judged(scaled, rng())
    assert one.call is other.call
    assert other.gain_at_most == pytest.approx(1000 * one.gain_at_most, rel=1e-9)


def test_constant_gold_is_refused_and_gold_that_varies_clears_it() -> None:
    samples = monotone_samples("increasing", 200, 8, rng(7), effect=1.0)
    constant = replace(samples, gold=np.repeat(rng(8).standard_normal(200), 8))
    refused = judged(constant, rng())
    assert refused.call is Call.CANNOT_SAY
    assert "same gold" in refused.sentence
    assert "tells the samples of a prompt apart" in refused.remedy
    assert judged(samples, rng()).call is not Call.CANNOT_SAY


def test_labels_that_are_all_alike_are_refused_as_gold_that_does_not_vary() -> None:
    samples = monotone_samples("increasing", 200, 8, rng(7), effect=1.0)
    chosen = choose(samples, "proxy", 150, rng=rng(8))
    gold = np.where(chosen.asked, 0.1, np.nan)
    refused = judged(replace(samples, gold=gold, probability=chosen.probability), rng())
    assert refused.call is Call.CANNOT_SAY
    assert "no prompt has two labelled samples whose gold differs" in refused.sentence


def test_tied_proxies_are_refused_and_a_finer_proxy_clears_it() -> None:
    samples = monotone_samples("increasing", 200, 8, rng(9), effect=1.0)
    tied = replace(samples, proxy={"proxy": np.repeat(rng(10).standard_normal(200), 8)})
    refused = judged(tied, rng())
    assert refused.call is Call.CANNOT_SAY
    assert "random sample" in refused.sentence
    assert "proxy that tells" in refused.remedy
    assert judged(samples, rng()).call is Call.RISING


def test_too_few_prompts_name_a_number_that_settles_it() -> None:
    draw = shaped("independent", 0.0)
    refused = judged(draw(60, rng(11)), rng())
    assert refused.call is Call.CANNOT_SAY
    assert refused.prompts_needed is not None
    assert f"{refused.prompts_needed:,} prompts" in refused.remedy
    shares = calls(draw, refused.prompts_needed, 40, seed=12)
    # The remedy aims at 80% power; 40 runs have a standard error of 6 points.
    assert shares[Call.NEVER] >= 0.65


def test_an_unsettled_end_names_prompts_that_settle_it() -> None:
    draw = shaped("increasing", 0.5)
    refused = next(
        found
        for seed in range(50)
        if (found := judged(draw(60, rng(seed)), rng())).call is Call.CANNOT_SAY
    )
    assert refused.rise is not None
    assert refused.rise.significant
    assert refused.prompts_needed is not None
    shares = calls(draw, refused.prompts_needed, 40, seed=13)
    assert shares[Call.RISING] >= 0.65


def test_gold_that_levels_off_asks_for_larger_n_which_settles_it() -> None:
    world = World(pull=(2.5,), cost=1.0, onset=1.0, noise=0.3)
    level = judged(world.draw(300, 5, rng(1)), rng())
    assert level.call is Call.CANNOT_SAY
    assert level.prompts_needed is None
    assert "levelled off" in level.remedy
    assert "20 samples a prompt" in level.remedy
    assert judged(world.draw(300, 20, rng(15)), rng()).call is Call.PEAKED


def test_smallest_gain_that_matters_can_be_set() -> None:
    curves = prompt_curves(monotone_samples("independent", 200, 16, rng(16), effect=0.0), "proxy")
    peak = measured_peak(curves)
    coarse = verdict(curves, peak, smallest_gain=2.0, rng=rng())
    fine = verdict(curves, peak, smallest_gain=0.001, rng=rng())
    assert coarse.call is Call.NEVER
    assert fine.call is Call.CANNOT_SAY
    assert verdict(curves, peak, rng=rng()).smallest_gain == pytest.approx(0.1 * curves.gold_sd)


def test_knots_are_about_two_an_octave_with_both_ends() -> None:
    for n_max in (2, 3, 11, 16, 64, 1000):
        n = log_spaced_n(n_max)
        at = n[knots(n)]
        assert at[0] == 1
        assert at[-1] == n_max
        assert np.all(np.diff(at) > 0)
        assert len(at) <= 2 * np.log2(n_max) + 2


def test_two_samples_a_prompt_still_get_a_verdict() -> None:
    rising = judged(monotone_samples("increasing", 300, 2, rng(17), effect=1.0), rng())
    assert rising.call is Call.RISING
    assert rising.last_stretch is not None
    assert (rising.last_stretch.n_from, rising.last_stretch.n_to) == (1, 2)


def test_changes_are_bounded_simultaneously() -> None:
    curves = prompt_curves(monotone_samples("independent", 100, 16, rng(18), effect=0.0), "proxy")
    changes = changes_of_gold(curves, rng=rng())
    # A bound over several n is wider than the one-sided 1.66 of a single one.
    assert 1.7 < changes.rise.critical < 3.0
    assert changes.last_stretch.critical == pytest.approx(1.660, abs=0.001)


def test_every_prompt_alike_is_judged_without_noise() -> None:
    alike = as_samples(np.tile(np.arange(6.0), (20, 1)), np.tile(np.arange(6.0) ** 2, (20, 1)))
    found = judged(alike, rng())
    assert found.call is Call.RISING


@pytest.mark.parametrize(("shape", "effect"), [("independent", 0.0), ("saturating", 0.5)])
def test_gold_that_never_peaks_is_seldom_called_peaked_quickly(shape: Shape, effect: float) -> None:
    shares = calls(shaped(shape, effect), 150, 300, seed=19)
    # 300 runs have a standard error of 1.3 points at 5%.
    assert shares[Call.PEAKED] <= 0.05 + 0.026


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "effect"), MONOTONE)
@pytest.mark.parametrize("n_prompts", [100, 500])
def test_gold_that_never_peaks_is_called_peaked_in_at_most_5_percent(
    shape: Shape, effect: float, n_prompts: int
) -> None:
    shares = calls(shaped(shape, effect), n_prompts, 800, seed=20)
    sys.stdout.write(f"\n{shape} {effect}, {n_prompts} prompts: {words(shares)}\n")
    # Such calls are made in 3.5% of runs at most; 800 runs have a standard error of .7 points.
    assert shares[Call.PEAKED] <= 0.05
    if shape in ("independent", "decreasing"):
        assert shares[Call.RISING] <= 0.05
    elif (shape, effect) != ("saturating", 0.1) and effect == 0.5:
        assert shares[Call.NEVER] <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PEAKED))
@pytest.mark.parametrize("n_prompts", [200, 1000, 5000])
def test_power_to_call_a_peak_grows_with_prompts(name: str, n_prompts: int) -> None:
    world = PEAKED[name]
    n_runs = 400 if n_prompts <= 1000 else 200
    shares = calls(lambda p, r: world.draw(p, 32, r), n_prompts, n_runs, seed=21)
    sys.stdout.write(f"\n{name}, {n_prompts} prompts: {words(shares)}\n")
    assert shares[Call.RISING] <= 0.05
    if name != "peak near 9, slow fall":
        assert shares[Call.PEAKED] >= 0.7
    elif n_prompts == 5000:
        assert shares[Call.PEAKED] >= 0.8


def words(shares: dict[Call, float]) -> str:
    return ", ".join(f"{call.value} {share:.1%}" for call, share in shares.items())
