"""`refute ui`: everything on one machine with one command, and nothing of it left afterwards."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from flows.orchestrator.server import ServerFiles
from refute.ledger.store import Ledger
from tests.fakes.prefect_api import asked
from tests.fakes.waiting import wait_for
from tests.fakes.worker_site import free_port
from tests.scenarios.conftest import REPOSITORY, TicketFiles, containers_of
from tests.schedule import TRACING

pytestmark = [pytest.mark.engine, pytest.mark.prefect, pytest.mark.slow, pytest.mark.traced]

WITHIN_S = 600
TRACED_ALONE = f"""
import os
from flows.cli import main
os.environ.pop("{TRACING}", None)
main()
"""
"""`refute`, which coverage does not follow into server, worker and their runs: they would take twice as long."""


def environment(settings) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return {
        **ours,
        "PYTHONPATH": str(REPOSITORY),
        "REFUTE_STATE_DIR": str(settings.state_dir),
        "REFUTE_COSTS_CSV": str(settings.costs_csv),
        "GUARDRAIL_AUDIT_PATH": str(settings.audit_path),
    }


def refute_ui(settings, port: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", TRACED_ALONE, "ui", "--port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has Ctrl-C ignored; the person in this test has not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # one C call
        env=environment(settings),
    )


def processes_of(state_dir: Path) -> list[str]:
    """Command lines of processes whose environment names the state directory."""
    wanted = f"REFUTE_STATE_DIR={state_dir}\0".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes() + b"\0":
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def test_one_command_brings_everything_up_a_second_finds_it_and_ctrl_c_ends_it_with_the_worker_s_batch(
    settings, tmp_path, migrated
):
    settings = settings.model_copy(update={"state_dir": migrated(tmp_path / "state")})
    TicketFiles(id="SLOW", script="sleep 300\n").write(tmp_path / "tickets" / "SLOW")
    port = free_port()
    first = refute_ui(settings, port)
    try:
        address = first.stdout.readline().strip()
        assert address == f"http://127.0.0.1:{port}", first.communicate(timeout=WITHIN_S)[1]
        assert ServerFiles.of(settings).server() is not None, "ad-hoc runs would start a server of their own"
        second = refute_ui(settings, free_port())
        out, err = second.communicate(timeout=WITHIN_S)
        assert (second.returncode, out.strip()) == (0, address), err
        assert str(first.pid) in err
        batch = asked(f"{address}/api", "GET", "/deployments/name/verify-batch/batch")["id"]
        request = {"source": str(tmp_path / "tickets"), "approval": "in_advance", "batch_id": "by-form"}
        body = {"parameters": {"request": request}}
        asked(f"{address}/api", "POST", f"/deployments/{batch}/create_flow_run", body)
        wait_for(lambda: containers_of(run="by-form"))
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=WITHIN_S)
    finally:
        if first.poll() is None:
            first.kill()
            first.communicate(timeout=WITHIN_S)
    assert first.returncode == 0, err
    assert "everything is stopped" in err
    wait_for(lambda: not containers_of(run="by-form"))  # the engine lists one for a moment that is being removed
    assert Ledger.open(settings).outcomes() == []
    wait_for(lambda: processes_of(settings.state_dir) == [])  # what was ended may take a moment to be gone
    assert ServerFiles.of(settings).server() is None
