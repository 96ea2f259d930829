"""A5, best-of-n: write n answers, keep the one that a learned reward likes most, exactly."""

from __future__ import annotations

import numpy as np

from rewardlab.experiments.lab_reward import learned_reward
from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.policies import exact_best_of_n
from rewardlab.policies.best_of_n import kl_bound, log_spaced_n
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, other_line, place, score_panel
from rewardlab.systems.lab_controls import rater_choice
from rewardlab.types import OptimizationPath
from rewardlab.worlds.lab import lab_world
from rewardlab.worlds.lab_raters import Rater

_N_MAX = 4096
_N = log_spaced_n(_N_MAX, per_octave=8)
_SHOWN = 2 ** np.arange(13)


def run(
    n: int = _N_MAX,
    rater: Rater = "hurried",
    labels: int = 100,
    rounding: float = 0.0,
    *,
    rng: np.random.Generator,
) -> Result:
    """Reward, true quality and KL of the best of n, for every n.

    Args:
        n: Answers written, of which the best is kept.
        rater: Whose comparisons the reward was fitted to.
        labels: How many comparisons.
        rounding: The reward is rounded to multiples of this, which makes ties; 0 for none.
        rng: Draws the comparisons.
    """
    world = lab_world()
    reward = learned_reward(world, rater, labels, rng=rng)
    if rounding:
        reward = np.rint(reward / rounding) * rounding
    path = exact_best_of_n.best_of_n(world, reward, n=_N).path
    at = exact_best_of_n.best_of_n(world, reward, n=[n, *_SHOWN]).path
    peak = int(np.argmax(path.gold_reward))
    bound = float(kl_bound(np.array(n)))
    excess = float((path.kl_nats - kl_bound(_N)).max())
    return Result(
        sentence=_sentence(n, at, path, peak),
        quantities=(
            Quantity("kl", "true KL", float(at.kl_nats[0]), "nats"),
            Quantity("bound", "log n - (n-1)/n", bound, "nats"),
            Quantity("excess", "largest true KL less its bound, over all n", excess, "nats"),
            Quantity("proxy_reward", "learned reward", float(at.proxy_reward[0])),
            Quantity("gold", "true quality", float(at.gold_reward[0])),
            Quantity("gold_at_1", "true quality of one answer", float(path.gold_reward[0])),
            Quantity("peak_n", "best n for true quality, up to 4,096", float(_N[peak])),
            Quantity("peak_gold", "true quality there", float(path.gold_reward[peak])),
            Quantity(
                "tied", "answers that share the top reward", float((reward == reward.max()).sum())
            ),
        ),
        chart=_chart(path, n),
        table=column_table(
            {
                "n": _SHOWN,
                "true KL": at.kl_nats[1:],
                "bound": kl_bound(_SHOWN),
                "learned reward": at.proxy_reward[1:],
                "true quality": at.gold_reward[1:],
            }
        ),
    )


def _chart(path: OptimizationPath, n: int) -> LineChart:
    x = path.strength
    kl = (other_line("bound", x, kl_bound(x)), Line("true", x, path.kl_nats))
    return LineChart(
        panels=(score_panel(path), Panel("KL (nats)", kl, height=110)),
        x_label="n, answers of which the best is kept",
        log_x=True,
        mark=place(n, f"n = {n:,}"),
    )


def _sentence(n: int, at: OptimizationPath, path: OptimizationPath, peak: int) -> str:
    lead = (
        f"The best of {n:,} is {at.kl_nats[0]:.3f} nats from the reference, at most "
        f"{float(kl_bound(np.array(n))):.3f}; its learned reward is {at.proxy_reward[0]:.2f} and "
        f"its true quality {at.gold_reward[0]:.2f}, against {path.gold_reward[0]:.2f} for one "
        "answer. "
    )
    if path.gold_reward[-1] > path.gold_reward[peak] - 0.01:
        return lead + "True quality does not fall up to n = 4,096."
    return lead + f"True quality peaks at n = {path.strength[peak]:,.0f}."


def _more_samples() -> Answer:
    at_most = SYSTEM.evaluate()
    start, peak, many = (at_most.value(name) for name in ("gold_at_1", "peak_gold", "gold"))
    return Answer(
        0 if many >= peak - 0.05 else 1 if many > start else 2,
        f"True quality is {start:.2f} for one answer, {peak:.2f} at its peak and {many:.2f} at "
        "4,096, while the learned reward rises all the way.",
    )


SYSTEM = System(
    row="A5",
    name="best-of-n",
    title="Best-of-n",
    sentence="The best of ever more answers has more reward, but true quality rises only at first.",
    paragraph=(
        "The simplest optimiser: write n answers and keep the one that the reward model likes "
        "most. It needs no training. With 576 possible answers the result is known exactly for "
        "every n, and so is its KL divergence from the reference, which is at most "
        "log n - (n-1)/n: even 4,096 answers move the policy only about 7.3 nats. Equal rewards "
        "are split as the reference would. The reward is fitted to comparisons of short answers; "
        "a large n looks for the answers that it was never tested on."
    ),
    controls=(
        Slider(
            "n", "n, answers of which the best is kept", _N_MAX, 1, _N_MAX, log=True, whole=True
        ),
        rater_choice("hurried"),
        Slider("labels", "comparisons learned from", 100, 20, 2000, log=True, whole=True),
        Slider("rounding", "reward rounded to multiples of (0: not)", 0.0, 0.0, 3.0, step=0.25),
    ),
    run=run,
    questions=(
        Question(
            "From the n at which true quality peaks up to n = 4,096: what does it do?",
            (
                "It stays at its peak",
                "It falls, but stays above that of one answer",
                "It falls below that of one answer",
            ),
            _more_samples,
        ),
    ),
    sources=(
        "Stiennon et al. (2020), arXiv:2009.01325",
        "Gao, Schulman and Hilton (2022), arXiv:2210.10760",
    ),
)
