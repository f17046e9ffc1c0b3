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


def sections(language: Language) -> list[Any]:
    text = Path(__file__).with_name(f"judged_{language.value}.txt").read_text(encoding="utf-8")
    parts = [part.rstrip("\n").split("\n") for part in text.removeprefix("# ").split("\n# ")]
    return [pytest.param(language, lines, id=f"{language.value}: {heading}") for heading, *lines in parts]


def blocking(text: str, language: Language) -> set[str]:
    findings = scan_text("x", text.encode(), language=language)
    return {finding.rule_id for finding in findings if finding.severity >= Severity.HIGH}


def as_it_must(line: str, language: Language) -> bool:
    text, _, rule = line[2:].replace("⏎", "\n").partition(" ⇒ ")
    found = blocking(text, language)
    return bool(found) is {"! ": True, ". ": False}[line[:2]] and (not rule or rule in found)


@pytest.mark.parametrize(("language", "lines"), [*sections(Language.SHELL), *sections(Language.PYTHON)])
def test_each_text_is_judged_as_it_must_be(language: Language, lines: list[str]) -> None:
    assert [line for line in lines if not as_it_must(line, language)] == []


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
