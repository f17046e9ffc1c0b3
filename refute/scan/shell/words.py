"""Shell words to symbolic text: quotes, escapes, expansions, brace lists and field splitting."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import EMPTY, FIELD, NAME, UNKNOWN, is_known
from refute.scan.shell.expansion import MAX_ALTERNATIVES, combine, decode_escapes, expand_parameter, unescape
from refute.scan.shell.scope import Scope
from refute.scan.shell.syntax import text_of

_MAX_GROWN: Final = 64
# Unquoted braces and commas, told apart from quoted ones until brace expansion is done.
_OPEN, _COMMA, _CLOSE = "\ue010", "\ue011", "\ue012"
_ACTIVE: Final = str.maketrans({"{": _OPEN, ",": _COMMA, "}": _CLOSE})
_PASSIVE: Final = str.maketrans({_OPEN: "{", _COMMA: ",", _CLOSE: "}"})
_BRACES: Final = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_HEREDOC_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_MAYBE_ROOT: Final = re.compile(f"{EMPTY}+(?:/|\\Z)")
_BARE: Final = frozenset({"simple_expansion", "expansion", "command_substitution"})
"""Nodes that, unquoted and alone, leave no word where they yield nothing."""


class Expander:
    """Turns word nodes into their possible texts in a scope."""

    def __init__(self, scope: Scope, substitute: Callable[[Node], str]) -> None:
        """`substitute` runs a command substitution's inside and returns what it prints."""
        self.scope = scope
        self.substitute = substitute
        self.fed = UNKNOWN
        """What the last process substitution prints."""

    def words(self, node: Node) -> list[list[str]]:
        """The alternatives for a word node, each as the list of words that it splits into."""
        bare = node.type in _BARE or (node.type == "command_name" and node.children[0].type in _BARE)
        return [[] if bare and text in {"", EMPTY} else split_fields(text) for text in self.texts(node)]

    def texts(self, node: Node, *, quoted: bool = False) -> list[str]:  # noqa: C901 - one case per kind
        """The alternatives for a node as text; FIELD marks where an unquoted expansion splits."""
        match node.type:
            case "word" | "number" | "extglob_pattern" | "regex" | "variable_name" | "special_variable_name":
                return self._plain(node, quoted=quoted)
            case "concatenation" | "command_name":
                # `$` before a string (`$"…"`) is a mark of its own and adds no text.
                kept = [child for child in node.children if child.type != "$" or child is node.children[-1]]
                return combine(self.texts(child) if child.is_named else [text_of(child)] for child in kept)
            case "string":
                return self._joined(node, quoted=True)
            case "translated_string":
                return combine(self.texts(child, quoted=True) for child in node.named_children)
            case "string_content":
                return [re.sub(r'\\([$`"\\\n])', lambda m: "" if m[1] == "\n" else m[1], text_of(node))]
            case "raw_string":
                return [text_of(node)[1:-1]]
            case "ansi_c_string":
                return [decode_escapes(text_of(node)[2:-1])]
            case "brace_expression":
                return [text_of(node).translate(_ACTIVE)]
            case "heredoc_content" | "heredoc_body":
                return [self.heredoc(node)]
        found = self._expansion(node)
        if found is None:
            return self._joined(node, quoted=quoted) if node.named_child_count else [text_of(node)]
        return found if quoted else [self._split(text) for text in found]

    def _plain(self, node: Node, *, quoted: bool) -> list[str]:
        if node.type in {"number", "extglob_pattern"} and node.named_child_count:
            return self._joined(node, quoted=quoted)
        text = unescape(text_of(node))
        if text[:1] == "~" and text[1:2] in {"", "/"} and "HOME" in self.scope.variables:
            # A script that moved its home directory means the new one.
            return [home + text[1:] for home in self.scope.lookup("HOME")]
        return [text if quoted else text.translate(_ACTIVE)]

    def _expansion(self, node: Node) -> list[str] | None:
        match node.type:
            case "simple_expansion":
                name = text_of(node)[1:]
                return [FIELD.join(self.scope.elements(name))] if name in {"@", "*"} else list(self.scope.lookup(name))
            case "expansion":
                return expand_parameter(node, self.scope, lambda child: self.texts(child, quoted=True))
            case "command_substitution":
                return [self.substitute(node).rstrip("\n")]
            case "process_substitution":
                self.fed = self.substitute(node)
                return ["/dev/fd/63"]
            case "arithmetic_expansion":
                self._visit_inside(node)
                return [NAME]
            case "array":
                return [FIELD.join(text for child in node.named_children for text in self.texts(child)[:1])]
        return None

    def heredoc(self, node: Node) -> str:
        """A here-document's text with its variables."""
        self._visit_inside(node)
        return _HEREDOC_VARIABLE.sub(lambda m: self.scope.lookup(m[1] or m[2])[0], text_of(node))

    def _visit_inside(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "command_substitution":
                self.substitute(child)
            else:
                self._visit_inside(child)

    def _split(self, value: str) -> str:
        """A value's words, parted as `IFS` says where the script sets it."""
        separators = "".join(filter(is_known, self.scope.variables.get("IFS", ())))
        return re.sub(rf"[{re.escape(separators)}]|[ \t\n]+" if separators else r"[ \t\n]+", FIELD, value)

    def _joined(self, node: Node, *, quoted: bool) -> list[str]:
        # A string's literal blanks between expansions belong to no child: take them from the source.
        parts: list[list[str]] = []
        source, base, quotes = node.text or b"", node.start_byte, int(node.type == "string")
        position, end = base + quotes, node.end_byte - quotes
        for child in node.children:
            if child.type == '"' or (not child.is_named and child.type != "$"):
                continue
            parts.append([source[position - base : child.start_byte - base].decode("utf-8", "replace")])
            parts.append(self.texts(child, quoted=quoted) if child.is_named else [text_of(child)])
            position = child.end_byte
        return combine([*parts, [source[position - base : end - base].decode("utf-8", "replace")]])


def split_fields(text: str) -> list[str]:
    """The words of an expanded text, brace lists expanded."""
    words = [word for word in text.split(FIELD) if word] if FIELD in text else [text]
    if EMPTY in text:
        # What may be nothing matters where it may turn a path into one from the root; elsewhere it is nothing.
        # A tilde behind a variable is no home directory, whatever the variable holds.
        words = [re.sub(f"^{EMPTY}+~", "./~", word) for word in words]
        words = [EMPTY * bool(_MAYBE_ROOT.match(word)) + word.replace(EMPTY, "") for word in words]
    if not re.search(f"[{_OPEN}{_COMMA}{_CLOSE}]", text):
        return words
    return [plain.translate(_PASSIVE) for word in words for plain in _expand_braces(word)]


def _expand_braces(word: str) -> list[str]:
    found = [word]
    for _ in range(MAX_ALTERNATIVES):
        grown: list[str] = []
        for text in found:
            match = _BRACES.search(text)
            choices = _choices(match[1]) if match else [""]
            head, tail = (text[: match.start()], text[match.end() :]) if match else (text, "")
            grown.extend(head + choice + tail for choice in choices)
        if grown == found:
            break
        found = grown[:_MAX_GROWN]
    return found


def _choices(inside: str) -> list[str]:
    # A range (`{1..9}`) is one name more or less.
    return inside.split(_COMMA) if _COMMA in inside else ["{" + inside + "}"]
