"""E1, links and losses: what a loss makes of the reward gap of one compared pair."""

from __future__ import annotations

import math

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Mark, Panel
from rewardlab.rewards.losses import (
    LLAMA2_MARGINS,
    Link,
    LossTerms,
    logistic,
    noise_floor,
    pair_loss,
    probit,
)
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.types import FloatArray

_GAPS = np.linspace(-6.0, 6.0, 121)
_FAR = 1e3
_STRENGTHS = ("significantly better", "better", "slightly better", "negligibly better or unsure")


def run(
    link: str = "logistic",
    margin: float = 0.0,
    eps: float = 0.1,
    label: float = 1.0,
    sigma: float = 1.2035,
    gap: float = -4.0,
) -> Result:
    """Probability, loss and pull at one gap, and over all gaps, beside plain Bradley-Terry.

    Args:
        link: "logistic" (Bradley-Terry) or "probit" (Thurstone).
        margin: By how much the winner must be ahead before the loss relaxes, in logits.
        eps: Share of votes that are taken to be a coin.
        label: Probability that the first response is better; 1/2 for a tie.
        sigma: Deviation of the probit's noise on each response.
        gap: Reward of the first response less that of the second.
    """
    chosen = noise_floor(eps, logistic if link == "logistic" else probit(sigma))
    at = pair_loss(np.array([gap]), label=label, margin=margin, link=chosen)
    plain = logistic(np.array([gap]))
    p = _probability(chosen, np.array([gap, _FAR, -_FAR]))
    apart = np.abs(_probability(logistic, _GAPS) - _probability(probit(sigma), _GAPS))
    quantities = (
        Quantity("probability", "chance that a vote prefers the first response", p[0], "share"),
        Quantity("loss", "loss of this pair", float(at.loss[0]), "nats"),
        Quantity("pull", "pull apart on the two rewards", -float(at.gradient[0])),
        Quantity("plain_loss", "plain Bradley-Terry loss", float(plain.loss[0]), "nats"),
        Quantity("plain_pull", "plain Bradley-Terry pull", -float(plain.gradient[0])),
        Quantity("highest", "highest probability at any gap", p[1], "share"),
        Quantity("lowest", "lowest probability at any gap", p[2], "share"),
        Quantity("links_apart", "most that logistic and probit differ", float(apart.max())),
    )
    return Result(
        sentence=_sentence(link, margin, eps, label, gap, at, plain),
        quantities=quantities,
        chart=_chart(chosen, label, margin, gap),
        table=_schedules(chosen, gap),
    )


def _probability(link: Link, gap: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-link(gap).loss))


def _sentence(
    link: str,
    margin: float,
    eps: float,
    label: float,
    gap: float,
    at: LossTerms,
    plain: LossTerms,
) -> str:
    name = "The logistic loss" if link == "logistic" else "The probit loss"
    parts = [f"a margin of {margin:.3g}"] if margin else []
    parts += [f"{eps:.0%} coin votes"] if eps else []
    parts += [f"a label of {label:.3g}"] if label < 1 else []
    settings = f" with {' and '.join(parts)}" if parts else ""
    return (
        f"{name}{settings} pulls on a pair at reward gap {gap:g} with {-at.gradient[0]:.3f}, "
        f"where plain Bradley-Terry pulls with {-plain.gradient[0]:.3f}."
    )


def _chart(chosen: Link, label: float, margin: float, gap: float) -> LineChart:
    these = pair_loss(_GAPS, label=label, margin=margin, link=chosen)
    plain = logistic(_GAPS)

    def lines(y: FloatArray, of_plain: FloatArray) -> tuple[Line, Line]:
        return (
            Line("plain", _GAPS, of_plain, tone="other", stroke="dashed"),
            Line("this loss", _GAPS, y),
        )

    return LineChart(
        panels=(
            Panel(
                "chance that a vote prefers the first response",
                lines(_probability(chosen, _GAPS), _probability(logistic, _GAPS)),
                percent=True,
                height=110,
            ),
            Panel("loss (nats)", lines(these.loss, plain.loss), height=150),
            Panel("pull apart on the rewards", lines(-these.gradient, -plain.gradient), height=110),
        ),
        x_label="reward of the first response less that of the second (logits)",
        mark=Mark(gap, math.nan, math.nan, f"gap {gap:g}"),
    )


