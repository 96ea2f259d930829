"""What happens to gold along best-of-n against a proxy: curve, bands, peak, laws and verdict.

Prompts are what varies, so all intervals come from the covariance of prompts' own curves: Student
intervals at each n, and bands that hold at all n together (max-t). Against resampling prompts
these agree in width and cost a fraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from rewardlab.audit.curve_findings import curve_findings
from rewardlab.audit.curve_result import Band, CurveOptions, CurveReport, CurveResult
from rewardlab.audit.peak import measured_peak, no_peak
from rewardlab.audit.prompt_curves import PromptCurves, prompt_curves
from rewardlab.audit.proxy_differences import proxy_differences
from rewardlab.audit.sample_groups import ShortPrompts, group_by_prompt
from rewardlab.audit.scaling_laws import (
    SMALLEST_N_TO_COMPARE,
    SMALLEST_N_TO_FIT,
    Law,
    LawFit,
    compare_laws,
    fit_law,
)
from rewardlab.audit.verdict import verdict
from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import Ties, kl_bound
from rewardlab.stats.bootstrap import max_t_quantile, mean_curve
from rewardlab.stats.intervals import FEW_CLUSTERS, t_quantile
from rewardlab.types import FloatArray, OptimizationPath, ScoredSamples

__all__ = [
    "Band",
    "CurveOptions",
    "CurveReport",
    "CurveResult",
    "curve",
    "curve_findings",
    "curve_of",
    "curve_report",
]


def curve(
    samples: ScoredSamples,
    proxy: str,
    *,
    n_max: int | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    smallest_gain: float | None = None,
    short_prompts: ShortPrompts = "error",
    ties: Ties = "average",
    rng: np.random.Generator,
) -> CurveResult:
    """Proxy and gold of best-of-n for n = 1..N, with intervals over prompts and a verdict.

    Args:
        samples: Recorded samples with gold; NaN only where gold was not asked for.
        proxy: Name of the proxy that picks.
        n_max: Largest n; by default the smallest number of samples that a prompt has.
        level: Confidence level of every interval and test.
        n_resamples: Bootstrap resamples of prompts for the laws' peaks.
        smallest_gain: Smallest gain in gold that matters; by default a tenth of the standard
            deviation of one sample's gold.
        short_prompts: "error" refuses prompts with fewer than ``n_max`` samples; "drop" leaves
            them out and counts them.
        ties: Which of samples with the same proxy is picked.
        rng: Source of randomness: critical values, resamples, folds.

    Raises:
        InputError: See ``prompt_curves``; or an option is out of range.
    """
    options = CurveOptions(n_max, level, n_resamples, smallest_gain, short_prompts, ties)
    curves = prompt_curves(samples, proxy, n_max=n_max, short_prompts=short_prompts, ties=ties)
    return curve_of(curves, options, source=samples.source, rng=rng)


def curve_report(
    samples: ScoredSamples,
    proxies: Sequence[str],
    options: CurveOptions | None = None,
    *,
    rng: np.random.Generator,
) -> CurveReport:
    """Curves of several proxies on the same samples, side by side.

    Args:
        samples: Recorded samples with gold.
        proxies: Names of the proxies, at least one.
        options: Options, the same for all.
        rng: Source of randomness.

    Raises:
        InputError: No proxy is named, or see ``curve``.
    """
    if not proxies:
        raise InputError("proxies: expected at least one name, got none")
    options = options or CurveOptions()
    n_max, short = options.n_max, options.short_prompts
    grouping = group_by_prompt(samples, n_max=n_max, short_prompts=short)
    each = tuple(
        prompt_curves(
            samples,
            proxy,
            n_max=n_max,
            short_prompts=short,
            ties=options.ties,
            grouping=grouping,
        )
        for proxy in proxies
    )
    results = tuple(curve_of(one, options, source=samples.source, rng=rng) for one in each)
    return CurveReport(
        curves=results,
        differences=proxy_differences(each, level=options.level),
        findings=tuple(finding for result in results for finding in curve_findings(result)),
    )


def curve_of(
    curves: PromptCurves, options: CurveOptions, *, source: str = "", rng: np.random.Generator
) -> CurveResult:
    """``curve`` for prompts' curves that are already computed.

    Args:
        curves: Curves of at least two prompts.
        options: Options; those of the curves themselves are only recorded.
        source: Name of the file, recorded.
        rng: Source of randomness.
    """
    level = options.level
    n = curves.n
    last = int(n[-1])
    peak = measured_peak(curves, level=level) if curves.can_change else no_peak(last, level)
    proxy = _band(curves.proxy, level, rng)
    gold = _band(curves.gold, level, rng)
    found = verdict(curves, peak, smallest_gain=options.smallest_gain, level=level, rng=rng)
    laws: tuple[LawFit, ...] = ()
    if last >= SMALLEST_N_TO_FIT and curves.can_change:
        laws = tuple(
            fit_law(curves, law, level=level, n_resamples=options.n_resamples, rng=rng)
            for law in Law
        )
    comparable = last >= SMALLEST_N_TO_COMPARE and curves.can_change
    settings = {
        **asdict(options),
        "n_max": last,
        "smallest_gain": found.smallest_gain,
        "source": source,
        "seed": _seed(rng),
    }
    path = OptimizationPath(
        method="best_of_n",
        strength=n.astype(np.float64),
        kl_nats=kl_bound(n),
        proxy_reward=proxy.mean,
        gold_reward=gold.mean,
        settings={"proxy": curves.proxy_name, **settings},
    )
    return CurveResult(
        proxy_name=curves.proxy_name,
        path=path,
        proxy=proxy,
        gold=gold,
        gain=_band(curves.gold - curves.gold[:, :1], level, rng),
        peak=peak,
        laws=laws,
        law_comparison=compare_laws(curves, level=level, rng=rng) if comparable else None,
        verdict=found,
        n_prompts=len(curves),
        n_samples=curves.n_samples,
        samples_per_prompt=curves.samples_per_prompt,
        n_dropped_prompts=curves.n_dropped_prompts,
        n_labelled=curves.n_labelled,
        tied_share=curves.tied_share,
        gold_sd=curves.gold_sd,
        cautions=_cautions(curves),
        settings=settings,
    )


def _band(rows: FloatArray, level: float, rng: np.random.Generator) -> Band:
    curve = mean_curve(rows)
    half = t_quantile(level, curve.dof) * curve.std_error
    width = curve.std_error
    if np.any(width > 0):
        width = width * max_t_quantile(
            curve.covariance, dof=curve.dof, level=level, two_sided=True, rng=rng
        )
    mean = curve.mean
    return Band(mean, mean - half, mean + half, mean - width, mean + width)


def _cautions(curves: PromptCurves) -> tuple[str, ...]:
    found = []
    fewest, most = curves.samples_per_prompt
    if len(curves) < FEW_CLUSTERS:
        found.append(
            f"Only {len(curves)} prompts: intervals over fewer than {FEW_CLUSTERS} are rough; "
            "add prompts."
        )
    if curves.n_dropped_prompts:
        found.append(
            f"Prompts with fewer than {curves.n[-1]:,} samples are left out: "
            f"{curves.n_dropped_prompts:,}; the curve is that of the others."
        )
    if fewest < most:
        found.append(
            f"Prompts have {fewest:,} to {most:,} samples; n goes up to {curves.n[-1]:,}, and "
            "prompts count alike."
        )
    if curves.n_labelled < curves.n_samples:
        found.append(
            f"Gold is known for {curves.n_labelled:,} of {curves.n_samples:,} samples, chosen with "
            "known probabilities; each stands for others like it."
        )
    if curves.tied_share > 0.05:
        found.append(
            f"{curves.tied_share:.0%} of samples tie with another of their prompt in the proxy; "
            "ties are averaged, and the KL is below its bound."
        )
    if int(curves.n[-1]) < SMALLEST_N_TO_FIT:
        found.append(
            f"No law is fitted: n goes up to {curves.n[-1]}, and a law needs {SMALLEST_N_TO_FIT} "
            "or more samples a prompt."
        )
    return tuple(found)


def _seed(rng: np.random.Generator) -> int | None:
    """The seed that the generator was made from; None if it was made otherwise."""
    entropy = getattr(rng.bit_generator.seed_seq, "entropy", None)
    return entropy if isinstance(entropy, int) else None
