"""What a new ticket can already say about code: whether it is a program, and a claim for each function that changed."""

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from textwrap import shorten
from typing import Final

from refute.python_syntax import UNPARSABLE, form_of, parse_python
from refute.ticket.fields import PLACEHOLDER
from refute.ticket.mocks import dotted_name, imported_names

_MAX_HINT_CHARS: Final = 100
_MAX_CLAIM_CHARS: Final = 300
_SUMMARY_END: Final = re.compile(r"(?:\A|\n)\s*(?:\n|[:@]\w+\b(?!:`))")
"""Of a docstring: an empty line, or the first field (`:param`, `@return`); a role (`:class:`) is part of a sentence."""
_ANNOUNCES: Final = re.compile(r"(?:(?<=[.!?])\s+|\A)[^.!?]*:\s*\Z")
"""A last sentence whose list or table is not there."""
_COMMAND_LINES: Final = frozenset({"argparse", "click", "typer", "optparse", "docopt", "fire"})
_EXCEPTIONS: Final = ("Error", "Exception", "Warning", "Exit")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A claim to start from, and what the code says that it is about."""

    about: str
    claim: str
    is_new: bool = False
    """Whether nothing of that name was there before."""
    fields: tuple[str, ...] = ()
    """Lines of YAML below the claim's text."""


def is_program(source: bytes) -> bool:
    """Whether a file is a command-line program: it starts itself when run, and reads arguments with a known library.

    One that imports this library only where it starts itself is there to be imported (`calendar`, `gzip`, `zipfile`).
    """
    starts_itself = any(
        isinstance(node, ast.If) and "__name__" in ast.dump(node.test) and "__main__" in ast.dump(node.test)
        for node in _parsed(source).body
    )
    return starts_itself and not imported(source).isdisjoint(_COMMAND_LINES)


def reached(source: bytes) -> set[str]:
    """Dotted names that a file's code reaches, by their origin: `roman.toRoman`."""
    tree = _parsed(source)
    names = imported_names(tree)
    return {dotted_name(node, names) for node in ast.walk(tree)}


def imported(source: bytes) -> set[str]:
    """Top-level names of what a file cannot be imported without; what it imports in a `try` it may do without."""
    statements = [node for node in _parsed(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in statements if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in statements if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names}


def suggest_for_program(path: str) -> Suggestion:
    """A claim about one program: what a command prints."""
    claim = f"{PLACEHOLDER}: what {path} prints for which arguments, and how it exits"
    fields = (f'run: "{path} {PLACEHOLDER}"', "exit: 0", f'stdout: "{PLACEHOLDER}"')
    return Suggestion(about=path, claim=claim, fields=fields)


def names_of(source: bytes) -> set[str]:
    """What a file defines for its importers."""
    return {node.name for node in _definitions(source)}


def suggest(
    source: bytes, before: bytes = b"", *, module: str = "", ambiguous: Collection[str] = ()
) -> Iterable[Suggestion]:
    """A claim for each public function and method that acts otherwise than `before`: its docstring's summary, if any.

    For a class of which no documented method differs, one for itself. Exceptions have no behaviour of their own to
    claim, and `main` belongs to a program. Of overloads only what is called counts, the last. What is `ambiguous`, as
    other files define such a name too, is called by its `module`.
    """
    earlier = {node.name: node for node in _definitions(before)}
    for name, node in {one.name: one for one in _definitions(source)}.items():
        if name.startswith("_") or name == "main" or _is_exception(node):
            continue
        old = earlier.get(name)
        if old is not None and _undocumented(old) == _undocumented(node):
            continue
        known = {_undocumented(one) for one in _methods(old)}
        methods = [one for one in _methods(node) if _undocumented(one) not in known and ast.get_docstring(one)]
        called = f"{module}.{name}" if module and name in ambiguous else name
        there = {one.name for one in _methods(old)}
        yield from (_of(one, f"{called}.{one.name}", is_new=one.name not in there) for one in methods)
        if not methods:
            yield _of(node, called, is_new=old is None)


def _undocumented(node: Definition) -> object:
    """The form of a definition without docstrings: where they alone differ, nothing acts otherwise."""
    acting = (one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)))
    body = (_undocumented(one) if isinstance(one, Definition) else form_of(one) for one in acting)
    return form_of(node, without=["body"]), *body


def _of(node: Definition, name: str, *, is_new: bool) -> Suggestion:
    is_read = any(ast.unparse(one).endswith("property") for one in node.decorator_list)
    arguments = "" if is_read or isinstance(node, ast.ClassDef) else f"({ast.unparse(node.args)})"
    summary = _SUMMARY_END.split(ast.get_docstring(node) or "", maxsplit=1)[0]
    promise = _one_line(_ANNOUNCES.sub("", summary), _MAX_CLAIM_CHARS)
    wanted = f"{PLACEHOLDER}: what {name} gives for which input, and what never happens"
    claim = f"`{name}`: {promise}" if promise else wanted
    return Suggestion(about=_one_line(name + arguments, _MAX_HINT_CHARS), claim=claim, is_new=is_new)


def _methods(node: Definition | None) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Of a class: what its users call."""
    body = node.body if isinstance(node, ast.ClassDef) else []
    functions = (one for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return [one for one in functions if not one.name.startswith("_")]


def _definitions(source: bytes) -> Iterable[Definition]:
    return (node for node in _parsed(source).body if isinstance(node, Definition))


def _parsed(source: bytes) -> ast.Module:
    try:
        return parse_python(source)
    except UNPARSABLE:
        return ast.Module(body=[], type_ignores=[])


def _is_exception(node: Definition) -> bool:
    bases = [ast.unparse(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []
    return bool(bases) and any(name.endswith(_EXCEPTIONS) for name in (node.name, *bases))


def _one_line(text: str, longest: int) -> str:
    printable = "".join(char for char in " ".join(text.split()) if char.isprintable())
    return shorten(printable, longest, placeholder=" …")
