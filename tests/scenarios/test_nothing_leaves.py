"""With the defaults no process of ours, client or server, looks up or connects to anything beyond this machine."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scenarios.conftest import REPOSITORY

pytestmark = [pytest.mark.engine, pytest.mark.prefect, pytest.mark.slow]

WATCH = '''"""Python imports this at its start (the module site); audit events say who is talked to."""
import ipaddress, os, sys

def watch(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
    elif event == "socket.getaddrinfo":
        address = arguments[:2]
    else:
        return
    if not isinstance(address, tuple):
        return  # a socket in the file system: the container engine
    host = os.fsdecode(address[0] or "localhost")
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    with open(os.environ["WATCHED"], "a") as kept:
        kept.write(f"{'local' if local else 'OUT'} {event} {host} {sys.argv}\\n")

sys.addaudithook(watch)
'''


def test_a_run_and_the_server_that_it_starts_talk_to_this_machine_only(
    ticket: Callable[..., Path], tmp_path: Path, migrated: Callable[[Path], Path]
):
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH)
    watched = tmp_path / "watched"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DO_NOT_TRACK"))}
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "verify", str(ticket()), "--yes"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        env={
            **clean,
            "PYTHONPATH": f"{tmp_path / 'watch'}:{REPOSITORY}",
            "WATCHED": str(watched),
            "REFUTE_STATE_DIR": str(migrated(tmp_path / "state")),  # so the server starts here, and is watched
            "REFUTE_SERVER_IDLE_S": "1",
        },
    )
    assert done.returncode in {0, 11}, done.stderr
    lines = watched.read_text().splitlines()
    assert any("prefect" in line and "local" in line for line in lines)
    assert [line for line in lines if line.startswith("OUT")] == []
