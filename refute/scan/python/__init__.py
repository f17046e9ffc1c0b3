"""The Python half of the scanner: a walk over the standard library's syntax tree with symbolic values."""

import ast
import warnings
from collections.abc import Callable

from refute.python_syntax import parse_python
from refute.scan.finding import Severity
from refute.scan.python.literals import raise_unknown
from refute.scan.python.values import Env
from refute.scan.python.walk import PythonWalker
from refute.scan.report import Report, Spot, letters_before
from refute.scan.symbols import name_symbols, show


def scan_python_source(report: Report, source: str) -> None:
    """Judge a whole Python file.

    Args:
        report: where findings go.
        source: decoded text, symbols stripped.
    """
    lines = source.split("\n")

    def spot(node: ast.AST) -> Spot:
        line = getattr(node, "lineno", 1)
        whole = lines[line - 1] if line <= len(lines) else ""
        column = letters_before(whole, getattr(node, "col_offset", 0))
        text = whole[column:]
        if getattr(node, "end_lineno", line) == line:
            text = whole[column : letters_before(whole, getattr(node, "end_col_offset", column))]
        return Spot(line=line, column=column + 1, text=text)

    _scan(report, source, spot, 0, PythonWalker(report, spot))


def scan_embedded(report: Report, source: str, spot: Spot, *, depth: int) -> None:
    """Judge Python text that a shell script carries, reporting at the place that holds it."""

    def place(node: ast.AST) -> Spot:
        return Spot(line=spot.line + getattr(node, "lineno", 1) - 1, column=spot.column, text=spot.text)

    at = place if "\n" in source.strip() else (lambda _node: spot)
    walker = PythonWalker(report, at)
    walker.depth = depth
    _scan(report, source, at, depth, walker)


def scan_nested(outer: PythonWalker, source: str, node: ast.AST) -> None:
    """Judge Python text that a Python call evaluates, in the scope that it is evaluated in."""
    spot = outer.spot(node)
    inner = PythonWalker(outer.report, lambda _node: spot)
    inner.depth = outer.depth + 1
    inner.env = Env(outer.env)
    inner.stars, inner.decoded, inner.written, inner.facts = outer.stars, outer.decoded, outer.written, outer.facts
    inner.cwd, inner.variables = outer.cwd, outer.variables
    _scan(outer.report, source, inner.spot, inner.depth, inner)


def _scan(report: Report, source: str, spot: Callable[[ast.AST], Spot], depth: int, walker: PythonWalker) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_python(name_symbols(source) if depth else source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        if depth:
            # What does not parse cannot run either; only another Python's grammar could still read it.
            report.add(
                "dynamic-code", spot(ast.Pass()), f"Python syntax: {show(str(error), 80)}", severity=Severity.MEDIUM
            )
            return
        at = Spot(line=line, column=getattr(error, "offset", None) or 1, text="")
        report.add("unanalysable", at, f"Python syntax: {show(str(error), 80)}", detail=f"{error}.")
        return
    walker.module(tree)
    if not depth:
        raise_unknown(report, tree)
