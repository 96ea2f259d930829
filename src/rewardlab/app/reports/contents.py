"""What is kept of an audit: its page, the same as JSON, and how many checks ended how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewardlab.types import Status

if TYPE_CHECKING:
    from rewardlab.audit.result import AuditResult


@dataclass(frozen=True, slots=True)
class ReportContents:
    """An audit as it is kept.

    Attributes:
        html: The page, one file that loads nothing.
        json: Everything found, as JSON text.
        counts: How many checks ended in each status, by its name.
    """

    html: str
    json: str
    counts: dict[str, int]


def contents_of(result: AuditResult) -> ReportContents:
    """The page, JSON and counts of an audit."""
    from rewardlab.report.as_json import json_text, to_json
    from rewardlab.report.page import render

    findings = (*result.findings, *result.doctor)
    counts = {str(status): sum(f.status is status for f in findings) for status in Status}
    # Half a surrogate pair, which a file can hold and UTF-8 cannot, stays as its JSON escape.
    text = json_text(to_json(result)).encode("utf-8", "backslashreplace").decode()
    return ReportContents(render(result), text, counts)
