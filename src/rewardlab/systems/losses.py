"""E1, links and losses: what a loss makes of the reward gap of one compared pair."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.rewards.losses import LLAMA2_MARGINS, Link, logistic, noise_floor, pair_loss, probit
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System, Table
from rewardlab.systems.drawing import other_line, place, row_table
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
    here = np.array([gap])
    at, plain = pair_loss(here, label=label, margin=margin, link=chosen), logistic(here)
    pull, plain_pull = -float(at.gradient[0]), -float(plain.gradient[0])
    p, highest, lowest = _probability(chosen, np.array([gap, _FAR, -_FAR])).tolist()
    apart = np.abs(_probability(logistic, _GAPS) - _probability(probit(sigma), _GAPS))
    return Result(
        sentence=(
            f"{_named(link, margin, eps, label)} pulls a pair at reward gap {gap:g} "
            f"{'apart' if pull >= 0 else 'together'} with {abs(pull):.3f}, where plain "
            f"Bradley-Terry pulls it apart with {plain_pull:.3f}."
        ),
        quantities=(
            Quantity("probability", "chance that a vote prefers the first response", p, "share"),
            Quantity("loss", "loss of this pair", float(at.loss[0]), "nats"),
            Quantity("pull", "pull apart on the two rewards (below 0: together)", pull),
            Quantity("plain_loss", "plain Bradley-Terry loss", float(plain.loss[0]), "nats"),
            Quantity("plain_pull", "plain Bradley-Terry pull", plain_pull),
            Quantity("highest", "highest probability at any gap", highest, "share"),
            Quantity("lowest", "lowest probability at any gap", lowest, "share"),
            Quantity("links_apart", "most that logistic and probit differ", float(apart.max())),
        ),
        chart=_chart(chosen, label, margin, gap),
        table=_schedules(chosen, gap),
    )


def _probability(link: Link, gap: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-link(gap).loss))


def _named(link: str, margin: float, eps: float, label: float) -> str:
    parts = [f"a margin of {margin:.3g}"] if margin else []
    parts += [f"{eps:.0%} coin votes"] if eps else []
    parts += [f"a label of {label:.3g}"] if label < 1 else []
    return f"The {link} loss{' with ' * bool(parts)}{' and '.join(parts)}"


def _chart(chosen: Link, label: float, margin: float, gap: float) -> LineChart:
    these, plain = pair_loss(_GAPS, label=label, margin=margin, link=chosen), logistic(_GAPS)

    def panel(y_label: str, y: FloatArray, of_plain: FloatArray, *, percent: bool = False) -> Panel:
        lines = (other_line("plain", _GAPS, of_plain), Line("this loss", _GAPS, y))
        return Panel(y_label, lines, percent, height=120)

    return LineChart(
        panels=(
            panel(
                "chance that a vote prefers the first response",
                _probability(chosen, _GAPS),
                _probability(logistic, _GAPS),
                percent=True,
            ),
            panel("loss (nats)", these.loss, plain.loss),
            panel("pull apart on the rewards", -these.gradient, -plain.gradient),
        ),
        x_label="reward of the first response less that of the second (logits)",
        mark=place(gap, f"gap {gap:g}"),
    )


def _schedules(chosen: Link, gap: float) -> Table:
    """Both published margin schedules at this gap."""

    def pull(margin: float) -> float:
        return -float(pair_loss(np.array([gap]), margin=margin, link=chosen).gradient[0])

    return row_table(
        ("rater said", "small margin", "pull with it", "large margin", "pull with that"),
        (
            (strength, small, pull(small), large, pull(large))
            for strength, small, large in zip(_STRENGTHS, *LLAMA2_MARGINS.values(), strict=True)
        ),
    )


def _compared(pull: float, plain: float) -> int:
    """0 if it is larger, 1 if about the same, 2 if smaller."""
    return 1 if abs(pull - plain) <= 0.05 else 0 if pull > plain else 2


def _confidently_wrong() -> Answer:
    result = run(gap=-6.0)
    pull, plain = result.value("pull"), result.value("plain_pull")
    return Answer(
        _compared(pull, plain),
        f"At a gap of -6 the plain loss pulls with {plain:.3f}. If one vote in ten may be a coin "
        f"the pull is {pull:.3f}: a vote against so large a gap says more about the coin.",
    )


def _solved_pair() -> Answer:
    result = run(margin=3.0, eps=0.0, gap=2.0)
    pull, plain = result.value("pull"), result.value("plain_pull")
    return Answer(
        _compared(pull, plain),
        f"The pull is {pull:.3f} with a margin of 3 and {plain:.3f} without.",
    )


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
