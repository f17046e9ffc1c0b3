"""Commands that only make or change text: what they print is worked out, so that hidden commands come to light."""

import re
from typing import Final

from refute.scan.core import decoding, paths
from refute.scan.core.effects import Connect, Effects, Flag, Reach, Read, Write
from refute.scan.core.symbols import DECODED, DERIVED, OUTPUT, SECRET, UNKNOWN, is_known, is_open, without_files
from refute.scan.core.tables import Command
from refute.scan.shell.escapes import decode_escapes
from refute.scan.shell.globs import listed_by
from refute.scan.shell.rows import effects_of, read_all, split
from refute.scan.shell.state import Call

_FORMAT: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[sdiouxXcbq])")
_RUNS: Final = re.compile(r"(?:^|[;\n}\d$/]\s*)s([^\w\s\\])(?:(?!\1)[^\\]|\\.)*\1(?:(?!\1)[^\\]|\\.)*\1[gpiIM0-9]*e")
"""A substitution with the flag `e`, which runs the result."""
_REVERSES_LINES: Final = frozenset({"1!G;h;$p", "1!G;h;$!d"})
_MAX_TEXT: Final = 200_000
_SAFE_TR: Final = 4_000
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


def _tac(call: Call, _row: Command) -> Effects:
    yield from ()
    return _reversed_lines(call.stdin)


def _reversed_lines(text: str) -> str:
    return "\n".join(reversed(text.split("\n"))) if text and not is_open(text) else UNKNOWN


def _rev(call: Call, _row: Command) -> Effects:
    yield from ()
    if not call.worked_out():
        return UNKNOWN if UNKNOWN in without_files(call.stdin) else DERIVED
    return DECODED + "\n".join(line[::-1] for line in call.stdin.split("\n"))


def _tr(call: Call, _row: Command) -> Effects:
    yield from ()
    options, sets = split(call, Command(names=()))
    text = call.stdin
    if not call.worked_out() or not sets or len(text) > _SAFE_TR:
        return without_files(text) or UNKNOWN
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
    for part in re.findall(r"(?s).-.|.", text):
        found.extend(map(chr, range(ord(part[0]), ord(part[-1]) + 1)) if len(part) > 1 else part)
    return found


