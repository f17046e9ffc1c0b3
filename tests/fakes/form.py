"""The form of a question in the Prefect UI, as a person answers it in a browser."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import CompletedProcess

from tests.fakes.browser import Browser, chromium
from tests.fakes.prefect_api import BUSY
from tests.fakes.waiting import wait_for

Refute = Callable[..., CompletedProcess[str]]
PERSON = "Ada Lovelace"
POLL_S = 0.2
ONCE_MORE_S = 60.0
CHOOSE = """(() => {
  const select = [...document.querySelectorAll("select")].find(s => [...s.options].some(o => o.text === "%s"));
  select.value = "%s";
  for (const kind of ["input", "change"]) select.dispatchEvent(new Event(kind, {bubbles: true}));
  return select.value;
})()"""
MARK_EMPTY = '[...document.querySelectorAll("textarea")].find(t => !t.value).setAttribute("data-person", "")'


@contextmanager
def form_of(refute: Refute, subject: str, shows: str = "Would run") -> Iterator[Browser]:
    """A browser with the open form of the question about a ticket or a batch, which `refute confirm` lists."""

    def listed() -> str:
        return next((one for one in refute("confirm").stdout.splitlines() if one.startswith(subject)), "")

    url = wait_for(listed).rsplit(" ", 1)[1]
    with chromium() as browser:
        browser.open(url, height=1300).wait_for(f"confirm {subject}", "Paused").click("Resume")
        yield browser.wait_for("Decision", shows)


def fill_in(browser: Browser, decision: str) -> None:
    assert browser.run(CHOOSE % (decision, decision)) == decision
    browser.run(MARK_EMPTY)
    browser.fill("[data-person]", PERSON)


def submit(browser: Browser) -> None:
    """As a person does: once more where the server was busy (the UI says "Oops"), or nothing came of the click."""
    while not any(not one.startswith(f"{BUSY} ") for one in _answers(browser)):
        before, deadline = len(_answers(browser)), time.monotonic() + ONCE_MORE_S
        browser.click("Submit")
        while len(_answers(browser)) == before and time.monotonic() < deadline:
            time.sleep(POLL_S)


def _answers(browser: Browser) -> list[str]:
    """What the server said to the form; its message in the page is gone after some seconds."""
    browser.run("1")  # takes in what the page has heard meanwhile
    return [one for one in browser.answered if " POST " in one and one.endswith("/resume")]
