"""Agreement beyond chance by Cohen's kappa (two raters) and Fleiss' (any number)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rewardlab.errors import InputError
from rewardlab.stats.agreement import even_shares
from rewardlab.stats.intervals import Estimate, cluster_mean, cluster_proportion, wilson
from rewardlab.types import FloatArray, IntArray

_NOTHING = 1e-12
"""An expected disagreement that is 0 but for rounding."""

LANDIS_KOCH = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
)
"""Upper ends of the words of Landis and Koch (1977), *Biometrics* 33, 159-174; a convention."""


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two annotators on the units that both judged.

    Attributes:
        first: Code of one annotator.
        second: Code of the other, larger.
        n_shared: Units that both judged.
        agreement: Share of these on which they say the same.
        kappa: Cohen's; None where chance alone would make both say the same.
    """

    first: int
    second: int
    n_shared: int
    agreement: Estimate
    kappa: Estimate | None


def kappa_word(kappa: float) -> str:
    """The customary word for a kappa, from "poor" (not above 0) to "almost perfect"."""
    return next((word for end, word in LANDIS_KOCH if kappa <= end), "almost perfect")


def cohen_kappa(
    first: IntArray,
    second: IntArray,
    cluster: IntArray,
    *,
    exchangeable: tuple[int, int] | None = None,
    level: float = 0.95,
) -> Estimate | None:
    """Cohen's kappa, 1 - (1 - p_observed) / (1 - p_chance), of two raters on the same units.

    Args:
        first: Shape [n], int64 categories that the one rater said.
        second: Shape [n], those of the other.
        cluster: Shape [n], int64 codes of what is resampled together (prompts).
        exchangeable: Two categories that could change names on any unit, as the sides of a pair
            could; chance then makes either as likely as the other.
        level: Confidence level.

    Returns:
        ``n`` counts units. None where there are none, or where chance alone would make both say the
        same, so that kappa is 0/0.

    Raises:
        InputError: The lengths differ.

    Source: Cohen (1960), *Educational and Psychological Measurement* 20, 37-46. The interval is
    Wilson's for the observed agreement with the standard error of kappa, by its influence function
    over clusters, as for Krippendorff's alpha.
    """
    if first.shape != second.shape or first.shape != cluster.shape or first.ndim != 1:
        raise InputError(
            f"cohen_kappa: expected three arrays of one length, got {first.shape}, "
            f"{second.shape} and {cluster.shape}"
        )
    if not len(first):
        return None
    kinds, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, other = np.split(codes, 2)
    shares = [
        even_shares(kinds, np.bincount(said, minlength=len(kinds)) / len(said), exchangeable)
        for said in (one, other)
    ]
    chance = float(shares[0] @ shares[1])
    same = np.asarray(one == other, dtype=np.float64)
    by_chance = shares[1][one] + shares[0][other] - 2 * chance
    return _beyond_chance(same, chance, by_chance, cluster, len(same), level)


def fleiss_kappa(
    unit: IntArray,
    category: IntArray,
    cluster: IntArray,
    *,
    exchangeable: tuple[int, int] | None = None,
    level: float = 0.95,
) -> Estimate | None:
    """Fleiss' kappa, (P - P_e) / (1 - P_e), for any number of judgements a unit.

    P is the mean over units of the share of pairs of its judgements that say the same, P_e the sum
    of squares of the categories' mean shares. Each unit counts once, however often it was judged.

    Args:
        unit: Shape [n], int64 codes of what was judged; each judgement by another person.
        category: Shape [n], int64 codes of what was said.
        cluster: Shape [n], int64 codes of what is resampled together; each unit in one.
        exchangeable: Two categories that could change names on any unit; see ``cohen_kappa``.
        level: Confidence level.

    Returns:
        ``n`` counts the units judged at least twice. None where there are none, or where chance
        alone would make all say the same.

    Raises:
        InputError: The lengths differ.

    Source: Fleiss (1971), *Psychological Bulletin* 76, 378-382; for unequal numbers of judgements
    Gwet (2014), *Handbook of Inter-Rater Reliability*, chapter 2, except that units judged once
    count in neither part (there, they count in P_e).
    """
    if unit.shape != category.shape or unit.shape != cluster.shape or unit.ndim != 1:
        raise InputError(
            f"fleiss_kappa: expected three arrays of one length, got {unit.shape}, "
            f"{category.shape} and {cluster.shape}"
        )
    if not len(unit):
        return None
    kinds, of_kind = np.unique(category, return_inverse=True)
    _, first, of_unit = np.unique(unit, return_index=True, return_inverse=True)
    table = np.zeros((len(first), len(kinds)))
    np.add.at(table, (of_unit, of_kind), 1.0)
    n = table.sum(axis=1)
    several = n >= 2
    if not several.any():
        return None
    table, n, groups = table[several], n[several], cluster[first][several]
    same = (table * (table - 1)).sum(axis=1) / (n * (n - 1))
    each = table / n[:, None]
    share = even_shares(kinds, each.mean(axis=0), exchangeable)
    chance = float(share @ share)
    by_chance = 2 * (each @ share - chance)
    return _beyond_chance(same, chance, by_chance, groups, round(n.sum()), level)


