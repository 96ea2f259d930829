"""What a best-of-n curve is made of: plain data that terminal, JSON and page all read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewardlab.audit.peak import Peak
from rewardlab.audit.proxy_differences import ProxyDifference
from rewardlab.audit.sample_groups import ShortPrompts
from rewardlab.audit.scaling_laws import LawComparison, LawFit
from rewardlab.audit.verdict import Verdict
from rewardlab.errors import InputError
from rewardlab.policies.best_of_n import Ties
from rewardlab.types import Finding, FloatArray, IntArray, OptimizationPath


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """Options of a curve.

    Attributes:
        n_max: Largest n; None for the smallest number of samples that a prompt has.
        level: Confidence level of every interval and test.
        n_resamples: Bootstrap resamples of prompts for the laws' peaks.
        smallest_gain: Smallest gain in gold that matters; None for a tenth of the standard
            deviation of one sample's gold.
        short_prompts: What to do with prompts that have fewer than ``n_max`` samples.
        ties: Which of samples with the same proxy is picked.
    """

    n_max: int | None = None
    level: float = 0.95
    n_resamples: int = 2000
    smallest_gain: float | None = None
    short_prompts: ShortPrompts = "error"
    ties: Ties = "average"

    def __post_init__(self) -> None:
        if not 0.5 < self.level < 1:
            raise InputError(f"level: expected a number between .5 and 1, got {self.level}")
        if self.n_resamples < 100:
            raise InputError(f"n_resamples: expected at least 100, got {self.n_resamples}")
        if self.smallest_gain is not None and not self.smallest_gain > 0:
            raise InputError(f"smallest_gain: expected a number above 0, got {self.smallest_gain}")


@dataclass(frozen=True, slots=True)
class Band:
    """A mean curve over prompts with its intervals.

    Attributes:
        mean: Shape [k].
        low: Shape [k]; lower end of the interval at each n.
        high: Shape [k]; upper end.
        low_all: Shape [k]; lower end of the band that holds at all n together.
        high_all: Shape [k]; upper end.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    low_all: FloatArray
    high_all: FloatArray


@dataclass(frozen=True, slots=True)
class CurveResult:
    """Best-of-n against one proxy, from recorded samples.

    Attributes:
        proxy_name: The proxy that picks.
        path: n, KL bound, mean proxy and mean gold, as an optimisation path.
        proxy: Expected proxy of the best of n.
        gold: Expected gold of the best of n.
        gain: Gold minus gold at n = 1, each prompt against itself.
        peak: Where gold peaks as measured, without a law.
        laws: Fits of both laws; empty where there are too few n.
        law_comparison: Which law predicts large n better; None where there are too few n.
        verdict: Whether optimising further helps.
        n_prompts: Prompts used.
        n_samples: Samples used.
        samples_per_prompt: Smallest and largest count.
        n_dropped_prompts: Prompts left out for having too few samples.
        n_labelled: Samples whose gold is known.
        tied_share: Share of samples whose proxy equals another's of the same prompt.
        gold_sd: Standard deviation of one sample's gold.
        cautions: What to keep in mind, a sentence each.
        settings: Options and seed.
    """

    proxy_name: str
    path: OptimizationPath
    proxy: Band
    gold: Band
    gain: Band
    peak: Peak
    laws: tuple[LawFit, ...]
    law_comparison: LawComparison | None
    verdict: Verdict
    n_prompts: int
    n_samples: int
    samples_per_prompt: tuple[int, int]
    n_dropped_prompts: int
    n_labelled: int
    tied_share: float
    gold_sd: float
    cautions: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def n(self) -> IntArray:
        """Shape [k]; the n of every point."""
        return self.path.strength.astype(np.int64)


@dataclass(frozen=True, slots=True)
class CurveReport:
    """Curves of one or several proxies on the same samples.

    Attributes:
        curves: One for each proxy.
        differences: For each two proxies, the paired difference in gold.
        findings: What the curves mean.
    """

    curves: tuple[CurveResult, ...]
    differences: tuple[ProxyDifference, ...]
    findings: tuple[Finding, ...]
