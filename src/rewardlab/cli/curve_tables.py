"""How curves are shown in the terminal: tables, laws, and what to do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rewardlab.audit.curve_findings import peak_words
from rewardlab.audit.curve_result import CurveReport, CurveResult
from rewardlab.audit.peak import Where
from rewardlab.audit.proxy_differences import difference_words
from rewardlab.cli.showing import print_findings
from rewardlab.counting import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_MOST_ROWS = 14


def print_report(report: CurveReport, console: Console) -> None:
    """Print each curve with its peak and laws, the differences between proxies, the findings."""
    for result in report.curves:
        _print_curve(result, console)
    if report.differences:
        _print_side_by_side(report, console)
    print_findings(report.findings, console)


def _print_curve(result: CurveResult, console: Console) -> None:
    fewest, most = result.samples_per_prompt
    each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    _heading(
        console, f"{result.proxy_name}: {counted(result.n_prompts, 'prompt')}, {each} samples each"
    )
    console.print(_curve_table(result))
    if result.peak.where is not Where.NOWHERE:  # The verdict says why gold cannot change.
        _say(console, f"Peak of gold as measured: {peak_words(result.peak)}")
    for fit in result.laws:
        misses = (
            f"; misses the curve (by {fit.worst_gap:+.3g} at n = {fit.worst_n})"
            if fit.misses
            else ""
        )
        _say(
            console,
            f"Law {fit.law.value}: a = {fit.a.value:.4g} ({fit.a.low:.4g} to {fit.a.high:.4g}), "
            f"b = {fit.b.value:.4g} ({fit.b.low:.4g} to {fit.b.high:.4g}); "
            f"peak {peak_words(fit.peak)}{misses}",
        )
    if result.laws:
        low, high = result.laws[0].kl_range
        _say(console, f"d = sqrt(KL); laws fitted to KL from {low:.3g} to {high:.3g} nats.")
    if result.law_comparison is not None:
        _say(console, _comparison_words(result))
    for caution in result.cautions:
        _say(console, f"Note: {caution}")


def _curve_table(result: CurveResult) -> Table:
    table = _table("n", "KL bound", "proxy", "gold", "interval", "gain", "band over all n")
    gold, gain = result.gold, result.gain
    digits = _digits(float((gold.high - gold.low).max()) / 2)
    for j in _rows_to_show(result):
        table.add_row(
            f"{result.n[j]}",
            f"{result.path.kl_nats[j]:.3f}",
            f"{result.proxy.mean[j]:.4g}",
            f"{gold.mean[j]:.{digits}f}",
            f"{gold.low[j]:.{digits}f} to {gold.high[j]:.{digits}f}",
            f"{gain.mean[j]:+.{digits}f}",
            f"{gain.low_all[j]:+.{digits}f} to {gain.high_all[j]:+.{digits}f}",
        )
    return table


def _digits(half_width: float) -> int:
    """Decimals that show three significant digits of an interval's half width, within reason."""
    if half_width <= 0:
        return 4
    return min(6, max(0, 2 - math.floor(math.log10(half_width))))


def _rows_to_show(result: CurveResult) -> list[int]:
    """All points if they are few; else powers of two, the last, and the highest gold."""
    n = result.n
    if len(n) <= _MOST_ROWS:
        return list(range(len(n)))
    best = int(result.gold.mean.argmax())
    wanted = {j for j in range(len(n)) if (n[j] & (n[j] - 1)) == 0} | {best, len(n) - 1}
    return sorted(wanted)


def _comparison_words(result: CurveResult) -> str:
    comparison = result.law_comparison
    if comparison is None:
        return ""
    figure = comparison.difference
    lead = (
        f"On held-out prompts {comparison.better.value} predicts n = {comparison.n_predicted} "
        "better"
        if comparison.better is not None
        else f"On held-out prompts neither law predicts n = {comparison.n_predicted} better"
    )
    return (
        f"{lead} from n up to {comparison.n_fitted} (difference of squared errors, first minus "
        f"second: {figure.value:.2g}, {figure.low:.2g} to {figure.high:.2g})."
    )


def _print_side_by_side(report: CurveReport, console: Console) -> None:
    names = [result.proxy_name for result in report.curves]
    _heading(console, "Gold side by side")
    table = _table("n", *names)
    for j in _rows_to_show(report.curves[0]):
        table.add_row(f"{report.curves[0].n[j]}", *(f"{r.gold.mean[j]:.4f}" for r in report.curves))
    console.print(table)
    for one in report.differences:
        _say(console, difference_words(one))


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _heading(console: Console, words: str) -> None:
    from rich.text import Text

    console.print()
    console.print(Text(words, style="bold"))


def _say(console: Console, words: str) -> None:
    """Print a sentence as it is: a column's name may hold what would be read as markup."""
    console.print(words, markup=False)
