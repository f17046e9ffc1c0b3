"""No bytes make the scanner fail: a fault of its own would block, and would still be a fault."""

from hypothesis import given, settings
from hypothesis import strategies as st

from refute.scan.engine.analysis import analyse
from refute.scan.rules import Language


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_report(data: bytes) -> None:
    for language in Language:
        found = analyse("x", data, language).findings.values()
        assert not any("scanner failed" in finding.explanation for finding in found)
