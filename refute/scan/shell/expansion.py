"""`${…}`: defaults, substrings, replacements, case, indirection, arrays."""

import re
from collections.abc import Callable
from fnmatch import translate
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import DERIVED, EMPTY, FIELD, NAME, UNKNOWN, is_known, is_open
from refute.scan.shell.escapes import decode_escapes
from refute.scan.shell.scope import Scope
from refute.scan.shell.syntax import text_of

_MAX_TEXT: Final = 20_000
_DEFAULTS: Final = frozenset({":-", "-", ":=", "="})

# ruff: noqa: PLR0911 - decision lists read best with one return per case
Texts = Callable[[Node], list[str]]


def expand_parameter(node: Node, scope: Scope, texts: Texts) -> list[str]:
    """The possible texts of an `expansion` node."""
    children = node.children[1:-1]
    if not children:
        return [UNKNOWN]
    if text_of(children[0]) == "#" and len(children) > 1:
        return [_length(text) for text in _subject(children[1], scope)]
    if text_of(children[0]) == "!" and len(children) > 1:
        return _indirect(children[1], scope)
    subject, *rest = children
    values = _subject(subject, scope)
    if not rest:
        return values
    operator, *operands = rest
    if subject.type == "subscript" and re.search(r"\[[@*]\]\Z", text_of(subject)) and len(values) == 1:
        return [_each_element(values[0], text_of(operator), operands, texts)]
    return _operate(subject, values, text_of(operator), operands, scope, texts)


def _subject(node: Node, scope: Scope) -> list[str]:
    if node.type != "subscript":
        name = text_of(node)
        return [FIELD.join(scope.elements(name))] if name in {"@", "*"} else list(scope.lookup(name))
    name, _, index = text_of(node).partition("[")
    index = index.rstrip("]")
    elements = scope.elements(name)
    if index in {"@", "*"}:
        return [FIELD.join(elements)]
    if re.fullmatch(r"-?\d+", index) and name in scope.arrays:
        position = int(index)
        return [elements[position]] if -len(elements) <= position < len(elements) else [""]
    return elements or [UNKNOWN]


def _length(text: str) -> str:
    return str(len(text)) if is_known(text) else NAME


def _each_element(joined: str, operator: str, operands: list[Node], texts: Texts) -> str:
    """An operator on all elements of an array: a slice of them, or a change of each."""
    elements = joined.split(FIELD)
    operand = "".join(text_of(part) if not part.is_named else texts(part)[0] for part in operands)
    if operator == ":":
        bounds = re.fullmatch(r"\s*(\d+)\s*(?::\s*(\d+)\s*)?", operand)
        if bounds is None:
            return joined
        first = int(bounds[1])
        return FIELD.join(elements[first : first + int(bounds[2])] if bounds[2] else elements[first:])
    if operator in _DEFAULTS | {":+", "+", ":?", "?"}:
        return joined
    return FIELD.join(_transform(element, operator, operand, environment=False) for element in elements)


def _indirect(node: Node, scope: Scope) -> list[str]:
    found: list[str] = []
    for name in _subject(node, scope):
        found.extend(scope.lookup(name) if is_known(name) else [UNKNOWN])
    return found or [UNKNOWN]


def _operate(
    subject: Node, values: list[str], operator: str, operands: list[Node], scope: Scope, texts: Texts
) -> list[str]:
    if operator in _DEFAULTS:
        known = scope.is_set(text_of(subject)) and not (len(values) == 1 and values[0] == "")
        if subject.type != "subscript" and text_of(subject).isdigit():
            known = scope.arguments is not None and values[0] not in {"", EMPTY, UNKNOWN}
        fallback = _joined(operands, texts)
        if operator in {":=", "="} and not known:
            scope.assign(text_of(subject), tuple(fallback))
        return values if known else fallback
    if operator in {":+", "+"}:
        return [*_joined(operands, texts), ""]
    if operator in {":?", "?"}:
        return values
    operand = "".join(text_of(part) if not part.is_named else texts(part)[0] for part in operands)
    environment = subject.type != "subscript" and text_of(subject).isupper() and text_of(subject) not in scope.variables
    return [_transform(value, operator, operand, environment=environment) for value in values]


def _joined(nodes: list[Node], texts: Texts) -> list[str]:
    found = [""]
    for node in nodes:
        options = texts(node) if node.is_named else [text_of(node)]
        found = [head + tail for head in found for tail in options][:6]
    return found


def _transform(value: str, operator: str, operand: str, *, environment: bool) -> str:
    if operator in {"#", "##", "%", "%%"} and not is_known(value):
        # Cutting a prefix or suffix leaves a path in the place where it was, unless its root is cut off.
        return value if operator.startswith("%") or not value.startswith("/") else UNKNOWN
    if operator == ":" and not is_known(value):
        # One or two characters picked from a variable of the environment spell something out: `${PATH:0:1}` is `/`.
        picked = environment and re.fullmatch(r"-?\d+:[123]", operand.replace(" ", ""))
        return DERIVED if picked or DERIVED in value else UNKNOWN
    if is_open(value) or len(value) > _MAX_TEXT:
        return DERIVED if DERIVED in value else UNKNOWN
    if operator == ":":
        return _substring(value, operand)
    if operator in {"/", "//", "/#", "/%"}:
        pattern, _, replacement = operand.partition("/")
        return _replace(value, pattern, replacement, everywhere=operator == "//")
    if operator in {"#", "##", "%", "%%"}:
        return _cut(value, operator, operand)
    case = {
        "^^": value.upper(),
        ",,": value.lower(),
        "^": value[:1].upper() + value[1:],
        ",": value[:1].lower() + value[1:],
    }
    if operator == "@":
        return {"E": decode_escapes, "U": str.upper, "L": str.lower}.get(operand, str)(value)
    return case.get(operator, DERIVED)


def _substring(value: str, operand: str) -> str:
    start_text, _, length_text = operand.replace(" ", "").partition(":")
    if not re.fullmatch(r"\(?-?\d+\)?", start_text) or (length_text and not re.fullmatch(r"-?\d+", length_text)):
        return DERIVED
    start = int(start_text.strip("()"))
    rest = value[start:]
    if not length_text:
        return rest
    length = int(length_text)
    return rest[:length]


def _replace(value: str, pattern: str, replacement: str, *, everywhere: bool) -> str:
    if not pattern or not is_known(pattern):
        return value
    try:
        regex = re.compile(_glob_regex(pattern))
    except re.error:
        return DERIVED
    return regex.sub(lambda _: replacement, value, count=0 if everywhere else 1)


def _cut(value: str, operator: str, pattern: str) -> str:
    lengths = range(len(value) + 1)
    glob = re.compile(_glob_regex(pattern) + r"\Z")
    greedy = len(operator) == 2  # noqa: PLR2004 - `##` and `%%`
    if operator[0] == "#":
        hits = [size for size in lengths if glob.match(value[:size])]
        return value[(max(hits) if greedy else min(hits)) :] if hits else value
    hits = [size for size in lengths if glob.match(value[size:])]
    return value[: (min(hits) if greedy else max(hits))] if hits else value


def _glob_regex(pattern: str) -> str:
    body = translate(pattern)
    return body.removeprefix("(?s:").removesuffix(r")\Z")
