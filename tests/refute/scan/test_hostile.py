"""Fails closed: whatever cannot be read, parsed or finished blocks, and nothing in the file can silence it."""

import time
from collections.abc import Iterable
from typing import Any

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_files, scan_python, scan_text

HOSTILE_PYTHON = {
    "200,000 minus signs": b"x = " + b"-" * 200_000 + b"1",
    "deep lists": b"x = " + b"[" * 5_000 + b"]" * 5_000,
    "deep binary chain": b"x = " + b"1 + " * 100_000 + b"1",
    "NUL byte": b"import os\0\nos.system('rm -rf /')",
    "UTF-7 declaration": b"# -*- coding: utf-7 -*-\n+AG8-s",
    "unknown encoding": b"# coding: no-such\nx = 1",
    "invalid UTF-8": b"x = '\xff\xfe'",
    "UTF-16": "x = 1".encode("utf-16"),
    "syntax error": b"def f(:\n",
    "tabs mixed with spaces": b"if 1:\n\tx = 1\n        y = 2\n",
    "16 MB": b"x = 1\n" * 3_000_000,
}
HOSTILE_SHELL = {
    "200,000 substitutions": b"$(" * 200_000,
    "10 MB on one line": b"echo " + b"a" * 10_000_000 + b" $(",
    "NUL byte": b"r\0m -rf /",
    "unbalanced quote": b"echo 'abc",
    "UTF-16": "rm -rf /".encode("utf-16"),
    "control bytes": b"echo \xff\x01",
    "lone carriage return": b"echo ok #\rrm -rf /\n",
    "line under blanks": b"reboot #\r          \n",
    "direction mark": "echo \u202e'x'".encode(),
}

SLOW = {name for name in HOSTILE_PYTHON | HOSTILE_SHELL if name.startswith(("200,000", "deep", "10 MB"))}
"""Read by the child, or at its limits; the quick suite keeps the kinds that say as much in less time."""


def kinds(texts: Iterable[str]) -> list[Any]:
    return [pytest.param(kind, marks=[pytest.mark.slow] if kind in SLOW else []) for kind in texts]


def _blocks(data: bytes, language: Language, path: str = "x") -> bool:
    return any(finding.severity >= Severity.HIGH for finding in scan_text(path, data, language=language))


@pytest.mark.parametrize("kind", kinds(HOSTILE_PYTHON))
def test_hostile_python_blocks(kind: str) -> None:
    assert _blocks(HOSTILE_PYTHON[kind], Language.PYTHON)


@pytest.mark.parametrize("kind", kinds(HOSTILE_SHELL))
def test_hostile_shell_blocks(kind: str) -> None:
    assert _blocks(HOSTILE_SHELL[kind], Language.SHELL)


@pytest.mark.slow
def test_long_harmless_line_is_read_in_the_child_and_passes() -> None:
    assert not _blocks(b"x = '" + b"a" * 1_000_000 + b"'\n", Language.PYTHON)


@pytest.mark.slow
def test_danger_after_much_padding_is_found() -> None:
    assert _blocks(b"# padding\n" * 20_000 + b"rm -rf /\n", Language.SHELL)


def test_exponential_calls_end_in_time() -> None:
    source = "".join(f"def f{n}(x):\n    f{n + 1}(x + 1)\n    f{n + 1}(x + 2)\n" for n in range(40)) + "f0(0)\n"
    started = time.process_time()
    scan_python("x.py", source)
    assert time.process_time() - started < 10


DOUBLING = "a = [1]\n" + 40 * "a = [a, a]\n"


