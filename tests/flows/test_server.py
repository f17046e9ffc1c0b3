"""One local Prefect server, shared, stopped when idle."""

import contextlib
import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.orchestrator import server
from flows.orchestrator.server import LocalServer, ServerFiles, answers, ensure_home, server_check, server_lease
from refute.errors import OrchestratorUnavailable
from refute.settings import Settings
from tests.fakes.waiting import wait_for
from tests.fakes.web import answering

WITHIN_S = 600


def test_a_configured_server_that_does_not_answer_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    settings = Settings.load(state_dir=tmp_path)
    with pytest.raises(OrchestratorUnavailable, match="does not answer"), server_lease(settings, say=print):
        pass
    check = server_check(settings)
    assert check.ok is False
    assert "PREFECT_API_URL" in check.advice


def test_a_stale_record_is_no_server(tmp_path, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    settings = Settings.load(state_dir=tmp_path)
    files = ServerFiles.of(settings)
    files.write(LocalServer(api_url="http://127.0.0.1:9/api", pid=1, keeper_pid=1))
    assert files.server() is None
    assert server_check(settings).ok is None


def test_a_recorded_server_that_is_busy_is_waited_for_and_no_second_one_started(tmp_path, monkeypatch):
    files = ServerFiles.of(Settings.load(state_dir=tmp_path))
    with answering(after_s=0.4) as api_url:
        recorded = LocalServer(api_url=api_url, pid=os.getpid(), keeper_pid=os.getpid())
        files.write(recorded)
        assert not answers(api_url, timeout_s=0.1)
        assert files.server() == recorded
        monkeypatch.setattr(server, "BUSY_S", 0.1)
        assert files.server() is None


def test_a_server_that_is_gone_is_known_at_once_by_prefect_s_own_client():
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        assert not server.still_answers()


def test_a_full_disk_is_told_before_anything_starts_and_not_by_the_server_s_own_errors(tmp_path, monkeypatch):
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OrchestratorUnavailable, match="cannot be written: No space left on device") as refused:
        ServerFiles.of(Settings.load(state_dir=tmp_path))
    assert "make room" in refused.value.hint


def test_doctor_tells_of_it_beside_everything_else(tmp_path, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    (tmp_path / "file").touch()
    check = server_check(Settings.load(state_dir=tmp_path / "file" / "state"))
    assert (check.ok, "REFUTE_STATE_DIR" in check.advice) == (False, True)


def test_where_nobody_has_a_home_prefect_gets_one(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/as/it/was")
    ensure_home(tmp_path)
    assert os.environ["HOME"] == "/as/it/was"

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    ensure_home(tmp_path)
    assert os.environ["HOME"] == str(tmp_path)


@pytest.mark.prefect
def test_two_runs_at_once_share_the_server_that_a_killed_one_began_to_start_and_it_stops_when_idle(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    code = (
        "import sys; from pathlib import Path\n"
        "from flows.orchestrator.server import server_lease\n"
        "from refute.settings import Settings\n"
        "with server_lease(Settings.load(state_dir=Path(sys.argv[1]), server_idle_s=2), say=lambda _: None) as url:\n"
        "    print(url, flush=True)\n"
        "    sys.stdin.read()"  # neither ends before the other has begun, however busy the machine is
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    killed = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    while not _keepers(tmp_path):
        assert killed.poll() is None
        time.sleep(0.05)
    killed.kill()
    killed.communicate(timeout=WITHIN_S)
    (first,) = _keepers(tmp_path)
    runs = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in "ab"]
    urls = {run.stdout.readline() for run in runs}
    for run in runs:
        run.communicate(timeout=WITHIN_S)
    (url,) = urls
    assert url.startswith("http://127.0.0.1:")
    assert _keepers(tmp_path) <= {first}, "a second server was started beside the first"
    record = tmp_path / "prefect" / "server.json"
    held = LocalServer(**json.loads(record.read_text())) if record.exists() else None
    wait_for(lambda: not record.exists() and not (held and _runs(held.keeper_pid)))


def _keepers(state_dir: Path) -> set[int]:
    """The processes that keep a server for this state directory."""
    wanted = {b"flows.orchestrator.keeper", os.fsencode(state_dir / "prefect")}
    found = set()
    for cmdline in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if wanted <= set(cmdline.read_bytes().split(b"\0")):
                found.add(int(cmdline.parent.name))
    return found


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
