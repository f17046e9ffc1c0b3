"""What OpenTelemetry gets, through Prefect: nothing as refute is installed; where somebody sets it up, every run."""

from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.trace import INVALID_SPAN_CONTEXT, NonRecordingSpan, NoOpTracer, get_tracer

from refute.outcome import Outcome, Status


class Noted(NonRecordingSpan):
    """A span that remembers its name and the states that its run went through."""

    def __init__(self, name: str) -> None:
        super().__init__(INVALID_SPAN_CONTEXT)
        self.name = name
        self.states: list[str] = []

    def update_name(self, name: str) -> None:
        self.name = name

    def add_event(self, name: str, attributes: Any = None, timestamp: Any = None) -> None:
        del attributes, timestamp
        self.states.append(name)


class Notes(NoOpTracer):
    """Hands out spans, and keeps them."""

    def __init__(self) -> None:
        self.spans: list[Noted] = []

    def start_span(self, name: str, *_: Any, **__: Any) -> Noted:
        self.spans.append(Noted(name))
        return self.spans[-1]


def test_nothing_that_could_send_spans_is_installed_with_refute() -> None:
    installed = {one.metadata["Name"].lower() for one in distributions()}
    assert "opentelemetry-api" in installed
    assert not [name for name in installed if name.startswith(("opentelemetry-sdk", "opentelemetry-exporter"))]
    assert not get_tracer("prefect").start_span("a span").is_recording()


@pytest.mark.prefect
def test_a_run_is_a_span_that_ends_with_the_ticket_s_status_and_each_stage_is_one(
    ticket: Callable[..., Path], verify: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    monkeypatch.setattr("prefect.telemetry.run_telemetry.get_tracer", lambda *_: notes)
    assert verify(ticket(script="rm -rf /\n")).status is Status.BLOCKED_DANGEROUS_SCRIPT
    run, *stages = notes.spans
    assert (run.name, run.states[-1]) == ("verify ticket", "BLOCKED_DANGEROUS_SCRIPT")
    assert [stage.name for stage in stages] == ["TCK-1 · scan", "TCK-1 · outcome"]
