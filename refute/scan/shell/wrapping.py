"""Where in the words of a command the other one stands that it runs."""

from dataclasses import dataclass, field
from typing import Any

from refute.scan.core import effects as e
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.options import without_assignments
from refute.scan.shell.rows import flags_of, found_in
from refute.scan.shell.state import Call


@dataclass(slots=True)
class _Opened:
    """What a wrapper's own words leave."""

    words: list[str]
    texts: list[str] = field(default_factory=list)
    started: bool = False


def unwrapped(call: Call, row: Command) -> e.Effects:
    """What a wrapper runs, and what it does besides."""
    yield from flags_of(call, row)
    yield from found_in(call, row, call.text)
    name, *words = call.argv
    spec = dict(row.wraps or {})
    if words and words[0].startswith("-") and words[0][1:2] in tuple(spec.get("asks", "")):
        return (words[1:] or [""])[0] + "\n"
    opened = _open(name, words, spec)
    for text in opened.texts:
        yield e.Eval(Language.SHELL, text)
    words = without_assignments(opened.words)
    words = [*words[:1], *words[1 + (words[1:2] == ["--"]) :]]
    if len(words) == 1 and any(map(str.isspace, words[0])):
        return (yield e.Eval(Language.SHELL, words[0]))
    if name == "coproc" and len(words) == 1:
        yield e.Eval(Language.SHELL, f"cat | {words[0]}")
    if words and words[0].endswith(".py") and "/" not in words[0]:
        words = ["python", *words]
    return (yield e.Run(tuple(words), call.stdin)) if words else ""


def _open(name: str, words: list[str], spec: dict[str, Any]) -> _Opened:
    """A wrapper's words behind its options, its verb and what else it takes before a command.

    Args:
        name: the wrapper.
        words: its arguments.
        spec: `values`, `skips`, `verbs`, `text` and `starts` of its row.
    """
    opened = _behind_options(_Opened(words), spec)
    verbs = spec.get("verbs", "")
    if verbs and not opened.started:
        if opened.words[:1] and opened.words[0] in verbs.strip(",").split(","):
            opened = _behind_options(_Opened(opened.words[1:], opened.texts), spec)
        elif not verbs.endswith(","):
            return _Opened([], opened.texts)
    skip = spec.get("skips", {}).get(name, 0)
    if skip and not (name == "flock" and opened.texts):
        opened = _behind_options(_Opened(opened.words[skip:], opened.texts), spec)
    return opened


def _behind_options(opened: _Opened, spec: dict[str, Any]) -> _Opened:
    valued = spec.get("values", "").split()
    letters = valued[0][1:] if valued and valued[0].startswith("-") else ""
    texts, starts = spec.get("text", "").split(), spec.get("starts", "").split()
    words = list(opened.words)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("--") and name not in valued and name not in starts + texts:
            name = next((letter for letter in name if letter in letters or letter in starts + texts), "")
            value = word.partition(name)[2] if name else ""
            equals = value
        if name in starts:
            return _Opened(words, opened.texts, started=True)
        if name in texts or name in valued or (len(name) == 1 and name in letters):
            value = value if equals else (words.pop(0) if words else "")
            opened.texts.extend([value] if name in texts else [])
    return _Opened(words, opened.texts)
