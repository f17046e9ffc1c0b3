"""Python text to a walk over it."""

import ast
import warnings
from collections.abc import Callable

from refute.python_syntax import parse_python
from refute.scan.core.report import Spot, letters_before
from refute.scan.core.symbols import name_symbols, show
from refute.scan.python.walk import PythonWalker


def spots_of(source: str) -> Callable[[ast.AST], Spot]:
    """Says where a node of a file stands in it."""
    lines = source.split("\n")

    def spot(node: ast.AST) -> Spot:
        line = getattr(node, "lineno", 1)
        whole = lines[line - 1] if line <= len(lines) else ""
        column = letters_before(whole, getattr(node, "col_offset", 0))
        same = getattr(node, "end_lineno", line) == line
        end = letters_before(whole, getattr(node, "end_col_offset", column)) if same else None
        return Spot(line=line, column=column + 1, text=whole[column:end])

    return spot


def spots_at(place: Spot, source: str) -> Callable[[ast.AST], Spot]:
    """Says for a text that a shell script holds at a place where a node stands in the script."""
    several = "\n" in source.strip()

    def spot(node: ast.AST) -> Spot:
        line = place.line + getattr(node, "lineno", 1) - 1
        return Spot(line=line, column=place.column, text=place.text) if several else place

    return spot


def walk_python(walker: PythonWalker, source: str) -> None:
    """Judge Python text; a walker below the first takes text that is not in a file of its own."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_python(name_symbols(source) if walker.depth else source)
    except (SyntaxError, ValueError) as error:
        told = f"Python syntax: {show(str(error), 80)}"
        if walker.depth:
            # What does not parse cannot run either; only another Python's grammar could still read it.
            walker.report.add("dynamic-code", walker.spot(ast.Pass()), told, mild=True)
            return
        at = Spot(line=getattr(error, "lineno", None) or 1, column=getattr(error, "offset", None) or 1, text="")
        walker.report.add("unanalysable", at, told, detail=f"{error}.")
        return
    walker.module(tree)
