"""What comes back from the real engine: output, changes, canary files, collected files."""

import pytest

from refute.sandbox.job import Exited

pytestmark = [pytest.mark.engine]

ATTACK = {"plan.json": b'{"a": 1}', "lib/x.py": b"X = 1\n"}


def test_a_command_that_ends_at_once_loses_no_output(sandbox, make_job):
    results = [sandbox.run(make_job("echo quick")) for _ in range(5)]
    assert [(result.end, result.stdout) for result in results] == [(Exited(code=0), "quick\n")] * 5


def test_sparse_files_and_deep_folders_do_not_hold_up_the_read_back(sandbox, make_job):
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


def test_s130_of_what_a_script_deletes_and_writes_exactly_the_canary_files_are_named(sandbox, make_job):
    """Whole homes and file systems are deleted in tests/hostile."""
    script = """
    cd /tmp && mkdir x && rm -rf x /workspace/* /usr 2> /dev/null
    mkdir -p ~/.cache && echo x > ~/.cache/y && echo x > ~/new
    echo 'alias x=y' >> ~/.bashrc; mv ~/.ssh/id_ed25519 /tmp; ln -sf /etc/passwd ~/Documents/notes.txt
    """
    touched = {f"/home/subject/{name}" for name in (".bashrc", ".ssh/id_ed25519", "Documents/notes.txt")}
    assert set(sandbox.run(make_job(script)).canary_files_touched) == touched


def test_a_process_that_lives_on_cannot_change_what_is_read(sandbox, make_job):
    script = """
    (setsid sh -c 'while :; do echo forged > /attack/results.json; rm -f /attack/results.json; done' >/dev/null 2>&1 &)
    sleep 0.2; echo kept > /attack/plan.json
    """
    result = sandbox.run(make_job(script, attack_files=ATTACK, collect=("plan.json",)))
    assert result.collected == {"plan.json": b"kept\n"}
