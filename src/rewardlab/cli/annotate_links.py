"""``rewardlab annotate invite``, ``links`` and ``revoke``: who may open a project."""

from __future__ import annotations

from typing import Annotated

import typer

from rewardlab.cli.annotate_options import Name, named_project
from rewardlab.cli.lab_database import Db, Folder, lab_engine, same_database
from rewardlab.errors import InputError

LOCAL = "http://127.0.0.1:8421"
"""Where ``rewardlab lab`` serves unless it is told otherwise."""


def invite(
    name: Name,
    annotator: Annotated[
        str | None, typer.Option(metavar="ID", help="Whom; under this name they judge.")
    ] = None,
    admin: Annotated[
        bool, typer.Option("--admin", help="Somebody who sees progress and takes labels out.")
    ] = False,
    address: Annotated[
        str, typer.Option(metavar="URL", help="Under which address they reach the lab.")
    ] = LOCAL,
    db: Db = "",
    folder: Folder = None,
) -> None:
    """Print a personal link, once: the database keeps no more than a digest of it.

    Whoever has the link judges under that name, so send it to that person only.

    Example: rewardlab annotate invite helpfulness --annotator ada

    Example: rewardlab annotate invite helpfulness --admin --address https://lab.example.org
    """
    from rewardlab.app.annotate.store.access import links_of, new_link

    if (annotator is None) != admin:
        raise InputError("invite: expected either --annotator ID or --admin")
    base = _checked_address(address)
    role, who = ("admin", "") if annotator is None else ("annotator", annotator)
    with lab_engine(db, folder) as engine:
        named_project(engine, name)
        same = [
            link
            for link in links_of(engine, name)
            if (link.role, link.annotator) == (role, who) and link.revoked_at is None
        ]
        token = new_link(engine, name, "admin" if admin else "annotator", who)
    here = same_database(db, folder)
    typer.echo(f"{base}/annotate/{name}{'/admin' if admin else ''}#{token}")
    if same:
        links = f"{len(same)} other link{'s' * (len(same) != 1)}"
        whom = "admins have" if admin else f"{who} has"
        typer.echo(
            f"{whom} {links} that still open{'s' * (len(same) == 1)} the project; revoke one with: "
            f"rewardlab annotate revoke {name} {same[0].link}{here}",
            err=True,
        )
    if base == LOCAL:
        typer.echo(
            f"The link works on this machine, while 'rewardlab lab{here}' runs. For people "
            f"elsewhere, serve with 'rewardlab lab{here} --host ADDRESS --allow-host NAME', best "
            "behind https, and invite with --address https://NAME.",
            err=True,
        )


def links(name: Name, db: Db = "", folder: Folder = None) -> None:
    """Show who was invited, and which links are revoked; never the secret part.

    Example: rewardlab annotate links helpfulness
    """
    from rewardlab.app.annotate.store.access import links_of

    with lab_engine(db, folder) as engine:
        named_project(engine, name)
        found = links_of(engine, name)
    for link in found:
        state = f"revoked {link.revoked_at:%Y-%m-%d %H:%M} UTC" if link.revoked_at else "open"
        whom = "admin" if link.role == "admin" else f"annotator {link.annotator}"
        typer.echo(f"{link.link}  {whom}, made {link.made_at:%Y-%m-%d %H:%M} UTC, {state}")
    if not found:
        here = same_database(db, folder)
        typer.echo(f"Nobody is invited; rewardlab annotate invite {name} --annotator ID{here}")


def revoke(
    name: Name,
    link: Annotated[
        str, typer.Argument(metavar="LINK", help="As 'rewardlab annotate links' names it.")
    ],
    db: Db = "",
    folder: Folder = None,
) -> None:
    """From now on the link opens nothing; what was judged with it stays.

    Example: rewardlab annotate revoke helpfulness 0a1b2c3d4e5f
    """
    from rewardlab.app.annotate.store.access import revoke as revoke_link

    with lab_engine(db, folder) as engine:
        named_project(engine, name)
        revoke_link(engine, name, link)
    typer.echo(f"Revoked {link}: it opens nothing from now on. What was judged with it stays.")


def _checked_address(address: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise InputError(
            f"--address: expected an address such as https://lab.example.org, got {address!r}"
        )
    return address.rstrip("/")
