"""The built-in tester on a command-line program, on the real engine: which claims stand, and how it is shown."""

import subprocess
import sys

import pytest

from refute.outcome import ClaimVerdict, Status
from refute.recording import reproducer_paths

pytestmark = pytest.mark.engine

PROGRAM = '''"""Count lines of files or of standard input."""
import argparse
import sys

parser = argparse.ArgumentParser(prog="linestat")
parser.add_argument("files", nargs="*")
options = parser.parse_args()
code = 0
for name in options.files or ["-"]:
    try:
        text = sys.stdin.read() if name == "-" else open(name, encoding="utf-8").read()
        print(text.count("\\n"))
    except OSError as error:
        print(f"linestat: {name}: {error.strerror}", file=sys.stderr)
        code = 1
sys.exit(code)
'''
CLAIMS = [
    {
        "id": "right",
        "text": "`python linestat.py 'two lines.txt'` prints `2`.",
        "examples": ["$ linestat.py 'two lines.txt'\n2\n$ echo $?\n0"],
    },
    {"id": "wrong", "text": "The last line counts.", "run": "linestat.py", "stdin": "a\nb", "stdout": "2"},
    {
        "id": "missing",
        "text": "A missing file is an error that names the program.",
        "run": ["linestat.py", "gone.txt"],
        "exit": 1,
        "stderr": {"contains": "linestat"},
    },
    {"id": "options", "text": "`linestat.py --nope` exits with status 2."},
    {
        "id": "file",
        "text": "The input file is never modified.",
        "run": "python linestat.py in.txt",
        "files": {"before": {"in.txt": "a\n"}, "after": {"in.txt": "a\n"}},
    },
    {"id": "vague", "text": "It is fast."},
]


def test_a_program_is_attacked_by_what_its_claims_say_about_command_lines(ticket, verify, settings):
    directory = ticket(
        files={"linestat.py": PROGRAM, "two lines.txt": "one\ntwo\n"},
        claims=CLAIMS,
        implementation=["linestat.py"],
        script="python linestat.py --help\n",
        more={"kind": "cli"},
    )
    outcome = verify(directory)
    assert outcome.status is Status.FAILED_ADVERSARIAL, outcome.reason
    verdicts = {claim.claim_id: claim.verdict for claim in outcome.claims}
    survived = dict.fromkeys(("right", "missing", "options", "file"), ClaimVerdict.SURVIVED)
    assert verdicts == {**survived, "wrong": ClaimVerdict.REFUTED, "vague": ClaimVerdict.UNTESTED}
    (failure,) = outcome.failures
    assert "stdout '1\\n'" in failure.error_message
    path = reproducer_paths(settings, outcome)[failure.test_name]
    done = subprocess.run([sys.executable, "-I", path], cwd=directory, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "REPRODUCED: wrong is violated" in done.stderr
