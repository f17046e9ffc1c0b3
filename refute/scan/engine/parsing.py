"""Python text to a walk: a whole file, a text that a shell script carries, or one that a call evaluates."""

import ast
import warnings
from collections.abc import Callable

from refute.python_syntax import parse_python
from refute.scan.core.report import Spot, letters_before
from refute.scan.core.symbols import name_symbols, show
from refute.scan.python.state import Engine, Walk
from refute.scan.python.values import Env
from refute.scan.python.walk import PythonWalker


def walk_file(engine: Engine, source: str) -> None:
    """Judge a whole Python file."""
    lines = source.split("\n")

    def spot(node: ast.AST) -> Spot:
        line = getattr(node, "lineno", 1)
        whole = lines[line - 1] if line <= len(lines) else ""
        column = letters_before(whole, getattr(node, "col_offset", 0))
        text = whole[column:]
        if getattr(node, "end_lineno", line) == line:
            text = whole[column : letters_before(whole, getattr(node, "end_col_offset", column))]
        return Spot(line=line, column=column + 1, text=text)

    _walk(source, spot, PythonWalker(engine, spot))


def walk_embedded(engine: Engine, source: str, spot: Spot, depth: int, cwd: str) -> None:
    """Judge Python text that a shell script carries, reporting at the place that holds it."""

    def place(node: ast.AST) -> Spot:
        return Spot(line=spot.line + getattr(node, "lineno", 1) - 1, column=spot.column, text=spot.text)

    at = place if "\n" in source.strip() else (lambda _node: spot)
    _walk(source, at, PythonWalker(engine, at, depth=depth, cwd=cwd))


def walk_nested(engine: Engine, outer: Walk, source: str, node: ast.AST) -> None:
    """Judge Python text that a Python call evaluates, in the scope that it is evaluated in."""
    spot = outer.spot(node)
    inner = PythonWalker(engine, lambda _node: spot, depth=outer.depth + 1, env=Env(outer.env), cwd=outer.cwd)
    inner.stars, inner.decoded, inner.facts, inner.variables = outer.stars, outer.decoded, outer.facts, outer.variables
    _walk(source, inner.spot, inner)


def _walk(source: str, spot: Callable[[ast.AST], Spot], walker: PythonWalker) -> None:
    report = walker.report
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_python(name_symbols(source) if walker.depth else source)
    except (SyntaxError, ValueError) as error:
        told = f"Python syntax: {show(str(error), 80)}"
        if walker.depth:
            # What does not parse cannot run either; only another Python's grammar could still read it.
            report.add("dynamic-code", spot(ast.Pass()), told, mild=True)
            return
        at = Spot(line=getattr(error, "lineno", None) or 1, column=getattr(error, "offset", None) or 1, text="")
        report.add("unanalysable", at, told, detail=f"{error}.")
        return
    walker.module(tree)
