"""Shell words to symbolic text: quotes, escapes, brace lists, field splitting, and every form of `${…}`."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
from collections.abc import Callable, Iterable
from itertools import chain, islice, product
from typing import Final

from tree_sitter import Node

from refute.scan.core.symbols import DERIVED, EMPTY, FIELD, NAME, UNKNOWN, capped, is_known, is_open
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
_MAX_TEXT: Final = 20_000
MAX_ALTERNATIVES: Final = 8
_DEFAULTS: Final = frozenset({":-", "-", ":=", "="})
_KEEPS: Final = frozenset({":+", "+", ":?", "?"})
_ESCAPES: Final = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))
_ANSI: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
Texts = Callable[[Node], list[str]]


class Expander:
    """Turns word nodes into their possible texts in a scope."""

    def __init__(self, scope: Scope, substitute: Callable[[Node], str], unquoted: set[str]) -> None:
        """`substitute` runs what a substitution holds and returns what it prints; `unquoted` collects such words."""
        self.scope = scope
        self.substitute = substitute
        self.fed = UNKNOWN
        """What the last process substitution prints."""
        self.unquoted = unquoted

    def words(self, node: Node) -> list[list[str]]:
        """The alternatives for a word node, each as the list of words that it splits into."""
        bare = node.type in _BARE or (node.type == "command_name" and node.children[0].type in _BARE)
        found = [[] if bare and text in {"", EMPTY} else split_fields(text) for text in self.texts(node)]
        self.unquoted.update(chain.from_iterable(found) if node.type not in {"string", "raw_string"} else ())
        return found

    def texts(self, node: Node, *, quoted: bool = False) -> list[str]:
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
            inside = match[1] if match else ""
            # A range (`{1..9}`) is one name more or less.
            choices = inside.split(_COMMA) if _COMMA in inside or not match else ["{" + inside + "}"]
            head, tail = (text[: match.start()], text[match.end() :]) if match else (text, "")
            grown.extend(head + choice + tail for choice in choices)
        if grown == found:
            break
        found = grown[:_MAX_GROWN]
    return found


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
    if operator in {"#", "##", "%", "%%"} and is_known(value) and re.fullmatch(r"[\w.,:=@+/-]+", operand):
        return value.removesuffix(operand) if "%" in operator else value.removeprefix(operand)
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
