"""What OpenTelemetry gets, through Prefect: nothing as refute is installed; where somebody sets it up, every run."""

from importlib.metadata import distributions

from opentelemetry.trace import get_tracer


def test_nothing_that_could_send_spans_is_installed_with_refute() -> None:
    installed = {one.metadata["Name"].lower() for one in distributions()}
    assert "opentelemetry-api" in installed
    assert not [name for name in installed if name.startswith(("opentelemetry-sdk", "opentelemetry-exporter"))]
    assert not get_tracer("prefect").start_span("a span").is_recording()
