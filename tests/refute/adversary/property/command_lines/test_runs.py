"""The `run` field of a claim: arguments, standard input and files in; exit code, streams and files out."""

from pathlib import Path
from typing import Any

import pytest

from refute.adversary.attack import Attack, Origin
from refute.ticket.record import Claim, ClaimId, Run, Text
from tests.refute.adversary.property.command_lines.bench_of_programs import attack_on, failures

UPPER = {
    "tool.py": "import os, sys\n"
    "text = open(sys.argv[1]).read() if sys.argv[1:] else sys.stdin.read()\n"
    "if not text: sys.exit('nothing to do')\n"
    "print(os.environ.get('PREFIX', '') + text.upper(), end='')\n"
    "open('log/done.txt', 'w').write('ok\\n') if os.path.isdir('log') else None\n"
}


def _attack(**run: Any) -> Attack:
    words = run.pop("words", ("tool.py",))
    return attack_on(UPPER, Claim(id=ClaimId("C1"), text="It shouts.", run=Run(words=words, **run)))


@pytest.mark.parametrize(
    "run",
    [
        {"stdin": "a\nb", "stdout": Text(exact="A\nB\n"), "exit_code": 0},
        {"words": ("PREFIX=> ", "python", "tool.py"), "stdin": "a", "stdout": Text(exact="> A")},
        {"words": ("tool.py", "in x.txt"), "files": {"in x.txt": "é\n"}, "stdout": Text(contains=("É",))},
        {"fails": True, "stderr": Text(contains=("nothing", "to do")), "stdout": Text(exact="")},
        {"stdin": "a", "files": {"log/a": ""}, "files_after": {"log/done.txt": Text(exact="ok"), "log/a": Text()}},
    ],
)
def test_a_right_program_keeps_its_run(run: dict[str, Any], tmp_path: Path) -> None:
    attack = _attack(**run)
    assert [test.origin for test in attack.tests] == [Origin.AUTHOR_EXAMPLE]
    assert failures(attack, UPPER, tmp_path) == {}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"stdin": "a", "stdout": Text(exact="a")}, "stdout 'a'"),
        ({"stdin": "a", "stdout": Text(contains=("A", "B"))}, "'B' in stdout"),
        ({"stdin": "a", "exit_code": 2}, "exit code 2"),
        ({"stdin": "a", "fails": True}, "an exit code other than 0"),
        ({"stdin": "a", "stderr": Text(exact="oh")}, "stderr 'oh'"),
        ({"stdin": "a", "files_after": {"log/done.txt": Text()}}, "the file log/done.txt"),
        (
            {"stdin": "a", "files": {"log/done.txt": "no"}, "files_after": {"log/done.txt": Text(exact="no")}},
            "log/done.txt 'no'",
        ),
    ],
)
def test_a_wrong_program_is_refuted_by_its_run(run: dict[str, Any], expected: str, tmp_path: Path) -> None:
    (error,) = failures(_attack(**run), UPPER, tmp_path).values()
    assert str(error).splitlines()[0] == f"expected {expected}, got exit code 0"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("other.py",), "run: got 'other.py', expected one of the ticket's programs: tool.py"),
        (("python", "-c", "1"), "run: `python -c` runs code"),
        (("LD_PRELOAD=x", "tool.py"), "changes how every program starts"),
    ],
)
def test_only_the_ticket_s_own_programs_run(words: tuple[str, ...], reason: str) -> None:
    attack = _attack(words=words, exit_code=0)
    assert attack.tests == ()
    assert reason in attack.untestable[0].reason
