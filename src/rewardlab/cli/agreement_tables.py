"""How agreement is shown in the terminal: tables, the ceiling, and what was left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rewardlab.audit.agreement_verdict import range_words
from rewardlab.audit.vote_agreement import MeasuredCeiling, Ties, VoteAgreement
from rewardlab.cli.showing import print_findings, print_wrapped
from rewardlab.counting import counted
from rewardlab.stats.intervals import FEW_CLUSTERS, Estimate
from rewardlab.stats.kappa import kappa_word
from rewardlab.types import Status

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_NAMES = {
    Ties.ASIDE: "ties set aside",
    Ties.ANSWER: "a tie is an answer",
    Ties.HALF: "a tie agrees half",
}
_FEWEST_FOR_LIST = 20
"""An annotator with fewer shared votes is not among the lowest that are named."""


def print_agreement(found: VoteAgreement, read: Sequence[str], console: Console) -> None:
    """Print agreement under each way to count ties, the ceiling, and the annotators."""
    for sentence in read:
        print_wrapped(sentence, console)
    print_wrapped(_facts(found), console)
    print_wrapped(_left_out(found), console)
    if found.n_prompts < FEW_CLUSTERS:
        print_wrapped(
            f"Note: all intervals rest on {counted(found.n_prompts, 'prompt')}; below about "
            f"{FEW_CLUSTERS} they are rough.",
            console,
        )
    _heading(console, "How often two voters on a pair agree")
    console.print(_choices(found))
    print_wrapped("Single: pairs with one such vote only, which say nothing of agreement.", console)
    shares = [f"{c.by_vote_pairs:.1%}" for c in found.choices if not math.isnan(c.by_vote_pairs)]
    if shares:
        print_wrapped(
            "Each vote counts once here. Where each two votes on a pair count once, so that pairs "
            f"with many votes count for more: {', '.join(shares)}.",
            console,
        )
    _print_ceiling(found, console)
    _print_pairs(found, console)
    _print_annotators(found, console)


def _facts(found: VoteAgreement) -> str:
    n = found.n_votes - found.n_repeated - found.n_unnamed
    who = len(found.annotators.annotators)
    return (
        f"{counted(n, 'vote')} by {counted(who, 'annotator')} on "
        f"{counted(found.n_pairs, 'pair')} of {counted(found.n_prompts, 'prompt')}; "
        f"{found.n_ties / n:.0%} are ties."
    )


def _left_out(found: VoteAgreement) -> str:
    said = [
        f"{n:,} {what}"
        for n, what in (
            (found.n_repeated, "that a later vote by the same annotator on the pair replaced"),
            (found.n_unnamed, "without an annotator, which may be one opinion copied"),
        )
        if n
    ]
    return f"Votes left out: {' and '.join(said) or 'none'}."


def _choices(found: VoteAgreement) -> Table:
    table = _table("", "agree", f"{found.annotators.settings['level']:.0%} interval")
    for name in ("alpha", "Fleiss'\nkappa", "votes", "pairs", "single"):
        table.add_column(name, justify="right")
    for choice in found.choices:
        table.add_row(
            _NAMES[choice.ties],
            _share(choice.agreement),
            _interval(choice.agreement),
            _number(choice.alpha),
            _number(choice.fleiss),
            f"{choice.n_votes:,}",
            f"{choice.n_pairs:,}",
            f"{choice.n_single:,}",
        )
    return table


def _print_ceiling(found: VoteAgreement, console: Console) -> None:
    ceiling = found.ceiling
    _heading(console, f"How good any reward could look ({_NAMES[found.ties]})")
    if ceiling is None:
        print_wrapped(
            "Cannot be said: fewer than 20 pairs have two such votes. Collect a second vote, by "
            "another annotator, on at least 100 pairs.",
            console,
        )
        return
    print_wrapped(range_words(ceiling), console)
    if ceiling.majorities:
        each = " and ".join(
            f"{r.low:.1%} to {r.high:.1%} of the time against that of {_WORDS[m]} "
            f"(with sampling error {r.outer_low:.1%} to {r.outer_high:.1%})"
            for m, r in ceiling.majorities.items()
        )
        print_wrapped(
            f"A majority of votes is easier to match: {each}. An even number, with ties broken by "
            "a coin, is as good as one vote less.",
            console,
        )
    if ceiling.refused is not None:
        said = f"What matches a majority of votes cannot be said, because {ceiling.refused}"
        print_wrapped(said, console)
    if ceiling.models:
        print_wrapped(_model_words(ceiling), console)


_WORDS = {3: "three", 5: "five"}


def _model_words(ceiling: MeasuredCeiling) -> str:
    each = "; ".join(
        f"{model.model} {model.ceiling.value:.1%} ({_interval(model.ceiling) or 'no interval'})"
        for model in ceiling.models
    )
    told = (
        f"The votes speak for the {ceiling.favoured}."
        if ceiling.favoured
        else "The votes do not tell the two apart."
    )
    return (
        f"If pairs differ smoothly in how settled they are: {each}. {told} The range above holds "
        "without a model, and is what verdicts use."
    )


def _print_pairs(found: VoteAgreement, console: Console) -> None:
    answers = "ties set aside" if found.ties is Ties.ASIDE else "a tie is an answer"
    _heading(console, f"Annotators who share most pairs ({answers})")
    if not found.pairs:
        print_wrapped(f"No two annotators share {found.min_shared} such pairs.", console)
        return
    table = _table("annotators", "shared", "agree", "Cohen's kappa", "interval", "in words")
    for pair in found.pairs:
        table.add_row(
            f"{pair.first}, {pair.second}",
            f"{pair.n_shared:,}",
            _share(pair.agreement),
            _number(pair.kappa),
            "" if pair.kappa is None else f"{pair.kappa.low:.2f} to {pair.kappa.high:.2f}",
            "" if pair.kappa is None else kappa_word(pair.kappa.value),
        )
    console.print(table)


def _print_annotators(found: VoteAgreement, console: Console) -> None:
    _heading(console, "Each annotator with the others (a tie is an answer)")
    people = [
        (person.agreement, person)
        for person in found.annotators.annotators
        if person.agreement is not None and person.agreement.n >= _FEWEST_FOR_LIST
    ]
    if not people:
        print_wrapped(f"Nobody has {_FEWEST_FOR_LIST} votes on pairs that others judged.", console)
    else:
        people.sort(key=lambda pair: pair[0].value)
        table = _table("least agreement", "agree", "interval", "votes", "ties")
        for agreement, person in people[:5]:
            table.add_row(
                person.annotator,
                _share(agreement),
                _interval(agreement),
                f"{agreement.n:,}",
                f"{person.n_tie + person.n_both_bad:,}",
            )
        console.print(table)
        few = len(found.annotators.annotators) - len(people)
        middle = people[len(people) // 2][0].value
        print_wrapped(
            f"Half of {len(people):,} annotators agree with the others {middle:.1%} of the time or "
            f"less; {few:,} with fewer than {_FEWEST_FOR_LIST} shared votes are not listed.",
            console,
        )
    found_out = [f for f in found.annotators.findings if f.status in (Status.FAIL, Status.WARN)]
    print_findings(found_out, console)


def _share(estimate: Estimate | None) -> str:
    return "" if estimate is None else f"{estimate.value:.1%}"


def _number(estimate: Estimate | None) -> str:
    return "" if estimate is None else f"{estimate.value:.3f}"


def _interval(estimate: Estimate | None) -> str:
    if estimate is None or math.isnan(estimate.low):
        return ""
    return f"{estimate.low:.1%} to {estimate.high:.1%}"


def _table(*columns: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i == 0 else "right")
    return table


def _heading(console: Console, words: str) -> None:
    console.print()
    console.print(words, style="bold")
