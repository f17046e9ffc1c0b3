"""What comes back from the real engine: output, changes, canary files, collected files."""

from collections.abc import Callable

import pytest

from refute.sandbox.canary_files import CANARY_FILES
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, Job

pytestmark = [pytest.mark.engine]

MakeJob = Callable[..., Job]
ATTACK = {"plan.json": b'{"a": 1}', "lib/x.py": b"X = 1\n"}


def test_a_command_that_ends_at_once_loses_no_output(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    results = [sandbox.run(make_job("echo quick")) for _ in range(5)]
    assert [(result.end, result.stdout) for result in results] == [(Exited(code=0), "quick\n")] * 5


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
    assert result.canary_files_touched == ()
    assert result.overhead_s < 40  # 2 s on a quiet machine; a sparse file that is read to its end takes minutes


@pytest.mark.parametrize(
    "script",
    [
        "mkdir -p ~/.cache && echo x > ~/.cache/y && echo x > ~/new && cat ~/.bashrc ~/.ssh/* ~/.aws/* > /dev/null",
        "cd /tmp && mkdir x && rm -rf x && rm -rf /workspace/*; rm -rf /usr 2>/dev/null; true",
    ],
)
def test_an_ordinary_script_touches_no_canary_file(sandbox: DockerSandbox, make_job: MakeJob, script: str) -> None:
    assert sandbox.run(make_job(script)).canary_files_touched == ()


@pytest.mark.parametrize(
    ("script", "least"),
    [
        ("rm -rf ~", 4),
        ("rm -rf /*", len(CANARY_FILES)),
        ("echo 'alias x=y' >> ~/.bashrc", 1),
        ("mv ~/.ssh/id_ed25519 /tmp", 1),
        ("ln -sf /etc/passwd ~/Documents/notes.txt", 1),
    ],
)
def test_s130_destruction_outside_the_workspace_is_seen(
    sandbox: DockerSandbox, make_job: MakeJob, script: str, least: int
) -> None:
    touched = sandbox.run(make_job(f"({script}) 2>/dev/null; exit 0")).canary_files_touched
    assert len(touched) >= least
    assert set(touched) <= set(CANARY_FILES)


def test_a_process_that_lives_on_cannot_change_what_is_read(sandbox: DockerSandbox, make_job: MakeJob) -> None:
    script = """
    (setsid sh -c 'while :; do echo forged > /attack/results.json; rm -f /attack/results.json; done' >/dev/null 2>&1 &)
    sleep 0.2; echo kept > /attack/plan.json
    """
    result = sandbox.run(make_job(script, attack_files=ATTACK, collect=("plan.json",)))
    assert result.collected == {"plan.json": b"kept\n"}
