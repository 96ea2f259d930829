"""E1c, ties: how they arise, and what each way to count them does to a reward's scale."""

from __future__ import annotations

import numpy as np

from rewardlab.plots.chart import LineChart
from rewardlab.plots.series import Line, Panel
from rewardlab.rewards.tie_counting import TieModel, VoteShares, vote_shares
from rewardlab.systems.controls import Choice, Slider
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import column_table, gold_line, other_line, place

_GAPS = np.linspace(0.0, 5.0, 101)
_SHOWN = np.array([0.5, 1.0, 2.0, 3.0, 4.0])


def run(ties: float = 0.3, model: TieModel = "davidson", gap: float = 2.0) -> Result:
    """The reward gap that a fit finds when ties are halves, or dropped.

    Args:
        ties: Share of ties between equal responses.
        model: "davidson": the more alike, the likelier a tie; "rao-kupper": differences below a
            threshold are not seen.
        gap: True reward of the better response less that of the other, in logits.
    """
    at = vote_shares(np.array([gap]), model=model, ties=ties)
    halves, dropped = float(at.gap_with_halves()[0]), float(at.gap_without_ties()[0])
    shown = vote_shares(_SHOWN, model=model, ties=ties)
    return Result(
        sentence=(
            f"{at.tie[0]:.0%} of votes tie at a true gap of {gap:g}: counted as half a win each "
            f"they leave a fitted gap of {halves:.2f}, dropped {dropped:.2f}."
        ),
        quantities=(
            Quantity("a_wins", "votes for the better response", float(at.a[0]), "share"),
            Quantity("b_wins", "votes for the other", float(at.b[0]), "share"),
            Quantity("tied", "ties", float(at.tie[0]), "share"),
            Quantity("gap_with_halves", "fitted gap, a tie being half a win", halves, "logits"),
            Quantity("gap_without_ties", "fitted gap, ties dropped", dropped, "logits"),
            Quantity("halves_scale", "fitted over true gap, a tie being half a win", halves / gap),
            Quantity("dropped_scale", "fitted over true gap, ties dropped", dropped / gap),
        ),
        chart=_chart(vote_shares(_GAPS, model=model, ties=ties), gap),
        table=column_table(
            {
                "true gap": _SHOWN,
                "ties": shown.tie,
                "fitted, halves": shown.gap_with_halves(),
                "fitted, dropped": shown.gap_without_ties(),
            }
        ),
    )


def _chart(at: VoteShares, gap: float) -> LineChart:
    votes = (
        Line("for the better", _GAPS, at.a),
        gold_line("ties", _GAPS, at.tie),
        other_line("for the other", _GAPS, at.b, "dotted"),
    )
    fitted = (
        other_line("true", _GAPS, _GAPS, "dotted"),
        Line("ties as halves", _GAPS, at.gap_with_halves()),
        gold_line("ties dropped", _GAPS, at.gap_without_ties()),
    )
    return LineChart(
        panels=(
            Panel("votes", votes, percent=True, height=150),
            Panel("fitted gap (logits)", fitted, height=150),
        ),
        x_label="true gap between the two rewards (logits)",
        mark=place(gap, f"gap {gap:g}"),
    )


def _halves() -> Answer:
    result = run(ties=0.5)
    scale = result.value("halves_scale")
    choice = 0 if scale > 1.05 else (1 if scale > 0.95 else 2)
    return Answer(
        choice,
        f"The fitted gap is {scale:.2f} of the true one: a tie says that both are alike, and half "
        "a win each says so even of a pair that differs.",
    )


def _dropped() -> Answer:
    alike, unseen = run(), run(model="rao-kupper")
    a, b = alike.value("dropped_scale"), unseen.value("dropped_scale")
    choice = 0 if a > 1.01 and b > 1.01 else (1 if b > 1.01 else 2)
    return Answer(
        choice,
        f"Under Davidson's model the fitted gap is {a:.2f} of the true one, under Rao and Kupper's "
        f"{b:.2f}: there the votes that clear the threshold favour the better one more than all "
        "votes would.",
    )


SYSTEM = System(
    row="E1c",
    name="ties",
    title="How ties count",
    sentence="Counting a tie as half a win shrinks rewards; dropping ties can stretch them.",
    paragraph=(
        "Raters often say that two responses are equally good. Bradley-Terry has no place for "
        "that, so ties are counted as half a win for each side, or dropped. Two models say how "
        "ties arise. In Davidson's, a tie is a third outcome, likelier the closer the pair. In Rao "
        "and Kupper's, a rater sees no difference below a threshold. With endless votes the fitted "
        "gap is known exactly: halves shrink it under both, while dropping ties is exact under "
        "Davidson's and too much under Rao and Kupper's. Either way the order stays; the scale "
        "does not, nor the weight of a KL penalty beside it."
    ),
    controls=(
        Slider("ties", "share of ties between equal responses", 0.3, 0.0, 0.9),
        Choice(
            "model",
            "how ties arise",
            "davidson",
            {
                "davidson": "the closer, the likelier (Davidson)",
                "rao-kupper": "below a threshold nothing is seen (Rao and Kupper)",
            },
        ),
        Slider("gap", "true gap between the two rewards", 2.0, 0.1, 5.0, step=0.1),
    ),
    run=run,
    questions=(
        Question(
            "Half of all votes on equal responses are ties, each counted as half a win. How large "
            "is a fitted gap beside the true one?",
            ("Larger", "About the same", "Smaller"),
            _halves,
        ),
        Question(
            "Ties are dropped instead. Is the fitted gap too large?",
            ("Yes, always", "It depends on how ties arise", "No, never"),
            _dropped,
        ),
    ),
    sources=("Davidson (1970), JASA 65, 317-328", "Rao and Kupper (1967), JASA 62, 194-204"),
)
