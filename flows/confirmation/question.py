"""What is asked, as it travels: parameter of the run that waits, text of its form, table on a terminal.

Every text in it is printable already: a ticket's own texts may hold what neither JSON nor a terminal can take.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from refute.approval import Question
from refute.guardrails.plain_text import markdown_block, markdown_text, printable
from refute.scan.finding import Finding
from refute.wording import counted
from reports.sections import markdown_table

MAX_SCRIPT_CHARS: Final = 20_000
"""Of one script; what is longer is cut, and said to be."""
MAX_SCRIPTS_CHARS: Final = 100_000
"""Of all scripts of a list together: Prefect takes at most 512 kB of parameters."""
MAX_FINDINGS: Final = 100
CONFIRM: Final = "confirm"
DECLINE: Final = "decline"
DISMISS: Final = "dismiss"
UPHOLD: Final = "uphold"
TICKETS_SHOWN: Final = 200
DIGEST_CHARS: Final = 12


def digest_of(text: str) -> str:
    """`sha256:…` of what is asked where it is about no script."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a person said to a question."""

    approved: bool | None
    """None: nothing clear, or nobody answered."""
    by: str = ""
    note: str = ""
    """Why, where that was said; else why there is no answer."""

    @property
    def words(self) -> str:
        """Who said it, and why where that was said too."""
        return ": ".join(filter(None, (self.by, self.note)))


FINDING: Final = ("Severity", "Where", "What", "Why")
AskedFinding = tuple[str, str, str, str]
"""One finding of the scan in words: severity, where, what, why."""


def _asked(finding: Finding, severity: str, why: str) -> AskedFinding:
    where, what, why = f"{finding.path}:{finding.line}", finding.matched, f"{why} ({finding.rule_id})"
    limits = ((where, 200), (what, 120), (why, 500))
    return severity, *(printable(text, max_chars=most, keep_newlines=False) for text, most in limits)  # type: ignore[return-value]  # three of them


class AskedTicket(BaseModel):
    """One ticket as it is shown to who decides."""

    model_config = ConfigDict(frozen=True)

    ticket_id: str
    title: str
    path: str
    """Of the script."""
    script: str
    hidden_chars: int
    """How much of the script's end is not shown."""
    scanned_files: int
    findings: tuple[AskedFinding, ...]
    blocking: int
    """How many of the findings only an override lets through."""
    allowed: int = 0
    """How many more there are that the allow-file lets through; they stand behind the findings."""
    plan: tuple[str, ...]
    opinions: tuple[str, ...] = ()
    """Failures that critics name: where there are any, they are what is asked about, after everything has run."""
    digest: str
    """Of the frozen files that the answer is about."""

    @classmethod
    def of(cls, question: Question, *, max_script_chars: int = MAX_SCRIPT_CHARS) -> Self:
        """What a question shows.

        Args:
            question: what is asked about one ticket.
            max_script_chars: the most of its script.
        """
        ticket, scan = question.ticket, question.scan
        return cls(
            ticket_id=ticket.id,
            title=printable(ticket.title, max_chars=200, keep_newlines=False),
            path=printable(str(ticket.workspace / ticket.verification_script), max_chars=200, keep_newlines=False),
            script=printable(question.script[:max_script_chars]),
            hidden_chars=max(0, len(question.script) - max_script_chars),
            scanned_files=len(scan.scanned),
            findings=(
                *(_asked(one, one.grade, one.explanation) for one in scan.findings),
                *(_asked(one.finding, "allowed", f"allowed: {one.reason}") for one in scan.suppressed),
            )[:MAX_FINDINGS],
            blocking=len(scan.blocking),
            allowed=len(scan.suppressed),
            plan=tuple(printable(line, max_chars=500, keep_newlines=False) for line in question.plan),
            opinions=tuple(printable(line, max_chars=1_000, keep_newlines=False) for line in question.opinions),
            digest=question.snapshot.digest,
        )

    @property
    def scan_words(self) -> str:
        """The scan on one line."""
        files = counted(self.scanned_files, "file")
        if not self.findings:
            return f"✓ nothing dangerous found in {files}"
        return f"{self.blocking} blocking of {counted(len(self.findings), 'finding')} in {files}{self._allowed_words}"

    @property
    def scan_mark(self) -> str:
        """The scan in a word or two, for a narrow column."""
        return f"{counted(len(self.findings), 'finding')}{self._allowed_words}" if self.findings else "✓"

    @property
    def _allowed_words(self) -> str:
        return f", {self.allowed} allowed" if self.allowed else ""

    @property
    def hidden_words(self) -> str:
        """What is not shown of the script; empty where all of it is. Nobody should approve its end unseen unknowing."""
        if not self.hidden_chars:
            return ""
        return f"the last {self.hidden_chars:,} characters are NOT shown: read them in the file"


