"""Refutations in which objects were carried are seen once more: by their reproducers, test and code in one process.

The driver keeps them in two processes; where it carries an object wrongly, right code fails. A refutation that its own
reproducer does not show is therefore for a person. It never helps a pass, since code that sees its tests may behave
otherwise in one process. Where plain data alone was exchanged there is nothing to doubt.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Attack, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.plain_pytest import SCRIPT
from refute.adversary.promises import limit_reached
from refute.caching.chance import left_to_chance
from refute.caching.kind import REPRODUCTION
from refute.outcome import TestFailure
from refute.ports import Ports
from refute.sandbox.job import Job, JobResult
from refute.sandbox.requirements_layer import SITE
from refute.sandbox.surroundings import FIRST, Runner
from refute.stages.brief import brief_of
from refute.stages.jobs import plain_of
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
    ports: Ports,
    ticket: Ticket,
    snapshot: Snapshot,
    attack: Attack,
    triaged: tuple[TriagedTest, ...],
    failures: Sequence[TestFailure],
) -> tuple[tuple[TriagedTest, ...], float]:
    """The triaged tests, of which those are for a person that their reproducers do not show; and the container's time.

    Args:
        ports: the effects of this run.
        ticket: names the claims.
        snapshot: of its files.
        attack: the tests.
        triaged: every test with its meaning so far.
        failures: the refutations, with their reproducers.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    doubtful = {one.test.name for one in triaged if _is_doubtful(one)}
    tried = _tried([one for one in failures if one.test_name in doubtful])
    if not tried:
        return triaged, 0.0
    job = _job(ports, ticket, snapshot, attack, tried)
    lasting = not left_to_chance(brief_of(ports, ticket, snapshot), attack.source, ports.contents(snapshot))
    key = ports.result_key([job]) if lasting else None
    ran = ports.stages.cached(REPRODUCTION, key, lambda: ports.sandbox.run(job))
    doubted = _not_shown(tried, triaged, ran.record)
    told = tuple(_for_a_person(one) if one.test.name in doubted else one for one in triaged)
    return told, 0.0 if ran.kept else ran.record.duration_s


def _is_doubtful(one: TriagedTest) -> bool:
    """Whether what was carried may be why it failed; a limit that was reached needs no second look, and takes long."""
    return one.run.objects_crossed and one.run.end is TestEnd.FAILED and not limit_reached(one.run)


def _tried(failures: Sequence[TestFailure]) -> list[dict[str, TestFailure]]:
    """For each claim the refutations that are run again, by the name of their file."""
    by_claim: dict[ClaimId, list[TestFailure]] = {}
    for one in failures:
        by_claim.setdefault(one.claim_violated, []).append(one)
    return [
        {f"claim{at}_{number}": one for number, one in enumerate(ones[:MOST])}
        for at, ones in enumerate(by_claim.values())
    ]


def _job(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, attack: Attack, tried: Sequence[Mapping[str, TestFailure]]
) -> Job:
    places = {"tests": PLAIN.tests, "workspace": PLAIN.workspace, "limit": f"{ports.settings.test_timeout_s:g}"}
    runs = "".join(CLAIM.format(files=shlex.join(ones), **places) for ones in tried)
    plain = plain_of(ports, ticket, snapshot, attack, (), PLAIN)
    # A reproducer looks the code up by itself: nothing of it starts with Python, or stands before pytest.
    ours = SITE if ports.derived_image(ticket) else ""
    return replace(
        plain,
        name=REPRODUCTION.name,
        command=("bash", "-c", SCRIPT.format(days=PLAIN.days_ahead, runs=runs)),
        environment={**plain.environment, "PYTHONPATH": ours},
        attack_files={f"{name}.py": one.reproducer.encode() for ones in tried for name, one in ones.items()},
        collect=tuple(f"{name}.exit" for ones in tried for name in ones),
    )


def _not_shown(
    tried: Sequence[Mapping[str, TestFailure]], triaged: Sequence[TriagedTest], result: JobResult
) -> set[str]:
    """Names of the tests that pass by themselves; of a claim of which none fails so, all of its refutations."""
    doubted = set[str]()
    for ones in tried:
        passing = [one for name, one in ones.items() if result.collected.get(f"{name}.exit", b"").strip() == HOLDS]
        doubted |= {one.test_name for one in passing}
        if len(passing) == len(ones):
            claim = passing[0].claim_violated
            refuting = (one for one in triaged if one.verdict is TriageVerdict.REFUTED and _is_doubtful(one))
            doubted |= {one.test.name for one in refuting if one.test.claim_id == claim}
    return doubted


def _for_a_person(one: TriagedTest) -> TriagedTest:
    return replace(one, verdict=TriageVerdict.NEEDS_REVIEW, reason=f"{one.reason}; {NOT_SHOWN}")
