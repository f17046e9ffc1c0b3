"""When the tester keeps silent about a command, what it says then, and what it makes of shells' own words."""

import re
from pathlib import Path

import pytest

from refute.adversary.attack import AttackRun, Category, Origin, TestEnd, TestRun, TriageVerdict
from refute.adversary.judgement.triage import triage_tests
from refute.ticket.record import Claim, ClaimId
from tests.refute.adversary.property.command_lines.bench_of_programs import attack_on, brief_of, failures

ECHO = {"tool.py": 'import sys\nprint(" ".join(sys.argv[1:]))\n'}
STORE = {
    "tool.py": "import os, sys\n"
    "items = open('db').read().split() if os.path.exists('db') else []\n"
    "open('db', 'w').write(' '.join(items + sys.argv[2:]))\n"
    "print(len(items) if sys.argv[1] == 'count' else ' '.join(items) or 'empty')\n"
}


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("`python tool.py FILE [OPTIONS]` prints `x`.", "`FILE` stands for something else"),
        ("`tool.py *.txt` prints `a.txt b.txt`.", "needs a shell"),
        ("`tool.py $HOME` prints `/home/me`.", "needs a shell"),
        ("`tool.py a && tool.py b` prints `b`.", "`&&`, which needs a shell"),
        ("`tool.py a b | wc -w` prints `2`.", "`|`, which needs a shell: give `stdin` and `files`"),
        ("`curl x | tool.py` prints `x`.", "add  run:"),
        ("`LD_PRELOAD=x tool.py a` prints `a`.", "changes how every program starts"),
        ("`tool.py a` prints `b` if B is set.", "write what it prints in backticks"),
        ("`tool.py a` may print `b`.", "add  run:"),
        ("`tool.py a b` returns 0.", "add  run:"),
        ("When CAPS is set, `tool.py a` prints `A`.", "add  run:"),
        ("`tool.py now` prints `2024-05-05 10:11:12`.", "may differ from run to run"),
        ("$ python tool.py a\n<the argument>\n", "may differ from run to run"),
        ("`other.py a` prints `b`.", "add  run:"),
        ("`tool.py a` prints `usage: tool [-h]`.", "argparse's usage"),
        ("`tool.py a` -> the argument", "in backticks"),
        ("tool.py a -> a", "add  run:"),
    ],
)
def test_what_is_not_understood_is_untested_and_says_why(claim: str, reason: str) -> None:
    attack = attack_on(ECHO, claim)
    assert attack.tests == ()
    assert reason in attack.untestable[0].reason


@pytest.mark.parametrize(
    "claim",
    [
        "`tool.py 'a  b'` prints `a  b`.",
        "`tool.py '|'` prints `|`.",
        "`tool.py 'a\\nb'` prints `a\\nb`.",
        '`tool.py "x"` prints `"x"`.',
        "Run it:\n$ python tool.py a\na\n\nThen it ends.\n",
        "$ python tool.py a 2>&1\na\n$ echo $?\n0\n",
        "`tool.py a` prints `a` and exits 0.",
    ],
)
def test_right_programs_are_not_refuted_by_the_letters_of_a_claim(claim: str, tmp_path: Path) -> None:
    attack = attack_on(ECHO, claim)
    assert attack.tests
    assert failures(attack, ECHO, tmp_path) == {}


def test_tests_do_not_see_what_others_wrote_nor_change_the_workspace(tmp_path: Path) -> None:
    attack = attack_on(STORE, "`tool.py add x` prints `empty`.", "`tool.py list` prints `empty`.")
    assert len(attack.tests) == 2
    assert failures(attack, STORE, tmp_path) == {}


def test_examples_of_the_author_are_commands_with_their_output() -> None:
    examples = ("tool.py a b -> a b", "tool.py exits 0", "$ tool.py\n\n", "tool.py")
    attack = attack_on(ECHO, Claim(id=ClaimId("C1"), text="It echoes.", examples=examples))
    assert [(test.origin, test.category) for test in attack.tests] == [(Origin.AUTHOR_EXAMPLE, Category.SMOKE)] * 2
    assert "no command with what it prints" in attack.source


