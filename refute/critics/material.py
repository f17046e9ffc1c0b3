"""What a critic is shown of a change, and whether the evidence that it names is there."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.change import diff_of
from refute.ticket.record import Claim, ClaimId, Ticket
from refute.wording import cut_plainly

PLACE: Final = re.compile(r"(?P<path>[^\s:`'\"]+):(?:L|line )?(?P<first>\d+)(?:\s*[-–]\s*L?(?P<last>\d+))?")
FEWEST_WORDS: Final = 8
"""Characters of a passage that can be evidence: fewer occur in any code."""


def promises_of(ticket: Ticket) -> tuple[Claim, ...]:
    """All that a ticket promises, as claims: claims, success criteria (S1 …), anti-criteria (A1 …), its task.

    A counterexample names one of these, so that an expectation that nothing promises confirms no failure.
    """
    criteria = [("S", text) for text in ticket.success_criteria]
    against = [("A", text) for text in ticket.anti_criteria]
    taken = {claim.id for claim in ticket.claims}
    made = [
        *(Claim(id=ClaimId(f"{kind}{number}"), text=text) for number, (kind, text) in enumerate(criteria, 1)),
        *(Claim(id=ClaimId(f"{kind}{number}"), text=text) for number, (kind, text) in enumerate(against, 1)),
        *([Claim(id=ClaimId("TASK"), text=ticket.description)] if ticket.description.strip() else []),
    ]
    return (*ticket.claims, *(one for one in made if one.id not in taken))


def change_of(brief: Brief) -> str:
    """The change as text: a diff against the version before where the ticket brings one, else the files, numbered.

    Longer than a prompt may be, it is cut at its end, and says so.
    """
    return cut_plainly("\n\n".join(_changed(brief, one) for one in brief.modules), brief.max_prompt_chars)


def _changed(brief: Brief, one: SourceModule) -> str:
    path = one.module.path
    unchanged = f"# file {path}: not changed" if brief.earlier else _numbered(path, one.source)
    return diff_of(brief, one) or unchanged


def _numbered(path: str, source: str) -> str:
    lines = source.splitlines()
    return "\n".join([f"# file {path}", *(f"{number:4} {line}" for number, line in enumerate(lines, 1))])


def missing_evidence(evidence: str, files: Mapping[str, bytes]) -> str:
    """Why evidence is none, in words; empty where it is there.

    Args:
        evidence: `path:line`, `path:first-last` (of several in one text all must exist), or a passage of a file.
        files: path → content of the snapshot.
    """
    places = list(PLACE.finditer(evidence))
    faults = [fault for place in places if (fault := _fault(place, files))]
    if places and not faults:
        return ""
    if _is_passage(evidence, files):
        return ""
    return faults[0] if faults else "names no line, and no file holds these words"


def _fault(place: re.Match[str], files: Mapping[str, bytes]) -> str:
    path = place["path"].removeprefix("./")
    if path not in files:
        return f"there is no file {path}"
    count = files[path].count(b"\n") + 1
    last = int(place["last"] or place["first"])
    return "" if 1 <= int(place["first"]) <= last <= count else f"{path} has {count} lines, not {last}"


def _is_passage(evidence: str, files: Mapping[str, bytes]) -> bool:
    words = _squeezed(evidence.strip().strip("`"))
    return len(words) >= FEWEST_WORDS and any(words in text for text in map(_squeezed, _texts(files)))


def _texts(files: Mapping[str, bytes]) -> Iterator[str]:
    return (content.decode("utf-8", "replace") for content in files.values())


def _squeezed(text: str) -> str:
    return "".join(text.split())
