"""How far the voters of a file agree, however ties count, and what that allows a reward."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rewardlab.audit.annotators import AnnotatorReport, measure_annotators
from rewardlab.audit.ceiling import (
    MIN_REPEATED_PAIRS,
    CeilingRange,
    ceiling_range,
    narrowed_range,
)
from rewardlab.audit.judgements import Judgements, judgements_from_preferences
from rewardlab.errors import EstimationError, InputError
from rewardlab.stats.agreement import (
    agreement_with_others,
    coin_agreement_with_others,
    krippendorff_alpha,
)
from rewardlab.stats.intervals import Estimate, cluster_proportion
from rewardlab.stats.kappa import fleiss_kappa, rater_pairs
from rewardlab.stats.vote_counts import VoteCounts, count_votes
from rewardlab.stats.vote_heterogeneity import (
    BETA,
    LOGIT_NORMAL,
    Heterogeneity,
    choose_model,
    fit_heterogeneity,
)
from rewardlab.stats.vote_range import vote_range
from rewardlab.types import LABEL_OF_OUTCOME, FloatArray, Outcome, Preferences

SIDES = (int(Outcome.A), int(Outcome.B))
MAJORITIES = (3, 5)
SECOND_VOTES = (
    "Collect a second vote, by another annotator, on at least 100 pairs, and name the annotators "
    "(--column annotator=COLUMN)."
)


class Ties(StrEnum):
    """How votes that prefer no side count."""

    ASIDE = "aside"
    ANSWER = "answer"
    HALF = "half"


@dataclass(frozen=True, slots=True)
class TieChoice:
    """Agreement under one way to count ties.

    Attributes:
        ties: The way.
        n_votes: Votes on pairs that two people judged.
        n_pairs: These pairs.
        n_single: Pairs with one vote, of which nothing can be said.
        agreement: Chance that another voter on the pair says the same, each vote counting once;
            None without such pairs.
        by_vote_pairs: The same, each pair of votes on a pair counting once, so that pairs with many
            votes count for more; NaN without such pairs.
        alpha: Krippendorff's, the sides exchangeable; None where ties count half, for then answers
            are no categories.
        fleiss: Fleiss' kappa, likewise.
    """

    ties: Ties
    n_votes: int
    n_pairs: int
    n_single: int
    agreement: Estimate | None
    by_vote_pairs: float
    alpha: Estimate | None
    fleiss: Estimate | None


@dataclass(frozen=True, slots=True)
class ModelCeiling:
    """What one model of uneven noise says.

    Attributes:
        model: "beta" or "logit-normal".
        parameter: alpha of Beta(alpha, alpha), or the logits' standard deviation.
        agreement: Chance that two voters agree under it.
        accuracies: By m: accuracy of a perfect reward against the majority of m votes.
    """

    model: str
    parameter: float
    agreement: float
    accuracies: dict[int, Estimate]

    @property
    def ceiling(self) -> Estimate:
        """Against single votes."""
        return self.accuracies[1]


@dataclass(frozen=True, slots=True)
class MeasuredCeiling:
    """How good any reward could be on the pairs with repeated votes.

    Attributes:
        ties: How ties count in it.
        possible: The range that verdicts use; no model of the noise behind it.
        from_agreement: What the agreement alone allows.
        majorities: By m, odd: the range against the majority of m votes, no model behind it; empty
            where ties are an answer or ``refused`` says why.
        models: Smooth models of how pairs differ, for comparison; empty unless ties are set aside.
        favoured: Name of the model that the votes speak for; None where they do not tell.
        refused: Why the ranges of majorities cannot be said, if so.
    """

    ties: Ties
    possible: CeilingRange
    from_agreement: CeilingRange
    majorities: dict[int, CeilingRange]
    models: tuple[ModelCeiling, ...]
    favoured: str | None
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class NamedPair:
    """Two annotators on the pairs that both judged.

    Attributes:
        first: Name.
        second: Name.
        n_shared: Pairs that both judged.
        agreement: Share on which they say the same.
        kappa: Cohen's; None where chance alone would make them agree.
    """

    first: str
    second: str
    n_shared: int
    agreement: Estimate
    kappa: Estimate | None


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """All that ``rewardlab agreement`` says.

    Attributes:
        choices: Agreement under each way to count ties.
        ties: The way that kappas of annotators and the ceiling use.
        ceiling: None where fewer than 20 pairs have two such votes.
        pairs: Of annotators with most shared pairs.
        min_shared: Pairs of annotators with fewer shared pairs are not among them.
        annotators: Each annotator with the others, and what stands out.
        n_votes: Votes read.
        n_repeated: Votes that a later one by the same annotator on the same pair replaced.
        n_unnamed: Votes without an annotator, left out.
        n_ties: Of the votes that stand, those that prefer no side.
        n_pairs: Pairs with a vote that stands.
        n_prompts: Their prompts.
    """

    choices: tuple[TieChoice, ...]
    ties: Ties
    ceiling: MeasuredCeiling | None
    pairs: tuple[NamedPair, ...]
    min_shared: int
    annotators: AnnotatorReport
    n_votes: int
    n_repeated: int
    n_unnamed: int
    n_ties: int
    n_pairs: int
    n_prompts: int

    @property
    def choice(self) -> TieChoice:
        """Agreement under the way that the ceiling uses."""
        return next(choice for choice in self.choices if choice.ties is self.ties)


def measure_agreement(
    preferences: Preferences,
    *,
    ties: Ties = Ties.ASIDE,
    min_shared: int = 20,
    most_pairs: int = 10,
    level: float = 0.95,
) -> VoteAgreement:
    """Agreement, and the ceiling that it sets.

    Args:
        preferences: Votes; those without an annotator are counted and left out.
        ties: How ties count in the ceiling and between annotators.
        min_shared: Least shared pairs of two annotators that are compared.
        most_pairs: Most pairs of annotators to compare.
        level: Confidence level.

    Raises:
        InputError: Pairs cannot be told, or an argument is outside its range.
        EstimationError: No vote names its annotator.
    """
    if most_pairs < 0:
        raise InputError(f"most_pairs: expected 0 or more, got {most_pairs}")
    judgements = judgements_from_preferences(preferences)
    named = judgements.take(judgements.annotator >= 0)
    if not len(named):
        raise EstimationError("no vote names its annotator", remedy=SECOND_VOTES)
    return VoteAgreement(
        choices=tuple(_choice(named, way, level) for way in Ties),
        ties=ties,
        ceiling=_ceiling(named, ties, level),
        pairs=_named_pairs(named, ties, min_shared, most_pairs, level),
        min_shared=min_shared,
        annotators=measure_annotators(judgements, level=level),
        n_votes=len(preferences),
        n_repeated=len(preferences) - len(judgements),
        n_unnamed=len(judgements) - len(named),
        n_ties=int(np.sum(~named.decided)),
        n_pairs=len(np.unique(named.pair)),
        n_prompts=len(np.unique(named.prompt)),
    )


def _counted(judgements: Judgements, ties: Ties) -> Judgements:
    """The judgements that count: with ties set aside, those that prefer a side."""
    return judgements.take(judgements.decided) if ties is Ties.ASIDE else judgements


def _side(judgements: Judgements) -> FloatArray:
    """Shape [n]: 1 for a, 0 for b, .5 for a tie."""
    return LABEL_OF_OUTCOME[judgements.outcome]


def _same(judgements: Judgements, ties: Ties) -> FloatArray:
    if ties is Ties.HALF:
        return coin_agreement_with_others(judgements.pair, _side(judgements))
    return agreement_with_others(judgements.pair, judgements.outcome)


def _agreement(judgements: Judgements, ties: Ties, level: float) -> Estimate | None:
    same = _same(judgements, ties)
    shared = ~np.isnan(same)
    if not shared.any():
        return None
    return cluster_proportion(same[shared], judgements.prompt[shared], level=level)


def _choice(named: Judgements, ties: Ties, level: float) -> TieChoice:
    used = _counted(named, ties)
    _, of_vote, votes = np.unique(used.pair, return_inverse=True, return_counts=True)
    others = votes[of_vote] - 1
    agreeing = float(np.nansum(_same(used, ties) * others))
    columns = (used.pair, used.outcome, used.prompt)
    categories = ties is not Ties.HALF
    return TieChoice(
        ties=ties,
        n_votes=int(votes[votes >= 2].sum()),
        n_pairs=int(np.sum(votes >= 2)),
        n_single=int(np.sum(votes == 1)),
        agreement=_agreement(used, ties, level),
        by_vote_pairs=agreeing / float(others.sum()) if others.any() else float("nan"),
        alpha=krippendorff_alpha(*columns, exchangeable=SIDES, level=level) if categories else None,
        fleiss=fleiss_kappa(*columns, exchangeable=SIDES, level=level) if categories else None,
    )


def _ceiling(named: Judgements, ties: Ties, level: float) -> MeasuredCeiling | None:
    used = _counted(named, ties)
    counts = count_votes(used.pair, _side(used), used.prompt)
    agreement = _agreement(used, ties, level)
    if agreement is None or len(counts) < MIN_REPEATED_PAIRS:
        return None
    if ties is Ties.ANSWER:
        wide = ceiling_range(agreement, n_answers=max(3, len(np.unique(used.outcome))))
        return MeasuredCeiling(ties, wide, wide, {}, (), None)
    models, favoured = _models(counts, level) if ties is Ties.ASIDE else ((), None)
    refused, majorities = None, {}
    try:
        majorities = {m: _majority(counts, m, level) for m in MAJORITIES}
    except EstimationError as error:
        refused = error.told
    return MeasuredCeiling(
        ties=ties,
        possible=narrowed_range(counts, agreement),
        from_agreement=ceiling_range(agreement),
        majorities=majorities,
        models=models,
        favoured=favoured,
        refused=refused,
    )


def _majority(counts: VoteCounts, votes: int, level: float) -> CeilingRange:
    if len(np.unique(counts.cluster)) < 2:
        return CeilingRange(0.5, 1.0, 0.5, 1.0)
    found = vote_range(counts, votes=votes, level=level)
    return CeilingRange(found.low, found.high, found.outer_low, found.outer_high, found.n_rich)


def _models(counts: VoteCounts, level: float) -> tuple[tuple[ModelCeiling, ...], str | None]:
    fits = [fit_heterogeneity(counts, model, level=level) for model in (BETA, LOGIT_NORMAL)]
    choice = choose_model(fits[0], fits[1], counts.cluster)
    return tuple(_without_rows(fit) for fit in fits), choice.favoured


def _without_rows(fit: Heterogeneity) -> ModelCeiling:
    return ModelCeiling(fit.model, fit.parameter, fit.agreement, fit.accuracies)


def _named_pairs(
    named: Judgements, ties: Ties, min_shared: int, most: int, level: float
) -> tuple[NamedPair, ...]:
    # Half an agreement is no category: annotators are then compared on all their answers.
    used = _counted(named, ties)
    found = rater_pairs(
        used.pair,
        used.outcome,
        used.annotator,
        used.prompt,
        min_shared=min_shared,
        most=most,
        exchangeable=SIDES,
        level=level,
    )
    names = named.annotators
    return tuple(
        NamedPair(names[p.first], names[p.second], p.n_shared, p.agreement, p.kappa) for p in found
    )