def test_only_the_ticket_s_own_programs_are_run() -> None:
    attack = attack_on(ECHO, "$ rm -rf /\n$ python other.py\nx\n$ python -c 'print(1)'\n1\n", "`ls` prints `tool.py`.")
    assert attack.tests == ()


def test_text_of_a_claim_never_becomes_code() -> None:
    attack = attack_on(ECHO, '`tool.py \'"""\' "\\\\" \'{__import__("os")}\'` prints `""" \\ {x}`. \u2028')
    assert re.search(r"^def test_\w+\(\):$", attack.source, re.MULTILINE)
    compile(attack.source, "generated", "exec")


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("`tool.py a` prints `a`.", TriageVerdict.NEEDS_REVIEW),
        ("`tool.py a` prints `a`. It always terminates.", TriageVerdict.REFUTED),
    ],
)
def test_a_program_that_does_not_end_refutes_only_where_the_claim_says_that_it_ends(
    claim: str, verdict: TriageVerdict
) -> None:
    brief = brief_of(ECHO, [claim])
    attack = attack_on(ECHO, claim)
    late = TestRun(name=attack.tests[0].name, end=TestEnd.FAILED, error_type="subprocess.TimeoutExpired", duration_s=10)
    run = AttackRun(first=(late,), repetitions=((late,),) * 3, tampering=(), output="", duration_s=40, timed_out=False)
    (triaged,) = triage_tests(run, attack, brief, repetitions=3)
    assert triaged.verdict is verdict


def test_a_package_is_run_by_its_name(tmp_path: Path) -> None:
    files = {"counter/__main__.py": "import sys\nprint(len(sys.argv) - 1)\n", "counter/__init__.py": ""}
    attack = attack_on(files, "`python -m counter a b` prints `2`.", programs=["counter/__main__.py"])
    assert attack.tests, attack.untestable
    assert failures(attack, files, tmp_path) == {}


SESSION = """It echoes:

```console
$ python tool.py a \\
>   b
a b
$ cat in.txt
x
$ tool.py c 2>&1
c
$ echo $?
0
$ rm made.txt
```
"""


def test_a_session_is_followed_as_far_as_it_is_understood(tmp_path: Path) -> None:
    files = {**ECHO, "in.txt": "x"}
    attack = attack_on(files, SESSION)
    (test,) = attack.tests
    assert test.category is Category.INTEGRATION
    for line in (
        "'tool.py', 'a', 'b'])",
        "assert means(file_in(folder, 'in.txt'), 'x')",
        "assert done.returncode == 0",
    ):
        assert line in attack.source
    assert "followed up to `rm made.txt`" in attack.source
    assert failures(attack, files, tmp_path) == {}


def test_plain_sessions_end_where_the_text_goes_on() -> None:
    attack = attack_on(
        ECHO, "Call it:\n\n    $ tool.py a\n    a\n\nNothing else matters.\n\n$ tool.py b\nAnd so on, as you may see."
    )
    assert "on_terminal(done, 'a')" in attack.source
    assert "And so on" not in attack.source.partition("def test_")[2].partition('"""')[2].partition('"""')[2]


@pytest.mark.parametrize(
    ("path", "command", "launch"),
    [
        ("run.sh", "sh run.sh a", "'sh', 'run.sh', 'a'"),
        ("run.bash", "./run.bash a", "'bash', 'run.bash', 'a'"),
        ("bin/tool", "/usr/bin/tool a", "'./bin/tool', 'a'"),
        ("tool.py", "env X=1 python3 -u ./tool.py a", "sys.executable, '-u', 'tool.py', 'a'"),
    ],
)
def test_a_program_is_started_by_what_it_is(path: str, command: str, launch: str) -> None:
    assert f"run_in(folder, [{launch}]" in attack_on({path: "echo"}, f"`{command}` prints `a`.", programs=[path]).source
