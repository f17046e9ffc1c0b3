"""Shell text to a syntax tree, with small spellings that the grammar stumbles over written in another way."""

import re
from collections.abc import Iterator
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


def below(root: Node) -> Iterator[Node]:
    """A node and all below it, in the order in which they stand."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def first_error(root: Node) -> Node:
    """The first erroneous or missing node below (the node itself where none is found)."""
    return next((node for node in below(root) if node.is_error or node.is_missing), root)


def join_continued(source: str) -> str:
    """Join words that a backslash and a line end cut in two, keeping the number of lines."""
    # The line ends go behind the line that they are taken out of.
    lines = re.compile(r"^(?:[^\n]*[^\s\\]\\\n)+[^\n]*", re.MULTILINE)
    return lines.sub(lambda m: m[0].replace("\\\n", "") + "\n" * m[0].count("\\\n"), source)


_TWO_EXPANSIONS: Final = re.compile(r"\$[\w{][^\s\"'`;|&()<>]*?[^\s\"'`;|&()<>$\\]\$[\w@*#?!$-]")
_VARIABLE: Final = re.compile(rb"\$([A-Za-z_]\w*|[\d@*#?!$-])")
_MAX_ROUNDS: Final = 6


def parse_words(source: str) -> Node:
    """Parse shell text, keeping words whole.

    The grammar (tree-sitter-bash 0.25) ends the word `$a/$b` behind the second dollar sign; written `$a/${b}` it is
    read as what it is. Lines stay, columns behind such a word move by two.
    """
    text = source.encode()
    root = parse(text)
    for _ in range(_MAX_ROUNDS if _TWO_EXPANSIONS.search(source) else 0):
        lone = (node.children[-1] for node in below(root) if node.type == "concatenation" and node.children)
        cuts = [dollar.start_byte for dollar in lone if dollar.type == "$" and _VARIABLE.match(text, dollar.start_byte)]
        if not cuts:
            break
        for cut in sorted(cuts, reverse=True):
            text = text[:cut] + _VARIABLE.sub(rb"${\1}", text[cut:], count=1)
        root = parse(text)
    return root
