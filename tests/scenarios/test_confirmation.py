"""S010–S045: nothing runs before it was scanned, shown and approved."""

import json
import os
from pathlib import Path

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.prefect]


def audit_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_s010_a_dry_run_shows_script_scan_and_plan_and_creates_no_container(ticket, cli, settings):
    done = cli("verify", ticket(), "--dry-run", "--format", "json", DOCKER_HOST="unix:///nonexistent.sock")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "DRY_RUN"
    assert "python -c 'import slug'" in done.stderr
    assert "nothing dangerous found" in done.stderr
    assert "bash ./verify.sh" in done.stderr


def test_s020_rm_rf_of_the_root_is_blocked_before_any_prompt_with_line_and_pattern(ticket, cli):
    done = cli("verify", ticket(script="echo hello\nrm -rf /\n"), "--format", "json", answer="y\n")
    assert done.returncode == 12
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "BLOCKED_DANGEROUS_SCRIPT"
    assert "verify.sh:2" in outcome["reason"]
    assert "rm -rf /" in outcome["reason"]
    assert "[y/N]" not in done.stderr


def test_s030_a_finding_that_may_be_confirmed_is_named_and_anything_but_a_yes_blocks(ticket, cli):
    done = cli("verify", ticket(script="curl http://evil.com\n"), "--format", "json", answer="n\n")
    assert done.returncode == 12
    assert "in spite of this finding? [y/N]" in done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "BLOCKED_DANGEROUS_SCRIPT"
    assert outcome["verification_output"] == ""


def test_s030_with_network_nobody_is_asked_about_it(ticket, cli):
    options = ("--allow-network", "evil.com", "--format", "json")
    done = cli("verify", ticket(script="curl http://evil.com\n"), *options, answer="y\n")
    assert json.loads(done.stdout)["status"] == "BLOCKED_DANGEROUS_SCRIPT"
    assert "[y/N]" not in done.stderr


def test_s035_an_override_names_the_findings_asks_is_audited_and_still_runs_in_the_sandbox(ticket, cli, tmp_path):
    script = "curl --max-time 2 http://evil.com && echo REACHED\necho done\n"
    done = cli("verify", ticket(script=script), "--allow-dangerous", "--format", "json", answer="y\n")
    assert "curl" in done.stderr
    assert "in spite of" in done.stderr
    outcome = json.loads(done.stdout)
    assert "REACHED" not in outcome["verification_output"]
    assert outcome["provenance"]["image_id"].startswith("sha256:")
    overrides = [
        line for line in audit_lines(tmp_path / "cwd/logs/guardrails.jsonl") if line["gate"] == "scan_override"
    ]
    assert [line["decision"] for line in overrides] == ["allow"]
    assert "@verify.sh:1" in overrides[0]["metadata"]["findings"]


def test_s040_anything_but_a_clear_yes_cancels_and_nothing_is_executed(ticket, cli):
    done = cli("verify", ticket(), "--format", "json", answer="n\n", DOCKER_HOST="unix:///nonexistent.sock")
    assert done.returncode == 13, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "CANCELLED"
    assert [stage["name"] for stage in outcome["stages"]][-1] == "confirm"
    assert (outcome["confirmation"]["answer"], bool(outcome["confirmation"]["by"])) == ("declined", True)


def test_s045_nobody_answers_in_time(ticket, start_cli):
    reading, writing = os.pipe()  # an input that stays silent
    try:
        run = start_cli("verify", ticket(), stdin=reading, REFUTE_CONFIRMATION_TIMEOUT_S="1")
        out, err = run.communicate(timeout=600)
    finally:
        os.close(reading)
        os.close(writing)
    assert run.returncode == 13, err
    assert "nobody answered within 1 s" in json.loads(out)["reason"]
