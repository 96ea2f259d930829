"""The lab's six guided experiments: settings that show something, and where to look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewardlab.experiments.lab_policies import RunSettings
from rewardlab.systems.lab_methods import default_run
from rewardlab.worlds.lab_raters import Rater

PROMPT = "coding"
N_LABELS = 100
FEW_LABELS = 8
BY_HAND = 30
SEED = 3


Stage = Literal["collect", "fit", "optimise"]


@dataclass(frozen=True, slots=True)
class Beside:
    """A run to show beside an experiment's own.

    Attributes:
        name: What its line is called.
        run: How the policy is optimised.
        rater: Whose labels it climbs, with the experiment's seed; None for the experiment's own.
    """

    name: str
    run: RunSettings
    rater: Rater | None = None


@dataclass(frozen=True, slots=True)
class Guided:
    """One experiment.

    Attributes:
        number: 1 to 6.
        title: A few words.
        does: What its button does.
        look_at: What to look at, and what is seen there.
        rater: Who labels.
        n: How many pairs are labelled.
        run: How the policy is optimised then.
        beside: A run to show beside it; None for none.
        stage: Where its text stands: by the stage to look at.
        labels_by_hand: True if the visitor labels.
        reseeds: True if what is to be seen shows with another seed too, and best then.
    """

    number: int
    title: str
    does: str
    look_at: str
    rater: Rater
    n: int
    run: RunSettings
    beside: Beside | None = None
    stage: Stage = "optimise"
    labels_by_hand: bool = False
    reseeds: bool = False


_FREE = default_run("natural_gradient", seed=SEED)
_LEASHED = default_run("natural_gradient", beta=1.0, seed=SEED)

EXPERIMENTS = (
    Guided(
        1,
        "Watch a reward get hacked",
        "The hurried rater labels 100 pairs; then the policy climbs the learned reward with no "
        "penalty for moving away (beta 0).",
        "The learned reward climbs all the way. True quality peaks early, then falls below its "
        "start. Read the answer that the policy prefers at the end: it is long, very sure and "
        "flattering.",
        "hurried",
        N_LABELS,
        _FREE,
    ),
    Guided(
        2,
        "Rescue it with a penalty",
        "The same labels, now with a price on moving away from the reference: beta 1.",
        "The policy stops near the peak of the run without a penalty, and keeps its quality. "
        "Sweep beta to see where true quality ends highest.",
        "hurried",
        N_LABELS,
        _LEASHED,
        beside=Beside("without a penalty", _FREE),
    ),
    Guided(
        3,
        "Honest labels are not enough",
        "The careful rater, who goes by the hidden rubric alone, labels 100 pairs; then the policy "
        "climbs with no penalty. The dotted line is the same with the hurried rater's labels.",
        "The damage is smaller than with the hurried rater, but true quality still falls from its "
        "peak. Feature drift shows why: length runs to its end. A weight can only say longer or "
        "shorter without end, while the rubric likes about 150 words. How much is lost depends on "
        "the labels: with some seeds little, with others all that was gained and more.",
        "careful",
        N_LABELS,
        _FREE,
        beside=Beside("hurried rater", _FREE, rater="hurried"),
    ),
    Guided(
        4,
        "Label it yourself",
        "All labels are put away, and you judge 30 pairs by hand.",
        "Reveal the hidden rubric and compare it with your weights. Which features did you reward "
        "without meaning to?",
        "careful",
        BY_HAND,
        _FREE,
        stage="collect",
        labels_by_hand=True,
    ),
    Guided(
        5,
        "Best of n beside RL",
        "The same labels as in experiment 1; best of n picks from up to 4,096 answers by the "
        "reward that RL climbed.",
        "In both, true quality rises and then falls. Best of n peaks further from the reference "
        "than RL, and higher; from there RL falls deeper.",
        "hurried",
        N_LABELS,
        default_run("best_of_n", seed=SEED),
        beside=Beside("RL (natural gradient)", _FREE),
    ),
    Guided(
        6,
        "Small data, wild weights",
        "The hurried rater labels only 8 pairs; then the policy climbs with no penalty.",
        "Held-out accuracy rests on a single pair, and the weights have no intervals yet. Take "
        "another seed, which draws other pairs, and watch the weights swing, some from plus to "
        "minus.",
        "hurried",
        FEW_LABELS,
        _FREE,
        stage="fit",
        reseeds=True,
    ),
)
