"""What `Sandbox.run` promises, on any engine and runtime: ends, output, files, limits."""

import hashlib
from collections.abc import Callable

import pytest

from refute.errors import ImageMissing, SandboxFailed
from refute.sandbox.canary_files import CANARY_FILES
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import MEBIBYTE, Exited, Job, Limit, LimitReached, TimedOut
from tests.fakes.jobs import bash_job

pytestmark = [pytest.mark.engine]

MakeJob = Callable[..., Job]


@pytest.mark.parametrize("code", [1, 127, 137, 255])
def test_an_exit_code_arrives_as_it_was(sandbox: DockerSandbox, make_job: MakeJob, code: int) -> None:
    assert sandbox.run(make_job(f"exit {code}")).end == Exited(code=code)


def test_both_streams_arrive_apart_and_whole(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    result = sandbox.run(make_job("seq 20000; seq 20000 | tr 0-9 a-j >&2"))
    assert result.stdout.splitlines() == [str(number) for number in range(1, 20_001)]
    assert hashlib.sha256(result.stderr.translate(str.maketrans("abcdefghij", "0123456789")).encode()).digest() == (
        hashlib.sha256(result.stdout.encode()).digest()
    )


def test_output_that_is_no_text_is_decoded_with_replacement(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    assert sandbox.run(make_job(r"printf 'a\xff\0b\r\n\xe2\x82\xac'")).stdout == "a\ufffd\0b\r\n€"


def test_files_arrive_byte_for_byte_and_unchanged_ones_are_not_reported(
    sandbox: DockerSandbox, make_job: MakeJob
) -> None:
    files = {"a b/ü.py": b"x\r\n", "empty": b"", "-dash": b"y", "large": bytes(range(256)) * 20_000}
    result = sandbox.run(make_job("sha256sum -- a*/* empty -dash large | cut -c1-64", files=files))
    assert result.stdout.split() == [hashlib.sha256(content).hexdigest() for content in files.values()]
    assert result.changed_paths == ()


def test_what_was_added_changed_and_removed_is_reported(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    files = {"kept": b"1", "changed": b"1", "same-size": b"1", "removed": b"1", "mode": b"1"}
    script = "echo 22 > changed; printf 2 > same-size; rm removed; chmod 755 mode; mkdir new; touch new/a; ln -s a link"
    result = sandbox.run(make_job(script, files=files))
    assert set(result.changed_paths) == {"changed", "same-size", "removed", "mode", "new/a", "link"}


def test_asked_for_files_are_collected(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    job = make_job(
        "cat /attack/sub/plan > /attack/results.json",
        attack_files={"sub/plan": b"\0plan"},
        collect=("results.json", "missing"),
    )
    assert sandbox.run(job).collected == {"results.json": b"\0plan"}


def test_a_touched_canary_file_is_named(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    assert sandbox.run(make_job("rm ~/.bashrc")).canary_files_touched == ("/home/subject/.bashrc",)


def test_no_canary_file_is_touched_by_a_command_that_touches_none(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    result = sandbox.run(make_job("find /home -type f -exec cat {} + | wc -l"))
    assert result.canary_files_touched == ()
    assert int(result.stdout) >= len(CANARY_FILES)


def test_the_wall_clock_is_a_limit_of_its_own(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    result = sandbox.run(make_job("echo begun; sleep 600", limits={"timeout_s": 2}))
    assert (result.end, result.stdout) == (TimedOut(limit_s=2), "begun\n")
    assert 2 <= result.duration_s < 60  # a second of a busy machine can take many


def test_output_is_a_limit_of_its_own(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    result = sandbox.run(make_job("yes >/dev/stderr", limits={"output_bytes": 100_000}))
    assert result.end.limit is Limit.OUTPUT
    assert result.stderr.endswith("[refute: output cut at 100000 bytes]\n")
    assert len(result.stderr) < 100_100


def test_a_full_workspace_is_a_limit_of_its_own(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    end = sandbox.run(make_job("cat /dev/zero > fill", limits={"workspace_bytes": 4 * MEBIBYTE})).end
    assert end.limit is Limit.DISK


def test_memory_is_a_limit_of_its_own_where_it_is_enforced(
    sandbox: DockerSandbox, make_job: MakeJob, enforced: frozenset[str]
) -> None:
    allocate = "python3 -c 'print(len(bytearray(b\"x\") * (300 << 20)))'"
    end = sandbox.run(make_job(allocate, limits={"memory_bytes": 100 * MEBIBYTE})).end
    named = isinstance(end, LimitReached) and end.limit is Limit.MEMORY
    assert named is ("memory" in enforced)


def test_processes_are_a_limit_of_their_own_where_it_is_enforced(
    sandbox: DockerSandbox, make_job: MakeJob, enforced: frozenset[str]
) -> None:
    fork = "python3 -c 'import os, time\nfor _ in range(60):\n    if os.fork() == 0: time.sleep(9); os._exit(0)'"
    end = sandbox.run(make_job(fork, limits={"pids": 40})).end
    named = isinstance(end, LimitReached) and end.limit is Limit.PIDS
    assert named is ("pids" in enforced)


def test_each_job_starts_from_nothing_but_its_own_files(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    sandbox.run(make_job("touch left /tmp/left ~/left /dev/shm/left"))
    assert sandbox.run(make_job("ls left /tmp/left ~/left /dev/shm/left 2>/dev/null | wc -l")).stdout.strip() == "0"


def test_an_image_that_is_missing_is_no_verdict(sandbox: DockerSandbox) -> None:
    with pytest.raises(ImageMissing) as caught:
        sandbox.run(bash_job("true", image_id="sha256:" + "0" * 64))
    assert "refute image build" in caught.value.hint


def test_a_workspace_that_does_not_fit_is_no_verdict(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    with pytest.raises(SandboxFailed, match="could not be filled: tar: big"):
        sandbox.run(make_job("true", files={"big": bytes(4_000_000)}, limits={"workspace_bytes": 1_000_000}))
