"""Commands that only make or change text: what they print is worked out, so that hidden commands come to light."""

import re
from typing import Final

from refute.scan.core.effects import Effects, Flag, Reach, Read, Write
from refute.scan.core.symbols import OUTPUT, SECRET, UNKNOWN, is_known, without_files
from refute.scan.core.tables import Command
from refute.scan.shell.escapes import decode_escapes
from refute.scan.shell.globs import listed_by
from refute.scan.shell.rows import found_in, split
from refute.scan.shell.state import Call

_FORMAT: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[sdiouxXcbq])")
_MAX_TEXT: Final = 200_000
_TESTS: Final = re.compile(r"(?:^|/)(?:tests?/|test_|conftest)|(?:_test|\.test|\.spec)\.\w+\Z")
_DISARMS: Final = re.compile(
    r"assert[^/|,#]*[/|,#](?:\d*,?\d*\s*d\b|[^/|,#]*(?:True\s+or|or\s+True|\bpass\b|if False|skip)"
    r"|\s*(?:\\?#|\\/\\/)?\s*[&]?[/|,#])"
)
"""A `sed` script that deletes assertions, comments them out, or makes them hold."""


def _echo(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    flags = ""
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flags += words.pop(0)
    yield from listed_by(words)
    output = " ".join(words)
    return (decode_escapes(output) if "e" in flags else output) + ("" if "n" in flags else "\n")


def _printf(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    if words[:1] == ["-v"] and len(words) > 2:  # noqa: PLR2004 - -v NAME FORMAT
        call.scope.assign(words[1], (_format(words[2], words[3:]),))
        return ""
    words = words[1:] if words[:1] == ["--"] else words
    yield from listed_by(words[1:])
    return _format(words[0], words[1:]) if words else ""


def _format(template: str, arguments: list[str]) -> str:
    template = decode_escapes(template)
    per_round = len([m for m in _FORMAT.findall(template) if m != "%%"])
    rounds = max(1, -(-len(arguments) // per_round)) if per_round else 1
    queue = list(arguments)

    def one(match: re.Match[str]) -> str:
        kind = match.group()[-1]
        if match.group() == "%%":
            return "%"
        value = queue.pop(0) if queue else ""
        if kind in "xXo" and value.isdigit():
            return format(int(value), kind)
        return decode_escapes(value) if kind == "b" else value[:1] if kind == "c" else value

    return "".join(_FORMAT.sub(one, template) for _ in range(min(rounds, 200)))[:_MAX_TEXT]


def _sed(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    scripts = options.get("e", []) + options.get("expression", [])
    files = options.get("f", []) + options.get("file", [])
    if not scripts and not files:
        scripts, operands = operands[:1], operands[1:]
    for script in scripts:
        yield from found_in(call, row, script)
    for path in files:
        yield Reach(path, "sed")
    in_place = any(name.startswith(("i", "in-place")) for name in options)
    content = ""
    for path in operands:
        content += (yield Write(path) if in_place else Read(path)) or ""
    if in_place and any(_TESTS.search(path) for path in operands) and any(_DISARMS.search(text) for text in scripts):
        yield Flag("test-tampering", detail="Takes checks out of tests.")
    if operands or not scripts:
        return content or UNKNOWN
    return OUTPUT if is_known(call.stdin) and call.stdin else without_files(call.stdin) or UNKNOWN


def _tee(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    for path in operands:
        yield Write(path, call.stdin, appends=bool(options.keys() & {"a", "append"}))
        if SECRET in call.stdin:
            yield Flag("environment-dump")
    return call.stdin or UNKNOWN


HANDLERS: Final = {
    "echo": _echo,
    "printf": _printf,
    "sed": _sed,
    "tee": _tee,
}
