"""What comes back from the real engine: output, changes, decoys, collected files."""

import hashlib
from collections.abc import Callable

import pytest

from refute.sandbox.decoys import DECOYS
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, Job

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("sandbox-readback")]

MakeJob = Callable[..., Job]
ATTACK = {"plan.json": b'{"a": 1}', "lib/x.py": b"X = 1\n"}


def test_the_streams_and_the_exit_code_come_back(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    result = sandbox.run(make_job("echo out; echo err >&2; exit 7"))
    assert (result.end, result.stdout, result.stderr) == (Exited(code=7), "out\n", "err\n")


def test_the_workspace_and_the_attack_are_unpacked_as_they_are(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    files = {"src/ä b.py": b"x", "empty": b"", "crlf": b"a\r\n", "-dash": b"y", "large.bin": bytes(3_000_000)}
    script = "sha256sum -- src/* empty crlf -dash large.bin | cut -c1-64; cat /attack/plan.json /attack/lib/x.py"
    result = sandbox.run(make_job(script, files=files, attack_files=ATTACK))
    assert result.end == Exited(code=0), result.stderr
    digests = [hashlib.sha256(content).hexdigest() for content in files.values()]
    assert result.stdout.splitlines() == [*digests, '{"a": 1}X = 1']
    assert result.changed_paths == ()


def test_a_command_that_ends_at_once_loses_no_output(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    results = [sandbox.run(make_job("echo quick")) for _ in range(5)]
    assert [(result.end, result.stdout) for result in results] == [(Exited(code=0), "quick\n")] * 5


def test_changes_in_the_workspace_are_listed_with_hostile_names_escaped(
    sandbox: DockerSandbox, make_job: MakeJob
) -> None:
    script = r"""
    echo 2 >> a.py; rm gone.txt; mkdir -p new/deep empty; touch new/deep/x; chmod +x mode.sh
    touch $'line\nbreak' $'\xff\xfe' $'\x1b[31m'; mkfifo fifo; ln -s /etc/passwd link; ln -s loop loop
    """
    files = {"a.py": b"1\n", "gone.txt": b"", "same.txt": b"same", "mode.sh": b""}
    result = sandbox.run(make_job(script, files=files))
    assert result.end == Exited(code=0), result.stderr
    assert set(result.changed_paths) == {
        "a.py", "gone.txt", "mode.sh", "new/deep/x", "empty/", "line\\nbreak", "\\xff\\xfe", "\\x1b[31m",
        "fifo", "link", "loop",
    }  # fmt: skip


def test_sparse_files_and_deep_folders_do_not_hold_up_the_read_back(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    script = """
    for i in 1 2 3 4; do truncate -s 250M sparse$i ~/.$i; done
    python3 -c "
import os
for _ in range(3000):
    os.mkdir('d'); os.chdir('d')"
    """
    result = sandbox.run(make_job(script, limits={"workspace_bytes": 64 * 1024**2}))
    assert result.end == Exited(code=0), result.stderr
    assert "too large to be read back" in result.changed_paths[-1]
    assert result.decoys_touched == ()
    assert result.overhead_s < 40  # 2 s on a quiet machine; a sparse file that is read to its end takes minutes


@pytest.mark.parametrize(
    "script",
    [
        "mkdir -p ~/.cache && echo x > ~/.cache/y && echo x > ~/new && cat ~/.bashrc ~/.ssh/* ~/.aws/* > /dev/null",
        "python3 -m pytest -q . || true; rm -rf build; python3 -c 'import tempfile; tempfile.mkdtemp()'",
        "cd /tmp && mkdir x && rm -rf x && rm -rf /workspace/*",
        "echo 'rm -rf ~'; rm -rf /usr 2>/dev/null; true",
    ],
)
def test_an_ordinary_script_touches_no_decoy(sandbox: DockerSandbox, make_job: MakeJob, script: str) -> None:
    assert sandbox.run(make_job(script)).decoys_touched == ()


@pytest.mark.parametrize(
    ("script", "least"),
    [
        ("rm -rf ~", 4),
        ("rm -rf /*", len(DECOYS)),
        ("cd .. && rm -rf *", len(DECOYS)),
        ("rm -rf ../home/projects", 3),
        ("find / -name '*.csv' -delete", 1),
        ("> ~/.bashrc", 1),
        ("echo 'alias x=y' >> ~/.bashrc", 1),
        ("chmod -R 777 /", len(DECOYS)),
        ("mv ~/.ssh/id_ed25519 /tmp", 1),
        ("ln -sf /etc/passwd ~/Documents/notes.txt", 1),
        ("""python3 -c "import shutil; shutil.rmtree('/', ignore_errors=True)" """, len(DECOYS)),
    ],
)
def test_s130_destruction_outside_the_workspace_is_seen(
    sandbox: DockerSandbox, make_job: MakeJob, script: str, least: int
) -> None:
    touched = sandbox.run(make_job(f"({script}) 2>/dev/null; exit 0")).decoys_touched
    assert len(touched) >= least
    assert set(touched) <= set(DECOYS)


def test_named_files_are_collected_and_nothing_else(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    script = "echo '{}' > /attack/results.json; ln -s /etc/passwd /attack/link; mkfifo /attack/fifo; mkdir /attack/dir"
    names = ("results.json", "link", "fifo", "dir", "missing", "plan.json")
    result = sandbox.run(make_job(script, attack_files=ATTACK, collect=names))
    assert result.collected == {"results.json": b"{}\n", "plan.json": ATTACK["plan.json"]}


def test_a_large_or_sparse_file_is_not_collected(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    job = make_job("truncate -s 200M /attack/results.json", attack_files=ATTACK, collect=("results.json",))
    assert sandbox.run(job).collected == {}


def test_a_process_that_lives_on_cannot_change_what_is_read(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    script = """
    (setsid sh -c 'while :; do echo forged > /attack/results.json; rm -f /attack/results.json; done' >/dev/null 2>&1 &)
    sleep 0.2; echo kept > /attack/plan.json
    """
    result = sandbox.run(make_job(script, attack_files=ATTACK, collect=("plan.json",)))
    assert result.collected == {"plan.json": b"kept\n"}


def test_two_jobs_share_nothing(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    leave = "echo leak | tee leak /tmp/leak ~/leak /dev/shm/leak /attack/leak >/dev/null"
    find = "cat leak /tmp/leak ~/leak /dev/shm/leak /attack/leak 2>/dev/null | wc -c"
    sandbox.run(make_job(leave, attack_files=ATTACK))
    assert sandbox.run(make_job(find, attack_files=ATTACK)).stdout.strip() == "0"


def test_pid_1_cannot_be_ended_or_written_to_from_inside(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    script = """
    kill -9 1; kill -STOP 1; kill -TERM 1; prlimit --pid 1 --nofile=0
    python3 -c 'open("/proc/1/mem", "r+b")'; ls /proc/1/fd
    echo alive
    """
    result = sandbox.run(make_job(f"({script}) 2>/dev/null"))
    assert (result.end, result.stdout) == (Exited(code=0), "alive\n")


def test_a_job_that_kills_everything_it_can_ends_only_itself(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    result = sandbox.run(make_job("(setsid sleep 600 >/dev/null 2>&1 &); kill -9 -1; echo here"))
    assert (result.end, result.stdout) == (Exited(code=0), "here\n")
