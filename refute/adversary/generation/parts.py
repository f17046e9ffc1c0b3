"""A module in parts, each in forms from whole to nothing, so that a prompt is cut where that matters least."""

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from textwrap import indent
from typing import Final

from refute.adversary.generation.outline import (
    ELIDED,
    FUNCTION,
    command_line,
    docstring_of,
    is_public,
    visible,
)
from refute.adversary.references import defined, mentioned
from refute.python_syntax import parsed_or_none, python_lines

STEP: Final = "    "
DECLARATION: Final = re.compile(r"\w+\(")
"""Of an option, argument or command; other lines are the program's docstring."""
QUOTED: Final = re.compile(r"'([^'\s]+)'")
"""Names of options, arguments and commands."""


class Rank(IntEnum):
    """How near a part is to what claims name."""

    NAMED = 0
    """A claim names it; or its class or a member of that, of which it is the head, the docstring or the constructor."""
    USED = 1
    """What is named uses it."""
    NEAR = 2
    """It is in the same class as what is named. Where nothing is named, all that is public."""
    REST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some lines of a module."""

    name: str
    """Dotted, within its module; empty for what is no definition."""
    keys: frozenset[str]
    """Names by which a claim may mean it."""
    rank: Rank
    forms: tuple[str, ...]
    """From whole to empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A statement of a module or class, or a class's head."""

    name: str
    keys: frozenset[str]
    node: ast.stmt
    code: str
    outline: str
    signature: str
    owner: str = ""
    """Name of its class."""


def outline_parts(source: str, words: set[str]) -> list[Part]:
    """Signatures and docstrings.

    Args:
        source: a module's text; of one that cannot be parsed nothing is shown.
        words: of the claims.
    """
    return [_part(one, rank, (one.outline, one.signature)) for one, rank in _ranked(source, words) if one.outline]


def code_parts(source: str, words: set[str]) -> list[Part]:
    """Code, which may be cut to signatures and docstrings; of what cannot be parsed, lines. As `outline_parts`."""
    if parsed_or_none(source) is None:
        return [Part(name="", keys=frozenset(), rank=Rank.NEAR, forms=(line, "")) for line in source.splitlines()]
    return [_part(one, rank, (one.code, one.outline)) for one, rank in _ranked(source, words)]


def command_parts(source: str, words: set[str]) -> list[Part]:
    """What a program declares of its command line, line by line; as `outline_parts`."""
    return [
        Part(name="", keys=frozenset(), rank=_rank_of_line(line, words), forms=(line, ""))
        for line in command_line(source).splitlines()
    ]


def _rank_of_line(line: str, words: set[str]) -> Rank:
    if not DECLARATION.match(line):
        return Rank.NEAR
    return Rank.USED if words & set(QUOTED.findall(line)) else Rank.REST


def _part(piece: _Piece, rank: Rank, forms: Sequence[str]) -> Part:
    return Part(name=piece.name, keys=piece.keys, rank=rank, forms=tuple(dict.fromkeys((*forms, ""))))


def _ranked(source: str, words: set[str]) -> list[tuple[_Piece, Rank]]:
    pieces = _pieces_of(source)
    named = [one for one in pieces if one.keys & words]
    owners = {one.owner or one.name for one in named} - {""}
    used = {name for one in named if not isinstance(one.node, ast.ClassDef) for name in mentioned(one.node)}

    def rank(one: _Piece) -> Rank:
        if one.keys & words:
            return Rank.NAMED
        bound = set(defined(one.node))
        if bound & used:
            return Rank.USED
        return Rank.NEAR if one.owner in owners or (not named and any(map(is_public, bound))) else Rank.REST

    return [(one, rank(one)) for one in pieces]


@lru_cache(maxsize=32)
def _pieces_of(source: str) -> tuple[_Piece, ...]:
    """Kept for a while: every prompt about a ticket asks for the same."""
    tree = parsed_or_none(source)
    return tuple(_pieces(tree.body, python_lines(source))) if tree else ()


def _pieces(
    body: Sequence[ast.stmt], lines: Sequence[str], owner: ast.ClassDef | None = None, *, depth: int = 0
) -> Iterator[_Piece]:
    for node in body:
        opened = isinstance(node, ast.ClassDef) and _first_line(node.body[0]) > node.lineno
        last = _first_line(node.body[0]) - 1 if opened else node.end_lineno  # type: ignore[attr-defined]
        name = getattr(node, "name", "")
        whole, short = (indent(text, STEP * depth) for text in _outlined(node, docstring=node is body[0]))
        hidden = owner is not None and not is_public(owner.name)
        yield _Piece(
            name=f"{owner.name}.{name}" if owner and name else name,
            keys=_keys(node, owner),
            node=node,
            code="\n".join(lines[_first_line(node) - 1 : last]),
            outline="" if hidden else whole,
            signature="" if hidden else short,
            owner=owner.name if owner else "",
        )
        if isinstance(node, ast.ClassDef) and opened:
            yield from _pieces(node.body, lines, node, depth=depth + 1)


def _outlined(node: ast.stmt, *, docstring: bool) -> tuple[str, str]:
    """What a caller may see of a statement, of a class its head; and that without docstrings."""
    if isinstance(node, ast.ClassDef):
        shown = visible(_bare(node)) if is_public(node.name) else []
        head = "".join(ast.unparse(one).rpartition("\n")[0] for one in shown)
        return head, head
    if docstring and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return "".join(map(ast.unparse, docstring_of(ast.Module(body=[node], type_ignores=[])))), ""
    shown = visible(node)
    return "\n".join(map(ast.unparse, shown)), "\n".join(ast.unparse(_bare(one)) for one in shown)


def _bare(node: ast.stmt) -> ast.stmt:
    bare = copy.copy(node)
    if isinstance(bare, ast.ClassDef | FUNCTION):
        bare.body = [ELIDED]
    return bare


def _keys(node: ast.stmt, owner: ast.ClassDef | None) -> frozenset[str]:
    """Names by which claims mean a statement: its own; of a class's head, docstring and constructor the class's too."""
    match node:
        case ast.ClassDef():
            return frozenset({node.name, *_public_methods(node)})
        case ast.FunctionDef(name="__init__") | ast.Expr() if owner is not None:
            return frozenset({owner.name, *_public_methods(owner)})
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return frozenset({name})
        case _:
            return frozenset()


def _public_methods(node: ast.ClassDef) -> Iterator[str]:
    return (one.name for one in node.body if isinstance(one, FUNCTION) and not one.name.startswith("_"))


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
