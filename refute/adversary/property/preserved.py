"""Claims that behaviour is as it was: the earlier version, where a ticket brings one, says what to expect."""

from collections.abc import Iterator, Sequence

from refute.adversary.attack import Brief, Category, Origin
from refute.adversary.preservation import PRESERVED, preserves_everything
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.law import DISAGREES
from refute.adversary.property.reading import read_surface
from refute.adversary.property.sections import Sentence, sentences
from refute.adversary.property.subject import Setup, set_up, subjects_of
from refute.adversary.property.surface import Function, Surface
from refute.ticket.record import Claim

LABEL = "as before"
_NOT_NAMED = "it speaks of the code before the change, but the ticket names no `previous` version that can be imported"

_BOUNDED = (
    "the claim, or the rest of the ticket, speaks of changes too: what may differ from the previous version is open"
)


def preservation_tests(claim: Claim, brief: Brief, surface: Surface) -> Iterator[Draft | Note]:
    """Tests that compare with the previous version what the claim says has not changed."""
    said = next((sentence for sentence in sentences(claim.text) if PRESERVED.search(sentence.plain)), None)
    if said is None:
        return
    if brief.previous is None:
        yield Note(claim=claim, reason=_NOT_NAMED)
        return
    if not preserves_everything(claim, brief.ticket):
        yield Note(claim=claim, reason=_BOUNDED)
        return
    before = {one.qualified: one for one in read_surface([brief.previous]).callables()}
    for function in _meant(claim, surface):
        ready = _ready(claim, function, before.get(function.qualified))
        if isinstance(ready, Setup):
            yield _draft(claim, said, ready, brief.previous.module.name)
        else:
            yield Note(claim=claim, reason=ready)


def _meant(claim: Claim, surface: Surface) -> Sequence[Function]:
    """The functions that the claim names; every one, where it names none."""
    return subjects_of(claim, surface) or surface.functions()


def _ready(claim: Claim, function: Function, before: Function | None) -> Setup | str:
    """How to call both versions, or why they cannot be compared."""
    if before is None:
        return f"the previous version has no `{function.qualified}` to compare with"
    if function.depends_on or before.depends_on:
        return f"`{function.qualified}` hangs on more than its arguments, so that two calls may differ"
    needed = {one.name for one in function.parameters if one.default is None and not one.variadic}
    if not needed <= {one.name for one in before.parameters}:
        return f"`{function.qualified}` takes other arguments than the previous version"
    ready = set_up(claim, function)
    if isinstance(ready, Setup) and not ready.domains:
        return f"`{function.qualified}` takes no argument that could be varied"
    return ready


def _draft(claim: Claim, said: Sentence, ready: Setup, previous: str) -> Draft:
    """What the earlier version refuses, or answers differently each time, is no matter of this test."""
    call = ready.call()
    earlier = call.replace(ready.function.callee, f"_earlier.{ready.function.callee}", 1)
    return Draft(
        claim=claim,
        quote=quote_of(claim, said.verbatim, "".join(hit[0] for hit in PRESERVED.finditer(said.plain))),
        category=Category.INTEGRATION,
        origin=Origin.PREVIOUS,
        label=LABEL,
        detail="compared with the previous version",
        imports=(*ready.imports, f"import {previous} as _earlier"),
        body=(
            *ready.assumes,
            f"expected = _as_data(_before(lambda: {earlier}))",
            f"assume(_same(expected, _as_data(_before(lambda: {earlier}))))",
            f"got = _as_data(_answer(lambda: {call}))",
            f"assert _same(expected, got), {DISAGREES}",
        ),
        given=ready.given,
    )
