"""Assignments to attributes and items, some of which tamper with what judges the code."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
from typing import Any, Final

from refute.scan.core import hosts
from refute.scan.core.effects import Preload
from refute.scan.core.judge import Judge
from refute.scan.core.symbols import show
from refute.scan.python.state import Walker
from refute.scan.python.values import (
    Class,
    Instance,
    Ref,
    as_text,
)

_RUNS_COMMANDS: Final = frozenset({"os.system", "os.popen", "subprocess.getoutput", "builtins.exec", "builtins.eval"})
_JUDGING_BUILTINS: Final = frozenset(
    """print open eval exec len sum isinstance AssertionError __import__ compile sorted all any abs range
    int str""".split()
)


def assign_attribute(walker: Walker, owner: Any, target: ast.Attribute, value: Any) -> None:
    """`owner.name = value`."""
    if isinstance(owner, Instance | Class):
        (owner.of if isinstance(owner, Instance) else owner).attributes[target.attr] = value
        return
    where = f"{owner.name}.{target.attr}" if isinstance(owner, Ref) else ""
    spot = walker.spot(target)
    if isinstance(value, Ref) and value.name in _RUNS_COMMANDS and where:
        walker.report.add("dynamic-name", spot, f"{where} = {value.name}")
    if "()" not in where and where.startswith(
        ("pytest.", "_pytest.", "unittest.case.", "unittest.TestCase.", "unittest.result.", "unittest.mock.", "pluggy.")
    ):
        walker.report.add("test-tampering", spot, f"{where} = …")
    elif where.startswith("builtins.") and target.attr in _JUDGING_BUILTINS:
        walker.report.add("test-tampering", spot, f"{where} = …", mild=True)
    elif target.attr in {"outcome", "wasxfail", "exitstatus", "testsfailed"} and any(
        getattr(frame, "name", "").startswith("pytest_") for frame in walker.stack
    ):
        walker.report.add("test-tampering", spot, f"….{target.attr} = …")


def assign_item(walker: Walker, owner: Any, index: Any, value: Any, target: ast.expr) -> None:
    """`owner[index] = value`."""
    if isinstance(owner, Ref):
        if owner.name == "os.environ" and index in {"LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP"}:
            shown = f"os.environ[{index!r}] = {show(as_text(value))!r}"
            Judge(walker.report, walker.spot(target), shown, walker.cwd).effect(Preload(as_text(value)))
        elif owner.name == "os.environ" and isinstance(index, str) and isinstance(value, str):
            walker.variables[index] = value
            if hosts.sends_through(index, value):
                shown = f"os.environ[{index!r}] = {show(value)!r}"
                detail = "All later requests go through that host."
                walker.report.add("network-external", walker.spot(target), shown, detail=detail)
        elif owner.name == "sys.modules" and str(index).partition(".")[0] in {
            "pytest",
            "_pytest",
            "unittest",
            "pluggy",
        }:
            walker.report.add("test-tampering", walker.spot(target), f"sys.modules[{index!r}] = …")
    elif isinstance(owner, dict):
        if isinstance(index, str | int | bytes):
            owner[index] = value
    elif isinstance(owner, list) and isinstance(index, int) and -len(owner) <= index < len(owner):
        owner[index] = value
