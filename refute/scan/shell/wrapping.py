"""Where in the words of a command the other one stands that it runs."""

from refute.scan.core import effects as e
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.options import Options, split_options, without_assignments
from refute.scan.shell.rows import flags_of, found_in
from refute.scan.shell.state import Call


def unwrapped(call: Call, row: Command) -> e.Effects:
    """What a wrapper runs, and what it does besides."""
    yield from flags_of(call, row)
    yield from found_in(call, row, call.text)
    first = call.argv[1] if len(call.argv) > 1 else ""
    if first.startswith("-") and set(first[1:2]) & set((row.wraps or {}).get("asks", "")):
        return (call.argv[2:] or [""])[0] + "\n"
    texts, words = _opened(call.argv[0], call.argv[1:], row)
    for text in texts:
        yield e.Eval(Language.SHELL, text)
    words = without_assignments(words)
    words = [*words[:1], *words[1 + (words[1:2] == ["--"]) :]]
    if len(words) == 1 and any(map(str.isspace, words[0])):
        return (yield e.Eval(Language.SHELL, words[0]))
    if call.argv[0] == "coproc" and len(words) == 1:
        yield e.Eval(Language.SHELL, f"cat | {words[0]}")
    if words and words[0].endswith(".py") and "/" not in words[0]:
        words = ["python", *words]
    return (yield e.Run(tuple(words), call.stdin)) if words else ""


def _opened(name: str, words: list[str], row: Command) -> tuple[list[str], list[str]]:
    """The texts that a shell reads for a wrapper, and the words behind its options, its verb and what else it takes."""
    spec = row.wraps or {}
    valued, texts, starts = (spec.get(field, "").split() for field in ("values", "text", "starts"))
    takes = frozenset(texts + starts).union(*(word[1:] if word[0] == "-" else [word] for word in valued))
    given: Options = {}

    def behind(words: list[str]) -> list[str]:
        options, operands = split_options(words, takes, mixed=spec.get("mixed", False))
        given.update(options)
        return operands

    words = behind(words)
    if started := [value for option in starts for value in given.get(option, ())]:
        words = [*started, *words]
    elif verbs := spec.get("verbs", ""):
        named = words[:1] and words[0] in verbs.strip(",").split(",")
        words = behind(words[1:]) if named else words if verbs.endswith(",") else []
    if (skip := spec.get("skips", {}).get(name, 0)) and not (name == "flock" and "c" in given):
        words = behind(words[skip:])
    return [text for option in texts for text in given.get(option, ())], words
