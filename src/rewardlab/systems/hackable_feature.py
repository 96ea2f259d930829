"""E7, the hackable feature: what best-of-n finds when reward models pay for something harmful."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.audit.shrinkage import shrinkage
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.best_of_n import expected_best, kl_bound, sort_by_proxy
from rewardlab.stats.bootstrap import mean_curve
from rewardlab.stats.intervals import Estimate, cluster_mean, t_quantile
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, other_line
from rewardlab.systems.keeping import kept
from rewardlab.types import FloatArray
from rewardlab.worlds.hackable import Candidates, draw_candidates

_N_PROMPTS, _N_SAMPLES, _MOST_MODELS = 160, 4096, 8
_N = np.unique(np.rint(np.geomspace(1, _N_SAMPLES, 37)).astype(np.int64))
_SHOWN = np.searchsorted(_N, 4 ** np.arange(7))
_D = np.sqrt(kl_bound(_N))


@dataclass(frozen=True, slots=True)
class _Curves:
    """Best-of-n by one way of scoring: shapes [P, k] for gold, [k] for the mean proxy."""

    proxy: FloatArray
    gold: FloatArray

    @property
    def mean(self) -> FloatArray:
        return np.asarray(self.gold.mean(axis=0))

    @property
    def half(self) -> FloatArray:
        """Shape [k]; half the 95% interval of mean gold over prompts."""
        gold = mean_curve(self.gold)
        return t_quantile(0.95, gold.dof) * gold.std_error

    @property
    def peak(self) -> int:
        return int(np.argmax(self.mean))

    @property
    def loss(self) -> Estimate:
        """Mean over prompts of gold at the peak less gold at the last n."""
        return cluster_mean(self.gold[:, self.peak] - self.gold[:, -1], np.arange(_N_PROMPTS))


def run(
    a: float = 1.0, noise: float = 1.0, members: int = 4, *, rng: np.random.Generator
) -> Result:
    """Best-of-n on 160 prompts of 4,096 candidates, by one reward model and by an ensemble.

    Args:
        a: What the reward models pay for the hackable feature, beside 1 for quality.
        noise: Standard deviation of each reward model's own error.
        members: Reward models whose mean is the ensemble's score.
        rng: Source of the candidates.
    """
    candidates = _kept_candidates(rng)
    one, many = (_curves(candidates, a, noise, count) for count in (1, members))
    return Result(
        sentence=_sentence(a, members, one, many),
        quantities=(
            *_quantities("one", "one reward model", one, shrinkage(1.0, noise**2)),
            *_quantities("ensemble", "ensemble", many, shrinkage(1.0, noise**2 / members)),
        ),
        chart=_chart(members, one, many),
        table=column_table(
            {
                "n": _N[_SHOWN],
                "KL bound (nats)": kl_bound(_N[_SHOWN]),
                "proxy, one": one.proxy[_SHOWN],
                "gold, one": one.mean[_SHOWN],
                "proxy, mean": many.proxy[_SHOWN],
                "gold, mean": many.mean[_SHOWN],
            }
        ),
    )


def _candidates(rng: np.random.Generator) -> Candidates:
    return draw_candidates(_N_PROMPTS, _N_SAMPLES, n_models=_MOST_MODELS, rng=rng)


_kept_candidates = kept(_candidates, most=1)


def _curves(candidates: Candidates, a: float, noise: float, members: int) -> _Curves:
    proxy = candidates.proxy(a, noise, members=members)
    ordered, gold = sort_by_proxy(proxy, candidates.gold)
    best = expected_best(ordered, _N).mean(axis=0)
    return _Curves(np.asarray(best), expected_best(gold, _N))


def _quantities(slug: str, name: str, curves: _Curves, share: float) -> tuple[Quantity, ...]:
    gold, peak = curves.mean, curves.peak
    gained = float((gold[-1] - gold[0]) / (curves.proxy[-1] - curves.proxy[0]))
    return (
        Quantity(f"peak_n_{slug}", f"{name}: n at which gold is highest", float(_N[peak])),
        Quantity(f"peak_gold_{slug}", f"{name}: gold there", float(gold[peak])),
        Quantity(
            f"end_gold_{slug}",
            f"{name}: gold at n = {_N_SAMPLES:,}",
            float(gold[-1]),
            low=float(gold[-1] - curves.half[-1]),
            high=float(gold[-1] + curves.half[-1]),
        ),
        Quantity.of(f"loss_{slug}", f"{name}: gold lost after it", curves.loss.figure()),
        Quantity(f"gained_{slug}", f"{name}: gold gained for each unit of proxy", gained),
        Quantity(f"shrinkage_{slug}", f"{name}: the same if noise were all", share),
    )


def _chart(members: int, one: _Curves, many: _Curves) -> LineChart:
    averaged = f"mean of {members}"
    gold, gold_of_mean = ((c.mean, c.mean - c.half, c.mean + c.half) for c in (one, many))
    return LineChart(
        panels=(
            Panel(
                "proxy of the chosen candidate",
                (Line("one reward model", _D, one.proxy), other_line(averaged, _D, many.proxy)),
                height=140,
            ),
            Panel(
                "gold of the chosen candidate",
                (
                    Line("one reward model", _D, *gold, tone="gold"),
                    Line(averaged, _D, *gold_of_mean, tone="other", stroke="dashed"),
                ),
            ),
        ),
        x_label="d = square root of the KL bound of best-of-n (root nats)",
    )


def _sentence(a: float, members: int, one: _Curves, many: _Curves) -> str:
    return (
        f"Where reward models pay {a:g} for the harmful feature, under one of them gold "
        f"{_fate(one)}; under the mean of {members} it {_fate(many)}."
    )


def _fate(curves: _Curves) -> str:
    gold, n = curves.mean, int(_N[curves.peak])
    if n == _N_SAMPLES:
        return f"rises to {gold[-1]:.2f} without turning down"
    way = f"peaks at {gold[curves.peak]:.2f} for n = {n:,} and ends at {gold[-1]:.2f}"
    return way if curves.loss.low > 0 else f"{way}, which may be chance"


def _falls(a: float) -> tuple[bool, Result]:
    result = run(a=a, rng=np.random.default_rng(0))
    return result.quantity("loss_one").low > 0, result


def _noise_alone() -> Answer:
    falls, result = _falls(0.0)
    gained, share = result.value("gained_one"), result.value("shrinkage_one")
    choice = 2 if falls else (1 if gained < 0.9 else 0)
    return Answer(
        choice,
        f"Gold gains {gained:.2f} for each unit of proxy, as variances of 1 and 1 predict "
        f"({share:.2f}), and still rises at n = {_N_SAMPLES:,}: noise costs slope, not direction.",
    )


def _averaged() -> Answer:
    result = _falls(1.0)[1]
    one, many = result.value("end_gold_one"), result.value("end_gold_ensemble")
    choice = 2 if many < one - 0.1 else (1 if many < result.value("peak_gold_ensemble") else 0)
    return Answer(
        choice,
        f"At n = {_N_SAMPLES:,} gold is {one:.2f} under one reward model and {many:.2f} under the "
        "mean of four. The mean has less noise, so that it follows what it pays for more closely, "
        "the shared feature included.",
    )


SYSTEM = System(
    row="E7",
    name="hackable-feature",
    title="The hackable feature",
    sentence="An ensemble removes the noise of its members, never the mistake that they share.",
    paragraph=(
        "Each of 160 prompts has 4,096 candidate answers with a true quality g and a hackable "
        "feature h, say length or flattery. A reward model scores g + a h plus an error of its "
        "own. Gold is g, less a penalty once h is extreme. The candidate with the highest score "
        "of n is kept, and every n is estimated without bias from the same candidates. With a = 0 "
        "only noise separates score and gold: gold rises more slowly than the score but never "
        "falls. With a larger a the search ends among candidates with an extreme h."
    ),
    controls=(
        Slider("a", "what the reward models pay for the feature", 1.0, 0.0, 2.0, step=0.05),
        Slider("noise", "own error of each reward model", 1.0, 0.0, 3.0, step=0.1),
        Slider("members", "reward models in the ensemble", 4, 2, _MOST_MODELS, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "The reward model is noisy but pays nothing for the feature (a = 0). What does gold "
            "do as n grows to 4,096?",
            ("It rises as the score does", "It rises more slowly", "It peaks and falls"),
            _noise_alone,
        ),
        Question(
            "With a = 1 gold peaks and falls. Four reward models are averaged instead of one. "
            "Where does gold end?",
            ("It no longer falls", "It falls less or as much", "It falls further"),
            _averaged,
        ),
    ),
    sources=(
        "Gao, Schulman and Hilton (2022), arXiv:2210.10760",
        "Eisenstein et al. (2023), arXiv:2312.09244",
    ),
)
