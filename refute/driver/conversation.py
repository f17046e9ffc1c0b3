"""What a worker says, checked against what an honest one would say, and canaries that betray a lying one."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from refute.driver.plan import Report


@dataclass(frozen=True, slots=True)
class Canary:
    """A test whose end we know."""

    name: str
    source: str
    end: str
    error_type: str = ""


def make_canaries(tests: Sequence[str]) -> list[Canary]:
    """Four canaries, named like the real tests. The last one is meant to run last.

    Their code uses literals only: whatever the test file imported, `assert` and `{}` mean what they mean.
    """
    names: list[str] = []
    while len(names) < 4:  # noqa: PLR2004
        name = f"{secrets.choice(tests).rpartition('::')[2]}_{secrets.randbelow(90) + 10}"
        if name not in tests and name not in names:
            names.append(name)
    low, high = secrets.randbelow(1000), 1000 + secrets.randbelow(1000)
    return [
        Canary(names[0], f"    assert [{low}, {high}] == [{low}, {high}]\n", "passed"),
        Canary(names[1], f"    assert [{low}, {high}] == [{low}, {high + 1}]\n", "failed", "AssertionError"),
        Canary(names[2], f"    {{}}[{low}]\n", "failed", "KeyError"),
        Canary(names[3], f"    assert {low} == {high}\n", "failed", "AssertionError"),
    ]


def with_canaries(source: bytes, canaries: Sequence[Canary]) -> bytes:
    """The test file with the canaries behind everything else, so that no line of it moves."""
    functions = (f"\n\ndef {canary.name}():\n{canary.source}" for canary in canaries)
    return source.rstrip(b"\n") + b"\n" + "".join(functions).encode()


def mixed_order(tests: Sequence[str], canaries: Sequence[Canary]) -> list[str]:
    """The tests in their order with the canaries at random places, the last canary at the end."""
    order = list(tests)
    for canary in canaries[:-1]:
        order.insert(secrets.randbelow(len(order) + 1), canary.name)
    return [*order, canaries[-1].name]


def lying_canaries(canaries: Sequence[Canary], reports: Mapping[str, Report]) -> list[str]:
    """One line per canary that ran and was not reported as what it is.

    A canary that could not be set up, or whose process ended, was not lied about.
    """
    lies = []
    for canary in canaries:
        report = reports.get(canary.name)
        if report is None or report.end not in {"passed", "failed", "skipped"}:
            continue
        if (report.end, report.error_type) != (canary.end, canary.error_type):
            got = f"{report.end} {report.error_type}".strip()
            lies.append(f"a test that must end {canary.end} {canary.error_type}".strip() + f" was reported {got}")
    return lies


Event = dict[str, Any]
ERROR_FIELDS = ("error_type", "error_message", "traceback", "notes", "raised_in_implementation", "raised_on_purpose")
EITHER = ("changed_arguments", "objects_crossed", "not_carried", "not_carried_back", "reached_implementation")
"""Facts that hold for a parametrised test if they hold for one of its items."""
FACTS = (*EITHER, "attested", "asserted_lines", "aliased_lines")
FAILING = {"setup": "broken", "call": "failed", "teardown": "broken"}


class Tampering(Exception):  # a finding, not a fault of ours
    """The worker said what no honest worker says."""


@dataclass(slots=True)
class Item:
    """One collected test item, while it runs and after."""

    name: str
    """Its function."""
    started_s: float
    called: Event | None = None
    phases: dict[str, Event] = field(default_factory=dict)


class Conversation:
    """The events of one worker, in the order of an honest one: collected, then per item start … finish, then done."""

    def __init__(self, key: str, asked: Sequence[str]) -> None:
        self._key = key
        self._asked = list(asked)
        self._waiting: list[str] = []
        self._unfinished: dict[str, int] = {}
        self.current: Item | None = None
        self.ready = False
        self.collected = False
        self.done = False
        self.gone = ""
        """How the implementation's process ended, in words."""
        self.subject = 0
        """Process id of the implementation's process."""
        self.uncollectable: Event | None = None
        self.reports: dict[str, Report] = {}
        """Test functions of which every item has finished."""
        self.contradictions: list[tuple[str, str]] = []
        """(test function, what pytest reported against what was seen); the reports hold what was seen."""
        self._partial: dict[str, Report] = {}

    def hear(self, line: bytes, now_s: float) -> None:
        """Take in one line. Raises Tampering: it is not what an honest worker would say here."""
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict) or event.get("key") != self._key:
            raise Tampering("something other than the test runner wrote to the result channel")
        try:
            getattr(self, f"_on_{event['event']}")(event, now_s)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise Tampering(f"the result channel carried a malformed event ({type(error).__name__})") from error

    @property
    def remaining(self) -> list[str]:
        """Functions asked for without a report, in their order."""
        return [name for name in self._asked if name not in self.reports]

    def _on_ready(self, event: Event, _: float) -> None:
        self.ready = True
        self.subject = int(event.get("subject", 0))

    def _on_collected(self, event: Event, _: float) -> None:
        names = [_function(item) for item in event["ids"]]
        if self.collected or len(set(event["ids"])) != len(names) or not set(names) <= set(self._asked):
            raise Tampering("the tests collected are not the tests asked for")
        self.collected = True
        self._waiting = list(event["ids"])
        for name in names:
            self._unfinished[name] = self._unfinished.get(name, 0) + 1
        if self.uncollectable is None:
            for name in self._asked:
                if name not in self._unfinished:
                    message = "pytest did not find this test in the file"
                    self.reports[name] = Report(name=name, end="missing", error_message=message)

    def _on_uncollectable(self, event: Event, _: float) -> None:
        self.uncollectable = self.uncollectable or event

    def _on_start(self, event: Event, now_s: float) -> None:
        if self.current is not None or not self._waiting or event["id"] != self._waiting[0]:
            raise Tampering(f"a test was reported out of turn: {str(event['id'])[:100]}")
        self.current = Item(_function(self._waiting.pop(0)), now_s)

    def _on_called(self, event: Event, _: float) -> None:
        item = self._running()
        if item.called is not None:
            raise Tampering(f"{item.name} was reported twice")
        item.called = event

    def _on_phase(self, event: Event, _: float) -> None:
        item = self._running()
        if event["when"] in item.phases:
            raise Tampering(f"{item.name} was reported twice")
        item.phases[event["when"]] = event

    def _on_finish(self, event: Event, now_s: float) -> None:
        item = self._running()
        report, contradiction = _conclude(item, event, now_s)
        if contradiction:
            self.contradictions.append((item.name, contradiction))
        self.current = None
        earlier = self._partial.get(item.name)
        if earlier is not None:
            report = _worse(earlier, report)
        self._unfinished[item.name] -= 1
        target = self._partial if self._unfinished[item.name] else self.reports
        target[item.name] = report

    def _on_done(self, _: Event, __: float) -> None:
        if self._waiting or self.current is not None:
            raise Tampering("the test runner ended before every collected test was reported")
        # Without a collection pytest broke off while it imported the test file: no proper end.
        self.done = self.collected

    def _on_gone(self, event: Event, _: float) -> None:
        self.gone = str(event["how"])[:200]

    def _on_tampering(self, event: Event, _: float) -> None:
        raise Tampering(str(event["fact"])[:500])

    def _running(self) -> Item:
        if self.current is None:
            raise Tampering("a result was reported while no test ran")
        return self.current


