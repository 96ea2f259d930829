"""C2b, PPO's clip: where it takes the slope away, and that one pass makes it inert."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Mark, Panel
from rewardlab.policies.distributions import total_variation
from rewardlab.policies.ppo import PpoConfig, PpoRun, ppo, surrogate, surrogate_slope
from rewardlab.systems.controls import Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import other_line, row_table
from rewardlab.types import FloatArray
from rewardlab.worlds.leash import leash_reward, leash_world

_RATIOS = np.linspace(0.0, 2.0, 2001)
_DRAWN = _RATIOS[::10]
_N_STEPS = 10


def run(
    clip: float = 0.2,
    n_passes: int = 4,
    n_minibatches: int = 1,
    step_size: float = 2.0,
    *,
    rng: np.random.Generator,
) -> Result:
    """The surrogate and its slope, and how many answers a real run clips in each pass.

    Args:
        clip: eps.
        n_passes: Passes over each batch of 64 answers.
        n_minibatches: Parts of a batch that are stepped on one after the other.
        step_size: Of the policy's logits.
        rng: Draws the answers.
    """
    config = PpoConfig(
        clip=clip,
        n_passes=n_passes,
        n_minibatches=n_minibatches,
        step_size=step_size,
        n_steps=_N_STEPS,
    )
    with_clip, without = _with_and_without(config, rng)
    raised, lowered = (surrogate_slope(_RATIOS, np.array(a), clip) != 0 for a in (1.0, -1.0))
    shares = with_clip.clipped_share.mean(axis=0)
    kl, free_kl = (float(r.optimised.path.kl_nats[1]) for r in (with_clip, without))
    difference = total_variation(with_clip.optimised.logprobs, without.optimised.logprobs)
    quantities = (
        Quantity("upper_edge", "ratio at which raising stops paying", _RATIOS[raised].max()),
        Quantity("lower_edge", "ratio at which lowering stops paying", _RATIOS[lowered].min()),
        Quantity("first_pass", "answers clipped in the first pass", float(shares[0]), "share"),
        Quantity("last_pass", "answers clipped in the last pass", float(shares[-1]), "share"),
        Quantity("first_kl", "KL after the first batch", kl, "nats"),
        Quantity("first_kl_unclipped", "KL after the first batch without a clip", free_kl, "nats"),
        Quantity("difference", "distance of the final policy from one without a clip", difference),
    )
    return Result(
        sentence=_sentence(clip, shares, difference),
        quantities=quantities,
        chart=_chart(clip),
        table=row_table(("pass over a batch", "answers clipped"), enumerate(shares, 1)),
    )


def _with_and_without(config: PpoConfig, rng: np.random.Generator) -> tuple[PpoRun, PpoRun]:
    """The same run, from the same seed, with the clip and without one."""
    seed = int(rng.integers(2**32))
    world, reward = leash_world(), leash_reward()
    clipped, free = (
        ppo(world, reward, config=chosen, rng=np.random.default_rng(seed))
        for chosen in (config, replace(config, clip=np.inf))
    )
    return clipped, free


def _chart(clip: float) -> LineChart:
    return LineChart(
        panels=(
            Panel("what the surrogate pays", _lines(surrogate, clip)),
            Panel("its slope", _lines(surrogate_slope, clip), height=90),
        ),
        x_label="probability of the answer now / when it was drawn",
        mark=Mark(1.0, 1 - clip, 1 + clip, "each batch starts at 1"),
    )


def _lines(
    of: Callable[[FloatArray, FloatArray, float], FloatArray], clip: float
) -> tuple[Line, Line]:
    up, down = (of(_DRAWN, np.full_like(_DRAWN, advantage), clip) for advantage in (1.0, -1.0))
    return Line("advantage +1", _DRAWN, up), other_line("advantage -1", _DRAWN, down)


def _sentence(clip: float, shares: FloatArray, difference: float) -> str:
    edges = (
        f"A clip of {clip:g} stops paying above a ratio of {1 + clip:.3g} where the advantage is "
        f"positive and below {1 - clip:.3g} where it is negative"
    )
    passes = "1 pass" if len(shares) == 1 else f"{len(shares)} passes"
    if difference == 0 and not shares.any():
        acts = "never acts, and the policy ends exactly as it would without it"
    elif len(shares) == 1:
        acts = f"acts on {shares[0]:.1%} of answers, in later minibatches"
    else:
        acts = f"acts on {shares[0]:.1%} of answers in the first and {shares[-1]:.1%} in the last"
    return f"{edges}; with {passes} over each batch it {acts}."


def _one_pass() -> Answer:
    result = run(n_passes=1, rng=np.random.default_rng(0))
    share, moved = result.value("first_pass"), result.value("difference")
    return Answer(
        2 if share == moved == 0 else (1 if share < 0.1 else 0),
        f"{share:.0%} of answers are clipped, and the final policy is {moved:g} away from one "
        "trained without a clip: at the only gradient every ratio is still 1.",
    )


def _bad_move() -> Answer:
    slope = float(surrogate_slope(np.array(1.5), np.array(-1.0), 0.2))
    return Answer(
        0 if slope < 0 else 1,
        f"Its slope is {slope:g}: the clip only stops moves that have gone far enough the right "
        "way, and this one went the wrong way.",
    )


SYSTEM = System(
    row="C2b",
    name="ppo-clip",
    title="PPO's clip",
    sentence="The clip stops paying for moves that went far; in one whole pass it never acts.",
    paragraph=(
        "PPO draws a batch of answers and uses it for several gradient steps. After the first, the "
        "policy is no longer the one that drew them; the ratio says how much likelier an answer "
        "has become. An answer with a positive advantage earns nothing more once its ratio is "
        "above 1 + clip, one with a negative advantage nothing once it is below 1 - clip. On the "
        "other sides the slope stays, so that wrong moves can be undone. At the first gradient "
        "every ratio is 1: with a single pass over a batch, taken whole, the clip cannot act. Cut "
        "into minibatches, later parts of the first pass already see a moved policy."
    ),
    controls=(
        Slider("clip", "clip, as a distance from a ratio of 1", 0.2, 0.01, 0.9, step=0.01),
        Slider("n_passes", "passes over a batch", 4, 1, 10, whole=True),
        Slider("n_minibatches", "minibatches in a pass", 1, 1, 8, whole=True),
        Slider("step_size", "step size", 2.0, 0.1, 5.0, log=True),
    ),
    run=run,
    questions=(
        Question(
            "Each batch is passed over once, whole. How often does the clip act?",
            ("On many answers", "On a few", "Never"),
            _one_pass,
        ),
        Question(
            "An answer with a negative advantage has become 1.5 times likelier; the clip is 0.2. "
            "Does the surrogate still push it down?",
            ("Yes", "No, it is outside the clip"),
            _bad_move,
        ),
    ),
    sources=("Schulman et al. (2017), arXiv:1707.06347",),
)
