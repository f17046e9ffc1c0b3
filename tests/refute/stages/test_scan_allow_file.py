"""The reviewed allow-file in front of a run: what it lets through, what is told of that, and who may not write it."""

import json
from pathlib import Path

import pytest

from refute.case import CaseFile
from refute.errors import UsageError
from refute.ports import Ports
from refute.scan.allow import require_foreign
from refute.scan.finding import ScanResult
from refute.settings import Settings
from refute.stages.admission import admit, scan_scripts, take_snapshot
from refute.ticket.parse import load_ticket
from tests.refute.stages.conftest import written_ticket

ENTRY = "- rule: delete-outside\n  path: verify.sh\n  reason: the container is thrown away\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Of a ticket whose script deletes and reads what it should not."""
    return written_ticket(tmp_path / "ticket", code="A = 1\n", claims=["A is 1."], script="rm -rf /etc\n").workspace


def scanned(workspace: Path, allow_file: Path | None) -> ScanResult:
    """What the gate says; its line of the audit log is beside the workspace."""
    beside = workspace.parent
    places = {"state_dir": beside / "state", "audit_path": beside / "audit.jsonl"}
    ports = Ports(Settings(**places, scan_allow_file=allow_file), "run")
    ticket = load_ticket(workspace)
    return scan_scripts(ports, ticket, take_snapshot(ports, ticket))


@pytest.fixture
def allow_file(workspace: Path) -> Path:
    path = workspace.parent / "allow.yaml"
    path.write_text(ENTRY)
    return path


def test_what_it_allows_runs_and_is_told_with_its_reason(workspace, allow_file):
    result = scanned(workspace, allow_file)
    assert admit(result, allow_dangerous=False) is None
    case = CaseFile(ticket=load_ticket(workspace), run_id="run")
    case.keep(result)
    assert case.stages[-1].summary == "0 findings, 0 blocking, 1 allowed"
    line = json.loads((workspace.parent / "audit.jsonl").read_text().splitlines()[-1])
    assert line["decision"] == "allow"
    assert line["metadata"]["allow_file"] == str(allow_file)
    assert line["metadata"]["allowed"] == "delete-outside@verify.sh:1: the container is thrown away"


def test_another_danger_of_the_same_script_still_blocks(workspace, allow_file):
    (workspace / "verify.sh").write_text("rm -rf /etc\nsudo bash\n")
    result = scanned(workspace, allow_file)
    assert len(result.suppressed) == 1
    assert admit(result, allow_dangerous=False) is not None


def test_a_script_that_cannot_be_analysed_is_never_allowed(workspace, allow_file):
    (workspace / "verify.sh").write_text("rm -rf /etc\nif\n")
    assert "unanalysable" in {finding.rule_id for finding in scanned(workspace, allow_file).blocking}
    allow_file.write_text("- rule: '*'\n  path: '*'\n  reason: everything is fine\n")
    with pytest.raises(UsageError, match=r"got the rule \*"):
        scanned(workspace, allow_file)


def test_the_author_of_the_scripts_cannot_give_it(workspace):
    (workspace / "allow.yaml").write_text(ENTRY)
    with pytest.raises(UsageError, match=r"lies in the ticket's workspace .*, expected a place outside"):
        scanned(workspace, workspace / "allow.yaml")
    link = workspace.parent / "link.yaml"
    link.symlink_to(workspace / "allow.yaml")
    with pytest.raises(UsageError, match="lies in the ticket's workspace"):
        scanned(workspace, link)


def test_a_link_in_the_workspace_is_the_author_s_too(workspace, allow_file):
    (workspace / "link.yaml").symlink_to(allow_file)
    with pytest.raises(UsageError, match="lies in the ticket's workspace"):
        require_foreign(workspace / "link.yaml", workspace, "allow-file", "scan_allow_file")


def test_one_that_is_named_and_missing_is_an_error(workspace):
    with pytest.raises(UsageError, match=r"allow-file .*No such file"):
        scanned(workspace, workspace.parent / "none.yaml")
