"""The code that claims touch, whole; the rest as an outline. Keeps prompts short without hiding what matters."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.generation.outline import FUNCTION, outline
from refute.adversary.references import loaded
from refute.python_syntax import parsed_or_none, python_lines
from refute.ticket.record import Claim

MAX_WHOLE_CHARS: Final = 6_000
"""A module up to this long is shown whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What is shown of a module."""

    text: str
    left_out: tuple[str, ...]
    """Names of the definitions of which only the outline is shown."""


def excerpt(source: str, claims: Sequence[Claim], *, max_chars: int = MAX_WHOLE_CHARS) -> Excerpt:
    """Cut a module to what claims touch.

    A definition is touched when a claim names it, or when a touched one refers to it. Where no claim names anything,
    public definitions count as touched.

    Args:
        source: the module's text.
        claims: of the ticket.
        max_chars: a module up to this long is not cut.
    """
    if len(source) <= max_chars:
        return Excerpt(text=source, left_out=())
    tree = parsed_or_none(source)
    if tree is None:
        return Excerpt(text=source[:max_chars], left_out=("everything after its first characters",))
    definitions = {node.name: node for node in tree.body if isinstance(node, FUNCTION | ast.ClassDef)}
    touched = _touched(definitions, " ".join(claim.text for claim in claims))
    lines = python_lines(source)
    parts, left_out = [], []
    for node in tree.body:
        text = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
        if isinstance(node, FUNCTION | ast.ClassDef) and node.name not in touched:
            left_out.append(node.name)
            text = outline(text)
        parts.append(text)
    return Excerpt(text="\n\n".join(part for part in parts if part), left_out=tuple(left_out))


def _touched(definitions: dict[str, FUNCTION | ast.ClassDef], text: str) -> set[str]:
    words = set(re.findall(r"\w+", text))
    queue = [name for name in definitions if _names(definitions[name]) & words]
    queue = queue or [name for name in definitions if not name.startswith("_")]
    touched: set[str] = set()
    while queue:
        name = queue.pop()
        if name not in touched:
            touched.add(name)
            queue.extend(other for other in loaded(definitions[name]) if other in definitions)
    return touched


def _names(node: FUNCTION | ast.ClassDef) -> set[str]:
    """The definition's name, and those of a class's public methods."""
    inner = node.body if isinstance(node, ast.ClassDef) else []
    return {node.name, *(part.name for part in inner if isinstance(part, FUNCTION) and not part.name.startswith("_"))}


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
