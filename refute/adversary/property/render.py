"""One ordinary pytest file out of drafts: deterministic, readable, runnable without refute."""

import ast
import functools
import re
from collections.abc import Collection, Sequence
from importlib import resources

from refute.adversary.attack import Attack, AttackTest, Brief, Untested, without_test
from refute.adversary.property.draft import Draft
from refute.adversary.references import loaded, needed_for
from refute.python_syntax import parse_python
from refute.ticket.record import ClaimId

TESTER = "property"
_MODULES = (
    "asyncio collections.abc contextlib copy datetime io itertools json math numbers os pathlib re shutil subprocess"
    " sys tempfile"
)
_BESIDE = """\
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, reject, settings
from hypothesis import strategies as st

_CHECKED = settings(
    max_examples=300,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
"""
"""What tests may need at the top of their file, before helpers."""


def render(brief: Brief, drafts: Sequence[Draft], notes: Sequence[Untested], reasons: dict[ClaimId, str]) -> Attack:
    """Write the file.

    Args:
        brief: the ticket and its limits (`max_tests`, `max_bytes`).
        drafts: the tests, most valuable first; those beyond the limits are dropped from the end, but a claim
            keeps its first test as long as any fits.
        notes: examples and phrases that could not be made a test; listed in the header.
        reasons: why a claim without any test has none.
    """
    chosen = _within_limits(brief, drafts)
    while True:
        source, tests = _file(brief, chosen, notes)
        if len(source.encode()) <= brief.max_bytes or not chosen:
            break
        chosen = chosen[: len(chosen) - max(1, len(chosen) // 10)]
    kept = {_field(draft) for draft in chosen}
    full = f"the attack is full: {brief.max_tests} tests, {brief.max_bytes:,} bytes (`max_tests`, `max_suite_bytes`)"
    left_out = {_field(one): one for one in drafts if one.origin.is_field and _field(one) not in kept}
    return Attack(
        file_name=file_name(brief),
        source=source,
        tests=tuple(tests),
        untestable=without_test(brief, tests, lambda claim: reasons.get(claim.id) or full),
        tester=TESTER,
        untested_fields=(
            *(note for note in notes if note.field),
            *(Untested(claim=one.claim, field=told, reason=full) for (_, told), one in left_out.items()),
        ),
    )


def _key(draft: Draft) -> object:
    return draft.claim.id, draft.imports, draft.body, draft.given


def _field(draft: Draft) -> tuple[ClaimId, str]:
    """What all ways of calling one function have in common, in a line."""
    return draft.claim.id, _one_line(draft.detail or draft.label)


def _within_limits(brief: Brief, drafts: Sequence[Draft]) -> list[Draft]:
    """Drop repeated tests; every claim's first test comes before any claim's second, every field's before another's."""
    distinct: dict[object, Draft] = {}
    first: dict[object, Draft] = {}
    for draft in drafts:
        distinct.setdefault(_key(draft), draft)
        first.setdefault(draft.claim.id, draft)
        first.setdefault(_field(draft), draft)
    return sorted(
        distinct.values(), key=lambda draft: (draft is not first[draft.claim.id], draft is not first[_field(draft)])
    )[: brief.max_tests]


def _file(brief: Brief, drafts: Sequence[Draft], notes: Sequence[Untested]) -> tuple[str, list[AttackTest]]:
    order = {claim.id: position for position, claim in enumerate(brief.ticket.claims)}
    drafts = sorted(drafts, key=lambda draft: order[draft.claim.id])
    named = list(zip(drafts, _names(drafts), strict=True))
    tests = [
        AttackTest(
            name=name,
            claim_id=draft.claim.id,
            quote=draft.quote,
            category=draft.category,
            origin=draft.origin,
            tester=TESTER,
            doubt=draft.doubt,
            field=draft.field,
        )
        for draft, name in named
    ]
    body = "\n\n\n".join(function_of(draft, name) for draft, name in named)
    return f"{_told_of(brief, drafts, notes)}\n\n{_beside(body)}\n\n\n{body}\n", tests


def _told_of(brief: Brief, drafts: Sequence[Draft], notes: Sequence[Untested]) -> str:
    origins = sorted({draft.origin.value.replace("_", " ") for draft in drafts})
    roots = ":".join(brief.ticket.import_roots) or "."
    lines = [
        f"Strategy: {', '.join(origins) or 'none'}; written by refute's property tester, without running the code.",
        f"Run it from the workspace: PYTHONPATH={roots} pytest <this file> (needs pytest and hypothesis).",
    ]
    told = list(dict.fromkeys(f"  {note.claim.id}: {_one_line(note.reason, 300)}" for note in notes))[:20]
    return header(brief, {draft.claim.id for draft in drafts}, [*lines, *(["", "Not tried:", *told] if told else [])])


def header(brief: Brief, attacked: Collection[ClaimId], strategy: Sequence[str]) -> str:
    """The docstring of a generated file: what it attacks, and how."""
    claims = [f"  {one.id}: {_one_line(one.text)}" for one in brief.ticket.claims if one.id in attacked]
    title = f"Adversarial tests for ticket {brief.ticket.id}: {_one_line(brief.ticket.title)}"
    return _docstring([title, "", "Claims attacked:", *(claims or ["  none"]), "", *strategy])


def file_name(brief: Brief) -> str:
    """Of an attack."""
    return f"test_adversarial_{_slug(brief.ticket.id)}.py"


def _names(drafts: Sequence[Draft]) -> list[str]:
    """`test_c2_example_1`, in file order."""
    stems = [f"test_{_slug(draft.claim.id)}_{_slug(draft.label)}" for draft in drafts]
    names: list[str] = []
    for at, stem in enumerate(stems):
        name = stem if stems.count(stem) == 1 else f"{stem}_{stems[:at].count(stem) + 1}"
        while name in names:
            name += "_"
        names.append(name)
    return names


def function_of(draft: Draft, name: str) -> str:
    """The test function that a draft becomes."""
    kind = f"[{draft.category.value}, {draft.origin.value.replace('_', ' ')}]"
    told = [f"{draft.claim.id} {kind}: {_one_line(draft.quote, 300)}"]
    told += ["", *(_one_line(line, 300) for line in draft.detail.splitlines())] if draft.detail else []
    lines = [*_docstring(told).splitlines(), *draft.imports, *draft.body]
    decorators = ""
    if draft.given:
        arguments = ", ".join(f"{variable}={strategy}" for variable, strategy in draft.given)
        decorators = f"@_CHECKED\n@given({arguments})\n"
    parameters = ", ".join(variable for variable, _ in draft.given)
    return f"{decorators}def {name}({parameters}):\n" + "\n".join(f"    {line}" if line else "" for line in lines)


def _docstring(lines: Sequence[str]) -> str:
    """A docstring that holds any text: backslashes, quotes and control characters are written as escapes."""
    safe = [_printable(line) for line in lines]
    text = "\n".join(safe)
    closing = "\n" if len(safe) > 1 else ""
    return f'"""{text}{closing}"""'


def _printable(line: str) -> str:
    escaped = line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in escaped)


def _one_line(text: str, limit: int = 200) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "x"


@functools.cache
def _library() -> dict[ast.stmt, str]:
    """Every statement that a file may carry along, in their order, with its text."""
    folder = resources.files("refute.adversary.property")
    files = ("comparison.py", "command_lines/output.py")
    head = "".join(f"import {name}\n" for name in _MODULES.split()) + _BESIDE
    text = "\n".join([head, *(folder.joinpath(name).read_text(encoding="utf-8") for name in files)])
    text = re.sub(r"  # (?:noqa|type: ignore).*", "", text)
    found = {}
    for node in parse_python(text).body:
        if isinstance(node, ast.FunctionDef) or node.lineno <= head.count("\n"):
            space = "\n\n" if isinstance(node, ast.FunctionDef) else ""
            found[node] = f"{space}{ast.get_source_segment(text, node)}"
    return found


def _beside(body: str) -> str:
    """What the tests use of it, and what that uses."""
    library = _library()
    return "\n".join(library[node] for node in needed_for(loaded(parse_python(body)), library))
