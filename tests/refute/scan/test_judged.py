"""Dangers plain and disguised, each beside everyday texts of the same shape: the ones block, the others do not.

A line of `judged_shell.txt` or `judged_python.txt` is a text that must block (`!`) or must not (`.`), with `⏎` for the
end of a line in it, and after ` ⇒ ` the rule that must be among those that block it.
"""

from pathlib import Path
from typing import Any

import pytest

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_files, scan_text


def rows(language: Language) -> list[Any]:
    text = Path(__file__).with_name(f"judged_{language.value}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.startswith(("! ", ". "))]
    parts = [(line[0], *line[2:].replace("⏎", "\n").partition(" ⇒ ")[::2]) for line in lines]
    return [pytest.param(text, mark == "!", rule) for mark, text, rule in parts]


def blocking(text: str, language: Language) -> set[str]:
    findings = scan_text("x", text.encode(), language=language)
    return {finding.rule_id for finding in findings if finding.severity >= Severity.HIGH}


@pytest.mark.parametrize(("text", "blocks", "rule"), rows(Language.SHELL))
def test_shell_is_judged(text: str, blocks: bool, rule: str) -> None:
    found = blocking(text, Language.SHELL)
    assert bool(found) is blocks
    assert not rule or rule in found


@pytest.mark.parametrize(("text", "blocks", "rule"), rows(Language.PYTHON))
def test_python_is_judged(text: str, blocks: bool, rule: str) -> None:
    found = blocking(text, Language.PYTHON)
    assert bool(found) is blocks
    assert not rule or rule in found


@pytest.mark.parametrize("text", ["rm -rf /\r\n", "\ufeffrm -rf /"], ids=["Windows line end", "byte order mark"])
def test_what_stands_around_a_command_does_not_hide_it(text: str) -> None:
    assert blocking(text, Language.SHELL)


@pytest.mark.parametrize(
    ("script", "path", "text"),
    [
        ("make all", "Makefile", "all: ; rm -rf /etc\n"),
        ("make all", "Makefile", "X := $(shell rm -rf /etc)\nall:\n\ttrue\n"),
        ("make all", "Makefile", "X != rm -rf /etc\nall:\n\ttrue\n"),
        ('eval "$(sort commands.txt | uniq)"', "commands.txt", "# clean\nrm -rf /etc\n"),
        ('eval "$(sed s/x/y/ commands.txt)"', "commands.txt", "# clean\nrm -rf /etc\n"),
    ],
)
def test_what_another_file_has_run_is_judged(script: str, path: str, text: str) -> None:
    files = {"verify.sh": f"{script}\n".encode(), path: text.encode()}
    assert {finding.path for finding in scan_files(files, ["verify.sh"]).blocking} == {"verify.sh"}
