"""The built-in tester: deterministic, without a key, without running the code that it attacks."""

import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.attack import Attack, Brief, Origin, SourceModule, Untested
from refute.adversary.preservation import preserves
from refute.adversary.property.calls import published_calls
from refute.adversary.property.command_lines.reading import command_line_tests
from refute.adversary.property.differential import Compared
from refute.adversary.property.draft import Draft
from refute.adversary.property.earlier_answers import preservation_tests
from refute.adversary.property.examples import author_examples, docstring_examples, text_examples
from refute.adversary.property.faces import read_surface
from refute.adversary.property.fields import advise
from refute.adversary.property.laws import field_tests
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.phrases import phrase_tests
from refute.adversary.property.render import function_of, render
from refute.adversary.property.surface import ELSEWHERE, Documented, Surface
from refute.python_syntax import UNPARSABLE, parse_python
from refute.ticket.record import Claim, ClaimId, Kind

_SPEAKS_OF_DOCUMENTATION = re.compile(
    r"\b(?:doc-?strings?|doctests?|documented|documentation|examples?)\b", re.IGNORECASE
)
_OF_DOCSTRINGS = re.compile(r"\b(?:doc-?strings?|doctests?)\b", re.IGNORECASE)
_ONE_CALL: Final = re.compile(
    r"(?:`[^`]+`|[\w.]++\([^`]*\)\s*(?:==|->|=>|→)[^`]*|\"[^\"]*\"|'[^']*'|\b(?:True|False|None|\d[\w.]*)\b"
    r"|\b(?:returns?|is|gives?|equals?|yields?|evaluates? to|and|the|so|then|must|should)\b|[\s.,;:=>→()\[\]{}-])++"
)
"""A claim that is nothing but concrete calls with their results."""
_NOTHING_FOUND = "nothing in it can be executed"


class PropertyTester:
    """Writes tests from examples, properties and recognised phrases; says which claims it could not attack."""

    def __init__(self, compared: Sequence[Compared] = ()) -> None:
        """`compared`: what the version before and this one answer to the same inputs, where there is one."""
        self._compared = compared

    def write_tests(self, brief: Brief) -> Attack:
        """One pytest file for the ticket; the same brief gives the same bytes."""
        written = command_line_tests(brief) if brief.ticket.kind is Kind.CLI else _everything(brief, self._compared)
        found, worth = [*map(_runnable, written)], list(Origin)
        drafts = sorted(
            (item for item in found if isinstance(item, Draft)), key=lambda draft: worth.index(draft.origin)
        )
        notes = [item for item in found if isinstance(item, Untested)]
        return render(brief, drafts, notes, _reasons(brief, drafts, notes))


def _runnable(item: Draft | Untested) -> Draft | Untested:
    """One test that Python refuses to compile (`await` in a lambda, `break` outside of a loop) would take all along."""
    if isinstance(item, Untested):
        return item
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(function_of(item, "test"), "<draft>", "exec", dont_inherit=True)
    except SyntaxError as error:
        reason = f"{item.detail or item.quote!r} cannot stand in a test: {error.msg}"
        return Untested(claim=item.claim, reason=reason, field=item.label if item.origin.is_field else "")
    return item


def _reasons(brief: Brief, drafts: Sequence[Draft], notes: Sequence[Untested]) -> dict[ClaimId, str]:
    """Why a claim without a test has none."""
    broken = "; ".join(filter(None, map(_parse_fault, brief.modules)))
    told: dict[ClaimId, str] = {claim.id: broken or _NOTHING_FOUND for claim in brief.ticket.claims}
    if broken:
        return told
    by_field = sorted(notes, key=lambda note: not note.field)  # what is wrong with a field comes before the text's
    told |= {note.claim.id: note.reason for note in reversed(by_field)}
    for advice in advise(brief, {draft.claim.id for draft in drafts}):
        if "add  " not in told[advice.claim_id]:
            told[advice.claim_id] += f"; add  {advice.template}"
    return told


def _parse_fault(source: SourceModule) -> str:
    """Why a module cannot be parsed; empty where it can."""
    try:
        parse_python(source.source)
    except UNPARSABLE as error:
        where = f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else str(error)
        return f"{source.module.path} cannot be parsed: {where}"
    return ""


def _everything(brief: Brief, compared: Sequence[Compared]) -> Iterator[Draft | Untested]:
    surface = read_surface(brief.modules)
    namespace = Namespace(surface=surface, files=brief.workspace_paths)
    published = published_calls(brief, surface)
    for claim in brief.ticket.claims:
        if not claim.code() and surface.speaks_of_others(claim.text):
            yield Untested(claim=claim, reason=ELSEWHERE)
        yield from author_examples(claim, namespace)
        subjects = surface.subjects(claim.text)
        only = subjects[0] if len(subjects) == 1 else None
        yield from text_examples(claim, claim.text, Origin.CLAIM_EXAMPLE, namespace, subject=only)
        yield from phrase_tests(claim, brief.ticket, namespace)
        yield from field_tests(claim, published, namespace)
    yield from preservation_tests(brief, compared)
    told = (claim for claim in brief.ticket.claims if not surface.speaks_of_others(claim.text))
    stays = [one for one in brief.ticket.claims if one.unchanged or preserves(one.text)]
    promising = [one for one in told if one not in stays and not _ONE_CALL.fullmatch(one.text)]
    for documented in (text for face in surface.faces for text in face.docstrings):
        promised = _claim_for(documented, promising, surface)
        if promised is not None:
            yield from docstring_examples(promised, documented, namespace)


def _claim_for(documented: Documented, claims: Sequence[Claim], surface: Surface) -> Claim | None:
    """The claim that a docstring's examples belong to: one that names its subject, the only one, one on documentation.

    Args:
        documented: the docstring.
        claims: without those that are examples themselves, from which no other call follows, or about code elsewhere
            or as it was.
        surface: of the ticket's modules.
    """
    if spoken := [claim for claim in claims if _OF_DOCSTRINGS.search(claim.text)]:
        return spoken[0]
    claims = [claim for claim in claims if _may_mean(claim, documented, surface)]
    names = [name for name in reversed(documented.subject.split(".")) if name and not name.startswith("_")]
    for name in names or [documented.module]:
        word = rf"(?<!\w){re.escape(name)}(?!\w{'' if names else '|[.]'})"  # `pkg.f` speaks of f, not of pkg
        plain = word if "_" in name or name[:1].isupper() else rf"^{re.escape(name)}\s"
        named = re.compile(rf"`[^`]*{word}[^`]*`|{word}\(|{plain}")
        if hits := [claim for claim in claims if named.search(claim.text)]:
            return hits[0]
    if len(claims) == len(surface.functions()) == len(surface.faces) == 1:
        return claims[0]
    return next((claim for claim in claims if _SPEAKS_OF_DOCUMENTATION.search(claim.text)), None)


def _may_mean(claim: Claim, documented: Documented, surface: Surface) -> bool:
    """Whether what a claim names can be what a docstring documents: `Array.item` is neither `item` nor elsewhere."""
    named = surface.named_in(claim.text)
    alike = {one.qualified for one in named if one.name == documented.subject.rpartition(".")[2]}
    return surface.home(claim.text) in {"", documented.module} and (not alike or documented.subject in alike)
