"""S370, S450: the gate as a workflow calls it, its signed verdict, and the reference workflow around it."""

import json
import subprocess
import sys

import jsonschema
import pytest

from tests.scenarios.conftest import REPOSITORY, WRONG_SLUG

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

SCHEMA = json.loads((REPOSITORY / "docs" / "gate.schema.json").read_text())
LABELLED = {"labels": ["security-relevant"]}
BY_LABEL = {"REFUTE_ATTACK_POLICY": "label"}
IMPLEMENTER = """
import json, pathlib, sys
said = json.load(sys.stdin)
if any(one["kind"] == "claim_refuted" and one["claim_id"] == "C1" for one in said["failures"]):
    path = pathlib.Path("slug.py")
    path.write_text(path.read_text().replace('"_".join', '"-".join'))
"""


def document(done):
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    assert found["exit_code"] == done.returncode
    return found


def test_s370_a_refuted_ticket_exits_with_10_and_its_attestation_is_bound_to_every_file(ticket, cli, tmp_path):
    directory = ticket(files={"slug.py": WRONG_SLUG}, more=LABELLED)
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "k.pem"], check=True)
    (tmp_path / "policy.yaml").write_text("attack_labels: [security-relevant]\n")
    common = ("--policy", tmp_path / "policy.yaml", "--key", tmp_path / "k.pem")
    written = ("--attest", tmp_path / "v.jsonl", "--sarif", tmp_path / "v.sarif")
    done = cli("gate", directory, "--yes", *written, *common, **BY_LABEL)  # which the policy has attacked
    found = document(done)
    assert (done.returncode, found["status"]) == (10, "FAILED_ADVERSARIAL"), done.stderr
    assert {(one["kind"], one["claim_id"]) for one in found["failures"]} == {("claim_refuted", "C1")}
    assert json.loads((tmp_path / "v.sarif").read_text())["runs"][0]["results"][0]["level"] == "error"

    offline = {"DOCKER_HOST": "unix:///nonexistent.sock", "PREFECT_API_URL": "http://127.0.0.1:1/api"}
    genuine = cli("gate", directory, "--verify", tmp_path / "v.jsonl", *common, **offline)
    assert (genuine.returncode, json.loads(genuine.stdout)) == (10, found)
    (directory / "slug.py").write_text(WRONG_SLUG + "\n")
    changed = cli("gate", directory, "--verify", tmp_path / "v.jsonl", *common, **offline)
    assert (changed.returncode, changed.stdout) == (1, "")
    assert "slug.py: was changed" in changed.stderr


def test_s370_what_was_not_attacked_has_an_exit_code_of_its_own(ticket, cli):
    skipped = cli("gate", ticket(more=LABELLED), "--yes", **BY_LABEL)
    assert document(skipped)["status"] == "SKIPPED"
    assert skipped.returncode == 17


def test_s370_the_reference_workflow_returns_a_refuted_implementation_once_and_files_it(ticket, cli, tmp_path):
    directory = ticket(files={"slug.py": WRONG_SLUG})
    (tmp_path / "implement.py").write_text(IMPLEMENTER)
    command = f"{sys.executable} {tmp_path / 'implement.py'}"
    given = ("--implement", command, "--max-rework", "1", "--yes", "--out", tmp_path / "filed")
    done = cli("issue", directory, *given, answer="y\n" * 3)
    record = json.loads(done.stdout)
    assert (done.returncode, record["status"], record["rework"]) == (0, "FILED", 1), done.stderr
    told = [(one["node"], one["result"]) for one in record["nodes"]]
    assert told == [
        ("N0", "loaded"),
        ("N1", "ready"),
        ("N2", "implemented"),
        ("N2.5", "FAILED_ADVERSARIAL"),
        ("N2", "implemented"),
        ("N2.5", "PASS_WEAK"),
        ("N2.5", "approved"),
        ("N3", "approved"),
        ("N4", "content"),
        ("N5", "approved"),
        ("N6", "filed"),
    ]
    filed = json.loads((tmp_path / "filed" / "issue.json").read_text())
    assert filed == record
    jsonschema.validate(filed["gate"], SCHEMA)
