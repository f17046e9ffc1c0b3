"""Refutations in which objects were carried are seen once more: by their reproducers, test and code in one process.

The driver keeps them in two processes; where it carries an object wrongly, right code fails. A refutation that its own
reproducer does not show is therefore for a person. It never helps a pass, since code that sees its tests may behave
otherwise in one process. Where plain data alone was exchanged there is nothing to doubt.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Attack, Screening, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.judgement.conclusions import refutations
from refute.adversary.plain_pytest import SCRIPT, plain_job
from refute.adversary.promises import limit_reached
from refute.caching.chance import left_to_chance
from refute.caching.kind import REPRODUCTION
from refute.outcome import TestFailure
from refute.ports import Ports
from refute.sandbox.job import Job, JobResult
from refute.sandbox.requirements_layer import SITE
from refute.sandbox.surroundings import FIRST, Runner
from refute.stages.brief import brief_of
from refute.stages.evidence import Triage
from refute.ticket.record import ClaimId, Snapshot, Ticket

MOST: Final = 3
"""Reproducers that run for a claim; the first that shows its refutation speaks for the others."""
HOLDS: Final = b"0"
"""What a reproducer exits with where the test passes."""
NOT_SHOWN: Final = (
    "it passes where the test runs in the code's own process (its reproducer): the test needs that, or the code "
    "behaves otherwise there"
)
PLAIN: Final = replace(FIRST, runner=Runner.PYTEST)
CLAIM: Final = """\
for file in {files}; do
    timeout {limit} python3 -P {tests}/$file.py {workspace} > /dev/null 2>&1
    code=$?
    echo $code > {tests}/$file.exit
    [ $code = 0 ] || break
done
"""


def reproduced(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, screening: Screening, triage: Triage
) -> tuple[tuple[TriagedTest, ...], float]:
    """The triaged tests, of which those are for a person that their reproducers do not show; and the container's time.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    brief = brief_of(ports, ticket, snapshot)
    tried = _tried(triage.triaged, refutations(triage.triaged, screening, brief))
    if not tried:
        return triage.triaged, 0.0
    job = _job(ports, ticket, snapshot, screening.attack, tried)
    lasting = not left_to_chance(brief, screening.attack.source, ports.contents(snapshot))
    ran = ports.stages.cached(
        REPRODUCTION, ports.result_key([job]) if lasting else None, lambda: ports.sandbox.run(job)
    )
    doubted = _not_shown(tried, triage.triaged, ran.record)
    told = tuple(_for_a_person(one) if one.test.name in doubted else one for one in triage.triaged)
    return told, 0.0 if ran.kept else ran.record.duration_s


def _tried(triaged: Sequence[TriagedTest], failures: Sequence[TestFailure]) -> dict[ClaimId, list[TestFailure]]:
    """Claim → the refutations that are run again."""
    doubtful = {one.test.name for one in triaged if _is_doubtful(one)}
    tried: dict[ClaimId, list[TestFailure]] = {}
    for one in failures:
        if one.test_name in doubtful:
            tried.setdefault(one.claim_violated, []).append(one)
    return {claim: ones[:MOST] for claim, ones in tried.items()}


def _is_doubtful(one: TriagedTest) -> bool:
    """Whether what was carried may be why it failed; a limit that was reached needs no second look, and takes long."""
    return one.run.objects_crossed and one.run.end is TestEnd.FAILED and not limit_reached(one.run)


def _job(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, attack: Attack, tried: Mapping[ClaimId, Sequence[TestFailure]]
) -> Job:
    names = {
        claim: [_file(at, number) for number in range(len(ones))] for at, (claim, ones) in enumerate(tried.items())
    }
    places = {"tests": PLAIN.tests, "workspace": PLAIN.workspace, "limit": f"{ports.settings.test_timeout_s:g}"}
    runs = "".join(CLAIM.format(files=shlex.join(ones), **places) for ones in names.values())
    ours = SITE if ports.derived_image(ticket) else ""
    plain = plain_job(
        ticket,
        attack,
        (),
        run_id=ports.run_id,
        archive=ports.workspace(snapshot),
        image_id=ports.image_id(ticket),
        settings=ports.settings,
        surroundings=PLAIN,
    )
    job = replace(
        plain,
        name=REPRODUCTION.name,
        command=("bash", "-c", SCRIPT.format(days=PLAIN.days_ahead, runs=runs)),
        # A reproducer looks the code up by itself: nothing of it starts with Python, or stands before pytest.
        environment={**plain.environment, "PYTHONPATH": ours},
        attack_files={
            f"{name}.py": failure.reproducer.encode()
            for claim, ones in names.items()
            for name, failure in zip(ones, tried[claim], strict=True)
        },
        collect=tuple(f"{name}.exit" for ones in names.values() for name in ones),
    )
    return ports.with_network(job)


def _file(claim: int, number: int) -> str:
    return f"claim{claim}_{number}"


def _not_shown(
    tried: Mapping[ClaimId, Sequence[TestFailure]], triaged: Sequence[TriagedTest], result: JobResult
) -> set[str]:
    """Names of the tests that pass by themselves; of a claim of which none fails so, all of its refutations."""
    doubted = set[str]()
    for at, (claim, ones) in enumerate(tried.items()):
        exits = [result.collected.get(f"{_file(at, number)}.exit", b"").strip() for number in range(len(ones))]
        doubted |= {one.test_name for one, code in zip(ones, exits, strict=True) if code == HOLDS}
        if all(code == HOLDS for code in exits):
            doubted |= {
                one.test.name
                for one in triaged
                if one.test.claim_id == claim and one.verdict is TriageVerdict.REFUTED and _is_doubtful(one)
            }
    return doubted


def _for_a_person(one: TriagedTest) -> TriagedTest:
    return replace(one, verdict=TriageVerdict.NEEDS_REVIEW, reason=f"{one.reason}; {NOT_SHOWN}")
