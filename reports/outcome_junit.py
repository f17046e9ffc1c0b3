"""Outcomes as JUnit XML: a test suite per ticket, a test case per claim, for CI systems that show test results.

Elements and attributes are those of the schema that most readers go by (JUnit.xsd of
https://github.com/windyroad/JUnit-Schema, read 2026-11): times in seconds, timestamps without a zone (here UTC).
"""

from collections.abc import Sequence
from datetime import UTC
from typing import Final, assert_never
from xml.etree import ElementTree as ET

from refute.caching.wording import not_run_again
from refute.guardrails.plain_text import printable, tail
from refute.outcome import ClaimResult, ClaimVerdict, Outcome, Status
from reports.evidence import categories_line, claim_evidence, elsewhere_lines, strength_lines
from reports.wording import MEANING, in_brief, model_lines

MAX_TEXT_CHARS: Final = 20_000
MAX_ATTRIBUTE_CHARS: Final = 500
TAIL_LINES: Final = 200


def render_junit(outcomes: Sequence[Outcome]) -> str:
    """The document: refuted claims are failures, undecided ones errors, untested and partly attacked ones skipped.

    A ticket that is no PASS although no claim says so gets one more test case, `verdict`: an error, a failure, or
    skipped where nothing was found wrong (PASS_WEAK, SKIPPED, DRY_RUN). So no such ticket looks green by absence.
    """
    root = ET.Element("testsuites")
    for number, outcome in enumerate(outcomes):
        root.append(_suite(number, outcome))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(number: int, outcome: Outcome) -> ET.Element:
    cases = [_claim_case(outcome, claim) for claim in outcome.claims]
    said = any(case.find("failure") is not None or case.find("error") is not None for case in cases)
    if outcome.status is not Status.PASS and not said:
        cases.append(_verdict_case(outcome))
    suite = ET.Element(
        "testsuite",
        {
            "id": str(number),
            "package": "refute",
            "name": _attribute(outcome.ticket_id),
            "timestamp": outcome.started_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
            "hostname": "localhost",
            "tests": str(len(cases)),
            **{f"{kind}s": str(_count(cases, kind)) for kind in ("failure", "error")},
            "skipped": str(_count(cases, "skipped")),
            "time": f"{outcome.duration_s:.3f}",
        },
    )
    suite.append(_properties(outcome))
    suite.extend(cases)
    _child(suite, "system-out", tail(outcome.verification_output, max_lines=TAIL_LINES, max_chars=MAX_TEXT_CHARS))
    _child(suite, "system-err", tail(outcome.verification_stderr, max_lines=TAIL_LINES, max_chars=MAX_TEXT_CHARS))
    return suite


def _properties(outcome: Outcome) -> ET.Element:
    facts = {
        "status": outcome.status.value,
        "reason": outcome.reason,
        "title": outcome.title,
        "run_id": outcome.run_id,
        "tester": outcome.provenance.tester,
        "cost_usd": "" if outcome.cost_usd is None else f"{outcome.cost_usd:f}",
        "snapshot": outcome.provenance.snapshot_digest or "",
    }
    if again := not_run_again(outcome.stages):
        facts["not_run_again"] = again[0]
    if models := model_lines(outcome.models):
        facts["models"] = "; ".join(models)
    if outcome.provenance.local_servers:
        facts["local_model_servers"] = ", ".join(outcome.provenance.local_servers)
    ran = [test for test in outcome.tests if test.verdict is not None]
    if ran:
        facts["categories"] = categories_line(ran)
    # The schema has no place for it in a test case that passed.
    facts |= {
        f"claim {claim.claim_id}": claim_evidence(claim)
        for claim in outcome.claims
        if claim.verdict is ClaimVerdict.SURVIVED
    }
    if outcome.strength is not None:
        facts["strength"] = "; ".join(strength_lines(outcome.strength))
    if outcome.second_environment is not None:
        facts["second environment"] = "; ".join(elsewhere_lines(outcome.second_environment))
    properties = ET.Element("properties")
    for name, value in facts.items():
        ET.SubElement(properties, "property", {"name": name, "value": _attribute(value)})
    return properties


def _claim_case(outcome: Outcome, claim: ClaimResult) -> ET.Element:
    case = _case(outcome, f"{claim.claim_id}: {in_brief(claim.text)}")
    match claim.verdict:
        case ClaimVerdict.SURVIVED:
            pass
        case ClaimVerdict.SURVIVED_IN_PART:
            ET.SubElement(case, "skipped", {"message": _attribute(f"survived in part: {claim_evidence(claim)}")})
        case ClaimVerdict.REFUTED:
            _refuted(case, outcome, claim)
        case ClaimVerdict.UNTESTED:
            ET.SubElement(case, "skipped", {"message": _attribute(f"untested: {claim.reason}")})
        case ClaimVerdict.INCONCLUSIVE:
            ET.SubElement(case, "error", {"message": _attribute(claim.reason), "type": "INCONCLUSIVE"})
        case _:
            assert_never(claim.verdict)
    return case


def _refuted(case: ET.Element, outcome: Outcome, claim: ClaimResult) -> None:
    """One failure with every refutation of the claim: the schema allows one."""
    own = [failure for failure in outcome.failures if failure.claim_violated == claim.claim_id]
    texts = [
        f"{f.test_name}\n{f.error_type}: {f.error_message}\n\n{f.smallest_input}\n\n{f.traceback}\n\n{f.reproducer}"
        for f in own
    ]
    message = f"{own[0].error_type}: {own[0].error_message}" if own else claim_evidence(claim)
    kind = own[0].error_type if own else "refuted"
    failure = ET.SubElement(case, "failure", {"message": _attribute(message), "type": _attribute(kind)})
    failure.text = printable("\n\n".join(texts) or claim.reason, max_chars=MAX_TEXT_CHARS)


def _verdict_case(outcome: Outcome) -> ET.Element:
    """What the claims do not say by themselves."""
    case = _case(outcome, "verdict")
    message = _attribute(f"{outcome.status}: {MEANING[outcome.status]} {outcome.reason}")
    if outcome.status in {Status.PASS_WEAK, Status.SKIPPED, Status.DRY_RUN}:
        ET.SubElement(case, "skipped", {"message": message})
    else:
        judged = outcome.status.name.startswith(("FAILED", "BLOCKED"))
        end = ET.SubElement(case, "failure" if judged else "error", {"message": message, "type": outcome.status.value})
        end.text = printable(outcome.reason, max_chars=MAX_TEXT_CHARS)
    return case


def _case(outcome: Outcome, name: str) -> ET.Element:
    """A test case; claims are attacked together, so no claim has a time of its own."""
    return ET.Element(
        "testcase", {"classname": _attribute(outcome.ticket_id), "name": _attribute(name), "time": "0.000"}
    )


def _count(cases: list[ET.Element], kind: str) -> int:
    return sum(case.find(kind) is not None for case in cases)


def _child(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _attribute(text: str) -> str:
    return printable(text, max_chars=MAX_ATTRIBUTE_CHARS, keep_newlines=False)
