"""Shell text to a syntax tree."""

from functools import lru_cache
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Query, QueryCursor


@lru_cache(maxsize=1)
def _language() -> Language:
    return Language(tree_sitter_bash.language())


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(_language())


@lru_cache(maxsize=1)
def _substitutions() -> Query:
    return Query(_language(), "[(command_substitution) (process_substitution)] @found")


def parse(source: bytes) -> Node:
    """The root node; its `has_error` says whether some part was not understood."""
    return _parser().parse(source).root_node


def text_of(node: Node) -> str:
    """The node's source text."""
    return (node.text or b"").decode("utf-8", "replace")


def substitutions(root: Node) -> list[Node]:
    """Every command and process substitution below a node, outer ones before those inside them."""
    found = QueryCursor(_substitutions()).captures(root).get("found", [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


def first_error(node: Node) -> Node:
    """The first erroneous or missing node below (the node itself where none is found)."""
    cursor = [node]
    while cursor:
        current = cursor.pop()
        if current.is_error or current.is_missing:
            return current
        cursor.extend(child for child in reversed(current.children) if child.has_error or child.is_missing)
    return node


_FEW = 40
"""So few brackets cannot nest deeply."""

_BACKTICK: Final = ord("`")
_BACKSLASH: Final = ord("\\")


def depth_of(source: bytes) -> int:
    """How deeply brackets nest, counted on the bytes alone: an upper bound that needs no parser."""
    if sum(source.count(bracket) for bracket in (b"(", b"[", b"{", b"`")) <= _FEW:
        return 0
    depth = deepest = before = 0
    quoted = False
    for byte in source:
        # A plain backtick opens or closes; only escaped ones nest.
        if byte == _BACKTICK and before != _BACKSLASH:
            quoted = not quoted
        elif byte in b"([{`":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b")]}":
            depth = max(0, depth - 1)
        before = byte
    return deepest + 1
