"""The page in headless Chromium: it fits a wall and a phone, obeys light and dark, and makes no request."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome
from refute.settings import Settings
from reports.html import render_html
from reports.report import make_report
from reports.scope import Scope
from tests.fakes.browser import Browser, chromium

pytestmark = pytest.mark.browser

SHOWN = """({
  wide: [...document.querySelectorAll("body *")].filter(e => {
    if (e.closest(".scroll, pre, svg")) return false;
    const box = e.getBoundingClientRect();
    return box.width && box.right > innerWidth + 1;
  }).map(e => e.tagName + "." + e.className),
  charts: [...document.querySelectorAll("svg")].filter(e => e.getBoundingClientRect().width).length,
  rows: document.querySelectorAll("details.finding").length,
  loaded: performance.getEntriesByType("resource").length,
})"""
CROSSED = """[...document.querySelectorAll("details.finding")].filter(finding => {
  const [chip, time] = [".chip", "time"].map(name => finding.querySelector(name).getBoundingClientRect());
  return chip.bottom > time.top && time.bottom > chip.top && chip.right > time.left;
}).length"""


@pytest.fixture
def page(tmp_path: Path, outcomes: dict[str, Outcome]) -> Path:
    """A report of every kind of outcome, hostile ones among them."""
    settings = Settings(state_dir=tmp_path / "state")
    ledger = Ledger.open(settings)
    for outcome in outcomes.values():
        ledger.record(outcome)
    made = tmp_path / "report.html"
    text = render_html(make_report(ledger, settings, Scope(), datetime(2026, 3, 2, tzinfo=UTC)))
    made.write_text(text, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.mark.parametrize("width", [1400, 820, 500])
def test_nothing_is_wider_than_the_window(browser: Browser, page: Path, width: int) -> None:
    browser.open(page.as_uri(), width=width).wait_for("BLOCKED_DANGEROUS_SCRIPT")
    assert browser.run(SHOWN) == {"wide": [], "charts": 2, "rows": 3, "loaded": 0}


def test_on_a_phone_a_long_status_does_not_cover_the_time_beside_it(browser: Browser, page: Path) -> None:
    browser.open(page.as_uri(), width=390).wait_for("BLOCKED_DANGEROUS_SCRIPT")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.run(CROSSED) == 0


@pytest.mark.parametrize(("scheme", "expected"), [("light", "rgb(246, 247, 249)"), ("dark", "rgb(14, 17, 22)")])
def test_light_and_dark_are_obeyed(browser: Browser, page: Path, scheme: str, expected: str) -> None:
    browser.prefer(scheme).open(page.as_uri()).wait_for("BLOCKED_DANGEROUS_SCRIPT")
    assert browser.run("getComputedStyle(document.body).backgroundColor") == expected


def test_a_script_in_the_data_would_be_stopped_by_the_page_s_policy(browser: Browser, page: Path) -> None:
    text = page.read_text("utf-8")
    page.write_text(text.replace("</body>", '<script>document.title = "owned"</script></body>'), encoding="utf-8")
    browser.open(page.as_uri()).wait_for("BLOCKED_DANGEROUS_SCRIPT")
    assert browser.run("document.title") != "owned"