class AskedQuestion(BaseModel):
    """One question about one ticket, or about the list of a batch."""

    model_config = ConfigDict(frozen=True)

    subject: str
    """The ticket's id or the batch's; also the name by which it is answered."""
    digest: str
    """Of the ticket's frozen files, or of the list with all its tickets' digests."""
    nonce: str = Field(default_factory=lambda: secrets.token_urlsafe(16))
    """Random: an answer that does not carry it was not given to this question."""
    deadline: datetime
    """UTC; after it the answer is no."""
    is_list: bool = False
    tickets: tuple[AskedTicket, ...] = ()
    left_out: int = 0
    """Tickets of the list that are not shown."""
    text: str = ""
    """What is asked where it is about no script, in printable words, the first line a heading."""

    @property
    def words(self) -> str:
        """What is asked, on one line."""
        if self.text:
            return self.text.partition("\n")[0]
        return counted(self.count, "script") if self.is_list else self.tickets[0].title

    @property
    def count(self) -> int:
        """How many tickets it is about."""
        return len(self.tickets) + self.left_out

    @property
    def is_about_opinions(self) -> bool:
        """Whether a person judges what critics say, and not what may run."""
        return any(one.opinions for one in self.tickets)

    @property
    def choices(self) -> tuple[str, str]:
        """What lets the ticket go on, and what does not."""
        return (DISMISS, UPHOLD) if self.is_about_opinions else (CONFIRM, DECLINE)

    def description(self) -> str:
        """The form's text, in Markdown that no ticket can break out of."""
        if self.is_about_opinions:
            until = f"Answer until {self.deadline:%Y-%m-%d %H:%M} UTC; without an answer the ticket stays undecided."
            return "\n\n".join([until, *(part for one in self.tickets for part in _opinions(one))])
        silence = "without an answer they go on waiting" if self.is_list else "no answer means no"
        parts = [
            f"Answer until {self.deadline:%Y-%m-%d %H:%M} UTC; {silence}.",
            *(_listed(self) if self.is_list else ()),
            *([markdown_block(self.text)] if self.text else ()),
        ]
        for ticket in self.tickets:
            parts += _sections(ticket)
        return "\n\n".join(parts)


def budgeted(questions: Sequence[Question]) -> tuple[AskedTicket, ...]:
    """The first tickets of a list, with as much of their scripts as all together may have."""
    shown, left = [], MAX_SCRIPTS_CHARS
    for question in questions[:TICKETS_SHOWN]:
        ticket = AskedTicket.of(question, max_script_chars=min(MAX_SCRIPT_CHARS, left))
        left = max(0, left - len(ticket.script))
        shown.append(ticket)
    return tuple(shown)


def _listed(question: AskedQuestion) -> list[str]:
    # The form's window is narrower than the table: titles, which the sections below repeat, stand last.
    rows = [(one.ticket_id, one.scan_mark, short(one.digest), one.title) for one in question.tickets]
    heading = f"One answer for {counted(question.count, 'script')}:"
    more = [f"**and {question.left_out} more, NOT shown**"] if question.left_out else []
    return [heading, markdown_table(("Ticket", "Scan", "Files", "Title"), rows), *more]


def _sections(ticket: AskedTicket) -> list[str]:
    parts = [
        f"**{markdown_text(ticket.ticket_id)}** {markdown_text(ticket.title)}",
        f"Scan: {markdown_text(ticket.scan_words)}",
    ]
    if ticket.findings:
        parts.append(markdown_table(FINDING, ticket.findings))
    parts.append(f"Script {markdown_text(ticket.path)}:\n\n{markdown_block(ticket.script, info='bash')}")
    if ticket.hidden_words:
        parts.append(f"**{ticket.hidden_words}**")
    parts.append("Would run:\n\n" + "\n".join(f"- {markdown_text(line)}" for line in ticket.plan))
    return parts


def _opinions(ticket: AskedTicket) -> list[str]:
    named = "\n".join(f"- {markdown_text(line)}" for line in ticket.opinions)
    return [
        f"**{markdown_text(ticket.ticket_id)}** {markdown_text(ticket.title)}",
        f"Critics name {counted(len(ticket.opinions), 'failure')} that no test shows:\n\n{named}",
        *(markdown_text(line) for line in ticket.plan),
    ]


def short(digest: str) -> str:
    """Enough of a digest to tell it from others."""
    return digest.removeprefix("sha256:")[:DIGEST_CHARS]
