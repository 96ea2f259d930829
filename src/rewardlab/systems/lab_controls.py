"""Controls that the systems of the lab's world share."""

from __future__ import annotations

from rewardlab.systems.controls import Choice, Slider
from rewardlab.worlds.lab_raters import Rater

THUMBS = Slider("thumbs_weight", "weight of thumbs-up", 0.0, 0.0, 1.0, step=0.05)


def rater_choice(default: Rater) -> Choice:
    """Whose taste the comparisons follow."""
    return Choice(
        "rater",
        "who compares the answers",
        default,
        {
            "careful": "careful: by the rubric",
            "hurried": "hurried: also likes length, a confident tone and flattery",
        },
    )


def labellers(rater: str, thumbs_weight: float) -> str:
    """Whose taste the labels follow, in words."""
    if thumbs_weight == 1:
        return "thumbs-up alone"
    mixed = f" with {thumbs_weight:.0%} thumbs-up" if thumbs_weight else ""
    return f"the {rater} rater{mixed}"
