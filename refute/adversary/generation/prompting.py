"""Prompts, filled with what a round may show."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Attack, Brief, Rejected
from refute.adversary.change import diffs_of
from refute.adversary.generation.answer import ANSWER_SCHEMA, is_usable
from refute.adversary.generation.fitting import claims_shown, excerpts, outlines
from refute.adversary.references import body_of
from refute.guardrails.routes import parse_choice
from refute.guardrails.segmentation import RULE, segment
from refute.llm.model import MARKER, DataClass, Prompt, Tier, fence
from refute.llm.prompt_files import PromptFiles

PROMPTS: Final = PromptFiles("refute.adversary.generation")
SYSTEM: Final = "system-5"
SYSTEM_CLI: Final = "system-cli-4"
CLAIMS_FIRST: Final = "claims-first-3"
CLAIMS_FIRST_CLI: Final = "claims-first-cli-2"
CODE_AWARE: Final = "code-aware-4"
AGAIN: Final = "again-2"
HARDENING: Final = "hardening-1"
MAX_FAULTS: Final = 12
MAX_FAULT_CHARS: Final = 1_200
MAX_ASSERTED_CHARS: Final = 300
MAX_FILES: Final = 60
MAX_PATH_CHARS: Final = 200
PRO_LABELS: Final = frozenset({"complexity:high", "security-relevant"})


def claims_first(brief: Brief) -> Prompt:
    """Round one: claims, signatures, docstrings and file names. Code in view makes tests agree with its bugs."""
    name = CLAIMS_FIRST_CLI if brief.programs else CLAIMS_FIRST
    more = {"files": _files(brief.workspace_paths), "programs": ", ".join(brief.programs)}
    return _prompt(name, brief, DataClass.CLAIMS, after=_references(brief), outline=outlines(brief).text, **more)


def _references(brief: Brief) -> str:
    """What the ticket's references say, marked as words of outsiders; empty without any."""
    if not brief.references:
        return ""
    block = segment(fence(brief.references), "references", token=lambda: MARKER)
    return f"\n## What the ticket's references say, as background; no claim\n{RULE}\n{block}\n"


def code_aware(brief: Brief, existing: Attack, missing: Sequence[str] = ()) -> Prompt:
    """Round two: the code too, and what of it the change made.

    Args:
        brief: of the ticket.
        existing: the tests that are there already; what they assert is shown.
        missing: claims and clauses without a test; then there is room for as many tests as in round one.
    """
    code = excerpts(brief)
    return _prompt(
        CODE_AWARE,
        brief,
        DataClass.CODE,
        max_tests=str(_tests_for(brief) if missing else _tests_for(brief) // 2),
        existing=assertions_of(existing) or "none",
        change=diffs_of(brief, max_chars=brief.max_prompt_chars // 3) or "No version before the change is known.",
        missing=f" What has no test so far comes first: {', '.join(missing)}." if missing else "",
        cut=code.cut,
        code=code.text,
    )


def assertions_of(attack: Attack) -> str:
    """A line for each test, with what it asserts."""
    tests = {test.name: test.claim_id for test in attack.tests}
    lines = []
    for node in body_of(attack.source):
        if isinstance(node, ast.FunctionDef) and node.name in tests:
            parts = [part for part in ast.walk(node) if isinstance(part, ast.Assert | ast.With)]
            said = "; ".join(ast.unparse(part if isinstance(part, ast.Assert) else part.items[0]) for part in parts)
            lines.append(f"- {node.name} ({tests[node.name]}): {said[:MAX_ASSERTED_CHARS]}")
    return "\n".join(lines)


def once_more(brief: Brief, rejected: Sequence[Rejected], missing: Sequence[str]) -> Prompt:
    """The question again, with what was wrong with the answer.

    Args:
        brief: of the ticket.
        rejected: tests that the screen refused.
        missing: claims and clauses without a test.
    """
    reasons = "\n".join(f"- {one.test.name} ({one.test.claim_id}): {one.reason}" for one in rejected[:MAX_FILES])
    first = claims_first(brief).text
    lacking = ", ".join(missing) or "no claim, but there are too few tests"
    return _prompt(AGAIN, brief, DataClass.CLAIMS, after=first, reasons=reasons or "- none", missing=lacking)


def hardening(brief: Brief, existing: Sequence[str], faults: Sequence[str]) -> Prompt:
    """Round three, for the stronger tier: faults put into the code that no test noticed.

    Args:
        brief: of the ticket.
        existing: names of the tests that are there already.
        faults: unified diffs.
    """
    prompt = _prompt(
        HARDENING,
        brief,
        DataClass.CODE,
        existing=", ".join(existing) or "none",
        outline=outlines(brief).text,
        faults="\n\n".join(fault[:MAX_FAULT_CHARS] for fault in faults[:MAX_FAULTS]),
    )
    return replace(prompt, tier=Tier.PRO)


def tier_of(labels: Sequence[str]) -> Tier:
    """Which tier a ticket's labels ask for."""
    asked = {parse_choice(label, PRO_LABELS, "") for label in labels}
    return Tier.PRO if asked & PRO_LABELS else Tier.FLASH


def _prompt(name: str, brief: Brief, data_class: DataClass, *, after: str = "", **values: str) -> Prompt:
    """A question: its template with what all tell and these values, and what stands behind it."""
    claims = claims_shown(brief.ticket.claims, room=brief.max_prompt_chars // 2)
    told = {"ticket": brief.ticket.id, "claims": claims, "max_tests": str(_tests_for(brief))} | values
    return Prompt(
        name=name,
        system=PROMPTS.filled(SYSTEM_CLI if brief.programs else SYSTEM),
        text=PROMPTS.filled(name, **told) + after,
        answer_schema=ANSWER_SCHEMA,
        tier=tier_of(brief.ticket.labels),
        data_class=data_class,
        usable=is_usable,
    )


def _tests_for(brief: Brief) -> int:
    """Enough for every claim, few enough to stay within the limits."""
    return min(brief.max_tests, max(6, 3 * len(brief.ticket.claims)))


def _files(paths: Sequence[str]) -> str:
    shown = [path.replace("\n", "\\n")[:MAX_PATH_CHARS] for path in paths[:MAX_FILES]]
    more = [f"… and {len(paths) - MAX_FILES} more"] if len(paths) > MAX_FILES else []
    return "\n".join([*shown, *more])