def _schedules(chosen: Link, gap: float) -> Table:
    """Both published margin schedules at this gap."""
    rows = []
    for strength, small, large in zip(_STRENGTHS, *LLAMA2_MARGINS.values(), strict=True):
        pulls = [
            -float(pair_loss(np.array([gap]), margin=m, link=chosen).gradient[0])
            for m in (small, large)
        ]
        rows.append((strength, small, pulls[0], large, pulls[1]))
    columns = ("rater said", "small margin", "pull", "large margin", "pull with it")
    return Table(columns, tuple(rows))


def _confidently_wrong() -> Answer:
    floored, plain = run(gap=-6.0), run(eps=0.0, gap=-6.0)
    a, b = floored.value("pull"), plain.value("pull")
    choice = 0 if a > b + 0.05 else (1 if abs(a - b) <= 0.05 else 2)
    return Answer(
        choice,
        f"At a gap of -6 the plain loss pulls with {b:.3f}; if one vote in ten may be a coin, the "
        f"pull is {a:.3f}, since such a vote is more likely a slip than news.",
    )


def _solved_pair() -> Answer:
    ahead = run(margin=3.0, eps=0.0, gap=2.0)
    a, b = ahead.value("pull"), ahead.value("plain_pull")
    choice = 0 if a > b + 0.05 else (1 if abs(a - b) <= 0.05 else 2)
    return Answer(choice, f"The pull is {a:.3f} with a margin of 3 and {b:.3f} without.")


SYSTEM = System(
    row="E1",
    name="losses",
    title="Links and losses",
    sentence="How a margin, a noise floor or a soft label changes what a pair teaches a reward.",
    paragraph=(
        "A reward model is trained on pairs: someone said that one response is better. Its loss "
        "depends only on the gap between the two rewards, and the slope of the loss is the pull "
        "that drives them apart. Plain Bradley-Terry pulls hardest on pairs that the model has "
        "confidently wrong, which are often slips of the rater. A noise floor says that some votes "
        "are a coin: no outcome is impossible, and the pull on hopeless pairs fades. A margin "
        "keeps pulling on pairs that are already in order. The probit comes from Gaussian instead "
        "of Gumbel noise in the rater's eye; rescaled, the two links can hardly be told apart."
    ),
    controls=(
        Choice(
            "link",
            "noise in the rater's eye",
            "logistic",
            {"logistic": "Gumbel (Bradley-Terry)", "probit": "Gaussian (Thurstone)"},
        ),
        Slider("margin", "margin, in logits", 0.0, 0.0, 3.0),
        Slider("eps", "share of votes that are a coin", 0.1, 0.0, 0.6),
        Slider("label", "label: chance that the first is better", 1.0, 0.5, 1.0),
        Slider("sigma", "deviation of the Gaussian noise (Thurstone)", 1.2035, 0.2, 4.0, log=True),
        Slider("gap", "reward gap of the pair", -4.0, -6.0, 6.0, step=0.1),
    ),
    run=run,
    questions=(
        Question(
            "A model has a pair confidently wrong. One vote in ten may be a coin, and the loss "
            "knows it. How hard does the pair pull, compared with plain Bradley-Terry?",
            ("Harder", "As hard", "Much less"),
            _confidently_wrong,
        ),
        Question(
            "A pair is already in order, 2 logits apart, and its margin is raised to 3. What "
            "happens to its pull?",
            ("It grows", "It stays about the same", "It fades"),
            _solved_pair,
        ),
    ),
    sources=(
        "Bradley and Terry (1952), Biometrika 39, 324-345",
        "Thurstone (1927), Psychological Review 34, 273-286",
        "Christiano et al. (2017), arXiv:1706.03741",
        "Touvron et al. (2023), arXiv:2307.09288",
    ),
)
