"""Simulated samples whose gold is known exactly: the worlds that curves are tested in.

Each sample has quality g, an exploitable habit h and noise e, all Gaussian; the proxy is
g + pull * h + e, the gold g - cost * penalty(h) plus the prompt's own level. ``pull`` differs
from prompt to prompt, and so does ``cost``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy import special

from rewardlab.audit.prompt_curves import PromptCurves, prompt_curves
from rewardlab.audit.sample_groups import Grouping, group_by_prompt
from rewardlab.types import FloatArray, IntArray, ScoredSamples


@dataclass(frozen=True, slots=True)
class World:
    """What the samples of a world are like; ``onset`` is where the penalty on h begins."""

    pull: tuple[float, ...] = (1.0,)
    cost: float = 0.0
    onset: float = 0.0
    noise: float = 1.0
    quality: float = 1.0
    win_or_loss: bool = False

    def draw(self, n_prompts: int, n_samples: int, rng: np.random.Generator) -> ScoredSamples:
        """Recorded samples of this world."""
        shape = (n_prompts, n_samples)
        pull = rng.choice(self.pull, size=(n_prompts, 1))
        cost = self.cost * rng.gamma(4.0, 0.25, size=(n_prompts, 1))
        g, h, e = (rng.standard_normal(shape) for _ in range(3))
        # In place, because simulations draw thousands of sets of up to 160,000 samples.
        proxy = pull * h
        proxy += g
        proxy += np.multiply(e, self.noise, out=e)
        penalty = np.maximum(np.subtract(h, self.onset, out=h), 0.0, out=h)
        penalty *= penalty
        penalty *= cost
        gold = np.multiply(g, self.quality, out=g)
        gold -= penalty
        gold += rng.standard_normal((n_prompts, 1))
        if self.win_or_loss:
            gold = (rng.random(shape) < special.expit(gold)).astype(float)
        return as_samples(proxy, gold)

    def expected_gold(self, n: FloatArray) -> FloatArray:
        """Shape [k]; exact mean gold of the best of n, by quadrature over the proxy."""
        z = np.linspace(-9.0, 9.0, 20_001)
        log_cdf = special.log_ndtr(z)
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        best = n[:, None] * np.exp((n[:, None] - 1) * log_cdf) * density * (z[1] - z[0])
        return np.asarray(np.mean([best @ self._given(z, pull) for pull in self.pull], axis=0))

    def _given(self, z: FloatArray, pull: float) -> FloatArray:
        """E[gold | standardised proxy]: g and h are Gaussian given the proxy."""
        scale = np.sqrt(1 + pull**2 + self.noise**2)
        mean = pull * z / scale - self.onset
        spread = np.sqrt(1 - pull**2 / scale**2)
        u = mean / spread
        upper = (mean**2 + spread**2) * special.ndtr(u)
        upper += mean * spread * np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
        return np.asarray(self.quality * z / scale - self.cost * upper)

    def true_peak(self, n_max: int) -> float:
        """Where the gain of one more sample crosses zero, interpolated in log n as measured."""
        n = np.arange(1.0, n_max + 1)
        gain = np.diff(self.expected_gold(n)) / np.diff(np.log(n))
        log_n = 0.5 * (np.log(n[1:]) + np.log(n[:-1]))
        j = int(np.flatnonzero((gain[:-1] > 0) & (gain[1:] <= 0))[0])
        share = gain[j] / (gain[j] - gain[j + 1])
        return float(np.exp(log_n[j] + share * (log_n[j + 1] - log_n[j])))


@cache
def _prompt_names(n_prompts: int, n_samples: int) -> list[str]:
    """Made once for each size: simulations draw thousands of sets alike."""
    return [f"p{i}" for i in range(n_prompts) for _ in range(n_samples)]


@cache
def _sample_names(n_prompts: int, n_samples: int) -> list[str]:
    return [str(j) for _ in range(n_prompts) for j in range(n_samples)]


@cache
def _grouping(n_prompts: int, n_samples: int) -> Grouping:
    proxy = np.zeros((n_prompts, n_samples))
    return group_by_prompt(as_samples(proxy, proxy), n_max=None)


def curves_of(samples: ScoredSamples, n_prompts: int) -> PromptCurves:
    """Curves of samples that ``as_samples`` made, which are grouped once for each size."""
    grouping = _grouping(n_prompts, len(samples) // n_prompts)
    return prompt_curves(samples, "proxy", grouping=grouping)


@cache
def _certain(n: int) -> FloatArray:
    return np.ones(n)


@cache
def _lines(n: int) -> IntArray:
    return np.arange(n, dtype=np.int64) + 2


def as_samples(proxy: FloatArray, gold: FloatArray) -> ScoredSamples:
    """Matrices of shape [P, m] as recorded samples."""
    n_prompts, n_samples = proxy.shape
    return ScoredSamples(
        prompt_id=_prompt_names(n_prompts, n_samples),
        sample=_sample_names(n_prompts, n_samples),
        proxy={"proxy": proxy.ravel()},
        gold=gold.ravel(),
        probability=_certain(proxy.size),
        line=_lines(proxy.size),
        source="world",
    )


Shape = Literal["independent", "increasing", "decreasing", "saturating", "step", "rare step"]


def monotone_samples(
    shape: Shape, n_prompts: int, n_samples: int, rng: np.random.Generator, *, effect: float
) -> ScoredSamples:
    """Samples whose expected gold is a monotone function of the proxy, so that it never peaks."""
    proxy = rng.standard_normal((n_prompts, n_samples))
    functions = {
        "independent": np.zeros_like(proxy),
        "increasing": proxy,
        "decreasing": -proxy,
        "saturating": np.minimum(proxy, 0.5),
        "step": (proxy > 0.0).astype(float),
        "rare step": 4.0 * (proxy > 2.0),
    }
    gold = effect * functions[shape] + rng.standard_normal(proxy.shape)
    return as_samples(proxy, gold + rng.standard_normal((n_prompts, 1)))
