"""Which of two proxies leads to more gold, prompt by prompt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rewardlab.audit.prompt_curves import PromptCurves
from rewardlab.errors import InputError
from rewardlab.stats.bootstrap import mean_curve
from rewardlab.stats.intervals import t_quantile
from rewardlab.types import Figure


@dataclass(frozen=True, slots=True)
class ProxyDifference:
    """Gold reached with one proxy minus gold reached with another, on the same prompts.

    Attributes:
        proxy_a: First proxy.
        proxy_b: Second.
        n_a: The n at which the first is read.
        n_b: The n at which the second is read.
        at_peaks: True if each is read where its own measured gold is highest (chosen on the same
            prompts, so both are a little flattered); False if both are read at the largest n.
        difference: Gold of a minus gold of b.
    """

    proxy_a: str
    proxy_b: str
    n_a: int
    n_b: int
    at_peaks: bool
    difference: Figure


def proxy_differences(
    curves: tuple[PromptCurves, ...], *, level: float = 0.95
) -> tuple[ProxyDifference, ...]:
    """For each two proxies, the paired difference at the largest n and at each one's peak.

    Args:
        curves: One for each proxy, from the same samples.
        level: Confidence level.

    Raises:
        InputError: The curves are of different prompts or n.
    """
    found = []
    for a, b in combinations(curves, 2):
        if a.prompt_id != b.prompt_id or not np.array_equal(a.n, b.n):
            raise InputError(
                f"curves: expected the same prompts and n for {a.proxy_name} and {b.proxy_name}"
            )
        last = len(a.n) - 1
        peaks = (int(np.argmax(a.gold.mean(axis=0))), int(np.argmax(b.gold.mean(axis=0))))
        found.append(_difference(a, b, (last, last), False, level))
        found.append(_difference(a, b, peaks, True, level))
    return tuple(found)


def _difference(
    a: PromptCurves, b: PromptCurves, at: tuple[int, int], at_peaks: bool, level: float
) -> ProxyDifference:
    paired = mean_curve((a.gold[:, at[0]] - b.gold[:, at[1]])[:, None])
    value, half = float(paired.mean[0]), float(t_quantile(level, paired.dof) * paired.std_error[0])
    method = f"paired t over {len(a)} prompts"
    return ProxyDifference(
        proxy_a=a.proxy_name,
        proxy_b=b.proxy_name,
        n_a=int(a.n[at[0]]),
        n_b=int(b.n[at[1]]),
        at_peaks=at_peaks,
        difference=Figure(value, value - half, value + half, "gold", level, method),
    )


def difference_words(found: ProxyDifference, *, names: tuple[str, str] | None = None) -> str:
    """A difference in words: which two, where, how much.

    Args:
        found: The difference.
        names: What to call the two; by default the proxies' names.
    """
    name_a, name_b = names or (found.proxy_a, found.proxy_b)
    figure = found.difference
    where = (
        f"at each one's peak (n = {found.n_a} and {found.n_b}, found on the same prompts)"
        if found.at_peaks
        else f"at n = {found.n_a}"
    )
    return (
        f"{name_a} minus {name_b} {where}: {figure.value:+.4f} ({figure.low:+.4f} to "
        f"{figure.high:+.4f})"
    )
