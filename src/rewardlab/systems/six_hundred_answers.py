"""B2, six hundred answers: where quality turns in one set, and in 500 sets like it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies.closed_form import closed_form
from rewardlab.policies.exact_best_of_n import best_of_n
from rewardlab.policies.uniform_sets import best_of_n_means, gibbs_means, peak_and_return
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import YES_NO, Answer, Quantity, Question, Result, System, Table
from rewardlab.systems.drawing import gold_line, other_line, place, row_table
from rewardlab.types import FloatArray, OptimizationPath
from rewardlab.worlds.answer_set import AnswerSet
from rewardlab.worlds.gaussian_grid import LENGTH
from rewardlab.worlds.six_hundred import (
    CHOSEN_SET,
    N_SETS,
    padded_reward,
    six_hundred,
    traits_of_all_sets,
)

_BEST_OF_N, _KL = "best_of_n", "kl"
_N = np.arange(1, 1001)
_BETAS = tuple(np.geomspace(4.0, 0.05, 97).tolist())
_STRENGTH = {_BEST_OF_N: _N.astype(float), _KL: 1 / np.array(_BETAS)}
_NAME = {_BEST_OF_N: "n", _KL: "1 / beta"}
_LAST = {_BEST_OF_N: "1,000", _KL: "20"}
_FAR = {_BEST_OF_N: 600.0, _KL: 20.0}
"""Strength up to which a decline counts."""

_DRAWN = 300
"""Points of a line."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """Shape [S] each: peak and return of true quality, and its fall from the peak by ``_FAR``."""

    peak: FloatArray
    back: FloatArray
    decline: FloatArray


def run(learned: float = 0.0, method: str = _BEST_OF_N, answer_set: int = CHOSEN_SET) -> Result:
    """Reward and true quality as one set is optimised harder, beside 500 sets.

    Args:
        learned: Share of the padding penalty that the reward model has learned.
        method: "best_of_n", or "kl" for the optimum of reward - beta KL.
        answer_set: Which of the sets.
    """
    world = six_hundred(answer_set)
    path = _path(world, padded_reward(world.features, learned), method)
    base = float(world.ref_probs @ world.gold)
    one, sets = _turns(method, path.gold_reward[None], np.array([base])), _survey(learned, method)
    peak = float(one.peak[0])
    return Result(
        sentence=_sentence(method, peak, float(one.back[0]), sets),
        quantities=(*_figures(method, path, base, one), *_set_figures(method, sets)),
        chart=LineChart(
            panels=(_scores(path, base), _shares(_drawn(path.strength), sets)),
            x_label="n, of which the best is kept" if method == _BEST_OF_N else _NAME[method],
            log_x=True,
            mark=place(peak, f"peak at {peak:.3g}"),
        ),
        table=_table(_NAME[method], path),
    )


def _figures(method: str, path: OptimizationPath, base: float, one: _Turns) -> tuple[Quantity, ...]:
    name, last = _NAME[method], _LAST[method]
    peak, back, fall = (float(values[0]) for values in (one.peak, one.back, one.decline))
    rises = float((np.diff(path.proxy_reward) > 0).all())
    return (
        Quantity("peak", f"{name} at the peak of true quality ({last}: still rising)", peak),
        Quantity("peak_gain", "gain there", float(path.gold_reward.max()) - base),
        Quantity("back", f"{name} at which the gain is gone (∞: not by {last})", back),
        Quantity("decline", f"fall from the peak by {name} = {_FAR[method]:g}", fall),
        Quantity("reward_rises", "the reward rises throughout", rises, YES_NO),
    )


def _set_figures(method: str, sets: _Turns) -> tuple[Quantity, ...]:
    name, last = _NAME[method], _LAST[method]
    declining = float(np.mean(sets.decline > 0))
    return (
        _quartiles(
            "sets_peak", f"{name} at the peak in {N_SETS} sets: median, quartiles", sets.peak
        ),
        _quartiles("sets_back", f"{name} at which the gain is gone in them", sets.back),
        Quantity("sets_returning", f"sets that lose the gain by {last}", _lost(sets), "share"),
        Quantity(
            "sets_declining", f"sets that fall at all by {_FAR[method]:g}", declining, "share"
        ),
    )


def _path(world: AnswerSet, reward: FloatArray, method: str) -> OptimizationPath:
    if method == _BEST_OF_N:
        return best_of_n(world, reward, n=_N).path
    return closed_form(world, reward, betas=_BETAS).path


def _turns(method: str, gold: FloatArray, base: FloatArray) -> _Turns:
    strength = _STRENGTH[method]
    upto = gold[:, : np.searchsorted(strength, _FAR[method] * (1 + 1e-9), side="right")]
    return _Turns(*peak_and_return(strength, gold, base), decline=upto.max(axis=1) - upto[:, -1])


@lru_cache(maxsize=64)
def _survey(learned: float, method: str) -> _Turns:
    """All 500 sets; kept, since the slider for the set does not change them."""
    traits = traits_of_all_sets()
    reward, gold = padded_reward(traits, learned), padded_reward(traits, 1.0)
    if method == _BEST_OF_N:
        means = best_of_n_means(reward, gold, _N)
    else:
        means = gibbs_means(reward, gold, _BETAS)
    return _turns(method, means, gold.mean(axis=1))


def _quartiles(name: str, label: str, values: FloatArray) -> Quantity:
    """Order statistics, since a set that never returns has an infinite value."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], method="inverted_cdf").tolist()
    return Quantity(name, label, middle, low=low, high=high)


