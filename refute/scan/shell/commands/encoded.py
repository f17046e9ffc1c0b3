"""Commands that decode and encode text: the usual way to hide a command."""

import re
from typing import Final

from refute.scan import decoding, paths
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.symbols import DECODED, DERIVED, UNKNOWN, is_open


def _decode(call: Call, decoder: str) -> str | None:
    source = call.stdin
    files = [word for word in call.argv[1:] if not word.startswith("-")]
    if files:
        call.act.read(files[-1])
        source = call.walker.shared.written.get(paths.locate(files[-1], call.walker.scope.cwd).text, UNKNOWN)
    if not source or is_open(source):
        return DERIVED
    decoded = decoding.decode(source.replace(DECODED, ""), decoder)
    return DERIVED if decoded is None else DECODED + decoded


def _base64(call: Call) -> str | None:
    options = split_options(call.argv[1:], "wio", mixed=True)[0]
    if options.keys() & {"d", "D", "decode"}:
        call.argv = ["base64", *[word for word in call.argv[1:] if not word.startswith("-")]]
        return _decode(call, "base32" if call.argv[0] == "base32" else "base64")
    for word in call.argv[1:]:
        if not word.startswith("-") and call.act.read(word):
            return None
    return decoding.encode_base64(call.stdin) if call.stdin and not is_open(call.stdin) else UNKNOWN


def _base32(call: Call) -> str | None:
    return _decode(call, "base32") if {"-d", "--decode"} & set(call.argv) else UNKNOWN


def _xxd(call: Call) -> str | None:
    if any(re.fullmatch(r"-[a-z]*r[a-z]*", word) or word == "-revert" for word in call.argv[1:]):
        call.argv = [call.argv[0], *[word for word in call.argv[1:] if not word.startswith("-")]]
        return _decode(call, "hex")
    for word in call.argv[1:]:
        if not word.startswith("-") and not word.isdigit():
            call.act.read(word)
    return UNKNOWN


def _encrypt_in_place(call: Call, words: list[str]) -> None:
    """Somebody's files, encrypted beside themselves."""
    named = {flag: words[words.index(flag) + 1] for flag in ("-in", "-out") if flag in words[:-1]}
    if len(named) > 1:
        call.act.write(named["-out"])
        place = paths.locate(named["-in"], call.walker.scope.cwd).place
        if place in {paths.Place.HOME, paths.Place.SYSTEM, paths.Place.OUTSIDE} and "-d" not in words:
            call.act.add("device-write", detail="Encrypts files that are not of the workspace.")


def _openssl(call: Call) -> str | None:
    words = call.argv[1:]
    if words[:1] == ["s_client"]:
        for flag in ("-connect", "-host"):
            if flag in words[:-1]:
                call.act.connect(words[words.index(flag) + 1].partition(":")[0])
        return UNKNOWN
    if {"-engine", "-provider", "-provider-path"} & set(words):
        call.act.add("foreign-code", detail="Loads a library into openssl.")
    for flag in ("-in", "-inkey"):
        if flag in words[:-1]:
            call.act.read(words[words.index(flag) + 1])
    if words[:1] == ["enc"]:
        _encrypt_in_place(call, words)
    if words[:1] in (["enc"], ["base64"]) and {"-d", "-D"} & set(words):
        ciphers = [word for word in words if re.match(r"-(aes|des|rc|bf|camellia|chacha)", word)]
        if ciphers or "-in" in words:
            return DERIVED
        call.argv = ["openssl"]
        return _decode(call, "base64")
    return UNKNOWN


def _rev(call: Call) -> str | None:
    if not call.stdin or is_open(call.stdin):
        return DERIVED if not call.stdin or UNKNOWN not in call.stdin else UNKNOWN
    return DECODED + "\n".join(line[::-1] for line in call.stdin.split("\n"))


def _unpack(call: Call) -> str:
    for word in call.argv[1:]:
        if not word.startswith("-"):
            call.act.read(word)
    name = call.argv[0]
    unpacks = (
        "cat" in name
        or name.startswith(("gun", "bun"))
        or any(re.match(r"-[a-z]*d|--decompress", w) for w in call.argv)
    )
    return DERIVED if unpacks else UNKNOWN


COMMANDS: Final = {
    "base64": _base64,
    "base32": _base32,
    "b64decode": lambda call: _decode(call, "base64"),
    "xxd": _xxd,
    "openssl": _openssl,
    "rev": _rev,
    "gunzip": _unpack,
    "gzip": _unpack,
    "zcat": _unpack,
    "xz": _unpack,
    "xzcat": _unpack,
    "bzip2": _unpack,
    "bunzip2": _unpack,
    "bzcat": _unpack,
    "zstd": _unpack,
    "zstdcat": _unpack,
}
