"""A case file becomes the outcome: what its stages returned, told in one record."""

import time
from collections.abc import Iterator

from refute.adversary.judgement.conclusions import claims_after
from refute.caching.wording import not_run_again
from refute.case import CaseFile
from refute.guardrails.secret_mask import mask_secrets
from refute.llm.pricing import total
from refute.outcome import ModelUse, Outcome, Provenance, TestRecord
from refute.sandbox.job import JobResult
from refute.stages.evidence import (
    Critique,
    Hardening,
    References,
    Reworking,
    StrengthStage,
    Triage,
    Writing,
    round_yields,
)
from refute.stages.usage import added


def close(case: CaseFile, provenance: Provenance) -> Outcome:
    """The outcome of a case, whose stages have run or never will.

    Args:
        case: what is known.
        provenance: what exactly ran.
    """
    end = case.end_state()
    verification, run, triage = case.verification, case.attack_stage, case.triage
    strength = case.measured.strength if case.measured else None
    return Outcome(
        run_id=case.run_id,
        ticket_id=case.ticket.id,
        title=case.ticket.title,
        kind=case.ticket.kind,
        labels=case.ticket.labels,
        attempt=case.attempt,
        flow_run_url=case.flow_run_url,
        status=end.status,
        reason=end.reason,
        started_at=case.started_at,
        duration_s=round(time.monotonic() - case.began, 3),
        provenance=provenance,
        claims=claims_after(triage.claims, strength.missed if strength else ()) if triage else (),
        failures=triage.failures if triage else (),
        tests=_tests(case),
        stages=tuple(case.stages),
        caveats=_caveats(case),
        scan=case.scan,
        confirmation=case.confirmation,
        left_out=case.snapshot.left_out if case.snapshot else (),
        verification_output=_output(verification.result.stdout) if verification else "",
        verification_stderr=_output(verification.result.stderr) if verification else "",
        adversarial_tests=case.screening.attack.source if case.screening else "",
        adversarial_output=_output(run.run.output) if run and run.run else "",
        changed_paths={name: result.changed_paths for name, result in _jobs(case)},
        cost_usd=total(stage.cost_usd for stage in case.stages),
        strength=strength,
        second_environment=case.again.found if case.again else None,
        reviews=case.critique.reviews if case.critique else (),
        reworks=case.reworking.reworks if case.reworking else (),
        critics_tests=case.critique.tests if case.critique else "",
        models=_models(case),
        rounds=round_yields((case.writing, case.hardening.writing if case.hardening else None), case.screening, triage),
        decoys_touched=tuple(path for _, result in _jobs(case) for path in result.canary_files_touched),
    )


def _output(text: str) -> str:
    """What a script or the tests printed, without recognisable keys: it goes into ledger, artifacts and reports."""
    return mask_secrets(text, labelled=False)


def _models(case: CaseFile) -> tuple[ModelUse, ...]:
    """What every model was asked so far."""
    return added(*(stage.models for stage in _paid(case)))


def _paid(case: CaseFile) -> list[References | Writing | Triage | StrengthStage | Hardening | Critique | Reworking]:
    """What stages that ask models came to, as far as the ticket got."""
    stages = (case.references, case.writing, case.triage, case.measured, case.hardening, case.critique, case.reworking)
    return [stage for stage in stages if stage is not None]


def local_servers(case: CaseFile) -> tuple[str, ...]:
    """Addresses of servers of this machine that answered in a model's place."""
    return tuple(dict.fromkeys(use.local_server for use in _models(case) if use.local_server))


def _tests(case: CaseFile) -> tuple[TestRecord, ...]:
    """Every generated test, with what became of it."""
    triaged = (case.triage or Triage()).triaged
    judged = [(one.test, one.verdict, one.reason, one.run.attested) for one in triaged]
    rejected = [(one.test, None, one.reason, None) for one in (case.screening.rejected if case.screening else ())]
    return tuple(
        TestRecord(
            name=test.name,
            claim_id=test.claim_id,
            category=test.category,
            origin=test.origin,
            tester=test.tester,
            verdict=verdict,
            reason=reason,
            round=test.round,
            attested=attested,
        )
        for test, verdict, reason, attested in (*judged, *rejected)
    )


def _caveats(case: CaseFile) -> tuple[str, ...]:
    notes = not_run_again(case.stages)
    notes += case.verification.notes if case.verification else ()
    if case.hardening is not None:
        notes += case.hardening.notes
    notes += case.references.notes if case.references else ()
    if case.writing is not None:
        notes += case.writing.notes
        notes += tuple(f"a server of this machine, {one}, answered, not Gemini" for one in local_servers(case))
        if any(one.cost_usd is None for one in _paid(case)):
            notes += ("a model without a known price was asked: what this cost is unknown",)
    return notes + (case.verdict.caveats if case.verdict else ())


def _jobs(case: CaseFile) -> Iterator[tuple[str, JobResult]]:
    """The containers that ran, by stage."""
    if case.verification is not None:
        yield "verify", case.verification.result
    if case.attack_stage is not None and case.attack_stage.result is not None:
        yield "attack", case.attack_stage.result
