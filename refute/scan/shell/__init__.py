"""The shell half of the scanner: a walk over tree-sitter's tree with symbolic values, and the raw text beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from refute.scan.report import Report, Spot
from refute.scan.shell import raw
from refute.scan.shell.scope import Scope
from refute.scan.shell.walk import Shared, Walker
from refute.scan.symbols import HERE


def scan_shell(report: Report, source: str, script: str) -> None:
    """Judge a whole shell script.

    Args:
        report: where findings go.
        source: decoded text, symbols stripped.
        script: the script's path from the workspace, for `$0`.
    """
    scope = Scope(script=script)
    Walker(Shared(report), scope).script(source)
    report.count_letters(source)
    raw.scan(report, source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a command finds where it starts, as far as the text that starts it says so."""

    cwd: str = HERE
    variables: Mapping[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    """Located path → text that was put there before."""


def scan_embedded_shell(
    report: Report, source: str, spot: Spot, *, depth: int, around: Surroundings | None = None
) -> None:
    """Judge shell text that another language carries, reporting at the place that holds it."""
    around = around or Surroundings()
    shared = Shared(report, written=around.written, exported=set(around.variables))
    variables: dict[str, tuple[str, ...]] = {name: (value,) for name, value in around.variables.items()}
    scope = Scope(script=report.path, cwd=around.cwd, variables=variables)
    Walker(shared, scope, depth=depth, place=spot).script(source)