def _beyond_chance(
    same: FloatArray,
    chance: float,
    by_chance: FloatArray,
    cluster: IntArray,
    most: int,
    level: float,
) -> Estimate | None:
    """1 - (1 - mean of ``same``) / (1 - chance).

    Args:
        same: Shape [n], in [0, 1]; observed agreement.
        chance: Agreement by chance.
        by_chance: Shape [n]; how each row moves it.
        cluster: Shape [n].
        most: Independent answers that the rows can be worth at the most. A row that is a mean over
            several judgements is worth more than one: cut down to rows, intervals of four
            judgements a unit held the truth always.
        level: Confidence level.
    """
    expected = 1 - chance
    if expected <= _NOTHING:
        return None
    raw = cluster_proportion(same, cluster, level=level)
    # How kappa moves with each row, in units of agreement.
    moves = same - raw.value - (1 - raw.value) / expected * by_chance
    std_error = cluster_mean(moves, cluster, level=level).std_error
    ends = wilson(raw.value, std_error, n=most, n_clusters=raw.n_clusters, level=level)
    low, value, high = (1 - (1 - x) / expected for x in (ends[0], raw.value, ends[1]))
    method = f"Wilson with the standard error of kappa over {raw.n_clusters} clusters"
    return Estimate(value, std_error / expected, low, high, raw.n, raw.n_clusters, level, method)


def rater_pairs(
    unit: IntArray,
    category: IntArray,
    annotator: IntArray,
    cluster: IntArray,
    *,
    min_shared: int = 20,
    most: int | None = None,
    exchangeable: tuple[int, int] | None = None,
    level: float = 0.95,
) -> tuple[RaterPair, ...]:
    """Cohen's kappa for pairs of annotators, those who share most units first.

    Args:
        unit: Shape [n], int64 codes of what was judged; at most one judgement by each annotator.
        category: Shape [n], int64 codes of what was said.
        annotator: Shape [n], int64 codes >= 0 of who said it.
        cluster: Shape [n], int64 codes of what is resampled together.
        min_shared: Pairs that share fewer units are left out.
        most: Only so many pairs; None for all.
        exchangeable: See ``cohen_kappa``.
        level: Confidence level.

    Raises:
        InputError: ``min_shared`` is below 2, or a code of an annotator is negative.
    """
    if min_shared < 2:
        raise InputError(f"min_shared: expected at least 2, got {min_shared}")
    if np.any(annotator < 0):
        raise InputError("annotator: expected codes >= 0; leave unnamed judgements out")
    one, other = _shared_rows(unit, annotator)
    if not len(one):
        return ()
    width = int(annotator.max()) + 1
    key = annotator[one] * width + annotator[other]
    order = np.argsort(key, kind="stable")
    keys, starts, counts = np.unique(key[order], return_index=True, return_counts=True)
    by_count = [k for k in np.argsort(-counts, kind="stable") if counts[k] >= min_shared]
    found = []
    for k in by_count[:most]:
        rows = order[starts[k] : starts[k] + counts[k]]
        x, y, groups = category[one[rows]], category[other[rows]], cluster[one[rows]]
        found.append(
            RaterPair(
                first=int(keys[k] // width),
                second=int(keys[k] % width),
                n_shared=int(counts[k]),
                agreement=cluster_proportion((x == y).astype(np.float64), groups, level=level),
                kappa=cohen_kappa(x, y, groups, exchangeable=exchangeable, level=level),
            )
        )
    return tuple(found)


def _shared_rows(unit: IntArray, annotator: IntArray) -> tuple[IntArray, IntArray]:
    """Rows of all two judgements on one unit, the smaller annotator's code first."""
    order = np.lexsort((annotator, unit))
    of_unit = unit[order]
    firsts, seconds = [], []
    for apart in range(1, len(order)):
        same = of_unit[apart:] == of_unit[:-apart]
        if not same.any():
            break
        firsts.append(order[:-apart][same])
        seconds.append(order[apart:][same])
    if not firsts:
        none = np.zeros(0, dtype=np.int64)
        return none, none
    return np.concatenate(firsts), np.concatenate(seconds)