def _function(item_id: str) -> str:
    return item_id.split("[", 1)[0]


def _conclude(item: Item, finish: Event, now_s: float) -> tuple[Report, str]:
    """One item's report and, where pytest's reports contradict what was seen of the call, how. Raises Tampering."""
    outcomes = {when: phase["outcome"] for when, phase in item.phases.items()}
    expected = {"setup", "call", "teardown"} if outcomes.get("setup") == "passed" else {"setup", "teardown"}
    if set(outcomes) != expected:
        raise Tampering(f"{item.name}: pytest reported {sorted(outcomes)}, expected {sorted(expected)}")
    facts = {name: finish[name] for name in FACTS}
    report = Report(name=item.name, end="passed", duration_s=round(now_s - item.started_s, 3), **facts)
    contradiction = _contradiction(item, outcomes)
    if contradiction:
        _blame(report, *_as_seen(item, contradiction))
        return report, contradiction
    for when in ("setup", "call", "teardown"):
        outcome = outcomes.get(when, "passed")
        if outcome != "passed":
            _blame(report, "skipped" if outcome == "skipped" else FAILING[when], item.phases[when])
            break
    if report.not_carried and report.end == "passed":  # whatever made the test pass, this did not happen
        report.end, report.error_message = "broken", report.not_carried
    return report, contradiction


def _contradiction(item: Item, outcomes: dict[str, str]) -> str:
    """How pytest's reports differ from what was seen of the test function's call."""
    outcome = outcomes.get("call")
    if outcome is None:
        return "" if item.called is None else "the test function was called, yet pytest reported no call"
    if item.called is None:
        return f"pytest reported {outcome}, yet the test function was never called"
    if (outcome == "passed") is item.called["raised"]:
        how = "raised" if item.called["raised"] else "returned"
        return f"the test function {how}, yet pytest reported {outcome}"
    if outcome == "skipped" and item.called.get("raised_in_implementation"):
        return "the implementation skipped the test that attacks it"
    if item.called.get("raised_in_implementation") and item.called.get("error_type") == "_pytest.outcomes.Exit":
        return "the implementation tried to end the test run"
    return ""


def _as_seen(item: Item, contradiction: str) -> tuple[str, Event]:
    """The end and the error of a test that pytest's reports contradict."""
    if item.called is None or not item.called["raised"]:
        return "missing", {"error_message": contradiction}
    skipped = item.phases.get("call", {}).get("outcome") == "skipped"
    return "skipped" if skipped else "failed", item.called


def _blame(report: Report, end: str, error: Event) -> None:
    report.end = end
    for name in ERROR_FIELDS:
        setattr(report, name, error.get(name, getattr(report, name)))


def _worse(one: Report, other: Report) -> Report:
    """Of two items of a parametrised test, the one that says more: the first that did not pass."""
    worse = other if one.end == "passed" else one
    worse.duration_s = round(one.duration_s + other.duration_s, 3)
    worse.attested = one.attested and other.attested
    asserted = bool(one.asserted_lines and other.asserted_lines)
    worse.asserted_lines = sorted({*one.asserted_lines, *other.asserted_lines}) if asserted else []
    worse.aliased_lines = sorted({*one.aliased_lines, *other.aliased_lines})
    for name in EITHER:
        setattr(worse, name, getattr(one, name) or getattr(other, name))
    return worse
