"""The shell half of the scanner: a walk over tree-sitter's tree with symbolic values, and the raw text beside it."""

from refute.scan.report import Report, Spot
from refute.scan.shell import raw
from refute.scan.shell.scope import Scope
from refute.scan.shell.walk import Shared, Walker


def scan_shell(report: Report, source: str, script: str) -> None:
    """Judge a whole shell script.

    Args:
        report: where findings go.
        source: decoded text, symbols stripped.
        script: the script's path from the workspace, for `$0`.
    """
    scope = Scope(script=script)
    Walker(Shared(report), scope).script(source)
    raw.scan(report, source)


def scan_embedded_shell(
    report: Report, source: str, spot: Spot, *, depth: int, written: dict[str, str] | None = None
) -> None:
    """Judge shell text that another language carries, reporting at the place that holds it."""
    shared = Shared(report, written={} if written is None else written)
    Walker(shared, Scope(script=report.path), depth=depth, place=spot).script(source)