def _sed(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    scripts = options.get("e", []) + options.get("expression", [])
    files = options.get("f", []) + options.get("file", [])
    if not scripts and not files:
        scripts, operands = operands[:1], operands[1:]
    for script in scripts:
        yield from _sed_script(script)
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
    text = call.stdin
    for script in scripts:
        text = _reversed_lines(text) if script in _REVERSES_LINES else _substitute(script, text)
    return text


def _sed_script(script: str) -> Effects:
    match = re.search(r"(?:^|[;\n}\d$/])\s*[rRwW]\s+(/\S+)", script)
    if match:
        yield Write(match[1]) if "w" in match.group().lower().split("/")[0] else Read(match[1])
    if re.search(r"(?:^|[;\n}\d$])\s*e(?:\s+\S|\s*$)", script) or _RUNS.search(script):
        yield Flag("foreign-code", detail="sed's `e` runs what it reads.")
    return None


def _substitute(script: str, text: str) -> str:
    if not text or is_open(text):
        return without_files(text) or UNKNOWN
    swapped = re.fullmatch(r"y(.)(.*)\1(.*)\1", script)
    if swapped and len(swapped[2]) == len(swapped[3]):
        return DECODED + text.translate(str.maketrans(swapped[2], swapped[3]))
    match = re.fullmatch(r"s(.)(.*?)(?<!\\)\1(.*?)(?<!\\)\1([gi]*)", script, re.DOTALL)
    if not match:
        return OUTPUT
    basic = re.sub(r"\\?[(){}+?|]", lambda m: m[0][1:] if m[0][0] == "\\" else "\\" + m[0], match[2])
    replacement = re.sub(r"(?<!\\)&", r"\\g<0>", match[3])
    changed = decoding.substitute(basic, replacement, text, count=0 if "g" in match[4] else 1)
    return DERIVED if changed is None else changed


def _cut(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    for path in operands:
        yield Read(path)
    if operands or not call.worked_out():
        return call.picked()
    picked = (options.get("f") or options.get("fields") or options.get("c") or options.get("b") or [""])[0]
    if not picked.isdigit():
        return DERIVED
    lines = call.stdin.split("\n")
    separator = (options.get("d") or options.get("delimiter") or ["\t"])[0] or "\t"
    fields = "f" in options or "fields" in options
    parts = [line.split(separator) if fields else list(line) for line in lines]
    return "\n".join(part[int(picked) - 1] if len(part) >= int(picked) > 0 else "" for part in parts)


def _part(call: Call, row: Command) -> Effects:
    """`head`, `tail`: what `-c` leaves of a text; lines are left whole, because all of them may run."""
    options, operands = split(call, row)
    text = (yield from read_all(operands, asks=call.silent)) or call.stdin
    name = call.argv[0]
    if name == "paste":
        return text.rstrip("\n").replace("\n", (options.get("d") or ["\t"])[0].replace("\\0", "")) or UNKNOWN
    if name == "fmt":
        return " ".join(text.split("\n")) or UNKNOWN
    number = re.fullmatch(r"([+-]?)(\d+)", (options.get("c") or options.get("bytes") or [""])[0])
    if number is None or not is_known(text):
        return text or UNKNOWN
    size, sign = int(number[2]), number[1]
    if name == "head":
        return text[:-size] if sign == "-" and size else text[:size]
    return text[max(size - 1, 0) :] if sign == "+" else text[-size:] if size else ""


def _tee(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    for path in operands:
        yield Write(path, call.stdin, appends=bool(options.keys() & {"a", "append"}))
        if SECRET in call.stdin:
            yield Flag("environment-dump")
    return call.stdin or UNKNOWN


def _decoded(source: str, decoder: str) -> str:
    if not source or is_open(source):
        return DERIVED
    decoded = decoding.decode(source.replace(DECODED, ""), decoder)
    return DERIVED if decoded is None else DECODED + decoded


def _base64(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    text = (yield from read_all([path for path in operands if path != "-"])) or call.stdin
    if options.keys() & {"d", "D", "decode"} or call.argv[0] == "b64decode":
        return _decoded(text, "base32" if call.argv[0] == "base32" else "base64")
    if SECRET in text:
        return SECRET
    return decoding.encode_base64(text) if text and not is_open(text) and call.argv[0] == "base64" else UNKNOWN


def _xxd(call: Call, _row: Command) -> Effects:
    files = [word for word in call.argv[1:] if not word.startswith("-") and not word.isdigit()]
    text = (yield from read_all(files)) or call.stdin
    reverts = any(re.fullmatch(r"-[a-z]*r[a-z]*|-revert", word) for word in call.argv[1:])
    return _decoded(text, "hex") if reverts else UNKNOWN


def _openssl(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    named = {words[index]: words[index + 1] for index in range(len(words) - 1) if words[index].startswith("-")}
    for flag in {"-connect", "-host"} & named.keys() if words[:1] == ["s_client"] else ():
        yield Connect(named[flag].partition(":")[0])
    if {"-engine", "-provider", "-provider-path"} & set(words):
        yield Flag("foreign-code", detail="Loads a library into openssl.")
    for flag in {"-in", "-inkey"} & named.keys():
        yield Read(named[flag])
    decodes = bool({"-d", "-D"} & set(words))
    if words[:1] == ["enc"] and {"-in", "-out"} <= named.keys():
        yield Write(named["-out"])
        if (
            call.locate(named["-in"]).place in {paths.Place.HOME, paths.Place.SYSTEM, paths.Place.OUTSIDE}
            and not decodes
        ):
            yield Flag("device-write", detail="Encrypts files that are not of the workspace.")
    if words[:1] in (["enc"], ["base64"]) and decodes:
        ciphered = any(re.match(r"-(aes|des|rc|bf|camellia|chacha)", word) for word in words) or "-in" in words
        return DERIVED if ciphered else _decoded(call.stdin, "base64")
    return UNKNOWN


def _compress(call: Call, row: Command) -> Effects:
    yield from effects_of(call, row)
    return DERIVED if any(re.match(r"-[a-z]*d|--decompress", word) for word in call.argv) else UNKNOWN


HANDLERS: Final = {
    "echo": _echo,
    "printf": _printf,
    "tac": _tac,
    "rev": _rev,
    "tr": _tr,
    "sed": _sed,
    "cut": _cut,
    "part": _part,
    "tee": _tee,
    "base64": _base64,
    "xxd": _xxd,
    "openssl": _openssl,
    "compress": _compress,
}