def _lost(sets: _Turns) -> float:
    """Share of the sets whose gain is gone at the largest strength."""
    return float(np.isfinite(sets.back).mean())


def _table(name: str, path: OptimizationPath) -> Table:
    wanted = np.geomspace(path.strength[0], path.strength[-1], 11) * (1 - 1e-9)
    rows = np.unique(np.searchsorted(path.strength, wanted))
    columns = (
        path.strength,
        path.kl_nats,
        path.proxy_reward,
        path.gold_reward,
        path.tracked[LENGTH],
    )
    return row_table(
        (name, "KL (nats)", "reward", "true quality", "mean length"), np.column_stack(columns)[rows]
    )


def _drawn(strength: FloatArray) -> FloatArray:
    """Strengths that a line is drawn through: evenly spread on a logarithmic axis."""
    wanted = np.geomspace(strength[0], strength[-1], _DRAWN) * (1 - 1e-9)
    return strength[np.unique(np.searchsorted(strength, wanted))]


def _scores(path: OptimizationPath, base: float) -> Panel:
    x = _drawn(path.strength)
    at = np.searchsorted(path.strength, x)
    return Panel(
        "mean score",
        (
            Line("reward model", x, path.proxy_reward[at]),
            gold_line("true quality", x, path.gold_reward[at]),
            other_line("base model", x, np.full(len(x), base), "dotted"),
        ),
    )


def _shares(strength: FloatArray, sets: _Turns) -> Panel:
    """How many of the sets have turned, and how many have lost their gain, by each strength."""
    past, lost = (
        np.searchsorted(np.sort(at), strength, side="right") / N_SETS
        for at in (np.where(sets.peak < strength[-1], sets.peak, np.inf), sets.back)
    )
    return Panel(
        f"share of {N_SETS} sets",
        (
            gold_line("past the peak", strength, past, "solid"),
            other_line("gain is gone", strength, lost),
        ),
        percent=True,
        height=100,
    )


def _sentence(method: str, peak: float, back: float, sets: _Turns) -> str:
    name, last = _NAME[method], _LAST[method]
    if math.isfinite(back):
        end = f"peaks at {name} = {peak:.3g} and is back at the base model's by {back:.3g}"
    elif peak < _STRENGTH[method][-1]:
        end = f"peaks at {name} = {peak:.3g} and stays above the base model's up to {last}"
    else:
        end = f"rises up to {name} = {last}"
    return (
        f"In this set true quality {end}; of {N_SETS} sets drawn alike {_lost(sets):.0%} lose the "
        f"whole gain by {last}."
    )


def _fifth() -> Answer:
    blind, taught = run(), run(learned=0.2)
    fall = taught.value("decline")
    choice = 0 if fall > 0.5 * blind.value("decline") else (1 if fall > 0 else 2)
    return Answer(
        choice,
        f"Up to n = 600 true quality falls by {fall:.2f} from its peak, in place of "
        f"{blind.value('decline'):.2f}. Of the 500 sets {1 - taught.value('sets_declining'):.0%} "
        f"then have no decline, in place of {1 - blind.value('sets_declining'):.0%}.",
    )


def _typical() -> Answer:
    share = run().value("sets_returning")
    choice = 0 if share > 0.9 else (1 if share > 0.5 else 2)
    return Answer(
        choice,
        f"In {share:.1%} of the sets. It hangs on the one answer with the highest reward, which "
        "best-of-n ends on: in the other sets even that one is better than the usual answer.",
    )


SYSTEM = System(
    row="B2",
    name="six-hundred-answers",
    title="Six hundred answers",
    sentence="Keeping the best of ever more answers raises true quality, then can undo that.",
    paragraph=(
        "A model can write 600 answers, each of some length and substance. What we want grows with "
        "both, but falls steeply once an answer is much longer than usual. The reward model has "
        "seen mostly usual lengths, and knows nothing of that fall. Drawing n answers and keeping "
        "the one it likes best is computed exactly, as is the policy that maximises reward minus "
        "beta times KL. The set shown first was picked from 500 random ones because its peak and "
        "its return lie nearest to a published demonstration; it is not typical. The lower chart "
        "says how the 500 behave."
    ),
    controls=(
        Slider("learned", "share of the padding penalty learned", 0.0, 0.0, 1.0, step=0.05),
        Choice(
            "method",
            "how answers are chosen",
            _BEST_OF_N,
            {_BEST_OF_N: "best of n", _KL: "reward less beta x KL"},
        ),
        Slider("answer_set", "which set", CHOSEN_SET, 0, N_SETS - 1, step=1, whole=True),
    ),
    run=run,
    questions=(
        Question(
            "The reward model learns one fifth of the penalty for padding. How far does true "
            "quality still fall by n = 600?",
            ("More than half as far", "Less than half as far", "Not at all"),
            _fifth,
        ),
        Question(
            "In how many of 500 sets drawn in the same way is the whole gain lost by n = 1,000?",
            ("In nearly all", "In more than half", "In less than half"),
            _typical,
        ),
    ),
    sources=(
        "Gao, Schulman and Hilton (2022), arXiv:2210.10760",
        "Stiennon et al. (2020), arXiv:2009.01325",
        "Singhal et al. (2023), arXiv:2310.03716",
    ),
)
