"""Shell words to symbolic text: quotes, escapes, expansions, brace lists and field splitting."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
from collections.abc import Callable, Iterable
from itertools import islice, product
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import EMPTY, FIELD, NAME, UNKNOWN, capped, is_known
from refute.scan.shell.escapes import decode_escapes, unescape
from refute.scan.shell.expansion import expand_parameter
from refute.scan.shell.scope import Scope
from refute.scan.shell.syntax import text_of

MAX_ALTERNATIVES: Final = 8
# Unquoted braces and commas, told apart from quoted ones until brace expansion is done.
_OPEN, _COMMA, _CLOSE = "\ue010", "\ue011", "\ue012"
_ACTIVE: Final = str.maketrans({"{": _OPEN, ",": _COMMA, "}": _CLOSE})
_PASSIVE: Final = str.maketrans({_OPEN: "{", _COMMA: ",", _CLOSE: "}"})
_BRACES: Final = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_RANGE: Final = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])\Z")
_HEREDOC_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")

_BARE: Final = frozenset({"simple_expansion", "expansion", "command_substitution"})
"""Nodes that, unquoted and alone, leave no word where they yield nothing."""

Substitute = Callable[[Node], str]
"""Runs a command substitution's inside and returns what it prints."""


def combine(parts: Iterable[list[str]]) -> list[str]:
    """Every way to join the alternatives of successive parts, bounded."""
    rows = list(parts)
    if all(len(row) == 1 for row in rows):
        return [capped("".join(row[0] for row in rows))]
    return list(dict.fromkeys(capped("".join(row)) for row in islice(product(*rows), MAX_ALTERNATIVES)))


