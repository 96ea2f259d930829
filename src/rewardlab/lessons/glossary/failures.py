"""Words about what goes wrong when a measure is pressed, and what is done about it."""

from __future__ import annotations

from rewardlab.lessons.glossary.entry import Entry

ENTRIES = (
    Entry(
        "Over-optimisation",
        "Raising the reward past the point where the real goal peaks. The reward goes on rising; "
        "the goal falls.",
        ("guided-experiments", "scaling-laws", "beta-sweep"),
        ("law-best-of-n", "law-rl"),
        card=True,
    ),
    Entry(
        "Goodhart's law",
        "When a measure becomes a target, it ceases to be a good measure. There are four ways for "
        "that to happen.",
        ("goodhart",),
    ),
    Entry(
        "Regressional Goodhart",
        "Choosing by a noisy measure also chooses luck, so the goal gains less than the measure. "
        "Normal noise never turns the goal down; noise with heavy tails can undo the whole gain.",
        ("goodhart", "hackable-feature"),
        ("shrinkage",),
        card=True,
    ),
    Entry(
        "Extremal Goodhart",
        "Far from the usual, measure and goal part: longer is better up to a point.",
        ("goodhart", "beta-sweep"),
        card=True,
    ),
    Entry(
        "Causal Goodhart",
        "The measure goes along with the goal without bringing it about, so raising the one does "
        "not raise the other.",
        ("goodhart",),
        card=True,
    ),
    Entry(
        "Adversarial Goodhart",
        "Somebody, or some policy, looks for what the measure gets wrong and makes that.",
        ("goodhart", "exploitable-verifier"),
        card=True,
    ),
    Entry(
        "Reward hacking",
        "Scoring high in a way that was not meant. The policy is not cheating by its own lights: "
        "it was asked for the score.",
        ("special-cased-tests", "leash", "boat-race"),
        card=True,
    ),
    Entry(
        "Specification gaming",
        "Doing what the words of a goal say and not what they mean, like the boat that circles for "
        "targets.",
        ("boat-race",),
    ),
    Entry(
        "Exploit",
        "An input made to be misjudged. A few exploits at the top do more harm than many random "
        "errors.",
        ("exploitable-verifier",),
    ),
    Entry(
        "Special-casing",
        "Passing tests by recognising them, without solving the task.",
        ("special-cased-tests",),
    ),
    Entry(
        "Hidden tests",
        "Tests that are not used as reward. They show whether passing the visible ones means "
        "anything.",
        ("special-cased-tests",),
    ),
    Entry(
        "Length bias",
        "Paying for length itself. Length varies a lot between answers, which makes it cheap for a "
        "policy to change.",
        ("length-geometry", "label-and-fit"),
        ("length-shift",),
        card=True,
    ),
    Entry(
        "ODIN",
        "A reward with two heads, one for length and one for the rest; the length head is dropped "
        "in training the policy.",
        ("length-geometry",),
    ),
    Entry(
        "Sycophancy",
        "Telling people what they want to hear. A slight taste for it in the votes becomes near "
        "certainty when the leash is loose.",
        ("sycophancy",),
        ("gibbs",),
        card=True,
    ),
    Entry(
        "Spurious feature",
        "Something that goes along with good answers in the data without making them good.",
        ("hackable-feature", "label-and-fit"),
    ),
    Entry(
        "Scaling law",
        "A simple formula for how the goal moves with distance: d(a − b d) for best-of-n and "
        "d(a − b log d) for RL.",
        ("scaling-laws",),
        ("law-best-of-n", "law-rl"),
        card=True,
    ),
    Entry(
        "Refresh",
        "Collecting new votes on the current policy's answers and refitting the reward, so that "
        "it knows where the policy now is.",
        ("scaling-laws", "raters"),
    ),
    Entry(
        "Conservative reward",
        "A reward that charges for its own uncertainty: the least of several models, or their mean "
        "less how much they disagree.",
        ("conservative-rewards",),
        ("conservative-reward",),
    ),
    Entry(
        "Early stopping",
        "Ending optimisation near the peak of the goal. It takes a measure of the goal to know "
        "where that is.",
        ("guided-experiments", "six-hundred-answers"),
    ),
    Entry(
        "Lucky solution",
        "Wrong steps that end in the right answer. A reward for outcomes pays it in full.",
        ("process-rewards",),
    ),
    Entry(
        "Monte-Carlo label",
        "A label for a step, made by completing the solution several times from there and counting "
        "the successes.",
        ("process-rewards",),
        ("hard-label",),
    ),
)
