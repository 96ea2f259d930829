"""``rewardlab lab`` as a process: where it listens, and how it starts, ends and refuses."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.running import Lab


def _port(lab: Lab) -> int:
    return int(lab.url.rsplit(":", 1)[1])


def _other_addresses() -> Iterator[str]:
    """Addresses of this machine that are not loopback; none where it has no network."""
    try:
        found = socket.getaddrinfo(socket.gethostname(), None)
    except socket.gaierror:
        return
    for family, _, _, _, address in found:
        if family == socket.AF_INET and not str(address[0]).startswith("127."):
            yield str(address[0])


def _asked(port: int, raw: bytes) -> bytes:
    """What comes back for these very bytes, until the lab closes or has said its headers."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        connection.sendall(raw)
        said = b""
        while b"\r\n\r\n" not in said and (part := connection.recv(65_536)):
            said += part
    return said


def test_only_this_machine_can_reach_the_lab(lab: Lab) -> None:
    listening = Path("/proc/net/tcp")
    for address in _other_addresses():
        with pytest.raises(OSError):
            socket.create_connection((address, _port(lab)), timeout=2).close()
    if listening.exists():
        bound = [line.split()[1] for line in listening.read_text().splitlines()[1:]]
        assert f"0100007F:{_port(lab):04X}" in bound
        assert f"00000000:{_port(lab):04X}" not in bound


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host=192.0.2.77", "--port=0"), "cannot listen on 192.0.2.77"),
        (("--host=no such name", "--port=0"), "cannot listen on no such name"),
        (("--host=a..b", "--port=0"), "cannot listen on a..b"),
    ],
)
def test_an_address_that_cannot_be_listened_on_is_refused_in_a_line(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = _refused(tmp_path, *options)
    assert said in done.stderr


def test_a_port_in_use_is_refused_in_a_line(lab: Lab, tmp_path: Path) -> None:
    done = _refused(tmp_path, f"--port={_port(lab)}")
    assert f"cannot listen on 127.0.0.1, port {_port(lab)}" in done.stderr


def _refused(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rewardlab", "lab", "--no-browser", f"--folder={folder}"]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done


def test_a_lab_that_was_killed_starts_again_on_its_port(own_lab: Callable[..., Lab]) -> None:
    running = own_lab()
    running.kill()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", _port(running)), timeout=5).close()
    running.restart()
    assert b" 200 " in _asked(_port(running), b"GET /systems HTTP/1.1\r\nHost: localhost\r\n\r\n")


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"POST /api/uploads HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
        b"Content-Length: 99\r\n\r\nhalf",
    ],
    ids=["nothing", "half an upload"],
)
def test_an_interrupt_ends_it_without_a_traceback(
    own_lab: Callable[..., Lab], begun: bytes
) -> None:
    running = own_lab()
    with closing(socket.create_connection(("127.0.0.1", _port(running)), timeout=5)) as visitor:
        visitor.sendall(begun)
        while begun and not [*running.folder.glob("uploads/*.part/*")]:
            time.sleep(0.02)
        running.interrupt()
    assert "Traceback" not in running.said()


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"GET /systems HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 200),
        (b"GET /systems HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"GET /systems HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"GET /systems HTTP/1.0\r\n\r\n", 421),
        (b"GET http://evil.example/systems HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 200),
        (b"GET http://127.0.0.1/systems HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"HEAD /systems HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 200),
        (b"GET /static/x/../../server.py HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        (b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 414),
        (b"POST /api/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n", 400),
        (
            b"POST /api/x HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n"
            b"Content-Length: 99999999\r\n\r\n",
            413,
        ),
    ],
)
def test_the_guard_holds_for_bytes_as_they_come(lab: Lab, raw: bytes, status: int) -> None:
    said = _asked(_port(lab), raw)
    assert said.split(b" ", 2)[1] == str(status).encode()
    assert b"Traceback" not in said


def test_one_connection_serves_many_requests(lab: Lab) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", _port(lab), timeout=30)) as connection:
        for path, status in (("/systems", 200), ("/nowhere", 404), ("/systems/leash", 200)):
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == status
