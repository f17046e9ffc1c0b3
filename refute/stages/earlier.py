"""Tests that fail, run on the version before: what passed there is broken now; what fails there alike may be older."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from refute.adversary.attack import Origin, Screening, TestEnd, TestRun, TriagedTest, TriageVerdict
from refute.adversary.judgement.repetition import in_one_line
from refute.adversary.preservation import CONDITION, narrows, preserves, preserves_everything
from refute.adversary.references import names_in
from refute.adversary.suite import read_attack_run
from refute.adversary.suite_source import SuiteSource
from refute.ports import Ports
from refute.stages.jobs import attack_of
from refute.ticket.record import Claim, Snapshot, Ticket

OPEN = frozenset({TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW})


def judge_by_earlier_version(
    ports: Ports, ticket: Ticket, snapshot: Snapshot, screening: Screening, triaged: tuple[TriagedTest, ...]
) -> tuple[TriagedTest, ...]:
    """Decide by the version before (`base`, `previous`) what no vote can know: whether the code did this before.

    A test that passes there and fails now refutes a claim that nothing has changed. Where the claim bounds that, or
    the test fails there as well, it stays as it is, and the reason says what was seen. An example that a docstring
    showed before the change, and that fails there too, is for a person: the docstring is wrong, or the bug is older.
    Where the claim says that the function is `unchanged`, and nothing else is claimed of it, that example says nothing.
    Where the claim speaks of some inputs and its `unchanged` of all, a difference is for a person too.

    Args:
        ports: the effects of this run.
        ticket: names the version, and the claims.
        snapshot: holds its file.
        screening: of the attack.
        triaged: every test with its meaning so far.

    Raises:
        EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
    """
    claims = {claim.id: claim for claim in ticket.claims}
    asked = [one for one in triaged if _is_open(one) and (_asks(one) or preserves(claims[one.test.claim_id].text))]
    earlier = ports.earlier(ticket, snapshot) if asked else {}
    if not earlier:
        return triaged
    suite, text = SuiteSource(screening.attack.source), b"\n".join(earlier.values()).decode(errors="replace")
    asked = [one for one in asked if not _is_documented(one) or _stood_before(one, suite, text)]
    if not asked:
        return triaged
    before = _runs_before(ports, ticket, snapshot, screening, asked)
    unbounded = {claim.id for claim in ticket.claims if preserves_everything(claim, ticket)}
    decided = {
        one.test.name: _judged(
            one,
            before.get(one.test.name),
            decides=one.test.claim_id in unbounded,
            narrowed=_is_narrowed(claims[one.test.claim_id]),
            kept=_is_kept(claims[one.test.claim_id], ticket, suite.functions(one.test.name)),
        )
        for one in asked
    }
    return tuple(decided.get(one.test.name, one) for one in triaged)


def _is_open(one: TriagedTest) -> bool:
    """Whether what it means would be put to a vote, or to a person."""
    undecided = one.test.origin is Origin.MODEL or _asks(one) or one.verdict is TriageVerdict.NEEDS_REVIEW
    return undecided and one.verdict in OPEN and one.run.end is TestEnd.FAILED and not one.run.not_carried


def _expects(one: TriagedTest) -> bool:
    """Whether it expects what the version before answered: then that has to pass it."""
    return one.test.origin is Origin.EARLIER


def _is_documented(one: TriagedTest) -> bool:
    return one.test.origin is Origin.DOCSTRING_EXAMPLE


def _asks(one: TriagedTest) -> bool:
    return _expects(one) or _is_documented(one)


def _stood_before(one: TriagedTest, suite: SuiteSource, text: str) -> bool:
    """Whether the example of a docstring, which its test's own docstring repeats, is in the version before (`text`)."""
    functions = (node for node in suite.functions(one.test.name) if isinstance(node, ast.FunctionDef))
    told = next((ast.get_docstring(node) for node in functions), None) or ""
    _, _, shown = told.partition("\n\n")
    return bool(shown) and all(line.strip() in text for line in shown.splitlines())


def _is_narrowed(claim: Claim) -> bool:
    """Whether a claim speaks of some inputs, and its `unchanged` of all."""
    return narrows(claim.text) and not any(claim.unchanged.values())


def _is_kept(claim: Claim, ticket: Ticket, test: Sequence[ast.stmt]) -> bool:
    """Whether a test uses what its claim says is `unchanged`, and no other field of the ticket runs that."""
    fields = (code for one in ticket.claims for code in one.code() if code not in one.unchanged)
    changed = {name for code in fields for name in re.findall(r"\w+", code)}
    kept = {name.rpartition(".")[2] for name in claim.unchanged} - changed
    return any(kept & names_in(node) for node in test)


def _runs_before(  # what a job is made of
    ports: Ports,
    ticket: Ticket,
    snapshot: Snapshot,
    screening: Screening,
    asked: Sequence[TriagedTest],
) -> Mapping[str, TestRun]:
    """The tests' runs by name, with every file as it was before the change."""
    attack = replace(screening.attack, tests=tuple(one.test for one in asked))
    job = replace(attack_of(ports, ticket, snapshot, attack), workspace=ports.workspace_before(ticket, snapshot))
    run = read_attack_run(job, ports.sandbox.run(job))
    return {} if run.tampering else {test.name: test for test in run.first}


def _judged(one: TriagedTest, before: TestRun | None, *, decides: bool, narrowed: bool, kept: bool) -> TriagedTest:
    passed = before is not None and before.end is TestEnd.PASSED
    if _expects(one) and not passed:
        reason = f"fails on the version before too, whose answers it expects: {one.reason}"
        return replace(one, verdict=TriageVerdict.INVALID, reason=reason)
    if _expects(one):
        reason = f"the claim may not speak of this input ({CONDITION}): {one.reason}"
        return replace(one, verdict=TriageVerdict.NEEDS_REVIEW, reason=reason) if narrowed else one
    if _is_documented(one):
        reason = f"fails on the version before too: the docstring is wrong, or the bug is older: {one.reason}"
        alike = before is not None and before.end is one.run.end and in_one_line(before) == in_one_line(one.run)
        verdict = TriageVerdict.INVALID if kept else TriageVerdict.NEEDS_REVIEW
        return replace(one, verdict=verdict, reason=reason) if alike else one
    if not passed:
        return replace(one, reason=f"{one.reason} (it does not pass on the earlier version either)")
    if not decides:
        return replace(one, reason=f"{one.reason} (it passes on the earlier version)")
    reason = f"passes on the earlier version and fails on this one: {one.reason}"
    return replace(one, verdict=TriageVerdict.REFUTED, reason=reason, without_vote=True)
