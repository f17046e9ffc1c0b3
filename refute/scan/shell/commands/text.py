"""Commands that only make or change text: what they print is worked out, so that hidden commands come to light."""

import re
from typing import Final

from refute.scan.decoding import substitute
from refute.scan.shell.call import Call, list_globs
from refute.scan.shell.commands.interpreters import note_run
from refute.scan.shell.escapes import decode_escapes
from refute.scan.shell.options import split_options
from refute.scan.symbols import DECODED, DERIVED, OUTPUT, UNKNOWN, is_open

_FORMAT: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[sdiouxXcbq])")


_RUNS: Final = re.compile(r"(?:^|[;\n}\d$/]\s*)s([^\w\s\\])(?:(?!\1)[^\\]|\\.)*\1(?:(?!\1)[^\\]|\\.)*\1[gpiIM0-9]*e")
"""A substitution with the flag `e`, which runs the result."""


_REVERSES_LINES: Final = frozenset({"1!G;h;$p", "1!G;h;$!d"})


_MAX_TEXT: Final = 200_000


_SAFE_TR: Final = 4_000


def _echo(call: Call) -> str:
    words = call.argv[1:]
    escapes = newline = False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        escapes = escapes or "e" in words[0]
        newline = newline or "n" in words[0]
        words = words[1:]
    list_globs(call, words)
    output = " ".join(words)
    if escapes:
        output = decode_escapes(output)
    return output + ("" if newline else "\n")


def _printf(call: Call) -> str:
    words = call.argv[1:]
    if words[:1] == ["-v"] and len(words) > 2:  # noqa: PLR2004 - -v NAME FORMAT
        output = _format(words[2], words[3:])
        call.walker.scope.assign(words[1], (output,))
        return ""
    words = words[1:] if words[:1] == ["--"] else words
    list_globs(call, words[1:])
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
        if kind == "b":
            return decode_escapes(value)
        if kind == "c":
            return value[:1]
        if kind in "xXo" and value.isdigit():
            return format(int(value), kind)
        return value

    return "".join(_FORMAT.sub(one, template) for _ in range(min(rounds, 200)))[:_MAX_TEXT]


def _pass(call: Call) -> str:
    """A filter that keeps at most what it is fed."""
    return call.stdin or UNKNOWN


def _tac(call: Call) -> str:
    return _reversed_lines(call.stdin)


def _reversed_lines(text: str) -> str:
    return "\n".join(reversed(text.split("\n"))) if text and not is_open(text) else UNKNOWN


def _tr(call: Call) -> str | None:
    options, sets = split_options(call.argv[1:], "")
    text = call.stdin
    if not text or is_open(text) or not sets or len(text) > _SAFE_TR:
        return text or UNKNOWN
    source = _character_set(sets[0])
    if "d" in options:
        return "".join(char for char in text if char not in source)
    if len(sets) > 1:
        target = _character_set(sets[1]) or [""]
        target = [*target, *[target[-1]] * (len(source) - len(target))]
        changed = text.translate({ord(old): new for old, new in zip(source, target, strict=False) if old})
        return changed if changed == text else DECODED + changed
    return re.sub(r"(.)\1+", r"\1", text) if "s" in options else DERIVED


def _character_set(text: str) -> list[str]:
    text = decode_escapes(text)
    classes = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:space:]": " \t\n", "[:alpha:]": "A-Za-z"}
    for name, span in classes.items():
        text = text.replace(name, span)
    found: list[str] = []
    index = 0
    while index < len(text):
        if index + 2 < len(text) and text[index + 1] == "-" and ord(text[index]) <= ord(text[index + 2]):
            found.extend(chr(code) for code in range(ord(text[index]), ord(text[index + 2]) + 1))
            index += 3
        else:
            found.append(text[index])
            index += 1
    return found


_TESTS: Final = re.compile(r"(?:^|/)(?:tests?/|test_|conftest)|(?:_test|\.test|\.spec)\.\w+\Z")
_DISARMS: Final = re.compile(
    r"assert[^/|,#]*[/|,#](?:\d*,?\d*\s*d\b|[^/|,#]*(?:True\s+or|or\s+True|\bpass\b|if False|skip)"
    r"|\s*(?:\\?#|\\/\\/)?\s*[&]?[/|,#])"
)
"""A `sed` script that deletes assertions, comments them out, or makes them hold."""


def _sed(call: Call) -> str | None:
    options, operands = split_options(call.argv[1:], "efl", frozenset({"expression", "file"}), mixed=True)
    scripts = options.get("e", []) + options.get("expression", [])
    if not scripts and "f" not in options:
        scripts, operands = operands[:1], operands[1:]
    for script in scripts:
        _sed_script(call, script)
    for path in options.get("f", []) + options.get("file", []):
        note_run(call, path, "sed")
    in_place = any(name.startswith(("i", "in-place")) for name in options)
    for path in operands:
        (call.act.write if in_place else call.act.read)(path)
    if in_place and any(_TESTS.search(path) for path in operands) and any(_DISARMS.search(text) for text in scripts):
        call.act.add("test-tampering", detail="Takes checks out of tests.")
    if operands or not scripts:
        return UNKNOWN
    text = call.stdin
    for script in scripts:
        text = _reversed_lines(text) if script in _REVERSES_LINES else _substitute(script, text)
    return text


def _sed_script(call: Call, script: str) -> None:
    match = re.search(r"(?:^|[;\n}\d$/])\s*[rRwW]\s+(/\S+)", script)
    if match:
        (call.act.write if "w" in match.group().lower().split("/")[0] else call.act.read)(match[1])
    if re.search(r"(?:^|[;\n}\d$])\s*e(?:\s+\S|\s*$)", script) or _RUNS.search(script):
        call.act.add("foreign-code", detail="sed's `e` runs what it reads.")


def _substitute(script: str, text: str) -> str:
    if not text or is_open(text):
        return text or UNKNOWN
    swapped = re.fullmatch(r"y(.)(.*)\1(.*)\1", script)
    if swapped and len(swapped[2]) == len(swapped[3]):
        return DECODED + text.translate(str.maketrans(swapped[2], swapped[3]))
    match = re.fullmatch(r"s(.)(.*?)(?<!\\)\1(.*?)(?<!\\)\1([gi]*)", script, re.DOTALL)
    if not match:
        return OUTPUT
    basic = re.sub(r"\\?[(){}+?|]", lambda m: m[0][1:] if m[0][0] == "\\" else "\\" + m[0], match[2])
    replacement = re.sub(r"(?<!\\)&", r"\\g<0>", match[3])
    changed = substitute(basic, replacement, text, count=0 if "g" in match[4] else 1)
    return DERIVED if changed is None else changed


def _cut(call: Call) -> str | None:
    options, operands = split_options(call.argv[1:], "dfbc", frozenset({"delimiter", "fields"}), mixed=True)
    for path in operands:
        call.act.read(path)
    text = call.stdin
    if operands or not text or is_open(text):
        return call.picked()
    picked = (options.get("f") or options.get("c") or options.get("b") or [""])[0]
    if not picked.isdigit():
        return DERIVED
    parts = [
        line.split(options.get("d", ["\t"])[0] or "\t") if "f" in options else list(line) for line in text.split("\n")
    ]
    return "\n".join(part[int(picked) - 1] if len(part) >= int(picked) > 0 else "" for part in parts)


COMMANDS: Final = {
    "echo": _echo,
    "printf": _printf,
    "uudecode": lambda _call: DERIVED,
    "tac": _tac,
    "tr": _tr,
    "sed": _sed,
    "gsed": _sed,
    "cut": _cut,
}
