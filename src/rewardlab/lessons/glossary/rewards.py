"""Words about reward models, the data they learn from, and how they are judged."""

from __future__ import annotations

from rewardlab.lessons.glossary.entry import Entry

ENTRIES = (
    Entry(
        "Reward model",
        "A model that gives a response a number: the higher, the better it should be. It is "
        "learned from people's choices and then stands in for them.",
        ("tiny-rater", "label-and-fit"),
        ("bradley-terry",),
        card=True,
    ),
    Entry(
        "Reward",
        "The number that training tries to raise. It is what a model or a program gives, not "
        "what anybody wants.",
        ("leash",),
        ("objective",),
    ),
    Entry(
        "Gold",
        "The real goal, or the best measure of it there is. In these small worlds it is known; "
        "outside them it has to be asked of people.",
        ("guided-experiments", "scaling-laws"),
        card=True,
    ),
    Entry(
        "Proxy",
        "What is optimised in place of the real goal, such as a learned reward. It agrees with "
        "the goal where it was learned, and less elsewhere.",
        ("hackable-feature",),
        ("shrinkage",),
        card=True,
    ),
    Entry(
        "Preference",
        "A choice between two responses to the same prompt: this one rather than that one.",
        ("six-responses",),
    ),
    Entry(
        "Prompt",
        "What a model is asked. Responses to one prompt can be compared; rewards of different "
        "prompts have no common zero.",
    ),
    Entry("Response", "What a model writes to a prompt; also called a completion or an answer."),
    Entry(
        "Chosen and rejected",
        "The two sides of a preference: the response that was preferred and the one that was not.",
        ("dpo",),
    ),
    Entry("Label", "What a rater said of a pair. A label is a fact about the rater first."),
    Entry(
        "Rater",
        "A person, or a model in a person's place, who compares responses. What a rater likes is "
        "what a reward model learns, haste and all.",
        ("raters", "tiny-rater"),
    ),
    Entry(
        "Bradley-Terry",
        "The model behind most reward models: the chance of being preferred is a logistic "
        "function of the difference of two rewards.",
        ("six-responses", "losses"),
        ("bradley-terry", "bradley-terry-loss"),
        card=True,
    ),
    Entry(
        "Logit",
        "The logarithm of odds, log(p / (1 − p)). Bradley-Terry rewards are measured in it: one "
        "logit more multiplies the odds by e.",
        ("losses",),
        ("bradley-terry",),
        card=True,
    ),
    Entry(
        "Margin",
        "The reward of the chosen response less that of the rejected one; also how large a loss "
        "asks that difference to be.",
        ("losses",),
        ("margin-loss",),
    ),
    Entry(
        "Probit",
        "The normal curve in place of the logistic one: what follows if each response is seen "
        "with Gaussian noise. In practice the two are hard to tell apart.",
        ("losses",),
        ("probit",),
    ),
    Entry(
        "Plackett-Luce",
        "Bradley-Terry for whole rankings: the first place is a choice among all, the second a "
        "choice among the rest, and so on.",
        ("rankings",),
        ("plackett-luce",),
    ),
    Entry(
        "Elo",
        "Ratings that move after every game. Each move is one gradient step on the Bradley-Terry "
        "likelihood, so the result depends on the order of games.",
        ("elo",),
        ("elo",),
    ),
    Entry(
        "Tie",
        "A vote for neither side. Counting ties as half a win shrinks rewards; dropping them can "
        "stretch them.",
        ("ties",),
    ),
    Entry(
        "Soft label",
        "A probability in place of a vote: 0.8 says that the first is better with that chance.",
        ("losses",),
    ),
    Entry(
        "Noise floor",
        "A share of votes taken to be coins, so that no vote is ever impossible and a wrong label "
        "cannot pull without limit.",
        ("losses",),
        ("noise-floor",),
    ),
    Entry(
        "Identifiability",
        "What the data can pin down at all. Comparisons fix rewards only up to a constant for "
        "each prompt: adding 5 to all responses to one prompt changes nothing.",
        ("six-responses",),
        ("bradley-terry",),
        card=True,
    ),
    Entry(
        "Separation",
        "A feature, or a mix of them, that predicts every vote. The likelihood then has no "
        "maximum: weights run off to infinity.",
        ("tiny-rater",),
    ),
    Entry(
        "Agreement",
        "How often two raters choose the same side of a pair.",
        ("ceiling",),
        ("ceiling",),
    ),
    Entry(
        "Ceiling",
        "The highest accuracy that any reward can reach on noisy votes. It is below 100% because "
        "the votes themselves disagree.",
        ("ceiling", "six-responses"),
        ("ceiling",),
        card=True,
    ),
    Entry(
        "Accuracy",
        "The share of votes whose chosen response has the higher reward. It says little about "
        "what happens when the reward is optimised.",
        ("label-and-fit", "ceiling"),
    ),
    Entry(
        "Held-out",
        "Kept aside when fitting, to judge the fit by. Nothing should be judged on what it was "
        "fitted to.",
        ("label-and-fit",),
    ),
    Entry(
        "Calibration",
        "Whether stated chances come true: of pairs that a reward calls 80% sure, four in five "
        "should be voted that way.",
        ("six-responses",),
        card=True,
    ),
    Entry(
        "Overfitting",
        "Learning the noise of the data along with what it says; seen as a gap between training "
        "and held-out accuracy.",
        ("label-and-fit",),
    ),
    Entry(
        "Regularisation",
        "A penalty on large weights, which keeps a fit from leaning on what a few votes say.",
        ("tiny-rater", "label-and-fit"),
    ),
    Entry(
        "Sandwich interval",
        "An interval that stays right when votes on one prompt depend on each other or the model "
        "is not quite true. It is named after its formula: variance between two curvatures.",
        ("label-and-fit", "rankings"),
        card=True,
    ),
    Entry(
        "Ensemble",
        "Several reward models, fitted to different samples, used together. Averaging removes the "
        "errors they do not share.",
        ("hackable-feature", "conservative-rewards"),
        ("conservative-reward",),
        card=True,
    ),
    Entry(
        "Implicit reward",
        "The reward for which a given policy would be the best one: beta times the log of how much "
        "likelier it has made an answer.",
        ("dpo",),
        ("implicit-reward",),
    ),
    Entry(
        "Rubric",
        "A list of criteria with weights; the reward is the weighted share that an answer meets.",
        ("rubric", "answer-world"),
        ("rubric",),
        card=True,
    ),
    Entry(
        "Outcome reward model",
        "ORM: judges a solution by its end. A lucky solution counts like a sound one.",
        ("process-rewards",),
    ),
    Entry(
        "Process reward model",
        "PRM: judges each step of a solution. It can point at the mistake, but its labels are "
        "dear, and training against it invites new tricks.",
        ("process-rewards",),
        ("process-reward",),
        card=True,
    ),
    Entry(
        "Verifier",
        "A program that checks an answer: a test suite, a comparison with the known result. What "
        "it does not check it does not reward.",
        ("exploitable-verifier", "special-cased-tests"),
    ),
    Entry(
        "Borda count",
        "A voting rule: an option's score is its mean chance of beating the others. A reward "
        "pooled over people ranks options by it.",
        ("pluralism",),
        ("borda",),
        card=True,
    ),
    Entry(
        "Max-min rule",
        "Choose the option whose worst-off group is best off.",
        ("pluralism",),
    ),
    Entry(
        "Distributional reward",
        "A reward that keeps how much people differ about a response beside the mean of what they "
        "think, so that it can say what is contested.",
        ("pluralism",),
    ),
    Entry(
        "Strategic vote",
        "A vote that says what pays and not what is preferred. Pooled rewards can be moved by it.",
        ("strategic-votes",),
    ),
)
