"""`${…}`: defaults, substrings, replacements, case, indirection, arrays; and backslash escapes."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
from collections.abc import Callable, Iterable
from itertools import islice, product
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import DERIVED, EMPTY, FIELD, NAME, UNKNOWN, capped, is_known, is_open
from refute.scan.shell.scope import Scope
from refute.scan.shell.syntax import text_of

_MAX_TEXT: Final = 20_000
MAX_ALTERNATIVES: Final = 8
_DEFAULTS: Final = frozenset({":-", "-", ":=", "="})
_KEEPS: Final = frozenset({":+", "+", ":?", "?"})
_ESCAPES: Final = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))
_ANSI: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
Texts = Callable[[Node], list[str]]


def combine(parts: Iterable[list[str]]) -> list[str]:
    """Every way to join the alternatives of successive parts, bounded."""
    return list(dict.fromkeys(capped("".join(row)) for row in islice(product(*parts), MAX_ALTERNATIVES)))


def decode_escapes(text: str) -> str:
    """Backslash escapes as `$'…'`, `printf` and `echo -e` read them."""

    def one(match: re.Match[str]) -> str:
        *hexadecimal, octal, control, plain = match.groups()
        if digits := "".join(filter(None, hexadecimal)):
            code = int(digits, 16)
            return chr(code) if code <= 0x10FFFF else ""  # noqa: PLR2004 - the last code point
        if octal or control:
            return chr(int(octal, 8) & 0xFF if octal else ord(control) & 0x1F)
        return _ESCAPES.get(plain, plain if plain in "\\'\"?" else "\\" + plain)

    return _ANSI.sub(one, text)


def unescape(text: str) -> str:
    """An unquoted word without its backslashes; an escaped line end vanishes."""
    return re.sub(r"\\(.?)", lambda m: "" if m[1] == "\n" else m[1], text, flags=re.DOTALL) if "\\" in text else text


def expand_parameter(node: Node, scope: Scope, texts: Texts) -> list[str]:
    """The possible texts of an `expansion` node; `texts` gives those of a part."""
    if len(node.children) <= 2:  # noqa: PLR2004 - `${` and `}`
        return [UNKNOWN]
    subject, *rest = node.children[1:-1]
    if rest and text_of(subject) == "#":
        return [str(len(text)) if is_known(text) else NAME for text in _subject(rest[0], scope)]
    if rest and text_of(subject) == "!":
        names = _subject(rest[0], scope)
        return [text for name in names for text in (scope.lookup(name) if is_known(name) else [UNKNOWN])] or [UNKNOWN]
    values = _subject(subject, scope)
    if not rest:
        return values
    name, operator = text_of(subject), text_of(rest[0])
    operands = [texts(part) if part.is_named else [text_of(part)] for part in rest[1:]]
    operand = "".join(alternatives[0] for alternatives in operands)
    if re.search(r"\[[@*]\]\Z", name):
        return values  # a slice or a change of the elements is not worked out
    if operator in _DEFAULTS:
        return _default(name, values, operator, combine(operands), scope)
    if operator in _KEEPS:
        return [*combine(operands), ""] if "+" in operator else values
    environment = name.isupper() and name not in scope.variables
    return [_transform(value, operator, operand, environment=environment) for value in values]


def _subject(node: Node, scope: Scope) -> list[str]:
    name, bracket, index = text_of(node).partition("[")
    if not bracket:
        return [FIELD.join(scope.elements(name))] if name in {"@", "*"} else list(scope.lookup(name))
    elements, index = scope.elements(name), index.rstrip("]")
    if index in {"@", "*"}:
        return [FIELD.join(elements)]
    if re.fullmatch(r"-?\d+", index) and name in scope.arrays:
        return [elements[int(index)]] if -len(elements) <= int(index) < len(elements) else [""]
    return elements or [UNKNOWN]


def _default(name: str, values: list[str], operator: str, fallback: list[str], scope: Scope) -> list[str]:
    known = scope.is_set(name) and values != [""]
    if name.isdigit():
        known = scope.arguments is not None and values[0] not in {"", EMPTY, UNKNOWN}
    if "=" in operator and not known:
        scope.assign(name, tuple(fallback))
    return values if known else fallback


def _transform(value: str, operator: str, operand: str, *, environment: bool) -> str:
    """A value cut or changed: where a path leads stays, what is spelled out so counts as hidden."""
    if operator in {"^^", ",,"} or not value.strip(EMPTY):
        return value.lower() if operator == ",," else value.upper()
    if operator == "##" and operand == "*/":
        return value.rpartition("/")[2]
    if operator in {"#", "##", "%", "%%"} and ("/" in value or not is_known(value)):
        # Cutting a prefix or suffix leaves a path in the place where it was, unless its root is cut off.
        return value if operator.startswith("%") or not value.startswith("/") else UNKNOWN
    if operator == ":" and not is_known(value):
        # One or two characters picked from a variable of the environment spell something out: `${PATH:0:1}` is `/`.
        picked = environment and re.fullmatch(r"-?\d+:[123]", operand.replace(" ", ""))
        return DERIVED if picked or DERIVED in value else UNKNOWN
    pattern, _, new = operand.partition("/")
    if operator in {"/", "//"} and re.fullmatch(r"[\w.-]+", pattern) and len(value) < _MAX_TEXT:
        return value.replace(pattern, new, -1 if operator == "//" else 1)
    return DERIVED if DERIVED in value or not is_open(value) else UNKNOWN
