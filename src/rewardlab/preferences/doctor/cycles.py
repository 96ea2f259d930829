"""Cycles of preference (a over b over c over a), and items that were never compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rewardlab.preferences.doctor.ledger import Ledger, mixed
from rewardlab.preferences.doctor.tally import NO_TEXTS, Wording, cannot_say, counted, percent
from rewardlab.preferences.doctor.thresholds import Thresholds
from rewardlab.stats.connection import linked_groups, mutual_parts
from rewardlab.types import BoolArray, Finding, IntArray, Outcome, Status

CYCLES = Wording(
    name="preference-cycles",
    clean="No cycles: within each prompt the majority's verdicts can be put in one order",
    found="Pairs of responses on a cycle of preferences",
    meaning="Where a beats b, b beats c and c beats a, no reward can agree with all three. Noise "
    "alone makes some: coin flips make a cycle of one triple in four.",
    action="Ask for more votes on these pairs; where they stay, the prompt has no single order of "
    "quality, and accuracy has a ceiling there.",
    unit="pair",
)
_ITEMS_MEANING = (
    "Items can be ranked on one scale only if every two are linked by a chain of comparisons; "
    "strengths of groups without a link are not comparable, whatever a program prints."
)
MOST_PATHS = 50_000_000
"""Two-step paths up to which triples are counted; beyond, that costs minutes."""


@dataclass(frozen=True, slots=True)
class MajorityGraph:
    """Who beats whom by the majority, one edge a pair of nodes that has one.

    Attributes:
        n_nodes: Nodes.
        winner: Shape [m], node codes.
        loser: Shape [m], node codes.
        edge_of_row: Shape [n]; each row's edge, -1 for rows of no edge.
    """

    n_nodes: int
    winner: IntArray
    loser: IntArray
    edge_of_row: IntArray

    @property
    def matrix(self) -> sparse.csr_matrix:
        """Adjacency, winner -> loser. Shape [n_nodes, n_nodes]."""
        ones = np.ones(len(self.winner))
        shape = (self.n_nodes, self.n_nodes)
        return sparse.csr_matrix((ones, (self.winner, self.loser)), shape=shape)


def majority_graph(
    left: IntArray, right: IntArray, outcome: NDArray[np.int8], n_nodes: int, usable: BoolArray
) -> MajorityGraph:
    """The majority's verdict on each pair of nodes; pairs without a majority have no edge.

    Args:
        left: Shape [n], node of side a.
        right: Shape [n], node of side b.
        outcome: Shape [n], codes of ``Outcome``.
        n_nodes: Number of nodes.
        usable: Shape [n]; rows that count.
    """
    rows = np.flatnonzero(usable & (left != right) & (outcome <= Outcome.B))
    low, high = np.minimum(left, right)[rows], np.maximum(left, right)[rows]
    winner = np.where(outcome == Outcome.A, left, right)[rows]
    keys, key_of = np.unique(low * n_nodes + high, return_inverse=True)
    net = np.bincount(key_of, weights=np.where(winner == low, 1.0, -1.0), minlength=len(keys))
    kept = np.flatnonzero(net)
    edge = np.full(len(keys), -1)
    edge[kept] = np.arange(len(kept))
    edge_of_row = np.full(len(left), -1)
    edge_of_row[rows] = edge[key_of]
    low_of, high_of = keys[kept] // n_nodes, keys[kept] % n_nodes
    low_wins = net[kept] > 0
    return MajorityGraph(
        n_nodes,
        np.where(low_wins, low_of, high_of),
        np.where(low_wins, high_of, low_of),
        edge_of_row,
    )


def check_cycles(ledger: Ledger, thresholds: Thresholds) -> Finding:
    """Pairs of responses on a cycle within their prompt."""
    columns = ledger.columns
    if not columns.has_texts.any():
        return cannot_say(CYCLES.name, "No texts tell responses apart", CYCLES.meaning, NO_TEXTS)
    both = np.concatenate([mixed(columns.prompt, columns.a), mixed(columns.prompt, columns.b)])
    nodes, code = np.unique(both, return_inverse=True)
    n = len(ledger)
    graph = majority_graph(code[:n], code[n:], columns.outcome, len(nodes), columns.has_texts)
    n_components = int(linked_groups(graph.winner, graph.loser, len(nodes)).max()) + 1
    # Edges beyond a forest: with none, no cycle could show however raters vote.
    if len(graph.winner) - len(nodes) + n_components <= 0:
        return cannot_say(
            CYCLES.name,
            "No prompt has responses compared in a ring, so no cycle could show",
            CYCLES.meaning,
            "Compare at least three responses to a prompt, each with each other.",
        )
    on_cycle = _on_cycle(graph)
    edge_hit = np.append(on_cycle, False)  # position -1: rows of no edge
    rows = edge_hit[graph.edge_of_row]
    prompts = np.unique(columns.prompt[rows])
    details = {"prompts": len(prompts), "votes": int(rows.sum()), **_triples(graph)}
    return counted(
        CYCLES,
        int(on_cycle.sum()),
        len(graph.winner),
        thresholds,
        examples=ledger.places(rows, thresholds.examples),
        details=details,
    )


def _on_cycle(graph: MajorityGraph) -> BoolArray:
    """Shape [m]; edges whose two ends can reach each other."""
    part = mutual_parts(graph.winner, graph.loser, graph.n_nodes)
    alike: BoolArray = part[graph.winner] == part[graph.loser]
    return alike


def _triples(graph: MajorityGraph) -> dict[str, int | float]:
    """Triples compared each with each, and how many of them are cycles."""
    degree = np.bincount(np.concatenate([graph.winner, graph.loser]), minlength=graph.n_nodes)
    if int(np.sum(degree.astype(np.int64) ** 2)) > MOST_PATHS:
        return {}
    beats = graph.matrix
    either = beats + beats.T
    cyclic = int((beats @ beats).multiply(beats.T).sum()) // 3
    compared = int((either @ either).multiply(either).sum()) // 6
    share = cyclic / compared if compared else 0.0
    return {"triples": compared, "cyclic_triples": cyclic, "cyclic_triple_share": share}


def check_items(ledger: Ledger) -> list[Finding]:
    """Whether the items (models) that wrote the responses are all linked; none if unnamed."""
    columns = ledger.columns
    named = (columns.item_a >= 0) & (columns.item_b >= 0)
    if not named.any():
        return []
    left = columns.item_a.astype(np.int64)
    right = columns.item_b.astype(np.int64)
    k = len(ledger.items)
    group = linked_groups(left[named], right[named], k)
    n_groups = int(group.max()) + 1
    graph = majority_graph(left, right, columns.outcome, k, named)
    won = named & ledger.decided
    a_won = columns.outcome == Outcome.A
    winner, loser = np.where(a_won, left, right)[won], np.where(a_won, right, left)[won]
    n_strong = int(mutual_parts(winner, loser, k).max()) + 1
    title = f"{k:,} items, all linked by comparisons"
    if n_strong == 1:
        title += " and by wins in both directions"
    if n_groups > 1:
        smallest = int(np.bincount(group).min())
        title = f"{k:,} items fall into {n_groups:,} groups never compared with each other"
        title += f" (the smallest has {smallest:,})"
    on_cycle = float(_on_cycle(graph).mean()) if len(graph.winner) else 0.0
    details = {
        "items": k,
        "groups": n_groups,
        "strongly_connected": n_strong == 1,
        "pairs_on_cycles": percent(on_cycle),
    }
    status = Status.PASS if n_groups == 1 else Status.WARN
    action = "Nothing to do."
    if n_groups > 1:
        action = "Add comparisons between the groups, or rank each group by itself."
    return [Finding("item-links", status, title, _ITEMS_MEANING, action, details=details)]
