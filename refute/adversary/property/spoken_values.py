"""Values that prose says rather than writes: `an empty list`, `the string "a"`, a text without its quotes."""

import ast
import re

from refute.adversary.property.expected import Value, read_prefix, read_value

_NAMES_OF_TYPES = frozenset(
    ("str", "string", "text", "int", "integer", "list", "tuple", "dict", "set", "bool", "float", "bytes", "number")
)
_EMPTY = re.compile(
    r"(?:an?|the) (?:`?)empty (?P<kind>list|array|tuple|dict(?:ionary)?|set|string|str|text)\b"
    r"(?=\s*(?:[.,;)`\n]|and\b|but\b|while\b|since\b|because\b|as\b|\Z))"
)
_EMPTY_VALUES = {"list": "[]", "array": "[]", "tuple": "()", "set": "set()", "dict": "{}", "dictionary": "{}"}
_KIND = re.compile(
    r"(?:the |an? )?(?:single |one )?(?:string|text|list|array|tuple|set|dict(?:ionary)?|int(?:eger)?|float|number"
    r"|value|bool(?:ean)?|bytes)\s+(?=[`\"'\[({\d-]|True\b|False\b|None\b)"
)


def read_said(text: str) -> tuple[Value, int] | None:
    """A value that prose names or introduces: `an empty list`, `the string "a"`; and where it ends."""
    if hit := _EMPTY.match(text):
        value = read_value(_EMPTY_VALUES.get(hit["kind"], "''"))
        return (value, hit.end()) if value else None
    hit = _KIND.match(text)
    found = read_prefix(text[hit.end() :]) if hit else None
    return (found[0], hit.end() + found[1]) if hit and found else None


def read_unquoted(text: str, call: ast.expr) -> tuple[Value, int] | None:
    """A text whose quotes were left out: the rest of a line made of nothing but what the call passes as text.

    `swap("hello big") -> big hello` is read so, `swap("hello big") -> swapped text` and `swap("a") -> str` are not.
    """
    line = text.partition("\n")[0].strip().rstrip(".")
    given = [node.value for node in ast.walk(call) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    held = "".join(given).lower()
    plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)*", line) is not None
    if not plain or line in _NAMES_OF_TYPES or len(line) > len(held) + 2:
        return None
    words, known = line.lower().split(), set(re.findall(r"[a-z0-9]+", held))
    return (_text_value(line), len(line)) if given and all(word in known for word in words) else None


def _text_value(text: str) -> Value:
    node = ast.Constant(value=text)
    return Value(node=node, plain=node, written=repr(text))
