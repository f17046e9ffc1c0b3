"""Check a design document against a repository; the result as text or JSON."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from refute.errors import TicketNotFound, UsageError
from refute.governance.design.reading import read_design
from refute.governance.design.rules import RULES, Severity
from refute.guardrails.plain_text import printable

SCHEMA_VERSION: Final = 1
BLOCKED_EXIT_CODE: Final = 12
"""As of what `refute verify` blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignBreach:
    """One breach of one rule."""

    line: int
    rule: str
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignResult:
    """What the check says."""

    file: str
    breaches: tuple[DesignBreach, ...]
    """By line; warnings among them."""

    @property
    def blocked(self) -> bool:
        """Whether the document must not go to its reviewer."""
        return any(one.severity is Severity.BLOCK for one in self.breaches)

    @property
    def status(self) -> str:
        """In a word."""
        return "BLOCKED" if self.blocked else "PASS"


def check_design(file: Path, repo: Path) -> DesignResult:
    """Check a document by all rules.

    Args:
        file: Markdown.
        repo: the directory that its paths are relative to; only names are looked up.

    Raises:
        TicketNotFound: there is no such file.
        UsageError: it cannot be read, or `repo` is no directory.
    """
    if not repo.is_dir():
        raise UsageError(f"--repo {repo}: not a directory", hint="Name the repository that the document is about.")
    try:
        design = read_design(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TicketNotFound(f"{file}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read: {error}", hint="Expected Markdown in UTF-8.") from error
    found = [
        DesignBreach(line=line, rule=name, severity=severity, message=message)
        for severity, rules in RULES.items()
        for name, check in rules.items()
        for line, message in check(design, repo.resolve())
    ]
    return DesignResult(file=str(file), breaches=tuple(sorted(found, key=lambda one: (one.line, one.rule))))


def render_text(result: DesignResult) -> str:
    """A line for each breach, then the result."""
    told = ((one, printable(one.message, keep_newlines=False)) for one in result.breaches)
    lines = [f"{printable(result.file)}:{one.line}: {one.severity}: {text} ({one.rule})" for one, text in told]
    blocking = sum(one.severity is Severity.BLOCK for one in result.breaches)
    return "\n".join([*lines, f"{result.status}: {blocking} blocking, {len(lines) - blocking} warnings"]) + "\n"


def render_json(result: DesignResult) -> str:
    """The same for programs."""
    document = {"schema_version": SCHEMA_VERSION, "status": result.status, **asdict(result)}
    return json.dumps(document, indent=2) + "\n"
