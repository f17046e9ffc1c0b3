"""Real requests to a server whose pages are wrong in every way: each becomes a note, and the rest is read."""

from collections.abc import Iterator

import pytest

from refute.evaluation.gullible import GullibleModel
from refute.guardrails.audit import AuditLog
from refute.guardrails.gates import Gates
from refute.research.harness import Effects, Harness
from refute.research.page import Unreadable, decode, read_page
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
        ("/slow", "no whole answer within 0.6 s"),
        ("/misdeclared", "binary data, despite its declared type"),
        ("/away", "host evil.example.net is not one of the allowed hosts"),
        ("/inside", "is not one of the allowed hosts"),
    ],
)
def test_a_page_that_cannot_be_read_is_a_note_and_the_others_are_read(web, path, why):
    findings = read(web, path, "/pears")
    assert any("source 1 could not be used" in note and why in note for note in findings.notes), findings.notes
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


TEXT = "Die Birnen kosten 3 € — süß!"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode(), "ascii-of-mars"),
        (TEXT.encode("cp1252"), "iso-8859-1"),
        (TEXT.encode("cp1252"), None),
        (b"\xef\xbb\xbf" + TEXT.encode(), "iso-8859-1"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), None),
        (b'<meta charset="windows-1252">' + TEXT.encode("cp1252"), None),
    ],
)
def test_a_body_is_decoded_whatever_it_declares(body, charset):
    assert decode(body, charset).endswith(TEXT)


@pytest.mark.parametrize("body", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"%PDF-1.7\n\0\xff", b"PK\x03\x04\0\0"])
def test_what_is_no_text_is_refused_whatever_it_declares(body):
    with pytest.raises(Unreadable, match="binary"):
        read_page(body, "text/html", "utf-8")


def test_deep_nesting_ends_nothing():
    read = read_page(b"<div>" * 5_000 + b"pears" + b"</div>" * 5_000, "text/html", "utf-8")
    assert len(read.text) < 100
