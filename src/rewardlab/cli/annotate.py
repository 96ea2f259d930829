"""``rewardlab annotate``: projects in which people judge pairs, and the links that lead there."""

from __future__ import annotations

import typer

from rewardlab.cli.annotate_export import export
from rewardlab.cli.annotate_links import invite, links, revoke
from rewardlab.cli.annotate_new import new
from rewardlab.cli.annotate_projects import change_order, guidelines, list_projects
from rewardlab.cli.annotate_status import status

annotate = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@annotate.callback()
def group() -> None:
    """People judge pairs in the browser, blind and side by side: projects, links, exports."""


for name, command in (
    ("new", new),
    ("list", list_projects),
    ("invite", invite),
    ("links", links),
    ("revoke", revoke),
    ("order", change_order),
    ("guidelines", guidelines),
    ("status", status),
    ("export", export),
):
    annotate.command(name)(command)
