"""The way back and the downloads, put above a report where the lab shows it."""

from __future__ import annotations

from markupsafe import Markup

_STYLE = """
.lab-bar{background:var(--soft);border-bottom:1px solid var(--line);font-size:.875rem}
.lab-bar ul{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.5rem;
max-width:46rem;margin:0 auto;padding:.7rem 1.25rem;list-style:none}
.lab-bar li:first-child{margin-right:auto}
.lab-bar a{display:inline-block;padding:.15rem 0}
.lab-bar+header{padding-top:2.5rem}
@media (max-width:599px){.lab-bar ul{padding:.6rem 1rem}}
@media print{.lab-bar{display:none}}
"""

_BAR = Markup(
    '<nav class="lab-bar" aria-label="Lab"><ul>'
    '<li><a href="/reports"><span aria-hidden="true">← </span>Reports</a></li>'
    '<li class="quiet">{made}</li>'
    '<li><a href="/reports/{report}/report.html" download>Download HTML</a></li>'
    '<li><a href="/reports/{report}/report.json" download>JSON</a></li>'
    "</ul></nav>"
)


def with_bar(page: str, report: str, *, made: str) -> str:
    """A report's page with the bar; nothing else of it changes.

    The report's own tags come before any text that it holds, and there all text is escaped, so the
    first of each is the real one.

    Args:
        page: As it is kept.
        report: Its id.
        made: When it was made, in words.
    """
    bar = _BAR.format(report=report, made=made)
    marked = page.replace('<html lang="en">', '<html lang="en" data-ready="">', 1)
    styled = marked.replace("</head>", f"<style>{_STYLE}</style>\n</head>", 1)
    head, body, rest = styled.partition("<body>")
    skip, end, main = rest.partition("</a>")  # the way past everything stays the first link
    return f"{head}{body}{skip}{end}\n{bar}{main}"
