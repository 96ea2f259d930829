"""``rewardlab lab``: the laboratory in a browser."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from rewardlab.cli.lab_database import Db, Folder


def lab(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8421,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; loopback by default.")
    ] = "127.0.0.1",
    db: Db = "",
    folder: Folder = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Host name to serve under, too; may be repeated."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the lab in a browser.")
    ] = True,
    open_annotation: Annotated[
        bool,
        typer.Option(
            "--open", help="Annotate without personal links, alone on this machine; see annotate."
        ),
    ] = False,
) -> None:
    """Serve the lab to a browser on this machine.

    Label pairs, fit a reward, optimise against it and watch it break; every system with its
    controls; lessons; audits of your own files. Labels and audits are kept in a SQLite file, or in
    the database that --db names; uploads always in --folder.

    Example: rewardlab lab

    Example: rewardlab lab --port 9000 --no-browser

    Example: rewardlab lab --host 0.0.0.0 --allow-host lab.example.org --no-browser
    """
    # Matrices are small and requests many: threads within one product would only wait for others.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from rewardlab.app.config import LOOPBACK, AppConfig, default_folder
    from rewardlab.app.serving import serve

    local = host in ("127.0.0.1", "localhost", "::1")
    named = () if local else (f"[{host}]" if ":" in host else host,)
    config = AppConfig(
        hosts=(*LOOPBACK, *named, *(name.lower() for name in allow_host or [])),
        database_url=db,
        folder=folder or default_folder(),
        open_annotation=open_annotation,
    )
    if not local:
        typer.echo("Anyone who can reach this address can use the lab; it asks for no password.")
    if host in ("0.0.0.0", "::") and not allow_host:
        typer.echo("Browsers elsewhere are refused until --allow-host names what they ask for.")
    serve(config, host=host, port=port, browser=browser, tell=typer.echo)
