"""What a design document must hold to: one rule, one function; the table of all."""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from refute.governance.design import coverage, files
from refute.governance.design.mermaid import Diagram, read_diagram
from refute.governance.design.reading import Design, Found

RESOLVED: Final = re.compile(r"^\[x\]|~~|\b(?:resolved|answered|decided|closed|none|n/a)\b", re.IGNORECASE)
PENDING: Final = re.compile(r"\bstatus\b[\W_]*pending\b", re.IGNORECASE)
INSPECTED: Final = re.compile(r"auto-?\s?inspect", re.IGNORECASE)
REQUIRED: Final = {
    "files": "Files Changed",
    "requirements": "Requirements",
    "tests": "Test Scenarios",
    "done": "Definition of Done",
}


Check = Callable[[Design, Path], Found]


class Severity(StrEnum):
    """Whether a breach keeps the document from its reviewer."""

    BLOCK = "block"
    WARNING = "warning"


def _sections(design: Design, _: Path) -> Found:
    for part, name in REQUIRED.items():
        if not design.of(part):
            yield 1, f"the document has no section {name}"


def _questions_are_answered(design: Design, _: Path) -> Found:
    for one in design.of("questions"):
        if (one.depth or one.cells) and (one.text.lstrip().startswith("[ ]") or not RESOLVED.search(one.text)):
            yield one.line, f"open question: {one.text.removeprefix('[ ]').strip()[:100]}"


def _pending_is_reviewed(design: Design, _: Path) -> Found:
    reviewed = any(row.text.strip(" -–—") for row in design.rows("review"))
    pending = [one for one in design.blocks if PENDING.search(f"{' '.join(one.headings[-1:])}: {one.text}")]
    if pending and not reviewed:
        yield pending[-1].line, "the final status is PENDING and the review log is empty"


def _mitigations_have_functions(design: Design, _: Path) -> Found:
    code = "\n".join(one.text for one in design.of("signatures") if one.language)
    functions = set(re.findall(r"\b(?:def|function|fn|func)\s+(\w+)|^\s*(?:async\s+)?(\w+)\s*\(", code, re.MULTILINE))
    names = {name for pair in functions for name in pair if name}
    for row in design.rows("risks"):
        text = row.cell(r"mitigation")
        if text is not None and not names & set(re.findall(r"\w+", text)):
            yield row.line, f"the mitigation names no function of the signatures: {text.strip()[:100]}"


def _diagrams_parse(design: Design, _: Path) -> Found:
    for block, diagram in _diagrams(design):
        if not diagram.kind:
            yield block, "the diagram is empty"
        for line, words in diagram.faults:
            yield block + line, f"the diagram does not parse here: {words[:100]}"
        for line, name in diagram.lonely:
            yield block + line, f"the node {name} touches none"


def _diagrams_are_read(design: Design, _: Path) -> Found:
    for line, diagram in _diagrams(design):
        if diagram.kind and not diagram.is_read:
            yield line, f"a diagram of the kind {diagram.kind} is not checked"


def _diagrams(design: Design) -> Iterator[tuple[int, Diagram]]:
    return ((one.line, read_diagram(one.text)) for one in design.blocks if one.language == "mermaid")


def _inspected_is_shown(design: Design, _: Path) -> Found:
    shown = {one.headings for one in design.blocks if one.has_picture}
    said = [(one.line, one.headings) for one in design.blocks if INSPECTED.search(one.text)]
    for line, headings in said:
        if headings not in shown:
            yield line, "auto-inspected, but there is no rendered picture beside it"


RULES: Final[Mapping[Severity, Mapping[str, Check]]] = {
    Severity.BLOCK: {
        "sections": _sections,
        "change": files.known_changes,
        "changed-file-exists": files.changed_exist,
        "added-file-has-parent": files.parents_exist,
        "placeholder-prefix": files.no_placeholders,
        "done-file-is-changed": files.done_is_changed,
        "inventory-is-done": files.inventory_is_done,
        "requirement-is-tested": coverage.requirements_are_tested,
        "test-has-scenario": coverage.one_to_one,
        "test-is-red": coverage.tests_are_red,
        "open-question": _questions_are_answered,
        "diagram": _diagrams_parse,
    },
    Severity.WARNING: {
        "red-column": coverage.red_column,
        "pending-without-review": _pending_is_reviewed,
        "mitigation-has-function": _mitigations_have_functions,
        "diagram-not-checked": _diagrams_are_read,
        "inspection-is-shown": _inspected_is_shown,
    },
}
"""Severity → name of the rule → what finds its breaches."""
