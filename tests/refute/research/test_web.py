"""Real requests to a server whose pages are wrong in every way: each becomes a note, and the rest is read."""

from collections.abc import Iterator

import pytest

from refute.evaluation.gullible import GullibleModel
from refute.guardrails.audit import AuditLog
from refute.guardrails.gates import Gates
from refute.research.harness import Effects, Harness
from refute.research.record import Findings, Goal
from refute.research.settings import ResearchSettings
from tests.fakes.attacker import SILENT
from tests.fakes.hostile_web import HostileWeb, hostile_web


@pytest.fixture(scope="module")
def web() -> Iterator[HostileWeb]:
    with hostile_web() as server:
        yield server


def read(web: HostileWeb, *paths: str, audit: AuditLog = SILENT) -> Findings:
    web.asked.clear()
    goal = Goal(text="How long do pears keep in a cellar?", urls=tuple(map(web.url, paths)))
    effects = Effects(fetcher=web.fetcher, model=GullibleModel(), gates=Gates(audit=audit, run_id="run"))
    return Harness(goal, ResearchSettings(fetch_timeout_s=0.6), effects).run()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/huge", "larger than"),
        ("/endless", "larger than"),
        ("/bomb", "larger than"),
        ("/slow", "no whole answer within 0.6 s"),
        ("/cut", "ends too early"),
        ("/pdf", "application/pdf, expected text/html"),
        ("/untyped", "it is nothing, expected text/html"),
        ("/misdeclared", "it holds binary data, whatever it is declared to be"),
        ("/loop", "redirects in a loop"),
        ("/away", "host evil.example.net is not one of the allowed hosts"),
        ("/inside", "is not one of the allowed hosts"),
        ("/gone", "answered 404"),
    ],
)
def test_a_page_that_cannot_be_read_is_a_note_and_the_others_are_read(web, path, why):
    findings = read(web, path, "/pears")
    assert any("source 1 gave nothing" in note and why in note for note in findings.notes), findings.notes
    assert [citation.url for citation in findings.citations] == [web.url("/pears")]
    assert not any("evil" in asked or "169.254" in asked for asked in web.asked)


@pytest.mark.parametrize("path", ["/latin", "/packed", "/moved", "/order"])
def test_a_page_is_read_whatever_its_form(web, path):
    findings = read(web, path)
    assert "12 weeks" in findings.summary
    assert not any("evil" in asked for asked in web.asked)


def test_every_hop_is_in_the_audit_log(web, log):
    read(web, "/moved", "/away", audit=AuditLog(log))
    lines = log.read_text()
    assert lines.count('"gate": "url"') == 4  # each page, and where each redirects to
