"""When the tester keeps silent about a command, what it says then, and what it makes of shells' own words."""

import re
from pathlib import Path

import pytest

from refute.adversary.attack import AttackRun, Category, Origin, TestEnd, TestRun, TriageVerdict
from refute.adversary.judgement.triage import triage_tests
from refute.adversary.property.command_lines.feeding import echoed, formatted
from refute.adversary.property.command_lines.shell_words import Operator, Word, read_line
from refute.ticket.record import Claim, ClaimId, Property
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
        ("`tool.py a b | wc -w` prints `2`.", "hands its output to another program"),
        ("`curl x | tool.py` prints `x`.", "is fed by `curl`"),
        ("`cat nosuch.txt | tool.py` prints `x`.", "nosuch.txt, which the workspace does not hold"),
        ("`LD_PRELOAD=x tool.py a` prints `a`.", "changes how every program starts"),
        ("`tool.py a` prints `b` if B is set.", "not understood"),
        ("`tool.py a` may print `b`.", "not understood"),
        ("`tool.py a` prints no error message.", "not understood"),
        ("`tool.py a b` returns 0.", "not understood"),
        ("When CAPS is set, `tool.py a` prints `A`.", "not understood"),
        ("`tool.py now` prints `2024-05-05 10:11:12`.", "may differ from run to run"),
        ("$ python tool.py a\n<the argument>\n", "placeholder"),
        ("`other.py a` prints `b`.", "holds no command"),
        ("`tool.py a` shows `usage: tool [-h]`.", "say `prints usage`"),
        ("It never changes the input file.", "add an example"),
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
        "$ python tool.py a 2>&1; echo $?\na\n0\n",
    ],
)
def test_right_programs_are_not_refuted_by_the_letters_of_a_claim(claim: str, tmp_path: Path) -> None:
    attack = attack_on(ECHO, claim)
    assert attack.tests
    assert failures(attack, ECHO, tmp_path) == {}


def test_what_an_earlier_command_left_is_not_expected_of_one_that_runs_alone(tmp_path: Path) -> None:
    attack = attack_on(STORE, "`tool.py count` prints `3`.", "After `tool.py add x`, `tool.py count` prints `1`.")
    assert "earlier command" in attack.untestable[0].reason
    assert failures(attack, STORE, tmp_path) == {}


def test_tests_do_not_see_what_others_wrote_nor_change_the_workspace(tmp_path: Path) -> None:
    attack = attack_on(STORE, "`tool.py add x` prints `empty`.", "`tool.py list` prints `empty`.")
    assert len(attack.tests) == 2
    assert failures(attack, STORE, tmp_path) == {}


def test_examples_of_the_author_are_commands_with_their_output() -> None:
    examples = ("tool.py a b -> a b", "tool.py 'a\nb' -> a\nb", "tool.py a\na", "$ tool.py\n\n", "tool.py")
    attack = attack_on(ECHO, Claim(id=ClaimId("C1"), text="It echoes.", examples=examples))
    assert [(test.origin, test.category) for test in attack.tests] == [(Origin.AUTHOR_EXAMPLE, Category.SMOKE)] * 2
    assert "no command with what it prints" in attack.source


def test_a_property_block_of_a_program_is_untested_and_says_why() -> None:
    block = Property(given={"n": "int"}, check="n == n")
    attack = attack_on(ECHO, Claim(id=ClaimId("C1"), text="It echoes.", property=block))
    assert "Python about importable code" in attack.untestable[0].reason


def test_a_circumstance_is_independent_evidence_and_an_example_of_the_text_is_not() -> None:
    attack = attack_on(ECHO, "Without arguments it exits 0. `tool.py a` prints `a`.")
    assert {test.origin for test in attack.tests} == {Origin.PHRASE, Origin.CLAIM_EXAMPLE}


def test_only_the_ticket_s_own_programs_are_run() -> None:
    attack = attack_on(ECHO, "$ rm -rf /\n$ python other.py\nx\n$ python -c 'print(1)'\n1\n", "`ls` prints `tool.py`.")
    assert attack.tests == ()


def test_text_of_a_claim_never_becomes_code() -> None:
    attack = attack_on(ECHO, '`tool.py \'"""\' "\\\\" \'{__import__("os")}\'` prints `""" \\ {x}`. \u2028')
    assert re.search(r"^def test_\w+\(\):$", attack.source, re.MULTILINE)
    compile(attack.source, "generated", "exec")


def test_a_line_is_taken_apart_as_a_shell_would() -> None:
    line = read_line("""A=1 tool "x y"'z' a\\ b $'t\\tb' "$HOME" *.py | cat >out # done""")
    assert line is not None
    words = [token.text for token in line.tokens if isinstance(token, Word)]
    assert words == ["A=1", "tool", "x yz", "a b", "t\tb", "$HOME", "*.py", "cat", "out"]
    assert [token.text for token in line.tokens if isinstance(token, Operator)] == ["|", ">"]
    assert [token.shell for token in line.tokens if isinstance(token, Word) and token.shell] == ["$H", "*"]
    assert line.comment == "done"


@pytest.mark.parametrize("text", ["tool 'open", "tool \x00", "tool \ud800", "x" * 5_000])
def test_what_no_program_could_get_is_no_line(text: str) -> None:
    assert read_line(text) is None


def test_echo_has_two_readings_where_shells_differ_and_printf_repeats_its_format() -> None:
    assert echoed(["-n", "a", "b"]) == ("a b",)
    assert echoed(["-e", "a\\nb"]) == ("a\nb\n",)
    assert echoed(["a\\nb"]) == ("a\nb\n", "a\\nb\n")
    assert formatted(["%s-%d\\n", "a", "1", "b"]) == "a-1\nb-0\n"
    assert formatted(["100%%\\n"]) == "100%\n"
    assert formatted(["%5.2f", "1"]) is None


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


@pytest.mark.parametrize("words", ["error ", "for example ", "it is ", "prints `x` and ", "the same output "])
def test_words_repeated_without_end_are_read_in_time(words: str) -> None:
    attack = attack_on(ECHO, f"`tool.py a` {words * 150}", f"{words * 80} tracebacks of `tool.py a`?")
    assert len(attack.untestable) == 2