class Expander:
    """Turns word nodes into their possible texts in a scope."""

    def __init__(self, scope: Scope, substitute: Substitute) -> None:
        self.scope = scope
        self.substitute = substitute
        self.fed = UNKNOWN
        """What the last process substitution prints."""

    def words(self, node: Node) -> list[list[str]]:
        """The alternatives for a word node, each as the list of words that it splits into."""
        bare = node.type in _BARE or (node.type == "command_name" and node.children[0].type in _BARE)
        return [[] if bare and text in {"", EMPTY} else split_fields(text) for text in self.texts(node)]

    def texts(self, node: Node, *, quoted: bool = False) -> list[str]:
        """The alternatives for a node as text; FIELD marks where an unquoted expansion splits."""
        kind = node.type
        if kind in {"word", "number", "extglob_pattern", "regex", "variable_name", "special_variable_name"}:
            children = node.children if kind in {"number", "extglob_pattern"} else ()
            if any(child.is_named for child in children):
                return self._joined(node, quoted=quoted)
            text = unescape(text_of(node))
            if text[:1] == "~" and text[1:2] in {"", "/"} and "HOME" in self.scope.variables:
                # A script that moved its home directory means the new one.
                return [home + text[1:] for home in self.scope.lookup("HOME")]
            return [text if quoted else text.translate(_ACTIVE)]
        if kind in {"concatenation", "command_name"}:
            return self._concatenation(node)
        if kind == "string":
            return self._joined(node, quoted=True)
        if kind == "translated_string":
            return combine(self.texts(child, quoted=True) for child in node.named_children)
        if kind == "string_content":
            return [re.sub(r'\\([$`"\\\n])', lambda m: "" if m[1] == "\n" else m[1], text_of(node))]
        if kind == "raw_string":
            return [text_of(node)[1:-1]]
        if kind == "ansi_c_string":
            return [decode_escapes(text_of(node)[2:-1])]
        return self._expansion(node, quoted=quoted)

    def _expansion(self, node: Node, *, quoted: bool) -> list[str]:
        match node.type:
            case "simple_expansion":
                return self._variable(text_of(node)[1:], quoted=quoted)
            case "expansion":
                found = expand_parameter(node, self.scope, lambda child: self.texts(child, quoted=True))
                return found if quoted else [self._split(text) for text in found]
            case "command_substitution":
                text = self.substitute(node).rstrip("\n")
                return [text if quoted else self._split(text)]
            case "process_substitution":
                self.fed = self.substitute(node)
                return ["/dev/fd/63"]
            case "arithmetic_expansion":
                self._visit_inside(node)
                return [NAME]
            case "brace_expression":
                return [text_of(node).translate(_ACTIVE)]
            case "heredoc_content" | "heredoc_body":
                return [self.heredoc(node)]
            case "array":
                return [FIELD.join(text for child in node.named_children for text in self.texts(child)[:1])]
            case _:
                return self._joined(node, quoted=quoted) if node.named_child_count else [text_of(node)]

    def heredoc(self, node: Node) -> str:
        """A here-document's text with its variables."""
        self._visit_inside(node)
        return _HEREDOC_VARIABLE.sub(lambda m: self.scope.lookup(m[1] or m[2])[0], text_of(node))

    def _visit_inside(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "command_substitution":
                self.substitute(child)
            elif child.named_child_count:
                self._visit_inside(child)

    def _variable(self, name: str, *, quoted: bool) -> list[str]:
        if name in {"@", "*"}:
            separator = self.scope.variables.get("IFS", (FIELD,))[-1][:1] if name == "*" and quoted else FIELD
            return [separator.join(self.scope.elements(name))]
        values = list(self.scope.lookup(name))
        return values if quoted else [self._split(value) for value in values]

    def _split(self, value: str) -> str:
        """A value's words, parted as `IFS` says where the script sets it."""
        for separators in self.scope.variables.get("IFS", ()):
            for char in separators if is_known(separators) else "":
                value = value.replace(char, FIELD)
        return _split_value(value)

    def _joined(self, node: Node, *, quoted: bool) -> list[str]:
        # A string's literal blanks between expansions belong to no child: take them from the source.
        parts: list[list[str]] = []
        children = node.children
        source = node.text or b""
        base = node.start_byte
        position = base + (1 if node.type == "string" else 0)
        end = node.end_byte - (1 if node.type == "string" else 0)
        for child in children:
            if child.type == '"' or (not child.is_named and child.type != "$"):
                continue
            if child.start_byte > position:
                parts.append([source[position - base : child.start_byte - base].decode("utf-8", "replace")])
            parts.append([text_of(child)] if not child.is_named else self.texts(child, quoted=quoted))
            position = child.end_byte
        if end > position:
            parts.append([source[position - base : end - base].decode("utf-8", "replace")])
        return combine(parts)

    def _concatenation(self, node: Node) -> list[str]:
        # `$` before a string (`$"…"`) is a mark of its own and adds no text.
        kept = [child for child in node.children if child.type != "$" or child is node.children[-1]]
        return combine(self.texts(child) if child.is_named else [text_of(child)] for child in kept)


def _split_value(value: str) -> str:
    return re.sub(r"[ \t\n]+", FIELD, value) if " " in value or "\n" in value or "\t" in value else value


def split_fields(text: str) -> list[str]:
    """The words of an expanded text, brace lists expanded."""
    words = [word for word in text.split(FIELD) if word] if FIELD in text else [text]
    if EMPTY in text:
        # What may be nothing matters where it may turn a path into one from the root; elsewhere it is nothing.
        words = [_without_empty(word) for word in words]
    if _OPEN not in text and _CLOSE not in text and _COMMA not in text:
        return words
    return [plain.translate(_PASSIVE) for word in words for plain in _expand_braces(word)]


def _without_empty(word: str) -> str:
    kept = word == EMPTY or word.startswith(EMPTY + "/")
    return EMPTY * kept + word.replace(EMPTY, "")


def _expand_braces(word: str) -> list[str]:
    found = [word]
    for _ in range(MAX_ALTERNATIVES):
        grown: list[str] = []
        for text in found:
            match = _BRACES.search(text)
            choices = _choices(match[1]) if match else None
            if match is None:
                grown.append(text)
            elif choices is None:
                grown.append(text[: match.start()] + "{" + match[1] + "}" + text[match.end() :])
            else:
                grown.extend(text[: match.start()] + choice + text[match.end() :] for choice in choices)
        if grown == found:
            break
        found = grown[:64]
    return found


def _choices(inside: str) -> list[str] | None:
    if _COMMA in inside:
        return inside.split(_COMMA)
    bounds = _RANGE.match(inside)
    if not bounds:
        return None
    low, high = bounds.groups()
    if low.lstrip("-").isdigit() and high.lstrip("-").isdigit():
        return [low, high] if abs(int(high) - int(low)) > MAX_ALTERNATIVES else _numbers(int(low), int(high))
    return [UNKNOWN] if len(low) != 1 or len(high) != 1 else [chr(c) for c in range(ord(low), ord(high) + 1)][:30]


def _numbers(low: int, high: int) -> list[str]:
    step = 1 if high >= low else -1
    return [str(number) for number in range(low, high + step, step)]
