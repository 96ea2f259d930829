"""Serving the lab: a socket, a browser, and what is said at the start."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from rewardlab.app.config import AppConfig
from rewardlab.app.server import create_app
from rewardlab.errors import InputError

_PARTING_S = 2
"""How long a stop waits for answers that are under way, such as a run that is being watched."""


def serve(
    config: AppConfig,
    *,
    host: str = "127.0.0.1",
    port: int = 8421,
    browser: bool = True,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve the lab until it is interrupted.

    Args:
        config: How it is served.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        browser: True opens the lab in a browser.
        tell: Says where it is.

    Raises:
        InputError: The address cannot be listened on, or the database not opened.
    """
    app = create_app(config)
    listener = _listener(host, port)
    address = f"http://{_named(host)}:{listener.getsockname()[1]}/"
    settings = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        access_log=False,
        timeout_graceful_shutdown=_PARTING_S,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_fault)
    server = uvicorn.Server(settings)
    tell(f"The lab is at {address} (Ctrl+C stops it).")
    if browser:
        opener = threading.Timer(0.5, webbrowser.open, (address,))
        opener.daemon = True
        opener.start()
    server.run(sockets=[listener])


def _is_fault(record: logging.LogRecord) -> bool:
    """False for a request that a stop broke off: its traceback would look like a fault."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, asyncio.CancelledError)


def _listener(host: str, port: int) -> socket.socket:
    try:
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen()
        except (OSError, UnicodeError):
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"--port: cannot listen on {host}, port {port}: {reason}") from None
    return listener


def _named(host: str) -> str:
    """The address as a browser on this machine asks for it."""
    if host in ("0.0.0.0", "::", ""):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