@pytest.mark.parametrize(
    "script",
    [
        DOUBLING + "print(sorted(a), str(a), '%s' % a, f'{a}', ''.join(a))",
        DOUBLING + "def f(x):\n    return x\nf(a)",
        DOUBLING + DOUBLING.replace("a", "b") + "if x:\n    b = a\nprint(b)",
        DOUBLING + "import requests\nrequests.post('http://localhost', json=a)",
        "a = {}\n" + 40 * "a = {1: a, 2: a}\n" + "print(dict(a), list(a.items()))",
        "a = []\na.append(a)\nprint(sorted(a))\nimport requests\nrequests.post('http://localhost', json=a)",
        "a = 'x' * 90000\nb = [a] * 4000\nprint(str(b), ''.join(b))",
    ],
)
def test_a_list_that_holds_another_twice_ends_in_time(script: str) -> None:
    start = time.monotonic()
    assert not _blocks(script.encode(), Language.PYTHON)
    assert time.monotonic() - start < 5


def test_doubling_text_ends_in_time() -> None:
    started = time.process_time()
    scan_python("x.py", "x = 10**30\n" + "x = x * x\n" * 40 + f"y = 0x{'f' * 9000}\nopen(f'{{y}}{{x}}')\n")
    scan_python("x.py", "x = 'a' * 1000\n" + "x = x + x\n" * 200)
    scan_text("x.sh", ("x=aaaaaaaa\n" + "x=$x$x\n" * 200).encode(), language=Language.SHELL)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "script",
    [
        r"echo AAA | sed 's/\(a*\)*b/x/' | sh",
        "echo AAA | sed 's/a*a*a*b/x/' | sh",
        r"echo AAA | sed 's/a\?a\?a\?a\?a\?a\?a\?a\?b/x/' | sh",
    ],
)
def test_a_pattern_that_could_be_tried_without_end_ends_in_time(script: str) -> None:
    started = time.process_time()
    findings = scan_text("x.sh", script.replace("AAA", 60 * "a").encode(), language=Language.SHELL)
    assert time.process_time() - started < 10
    assert "pipe-to-shell" in {finding.rule_id for finding in findings}


@pytest.mark.parametrize(
    "unit", ["enc -in x ", "-v ///", "-a", "-c alias.x=", "config x.", "/inet |& ", "s/a/b/;", "upload ", "-e ", "\\n "]
)
def test_arguments_that_a_row_s_patterns_could_try_for_long_end_in_time(unit: str) -> None:
    commands = ("openssl", "docker", "fuser", "git", "awk", "sed", "twine", "nc", "mail", "socat", "dig", "rsync", "dd")
    script = f"x='{unit * (3500 // len(unit))}!'\n" + "".join(f'{name} $x $x\n{name} "$x"\n' for name in commands)
    started = time.process_time()
    scan_text("x.sh", script.encode(), language=Language.SHELL)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("command", ["find . -exec ", "find . -ok nice ", "xargs nice -n 5 "])
def test_commands_within_commands_are_followed_in_time(command: str) -> None:
    started = time.process_time()
    findings = scan_text("x.sh", f"{command * 40}rm -rf /etc ;\n".encode(), language=Language.SHELL)
    assert {finding.rule_id for finding in findings} == {"delete-outside"}
    assert _blocks(f"{command * 1000}rm -rf /etc ;\n".encode(), Language.SHELL)
    assert time.process_time() - started < 10


def test_wrong_name_does_not_hide_the_language() -> None:
    assert _blocks(b"#!/bin/bash\nrm -rf /\n", Language.SHELL, "notes.txt")
    assert _blocks(b"#!/bin/bash\nrm -rf /\n", Language.PYTHON, "x.py")


def test_name_and_first_line_that_disagree_block() -> None:
    rules = {finding.rule_id for finding in scan_text("x.py", b"#!/bin/sh\necho = 1\n")}
    assert "misleading-text" in rules


def test_command_in_the_first_line_is_judged() -> None:
    assert _blocks(b"#!/usr/bin/env -S bash -c 'rm -rf /'\necho hi\n", Language.SHELL, "x.sh")


def test_unknown_language_blocks() -> None:
    assert [finding.rule_id for finding in scan_text("x.pl", b"#!/usr/bin/perl\nprint 1")] == ["unanalysable"]


