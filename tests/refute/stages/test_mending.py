"""A rework on this machine: what it makes, and every way in which it makes nothing that counts."""

from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from refute.critics.focus import CriticsSettings
from refute.critics.record import ReworkEnd
from refute.critics.rework import Unfit
from refute.stages.mending import mend
from refute.ticket.record import Snapshot, SnapshotFile
from tests.fakes.tickets import fake_ticket

FILES = {"impl.py": b"wrong\n", "verify.sh": b"true\n"}


def mended(*command: str, timeout_s: float = 20.0, max_bytes: int = 10_000):
    critics = CriticsSettings(rework_command=command, rework_on_host=True, rework_timeout_s=timeout_s)
    ports = SimpleNamespace(
        settings=SimpleNamespace(critics=critics, max_snapshot_bytes=max_bytes), contents=lambda _: FILES
    )
    files = tuple(
        SnapshotFile(path=one, sha256=sha256(FILES[one]).hexdigest(), size_bytes=len(FILES[one])) for one in FILES
    )
    snapshot = Snapshot(digest="sha256:1", files=files, archive=Path("/nowhere"))
    return mend(ports, fake_ticket(implementation_files=("impl.py",)), snapshot, b"{}")


def test_the_command_edits_a_copy_and_is_told_the_failures_by_a_file():
    script = 'cat "$REFUTE_FAILURES" > impl.py; mkdir __pycache__; echo > __pycache__/impl.pyc'
    assert mended("sh", "-c", script) == {"impl.py": b"{}"}


@pytest.mark.parametrize(
    ("script", "end", "words"),
    [
        ("echo no model >&2; exit 3", ReworkEnd.FAILED, "exited with 3; it printed last: no model"),
        ("true", ReworkEnd.REFUSED, "changed nothing"),
        ("mkdir __pycache__; echo > __pycache__/impl.pyc", ReworkEnd.REFUSED, "changed nothing"),
        ("echo x > impl.py; echo true > verify.sh; echo >> verify.sh", ReworkEnd.REFUSED, "changed verify.sh"),
        ("rm impl.py", ReworkEnd.REFUSED, "left no regular file impl.py"),
        ("echo x > impl.py; echo > extra.py", ReworkEnd.REFUSED, "changed extra.py"),
        ("rm impl.py; ln -s /etc/passwd impl.py", ReworkEnd.REFUSED, "left no regular file impl.py"),
        ("head -c 20000 /dev/zero > impl.py", ReworkEnd.REFUSED, "left no regular file impl.py"),
    ],
)
def test_what_is_no_rework_is_told_and_refused(script, end, words):
    wrong = mended("sh", "-c", script)
    assert wrong.end is end
    assert words in wrong.reason


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path):
    mark = tmp_path / "mark"
    wrong = mended("sh", "-c", f"(sleep 1; touch {mark}) & sleep 60", timeout_s=0.2)
    told = "rework_command did not end within 0.2 s (critics.rework_timeout_s)"
    assert wrong == Unfit(end=ReworkEnd.FAILED, reason=told)
    assert not mark.exists()


def test_a_command_that_is_not_there_is_told():
    assert "no-such-command-of-ours: No such file or directory" in mended("no-such-command-of-ours").reason
