"""The course: every system in teaching order, with what is to be understood on the way.

In a chapter's paragraphs [[shown]] and [[shown|word]] mark a word of the glossary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rewardlab.errors import InputError
from rewardlab.lessons.cards import BY_CHAPTER
from rewardlab.lessons.cards.card import AnyCard
from rewardlab.lessons.formula import Formula
from rewardlab.lessons.formulas import comparisons, methods, optimising, rewards
from rewardlab.lessons.glossary import glossary
from rewardlab.systems.catalogue import find_system
from rewardlab.systems.declaration import System

_MARK = re.compile(r"\[\[([^\]|]+)(?:\|([^\]]+))?\]\]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text.

    Attributes:
        text: As shown.
        slug: Anchor of the word of the glossary that it is; "" for plain text.
    """

    text: str
    slug: str = ""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter.

    Attributes:
        name: Slug.
        title: A few words.
        sentence: What it is about, in one line.
        paragraphs: Its introduction, with words of the glossary marked.
        system_names: Names of its systems, in teaching order.
        formulas: Its formulas.
    """

    name: str
    title: str
    sentence: str
    paragraphs: tuple[str, ...]
    system_names: tuple[str, ...]
    formulas: tuple[Formula, ...] = ()

    @property
    def systems(self) -> tuple[System, ...]:
        """Its systems."""
        return tuple(find_system(name) for name in self.system_names)

    @property
    def cards(self) -> tuple[AnyCard, ...]:
        """Its flashcards with computed answers."""
        return BY_CHAPTER.get(self.name, ())

    @property
    def n_questions(self) -> int:
        """How many questions its systems ask."""
        return sum(len(system.questions) for system in self.systems)

    @property
    def pieces(self) -> tuple[tuple[Piece, ...], ...]:
        """Its paragraphs in runs of text."""
        return tuple(pieces(paragraph) for paragraph in self.paragraphs)


def pieces(paragraph: str) -> tuple[Piece, ...]:
    """A paragraph in runs of text, its marked words with their anchors.

    Raises:
        InputError: A marked word is not in the glossary.
    """
    slugs = {entry.name.lower(): entry.slug for entry in glossary()}
    runs: list[Piece] = []
    at = 0
    for mark in _MARK.finditer(paragraph):
        word = (mark[2] or mark[1]).lower()
        if word not in slugs:
            raise InputError(f"course: {word!r} is marked but not in the glossary")
        runs += [Piece(paragraph[at : mark.start()]), Piece(mark[1], slugs[word])]
        at = mark.end()
    return tuple(run for run in (*runs, Piece(paragraph[at:])) if run.text)


COURSE = (
    Chapter(
        "start",
        "A score in place of a goal",
        "Why a model is trained on a learned score, and what that leaves out.",
        (
            "Nobody can write down what makes an answer good. So people are shown two answers and "
            "say which is better, a [[reward model]] learns to predict their choices, and a "
            "[[policy]] is trained to score high on it. This is [[RLHF]].",
            "The score is a stand-in, a [[proxy]]. It learns what raters chose, not why they chose "
            "it. Everything in this course follows from that.",
        ),
        ("the-loop", "tiny-rater"),
    ),
    Chapter(
        "comparisons",
        "Learning from comparisons",
        "How 'this one is better' becomes a number, and what the number cannot say.",
        (
            "The usual model is [[Bradley-Terry]]: a difference of two rewards gives the chance "
            "that one response is preferred. Fitting it is a logistic regression on differences, "
            "and a chess rating ([[Elo]]) does the same one game at a time.",
            "Only differences within a [[prompt]] enter, so a reward has no zero: that is a matter "
            "of [[identifiability]]. Its scale is set by the noise in the votes. Ties, margins and "
            "rankings each say a little more, if the loss knows how to read them.",
        ),
        ("six-responses", "losses", "ratings-or-comparisons", "ties", "rankings", "elo"),
        tuple(one for one in comparisons.FORMULAS if one is not comparisons.CEILING),
    ),
    Chapter(
        "labels",
        "Whose labels, and how good",
        "Raters disagree and have habits; both end up in the reward.",
        (
            "Two raters agree on perhaps seven pairs in ten. That [[agreement]] sets a [[ceiling]] "
            "on how accurate any reward can look. Before calling a reward weak, ask how far below "
            "the ceiling it is.",
            "A [[rater]] in a hurry likes length and a confident tone, and a reward fitted to such "
            "labels pays for both. More labels do not help: they only make the habit surer.",
        ),
        ("ceiling", "answer-world", "raters", "label-and-fit"),
        (comparisons.CEILING,),
    ),
    Chapter(
        "optimising",
        "Optimising a reward",
        "What a policy becomes when it is pulled by a reward and held by a leash.",
        (
            "Training raises the mean reward and pays for the distance from the "
            "[[reference policy]], measured as [[KL divergence]], at a price [[beta]]. There is "
            "just one best policy for each beta, and it can be written down: the "
            "[[Gibbs optimum]].",
            "Keeping the [[best of n|best-of-n]] samples climbs the same reward without any "
            "training. It is the yardstick for everything else.",
        ),
        ("leash", "natural-gradient", "best-of-n", "best-of-n-theory", "beta-sweep"),
        optimising.FORMULAS,
    ),
    Chapter(
        "methods",
        "Methods of training",
        "DPO, REINFORCE, GRPO and PPO, and what each of them converges to.",
        (
            "Real answers cannot be listed, so methods learn from samples. Each compares an answer "
            "with what was to be expected, its [[advantage]]: [[GRPO]] and [[RLOO]] with the rest "
            "of its group, [[PPO]] with the guess of a [[critic]]. [[DPO]] skips the reward model "
            "and learns from the pairs at once.",
            "They look alike and do not all end at the same policy: it matters where the KL is "
            "charged and what the advantage is divided by.",
        ),
        (
            "dpo",
            "group-advantages",
            "ppo-clip",
            "reversing-programs",
            "sampled-methods",
            "targets",
            "method-memory",
        ),
        methods.FORMULAS,
    ),
    Chapter(
        "pressure",
        "When the score keeps rising",
        "Over-optimisation: how it looks, what causes it, and what helps.",
        (
            "Push on a learned reward and the real goal rises, peaks and falls, while the score "
            "goes on rising: [[over-optimisation]]. The curves follow simple laws, and a peak is "
            "only known once the data have passed it.",
            "There are four ways for a measure to fail under pressure ([[Goodhart's law]]), and "
            "each defence helps against some of them. An [[ensemble]] removes noise, never a "
            "mistake that all its members share, such as [[length bias]] or [[sycophancy]].",
        ),
        (
            "guided-experiments",
            "six-hundred-answers",
            "hackable-feature",
            "scaling-laws",
            "length-geometry",
            "sycophancy",
            "goodhart",
            "conservative-rewards",
        ),
        rewards.UNDER_PRESSURE,
    ),
    Chapter(
        "checks",
        "Rewards that can be checked",
        "Programs, rubrics and steps as rewards, and how each is got round.",
        (
            "Where a program can say what is right, its verdict is the reward: [[RLVR]]. That "
            "removes the rater's habits and leaves whatever the [[verifier]] does not check, which "
            "[[reward hacking]] finds.",
            "A [[rubric]] splits a judgement into parts, and a [[process reward model]] splits a "
            "solution into steps. Both say more than one number at the end, and both can be gamed "
            "in their own way.",
        ),
        (
            "boat-race",
            "special-cased-tests",
            "exploitable-verifier",
            "rubric",
            "process-rewards",
        ),
        rewards.CHECKED,
    ),
    Chapter(
        "people",
        "Whose preferences",
        "A pooled reward is a voting rule, whether or not anyone chose it.",
        (
            "People want different things. A reward fitted to all their votes ranks options by "
            "[[Borda count]]: it counts how many prefer something, hardly by how much, and can "
            "pass over the answer that everyone could live with.",
            "Other rules are possible, such as the [[max-min rule]], or a "
            "[[distributional reward]] that says where people part. Any rule that is known can "
            "also be played: see [[strategic votes|strategic vote]].",
        ),
        ("pluralism", "strategic-votes"),
        rewards.POOLED,
    ),
)
"""The chapters in order."""


def find_chapter(name: str) -> Chapter:
    """A chapter by its name.

    Raises:
        InputError: There is none.
    """
    for chapter in COURSE:
        if chapter.name == name:
            return chapter
    known = ", ".join(chapter.name for chapter in COURSE)
    raise InputError(f"chapter: expected one of {known}, got {name!r}")


def chapter_of(formula: str) -> Chapter:
    """The chapter that a formula belongs to.

    Raises:
        InputError: There is no such formula.
    """
    for chapter in COURSE:
        if any(one.name == formula for one in chapter.formulas):
            return chapter
    raise InputError(f"formula: there is none named {formula!r}")
