"""What is asked, as it travels: parameter of the run that waits, text of its form, and what a terminal shows.

Every text in it is printable already: a ticket's own texts may hold what neither JSON nor a terminal can take.
"""

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from refute.approval import Question
from refute.guardrails.plain_text import printable
from refute.scan.finding import Finding, ScanResult
from refute.wording import counted
from reports.sections import Block, Grid, Part, Prose, Section, in_markdown
from reports.sections import Field as Labelled

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


class AskedQuestion(BaseModel):
    """One question about one ticket, about the list of a batch, or in words."""

    model_config = ConfigDict(frozen=True)

    subject: str
    """The ticket's id or the batch's; also the name by which it is answered."""
    digest: str
    """Of the ticket's frozen files, of the list with all its tickets' digests, or of the words."""
    nonce: str = Field(default_factory=lambda: secrets.token_urlsafe(16))
    """Random: an answer that does not carry it was not given to this question."""
    deadline: datetime
    """UTC; after it the answer is no."""
    words: str
    """What is asked, on one line."""
    sections: tuple[Section, ...]
    """What it is about."""
    scripts: int = 0
    """How many scripts it is about."""
    blocking: int = 0
    """How many findings only an override lets through."""
    is_list: bool = False
    is_about_opinions: bool = False
    """Whether a person judges what critics say, and not what may run."""

    @property
    def choices(self) -> tuple[str, str]:
        """What lets the ticket go on, and what does not."""
        return (DISMISS, UPHOLD) if self.is_about_opinions else (CONFIRM, DECLINE)

    def description(self) -> str:
        """The form's text, in Markdown that no ticket can break out of."""
        silence = "without an answer they go on waiting" if self.is_list else "no answer means no"
        if self.is_about_opinions:
            silence = "without an answer the ticket stays undecided"
        until = f"Answer until {self.deadline:%Y-%m-%d %H:%M} UTC; {silence}."
        return "\n\n".join([until, *in_markdown(self.sections)])


def about_ticket(question: Question, deadline: datetime) -> AskedQuestion:
    """What is asked about one ticket."""
    return AskedQuestion(
        subject=question.ticket.id,
        digest=question.snapshot.digest,
        deadline=deadline,
        words=_line(question.ticket.title),
        sections=tuple(ticket_sections(question)),
        scripts=1,
        blocking=len(question.scan.blocking),
        is_about_opinions=bool(question.opinions),
    )


def about_list(
    questions: Sequence[Question], deadline: datetime, *, subject: str, digest: str, scripts: int
) -> AskedQuestion:
    """What is asked about a batch's list, and about each of its tickets where its script or plan is given.

    Args:
        questions: one for each ticket that is shown.
        deadline: of the answer.
        subject: the batch.
        digest: of the whole list.
        scripts: how many tickets the list has.
    """
    # The form's window is narrower than the table: what the sections below repeat stands last.
    rows = [
        (one.ticket.id, _scan_mark(one.scan), short(one.snapshot.digest), _line(one.ticket.title), _path(one))
        for one in questions
    ]
    parts: list[Part] = [Grid(headings=("Ticket", "Scan", "Files", "Title", "Script"), rows=rows)]
    if scripts > len(rows):
        parts.append(_not_shown(f"{scripts - len(rows)} more"))
    words, left = counted(scripts, "script"), MAX_SCRIPTS_CHARS
    shown = [Section(title=f"One answer for {words} (list {short(digest)})", parts=parts)]
    for one in questions:
        if one.script or one.plan:
            shown += ticket_sections(one, script_chars=min(MAX_SCRIPT_CHARS, left))
            left = max(0, left - len(one.script))
    return AskedQuestion(
        subject=subject,
        digest=digest,
        deadline=deadline,
        words=words,
        sections=tuple(shown),
        scripts=scripts,
        blocking=sum(len(one.scan.blocking) for one in questions),
        is_list=True,
    )


def about_words(subject: str, text: str, deadline: datetime) -> AskedQuestion:
    """What is asked in printable words, the first line a heading."""
    heading, _, rest = text.partition("\n")
    asked = Section(title=f"{subject}: {heading}", parts=[Block(text=rest.strip("\n") or heading, whole=True)])
    return AskedQuestion(subject=subject, digest=digest_of(text), deadline=deadline, words=heading, sections=(asked,))


def ticket_sections(question: Question, *, script_chars: int = MAX_SCRIPT_CHARS) -> Iterator[Section]:
    """Script, scan and plan; of what critics say, that alone.

    Args:
        question: what is asked about one ticket.
        script_chars: the most of its script.
    """
    title = f"{question.ticket.id} {_line(question.ticket.title)}"
    plan = Prose(lines=[_line(one, max_chars=500) for one in question.plan])
    if question.opinions:
        said = Prose(lines=[_line(one, max_chars=1_000) for one in question.opinions])
        named = f"Critics name {counted(len(question.opinions), 'failure')} that no test shows:"
        yield Section(title=title, parts=[named, said, *([plan] if plan.lines else [])])
        return
    parts: list[Part] = [_path(question)]
    parts.append(Block(text=printable(question.script[:script_chars]), info="bash", whole=True))
    if len(question.script) > script_chars:  # nobody should approve its end unseen unknowing
        parts.append(_not_shown(f"the last {len(question.script) - script_chars:,} characters: read them in the file"))
    yield Section(title=title, parts=parts)
    scan = question.scan
    found = [_row(one, one.grade, one.explanation) for one in scan.findings]
    found += [_row(one.finding, "allowed", f"allowed: {one.reason}") for one in scan.suppressed]
    rows = found[:MAX_FINDINGS]
    grid = Grid(headings=("Severity", "Where", "What", "Why"), rows=rows)
    yield Section(title=f"Scan: {_scan_words(scan)}", parts=[grid] if rows else [])
    yield Section(title="Would run", parts=[plan])


def _row(finding: Finding, severity: str, why: str) -> tuple[str, ...]:
    where, what = f"{finding.path}:{finding.line}", finding.matched
    told = _line(f"{why} ({finding.rule_id})", max_chars=500)
    return severity, _line(where), _line(what, max_chars=120), told


def _scan_words(scan: ScanResult) -> str:
    """The scan on one line."""
    files = counted(len(scan.scanned), "file")
    if not _all_found(scan):
        return f"✓ nothing dangerous found in {files}"
    return f"{len(scan.blocking)} blocking of {counted(_all_found(scan), 'finding')} in {files}{_allowed(scan)}"


def _scan_mark(scan: ScanResult) -> str:
    """The scan in a word or two, for a narrow column."""
    return f"{counted(_all_found(scan), 'finding')}{_allowed(scan)}" if _all_found(scan) else "✓"


def _all_found(scan: ScanResult) -> int:
    return len(scan.findings) + len(scan.suppressed)


def _allowed(scan: ScanResult) -> str:
    return f", {len(scan.suppressed)} allowed" if scan.suppressed else ""


def _path(question: Question) -> str:
    return _line(str(question.ticket.workspace / question.ticket.verification_script))


def _not_shown(what: str) -> Labelled:
    return Labelled(label="NOT shown", lines=[what], style="bold red")


def _line(text: str, *, max_chars: int = 200) -> str:
    return printable(text, max_chars=max_chars, keep_newlines=False)


def digest_of(text: str) -> str:
    """`sha256:…` of what is asked where it is about no script."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()}"


def short(digest: str) -> str:
    """Enough of a digest to tell it from others."""
    return digest.removeprefix("sha256:")[:DIGEST_CHARS]
