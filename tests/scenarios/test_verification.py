"""S050–S070, S110, S130, S140: the author's own script in the sandbox."""

import pytest

from refute.outcome import Status
from refute.settings import Settings
from tests.scenarios.conftest import SLUG

pytestmark = pytest.mark.engine


def test_s050_a_script_over_its_limit_is_timed_out_with_what_it_printed(ticket, verify):
    assert Settings.load().verification_timeout_s == 300
    outcome = verify(ticket(script="echo started\nsleep 600\n"), verification_timeout_s=2)
    assert outcome.status is Status.FAILED_TIMEOUT
    assert "verif" in outcome.reason
    assert "started" in outcome.verification_output
    (stage,) = [stage for stage in outcome.stages if stage.name == "verify"]
    assert stage.sandbox_s < 60  # a second of a busy machine can take many; its own bound: test_engine_limits.py


def test_s060_a_declared_requirement_that_the_image_lacks_is_an_error_of_the_environment(ticket, verify):
    digest = "0" * 64
    requirement = f"slugtools-missing==1.0 --hash=sha256:{digest}"
    files = {"slug.py": "import slugtools_missing\n"}
    outcome = verify(ticket(files=files, more={"requirements": [requirement]}))
    assert outcome.status is Status.ERROR
    assert "slugtools" in outcome.reason


def test_s070_s130_a_valid_verification_is_captured_and_the_attack_starts_from_the_original_files(ticket, verify):
    directory = ticket(script="echo to stdout; echo to stderr >&2\npython -c 'import slug'\nrm -f slug.py\n")
    outcome = verify(directory)
    assert outcome.verification_output == "to stdout\n"
    assert outcome.verification_stderr == "to stderr\n"
    assert [stage.name for stage in outcome.stages][-1] == "verdict"
    assert (directory / "slug.py").is_file(), "deleted in the copy alone"
    assert "slug.py" in outcome.changed_paths["verify"]
    assert outcome.status is Status.PASS_WEAK


def test_a_failing_verification_fails_the_ticket_and_runs_no_attack(ticket, verify):
    outcome = verify(ticket(script="echo about to fail\nexit 7\n"))
    assert outcome.status is Status.FAILED_VERIFICATION
    assert "7" in outcome.reason
    assert outcome.adversarial_tests == ""


def test_s130_deleting_outside_the_workspace_is_a_dangerous_operation(ticket, verify):
    outcome = verify(ticket(files={"slug.py": SLUG, **EMPTIES}, script="python empty.py\n"))
    assert outcome.status is Status.BLOCKED_DANGEROUS_OPERATION
    assert "/home/projects/invoices/README.md" in outcome.reason
    assert outcome.adversarial_tests == ""


EMPTIES = {
    "places.txt": "/home/projects/invoices/README.md\n",
    "empty.py": """import pathlib

for line in pathlib.Path("places.txt").read_text().splitlines():
    pathlib.Path(line).write_text("")
""",
}
"""Hidden from the scan: what is emptied is data."""


def test_s140_a_limit_in_verification_fails_the_ticket_and_is_named(ticket, verify):
    script = "python -c 'x = bytearray(3 * 1024**3); print(len(x))'\n"
    outcome = verify(ticket(script=script), memory_bytes=256 * 1024**2)
    assert outcome.status is Status.FAILED_RESOURCES, outcome.reason
    assert "memory" in outcome.reason
