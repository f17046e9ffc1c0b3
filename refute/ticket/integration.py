"""Claims that something was tested for real, and which tests would have to be real for that to be true."""

import ast
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from refute.ticket.mocks import Mock, dotted_name, imported_names
from refute.ticket.modules import implementation_modules
from refute.ticket.outside import OutsideUse
from refute.ticket.record import Ticket
from refute.ticket.suite import Unit, read_python

_MAX_CLAIM_CHARS: Final = 5_000
_END_TO_END: Final = r"(?:end[- ]to[- ]end|e2e)"
_REAL: Final = r"(?:real(?![- ]?(?:numbers?|valued|parts?|time|roots?|world|estate))|actual|live|genuine)"
_SYSTEM: Final = (
    r"(?:system|sub-?process|process|command|binary|program|executable|shell|git|repositor|server|database|db\b|service"
    r"|api\b|endpoint|network|socket|http|file|disk|backend|queue|broker|cluster|redis|postgres|mysql|sqlite|s3\b|bucket"
    r"|container|docker|device|hardware|installation|instance|environment|client|connection)"
)
# With the system named: "verified against the actual content" is about behaviour, not about a test.
_REAL_SYSTEM: Final = rf"{_REAL}[ -](?:`?\w+`?[ -]){{0,2}}`?{_SYSTEM}"
_AGAINST: Final = r"(?:against|with|on|using|through|via|by)"
_TESTED: Final = r"(?:test(?:s|ed|ing)?|verif(?:y|ies|ied)|exercis(?:e|es|ed)|proven|proved)"
_CLAIMS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bintegration[- ]?test(?:s|ed|ing)?\b",
        rf"\b{_TESTED}\b[^.;]*\b{_END_TO_END}\b",
        rf"\b{_END_TO_END}\b[^.;]*\b{_TESTED}\b",
        rf"\bworks?\b[^.;]{{0,40}}\b{_END_TO_END}\b",
        rf"\b(?:{_TESTED}|works?)\b[^.;]{{0,80}}\b{_AGAINST}(?: \w+){{0,3}}? {_REAL_SYSTEM}",
        rf"\b{_REAL}\b[^.;]{{0,40}}\btests?\b",
        rf"\b(?:integration)\b[^.;]*\b(?:works?|working|{_TESTED})\b",
        rf"\b{_TESTED}\b[^.;]*\bintegration\b",
        r"\b(?:without|no|never)\b[^.;]{0,20}\bmock(?:s|ed|ing)?\b",
        r"\bun-?mocked\b",
    )
)
_FILES: Final = re.compile(r"\b(?:files?|file-?systems?|disks?|director(?:y|ies)|folders?|paths?)\b", re.IGNORECASE)
_DENIED: Final = re.compile(
    rf"\b(?:not|no|never|isn't|aren't|lacks?|lacking|missing|without|yet to be)\b[^.;]{{0,20}}"
    rf"\b(?:integration|{_END_TO_END}|{_REAL})",
    re.IGNORECASE,
)


def claims_tested_integration(text: str) -> bool:
    """Whether a claim says that tests or a verification were real: integration, end to end, without mocks."""
    sentences = re.split(r"(?<=[.;!?])\s+", " ".join(text[:_MAX_CLAIM_CHARS].split()))
    return any(pattern.search(part) for part in sentences if not _DENIED.search(part) for pattern in _CLAIMS)


class Reach:
    """Which parts of the implementation use what the tests replace, and which tests touch those parts.

    Args:
        ticket: names the implementation.
        files: content of the snapshot.
        mocks: all replacements that the tests make.
    """

    def __init__(self, *, ticket: Ticket, files: Mapping[str, bytes], mocks: tuple[Mock, ...]) -> None:
        modules = implementation_modules(ticket)
        self._modules = sorted((module.name for module in modules), key=len, reverse=True)
        self._short_names = {name.rpartition(".")[2] for name in self._modules}
        self._file_names = {PurePosixPath(path).name for path in ticket.implementation_files}
        uses: dict[str, set[str]] = {}
        trees = [tree for module in modules if (tree := read_python(files.get(module.path, b""))) is not None]
        for tree in trees:
            uses |= _uses(tree)
        self._integrating = _closure(uses, {self._replaced(mock) for mock in mocks} - {""}) or set(uses)
        said = " ".join(claim.text for claim in ticket.claims if claims_tested_integration(claim.text))
        self._outside = OutsideUse(trees, with_files=_FILES.search(said[:_MAX_CLAIM_CHARS]) is not None)

    def _replaced(self, mock: Mock) -> str:
        """The name by which the implementation knows what a mock replaces."""
        dotted = ".".join(mock.target)
        for module in self._modules:
            if dotted.startswith(f"{module}."):
                return dotted.removeprefix(f"{module}.").split(".")[0]
        return mock.target[0] if mock.target else ""

    def touched_by(self, unit: Unit) -> bool:
        """Whether a test reaches the integration, through Python or by starting the implementation's file."""
        return self._starts_a_file(unit) or bool(self._touched(unit) & self._integrating)

    def integrated_by(self, unit: Unit) -> bool:
        """Whether a test runs something of the implementation that reaches outside, past all that it replaces."""
        if self._starts_a_file(unit):
            return not any(mock.target or mock.library for mock in unit.mocks)
        return self._outside.reached(self._touched(unit), unit.mocks)

    def _starts_a_file(self, unit: Unit) -> bool:
        return any(name in text for name in self._file_names for text in unit.texts if name.endswith(".py"))

    def _touched(self, unit: Unit) -> set[str]:
        """Every part of the names that a test mentions, where it mentions the implementation at all."""
        parts: set[str] = set()
        reaching = False
        for reference in unit.references:
            module = next((name for name in self._modules if f"{reference}.".startswith(f"{name}.")), None)
            reaching = reaching or module is not None or reference.rpartition(".")[2] in self._short_names
            # A function may be called like its module, so the module's own name says nothing.
            parts.update(reference.removeprefix(module or "").split("."))
        return parts if reaching else set()


def _uses(tree: ast.Module) -> dict[str, set[str]]:
    """Function, method or class of a module → every part of every dotted name that it mentions."""
    names = imported_names(tree)
    uses: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            parts = uses.setdefault(node.name, set())
            for part in ast.walk(node):
                if isinstance(part, ast.Name | ast.Attribute):
                    parts.update(dotted_name(part, names).split("."), [getattr(part, "attr", getattr(part, "id", ""))])
    return uses


def _closure(uses: Mapping[str, set[str]], replaced: set[str]) -> set[str]:
    """What mentions something replaced, directly or through what it mentions."""
    found = {name for name in uses if name in replaced or uses[name] & replaced}
    while True:
        more = {name for name in uses if uses[name] & found} - found
        if not more:
            return found
        found |= more
