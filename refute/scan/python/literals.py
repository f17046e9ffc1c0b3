"""Texts of a module that would be dangerous as commands, where the module runs something that is not known.

Values travel in ways that the walk does not follow: exceptions, generators, special methods. A module that runs an
unknown command *and* holds a dangerous one as a constant counts as running that one.
"""

import ast
from dataclasses import replace
from typing import Final

from refute.scan.finding import Severity
from refute.scan.report import Budget, BudgetExceeded, Report, Spot

_MIN_CHARS: Final = 6
_MAX_CHARS: Final = 2_000
_MAX_TEXTS: Final = 200
_STEPS: Final = 10_000
_LOOKS_THROUGH: Final = ("dir(", "vars(", "inspect.getmembers")
_RUNNERS: Final = ("os.", "subprocess.", "exec(", "eval(", "asyncio.", "pty.")


def raise_unknown(report: Report, tree: ast.Module) -> None:
    """Let findings of something unknown that is run block, where the module holds a text that would."""
    weak = {
        key: finding
        for key, finding in report.findings.items()
        if finding.severity == Severity.MEDIUM
        and (
            (finding.rule_id == "unresolved-command" and finding.command.startswith(_RUNNERS))
            or (finding.rule_id == "dynamic-name" and finding.command.startswith(_LOOKS_THROUGH))
            or (finding.rule_id == "dynamic-code" and finding.command.startswith(("exec(", "eval(")))
        )
    }
    if not weak:
        return
    texts = _constants(tree)
    for key, finding in weak.items():
        python = finding.rule_id == "dynamic-code"
        danger = next((text for text in texts if _is_dangerous(text, python=python)), None)
        if danger is not None:
            detail = f"{finding.explanation} The file also holds {danger[:60]!r}."
            report.findings[key] = replace(finding, severity=Severity.HIGH, explanation=detail)


def _constants(tree: ast.Module) -> list[str]:
    texts: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            text = node.value if isinstance(node.value, str) else node.value.decode("utf-8", "replace")
            if _MIN_CHARS <= len(text) <= _MAX_CHARS and (" " in text.strip() or "(" in text):
                texts[text] = None
    return list(texts)[:_MAX_TEXTS]


def _is_dangerous(text: str, *, python: bool) -> bool:
    from refute.scan.python import scan_embedded  # noqa: PLC0415 - the entry point needs this module
    from refute.scan.shell import scan_embedded_shell  # noqa: PLC0415 - the two languages need each other

    trial = Report(path="", budget=Budget(steps=_STEPS))
    spot = Spot(line=1, column=1, text="")
    try:
        if python:
            scan_embedded(trial, text, spot, depth=1)
        else:
            scan_embedded_shell(trial, text, spot, depth=1)
    except BudgetExceeded:
        return True
    return any(
        finding.severity == Severity.CRITICAL and finding.rule_id != "unanalysable"
        for finding in trial.findings.values()
    )
