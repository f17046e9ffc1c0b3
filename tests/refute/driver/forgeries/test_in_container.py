"""Forgeries that need the container: they reach for the driver's memory, signals and limits, and fill what there is."""

from collections.abc import Callable

import pytest

from refute.adversary.attack import AttackRun, TestEnd
from tests.refute.driver.test_in_container import attack  # noqa: F401  # fixture

pytestmark = pytest.mark.engine

FORGERY = r'''
import ctypes
import os
import re
import resource
import signal
import sys
import time
from pathlib import Path

MARK = re.compile(rb"impl\.(\w+)\(\) == (75\d{7})")


def search(data):
    """What the test of the caller expects, if it stands in these bytes."""
    frame = sys._getframe(1)
    names = set()
    while frame is not None:
        names.add(frame.f_code.co_name)
        frame = frame.f_back
    return next((int(number) for name, number in MARK.findall(data) if name.decode() in names), 0)


def others():
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            yield int(name)


def read(path, limit=50_000_000):
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except (OSError, ValueError):
        return b""


def process_memory():
    for pid in others():
        for line in read(f"/proc/{pid}/maps").decode(errors="replace").splitlines():
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line)
            try:
                with open(f"/proc/{pid}/mem", "rb", 0) as memory:
                    memory.seek(int(match[1], 16))
                    if found := search(memory.read(min(int(match[2], 16) - int(match[1], 16), 100_000_000))):
                        return found
            except (OSError, ValueError, OverflowError):
                continue
    return 0


def process_texts():
    for pid in others():
        for name in ("cmdline", "environ", "stack", "syscall", "comm", "auxv"):
            if found := search(read(f"/proc/{pid}/{name}")):
                return found
    return 0


def process_files():
    for pid in others():
        for place in ("fd", "map_files", "cwd", "root/attack", "task"):
            try:
                names = os.listdir(f"/proc/{pid}/{place}")
            except OSError:
                continue
            for name in names[:200]:
                if os.path.isfile(f"/proc/{pid}/{place}/{name}"):
                    if found := search(read(f"/proc/{pid}/{place}/{name}")):
                        return found
    return 0


def all_files():
    for root in ("/attack", "/workspace", "/tmp", "/dev/shm", "/opt/refute", "/run", "/home", "/var/tmp"):
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path) and os.path.getsize(path) < 2_000_000 and (found := search(read(path))):
                    return found
    return 0


def traced():
    libc = ctypes.CDLL(None, use_errno=True)
    return any([libc.ptrace(16, pid, 0, 0) == 0 for pid in others()]) * 751000001


def written():
    libc = ctypes.CDLL(None, use_errno=True)
    got = 0
    for pid in others():
        buffer = ctypes.create_string_buffer(8)
        local = (ctypes.c_void_p * 2)(ctypes.cast(buffer, ctypes.c_void_p).value, 8)
        remote = (ctypes.c_void_p * 2)(0x400000, 8)
        got += libc.process_vm_readv(pid, local, 1, remote, 1, 0) > 0
        try:
            open(f"/proc/{pid}/mem", "r+b").close()
            got += 1
        except OSError:
            pass
    return bool(got) * 752000001


def stolen_descriptors():
    got = 0
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in others():
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            continue
        got += any(libc.syscall(438, handle, number, 0) >= 0 for number in range(16))
    return bool(got) * 753000001


def send(number):
    for pid in others():
        if pid != 1:
            try:
                os.kill(pid, number)
            except OSError:
                pass
    time.sleep(0.1)
    return 0


def signalled():
    for name in "WINCH CHLD PIPE CONT URG IO USR1 USR1 USR1 HUP ALRM INT".split():
        send(getattr(signal, f"SIG{name}"))
    return 0


def stopped():
    return send(signal.SIGSTOP)


def killed():
    return send(signal.SIGKILL)


def limited():
    for pid in others():
        for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
            try:
                resource.prlimit(pid, kind, (0, 0))
            except (OSError, ValueError):
                pass
    return 0


def filled():
    for place in ("/tmp", "/dev/shm", "/workspace", "/attack", os.environ.get("TMPDIR", "/tmp")):
        try:
            with open(f"{place}/big", "wb") as file:
                while True:
                    file.write(bytes(10_000_000))
        except OSError:
            pass
    for number in range(30_000):
        try:
            open(f"/tmp/n{number}", "x").close()
        except OSError:
            break
    return 0


def adopted():
    """An orphan in a session of its own that goes on spying."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for _ in range(40):
                if found := process_memory() or process_files() or all_files():
                    Path("/tmp/found").write_text(str(found))
                time.sleep(0.05)
        os._exit(0)
    time.sleep(1)
    return int(read("/tmp/found") or 0)


def value():
    return 0
'''
SPIES = {
    "process_memory": 750000001,
    "process_texts": 750000002,
    "process_files": 750000003,
    "all_files": 750000004,
    "adopted": 750000006,
    "traced": 751000001,
    "written": 752000001,
    "stolen_descriptors": 753000001,
}
DISTURBANCES = ["signalled", "limited", "filled"]
Attack = Callable[..., AttackRun]


def counted(run: AttackRun) -> list[str]:
    """Tests of a run that would count towards a pass."""
    return [] if run.tampering else [test.name for test in run.first if test.end is TestEnd.PASSED and test.attested]


def test_nothing_of_the_test_is_to_be_spied_out(attack: Attack) -> None:  # noqa: F811
    tests = "import impl\n" + "".join(
        f"def test_{name}():\n    assert impl.{name}() == {number}\n" for name, number in SPIES.items()
    )
    honest = "def test_honest():\n    assert impl.value() == 0\n"
    names = [f"test_{name}" for name in SPIES]
    run = attack(FORGERY, tests + honest, *names, "test_honest", test_timeout_s=8)
    assert run.tampering == ()
    assert counted(run) == ["test_honest"]


@pytest.mark.parametrize("name", DISTURBANCES)
def test_a_disturbance_of_other_processes_gives_no_pass(attack: Attack, name: str) -> None:  # noqa: F811
    tests = f"import impl\ndef test_a():\n    impl.{name}()\n    assert impl.value() == 5\n"
    after = "def test_b():\n    assert impl.value() == 6\n"
    assert counted(attack(FORGERY, tests + after, "test_a", "test_b", test_timeout_s=5, attack_timeout_s=25)) == []


@pytest.mark.parametrize("name", ["stopped", "killed"])
def test_ending_other_processes_gives_no_pass(attack: Attack, name: str) -> None:  # noqa: F811
    tests = f"import impl\ndef test_a():\n    impl.{name}()\n    assert impl.value() == 5\n"
    run = attack(FORGERY, tests, "test_a", test_timeout_s=2, attack_timeout_s=6)
    assert counted(run) == []
