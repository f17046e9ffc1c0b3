"""The page in headless Chromium: it fits a wall and a phone, obeys light and dark, and makes no request."""

import re
import shutil
import struct
import subprocess
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome
from refute.settings import Settings
from reports.html import render_html
from reports.report import make_report
from reports.scope import Scope
from tests.fakes import browser

pytestmark = pytest.mark.browser

DARK = "--blink-settings=preferredColorScheme=0"
LIGHT = "--blink-settings=preferredColorScheme=1"
PROBE = """<script>
addEventListener("load", () => {
  const wide = [...document.querySelectorAll("body *")].filter(e => {
    if (e.closest(".scroll, pre, svg")) return false;
    const box = e.getBoundingClientRect();
    return box.width && box.right > innerWidth + 1;
  }).map(e => e.tagName + "." + e.className);
  document.title = JSON.stringify({
    width: innerWidth, scroll: document.documentElement.scrollWidth, wide,
    charts: [...document.querySelectorAll("svg")].filter(e => e.getBoundingClientRect().width).length,
    rows: document.querySelectorAll("details.finding").length,
    loaded: performance.getEntriesByType("resource").length,
  });
});
</script>"""


def chromium(page: Path, *arguments: str) -> str:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "no Chromium on this machine; Debian/Ubuntu: apt-get install chromium"
    fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--hide-scrollbars"]
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [program, *fixed, profile, *arguments, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout


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


@pytest.mark.parametrize("width", [1400, 820, 500])
def test_nothing_is_wider_than_the_window(page: Path, width: int) -> None:
    text = page.read_text("utf-8")
    policy = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
    page.write_text(policy.sub("", text).replace("</body>", PROBE + "</body>"), encoding="utf-8")
    shown = chromium(page, f"--window-size={width},1200", "--dump-dom")
    found = re.search("<title>(.*?)</title>", shown)
    assert found
    assert '"wide":[],"charts":2,"rows":3,"loaded":0' in found.group(1)


CROSSED = """[...document.querySelectorAll("details.finding")].filter(finding => {
  const [chip, time] = [".chip", "time"].map(name => finding.querySelector(name).getBoundingClientRect());
  return chip.bottom > time.top && time.bottom > chip.top && chip.right > time.left;
}).length"""


def test_on_a_phone_a_long_status_does_not_cover_the_time_beside_it(page: Path) -> None:
    with browser.chromium() as phone:
        phone.open(page.as_uri(), width=390).wait_for("BLOCKED_DANGEROUS_SCRIPT")
        assert phone.run("document.documentElement.scrollWidth <= innerWidth")
        assert phone.run(CROSSED) == 0


@pytest.mark.parametrize(("scheme", "expected"), [(LIGHT, (0xF6, 0xF7, 0xF9)), (DARK, (0x0E, 0x11, 0x16))])
def test_light_and_dark_are_obeyed(page: Path, scheme: str, expected: tuple[int, int, int]) -> None:
    picture = page.with_suffix(".png")
    chromium(page, "--window-size=800,600", scheme, f"--screenshot={picture}")
    assert first_pixel(picture) == expected


def test_a_script_in_the_data_would_be_stopped_by_the_page_s_policy(page: Path) -> None:
    text = page.read_text("utf-8")
    page.write_text(text.replace("</body>", '<script>document.title = "owned"</script></body>'), encoding="utf-8")
    assert "<title>owned</title>" not in chromium(page, "--dump-dom")


def first_pixel(picture: Path) -> tuple[int, int, int]:
    """The colour at the top left; the first pixel of a PNG is stored as it is, whatever the row's filter."""
    data, rest = b"", picture.read_bytes()[8:]
    while rest:
        length, kind = struct.unpack(">I4s", rest[:8])
        data += rest[8 : 8 + length] if kind == b"IDAT" else b""
        rest = rest[12 + length :]
    red, green, blue = zlib.decompress(data)[1:4]
    return red, green, blue
