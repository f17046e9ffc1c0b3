"""What critics say and no test shows goes to a person, who upholds it or dismisses it; silence leaves it open."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, assert_never

from refute.approval import Approval, Approver, Decision, Denial, Question
from refute.critics.judging import judge, settle
from refute.critics.record import Named, Rework, ReworkEnd, Standing
from refute.guardrails.audit import Decision as AuditDecision
from refute.guardrails.audit import Gate
from refute.guardrails.plain_text import printable
from refute.ports import Ports
from refute.stages.evidence import Critique, Escalation, Reworking

MAX_OPINION_CHARS: Final = 600


def escalate(
    ports: Ports, question: Question, approver: Approver, critique: Critique, reworking: Reworking, *, decided: bool
) -> Escalation:
    """Ask a person where failures are opinion and decide the ticket.

    Args:
        ports: effects and settings.
        question: that was asked before anything ran: the same ticket, the same files.
        approver: who answers.
        critique: what critics say of the submitted files.
        reworking: what became of reworks; told, whoever answers.
        decided: the attack has failed the ticket: nobody need be asked.
    """
    doubts, summary = critique.judgement.doubts, ""
    if doubts and not decided:
        told = tuple(reworking_words(reworking.reworks))
        asked = replace(question, opinions=tuple(map(_opinion, doubts)), plan=told)
        decision = approver.ask(asked)
        critique, summary = _answered(ports, asked, critique, decision)
    return Escalation(critique=_telling(critique, reworking), summary=summary)


def reworking_words(reworks: tuple[Rework, ...]) -> Iterator[str]:
    """What became of each rework, with what to do next."""
    for one in reworks:
        match one.end:
            case ReworkEnd.PASSED_REVIEW:
                yield f"a rework passed its review, the submitted files did not: apply {one.diff} and verify again"
            case ReworkEnd.FAILED_REVIEW:
                yield f"the rework before review {one.round} failed it ({one.diff})"
            case ReworkEnd.REFUSED | ReworkEnd.FAILED:
                yield f"no rework before review {one.round}: {one.reason}"


def _opinion(named: Named) -> str:
    review, one = named
    text = f"{review.focus}, {one.severity}: {one.description} [{one.evidence}] ({one.reason})"
    return printable(" ".join(text.split()), max_chars=MAX_OPINION_CHARS, keep_newlines=False)


def _answered(ports: Ports, asked: Question, critique: Critique, decision: Decision) -> tuple[Critique, str]:
    """The critique after an answer, and the answer in words."""
    settings, doubts = ports.settings.critics, critique.judgement.doubts
    standing, words = _read(decision, asked.snapshot.digest)
    ports.audit.record(
        Gate.REVIEW,
        AuditDecision.ALLOW if standing is Standing.DISMISSED else AuditDecision.DENY,
        run_id=ports.run_id,
        reason=words,
        metadata={
            "ticket": asked.ticket.id,
            "snapshot": asked.snapshot.digest,
            "failures": len(doubts),
            "first": asked.opinions[0],
        },
    )
    if standing is None:
        reason = f"{critique.judgement.reason}; {words}"
        return replace(critique, judgement=replace(critique.judgement, reason=reason)), words
    reviews = settle(critique.reviews, doubts, standing, words)
    judgement = judge(reviews, block_on=settings.block_on, defaults=settings.focus_areas)
    return replace(critique, reviews=reviews, judgement=judgement), words


def _read(decision: Decision, digest: str) -> tuple[Standing | None, str]:
    """What an answer makes of the failures, and its words; None: nobody answered about these files."""
    match decision:
        case Approval(snapshot_digest=approved) if approved != digest:
            return None, f"the answer was about other files, {approved}"
        case Approval(by=by, note=note):
            return Standing.DISMISSED, f"dismissed by {by}" + (f": {note}" if note else "")
        case Denial(reason=reason, by=by):
            return Standing.UPHELD if by else None, reason
        case _:
            assert_never(decision)


def _telling(critique: Critique, reworking: Reworking) -> Critique:
    """With the reworks in the reason, or where nothing is left to give one for, in the caveats."""
    words, before = tuple(reworking_words(reworking.reworks)), critique.judgement
    if before.status is None:
        return replace(critique, judgement=replace(before, caveats=(*before.caveats, *words)))
    return replace(critique, judgement=replace(before, reason="; ".join((before.reason, *words))))