def test_missing_entry_point_blocks() -> None:
    assert not scan_files({}, ["verify.sh"]).safe


@pytest.mark.parametrize("comment", ["# nosec", "# noqa", "# refute: ignore", "# type: ignore", "# pragma: no cover"])
def test_no_comment_silences_a_finding(comment: str) -> None:
    assert _blocks(f"rm -rf /  {comment}\n".encode(), Language.SHELL)
    assert _blocks(f"import os\nos.system('rm -rf /')  {comment}\n".encode(), Language.PYTHON)


def test_source_cannot_forge_the_scanner_s_own_symbols() -> None:
    assert _blocks("rm -rf /\ue001\n".encode(), Language.SHELL)


LAUNCHER = "#!/bin/sh\n'''exec' \"$(dirname -- \"$0\")/python3.12\" \"$0\" \"$@\"\n' '''\n"


def test_launcher_of_an_installed_script_is_python() -> None:
    findings = scan_text("bin/tool", (LAUNCHER + "import sys\nprint(sys.path)\n").encode())
    assert [finding for finding in findings if finding.severity >= Severity.HIGH] == []


@pytest.mark.parametrize("language", [None, Language.SHELL])
def test_python_behind_a_launcher_is_scanned(language: Language | None) -> None:
    findings = scan_text("bin/tool", (LAUNCHER + "import os\nos.system('rm -rf /')\n").encode(), language=language)
    assert [(finding.rule_id, finding.line) for finding in findings] == [("delete-outside", 5)]


@pytest.mark.parametrize(
    "line", ["'''exec' sh -c 'rm -rf /etc; python' \"$0\" \"$@\"", "'''exec' python3 \"$0\" \"$@\"; rm -rf /etc"]
)
def test_launcher_that_does_more_is_blocked(line: str) -> None:
    findings = scan_text("bin/tool", f"#!/bin/sh\n{line}\n' '''\nprint()\n".encode())
    assert any(finding.severity >= Severity.HIGH for finding in findings)


def test_chain_of_functions_is_followed_or_blocks() -> None:
    for length in (30, 60):
        chain = "".join(f'f{n}() {{ f{n + 1} "$@"; }}\n' for n in range(length))
        assert _blocks(f'{chain}f{length}() {{ "$@"; }}\nf0 rm -rf /etc\n'.encode(), Language.SHELL)


def test_function_that_calls_itself_with_something_new_is_followed() -> None:
    assert _blocks(b'f() { [ -n "$2" ] && "$@" || f rm -rf /etc; }; f x', Language.SHELL)
    assert _blocks(b'run() { "$@"; }; run run run rm -rf /etc', Language.SHELL)


@pytest.mark.slow
def test_functions_that_call_each_other_in_many_ways_end_in_time() -> None:
    values = "".join(f"if a{n}; then v=x{n}; fi\n" for n in range(6))
    calls = "".join(f'f{n}() {{ f{n + 1} "$1"; f{n + 1} "$v"; }}\n' for n in range(12))
    assert _blocks(f"{values}{calls}f12() {{ echo $1; }}\nf0 a\n".encode(), Language.SHELL)


def test_findings_beyond_the_limit_never_hide_one_that_blocks() -> None:
    weak = "".join(f"sudo tool{n} x\n" for n in range(250))
    findings = scan_text("x", f"{weak}rm -rf /etc\n".encode(), language=Language.SHELL)
    assert "delete-outside" in {finding.rule_id for finding in findings}
    strong = "".join(f"rm -rf /etc/x{n}\n" for n in range(550))
    assert "unanalysable" in {f.rule_id for f in scan_text("x", strong.encode(), language=Language.SHELL)}


def test_a_text_that_ends_too_early_is_told_as_such() -> None:
    (finding,) = scan_text("verify.sh", b"if true; then\n echo a\n")
    assert "must end with `fi`" in finding.explanation
