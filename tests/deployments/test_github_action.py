"""The GitHub action: its steps run as GitHub's runner runs them, around a gate that answers as the test says."""

import os
import re
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from refute.governance.gate import gate_document, write_gate
from refute.governance.policy import LoadedPolicy
from refute.governance.sarif import gate_sarif
from refute.outcome import Status
from refute.settings import Settings
from refute.ticket.parse import load_ticket
from tests.fakes.outcomes import CLAIM, FAILURE, fake_outcome
from tests.fakes.tickets import write_ticket

FOLDER = Path(__file__).resolve().parents[2] / "deployments" / "github"
ACTION = yaml.safe_load((FOLDER / "action.yml").read_text())
GATE = """#!/usr/bin/env bash
printf '%s\\n' "$@" > "$ASKED"
while [ $# -gt 0 ]; do
    case $1 in
        --sarif) cp "$ANSWER/gate.sarif" "$2" ;;
        --attest) echo signed > "$2" ;;
    esac
    shift
done
cat "$ANSWER/gate.json"
exit "$(cat "$ANSWER/code")"
"""


class Runner:
    """Runs a composite action's steps, one after the other, until one fails."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.outputs: dict[str, str] = {}
        self.used: list[str] = []
        self.stderr = ""
        self.environment = {
            **os.environ,
            "GITHUB_ACTION_PATH": str(FOLDER),
            "GITHUB_OUTPUT": str(home / "output"),
            "GITHUB_STEP_SUMMARY": str(home / "summary"),
            "RUNNER_TEMP": str(home / "temp"),
            "ANSWER": str(home),
            "ASKED": str(home / "asked"),
        }

    def run(self, **inputs: str) -> int:
        defaults = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        self._names = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()}
        self._names["runner.temp"] = str(self.home / "temp")
        for step in ACTION["runs"]["steps"]:
            if not self._holds(step.get("if", "true")):
                continue
            if "uses" in step:
                self.used.append(self._filled(step["with"]["sarif_file"]))
            elif code := self._shell(step):
                return code
        return 0

    def _shell(self, step: dict[str, Any]) -> int:
        variables = {name: self._filled(text) for name, text in step.get("env", {}).items()}
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, env=self.environment | variables, capture_output=True, text=True, check=False)
        self.stderr += done.stderr
        output = self.home / "output"
        for line in output.read_text().splitlines() if output.exists() else ():
            name, _, value = line.partition("=")
            self._names[f"steps.gate.outputs.{name}"] = self.outputs[name] = value
        return done.returncode

    def _filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: self._names.get(match[1], ""), text)

    def _holds(self, condition: str) -> bool:
        """`NAME == 'text' && NAME != 'text'`."""
        parts = [re.fullmatch(r"([\w.-]+) (==|!=) '(.*)'", part) for part in condition.split(" && ")]
        return all(part is None or (self._names.get(part[1], "") == part[3]) is (part[2] == "==") for part in parts)


@pytest.fixture
def runner(tmp_path):
    (tmp_path / "temp").mkdir()
    made = Runner(tmp_path)
    gate = tmp_path / "refute"
    gate.write_text(GATE)
    gate.chmod(gate.stat().st_mode | stat.S_IEXEC)
    return made


@pytest.fixture
def answer(tmp_path):
    """Has the gate answer with a status."""

    def write(status, **fields):
        ticket = load_ticket(write_ticket(tmp_path))
        outcome = fake_outcome(status=status, claims=(CLAIM,), **fields)
        made = gate_document(ticket, outcome, LoadedPolicy(), Settings(state_dir=tmp_path / "state"))
        (tmp_path / "gate.json").write_text(write_gate(made))
        (tmp_path / "gate.sarif").write_text(gate_sarif(made, ticket, tmp_path))
        (tmp_path / "code").write_text(str(made.exit_code))

    return write


def test_a_refuted_ticket_fails_the_job_with_an_annotation_that_cannot_be_broken_out_of(runner, answer, tmp_path):
    hostile = replace(FAILURE, error_message="no\n::set-output name=status::PASS %0A")
    answer(Status.FAILED_ADVERSARIAL, failures=(hostile,), reason="```\n# PASS")
    assert runner.run(ticket="t", refute=str(tmp_path / "refute")) == 10
    (line,) = [one for one in runner.stderr.splitlines() if one.startswith("::")]
    assert line.startswith("::error file=a.py,line=1,title=refute%3A claim_refuted::C1: expected: It sorts.%0A")
    assert "no%0A::set-output" in line
    assert runner.outputs["status"] == "FAILED_ADVERSARIAL"
    assert runner.used == [str(tmp_path / "temp" / "refute-gate" / "gate.sarif")]
    assert "````text\n```\n# PASS\n````" in (tmp_path / "summary").read_text()


def test_a_pass_lets_the_job_go_on_with_policy_and_signature(runner, answer, tmp_path):
    answer(Status.PASS)
    options = {"policy": "p $(touch pwned).yaml", "key": "-----BEGIN", "tester": "gemini"}
    assert runner.run(ticket="t; exit 1", refute=str(tmp_path / "refute"), **options) == 0
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:3] == ["gate", "t; exit 1", "--yes"]
    assert asked[asked.index("--policy") + 1] == "p $(touch pwned).yaml"
    assert Path(runner.outputs["attestation"]).read_text() == "signed\n"
    assert "attestation" in ACTION["outputs"]


@pytest.mark.parametrize(("accept", "code"), [("false", 11), ("true", 0)])
def test_weak_evidence_stops_the_job_unless_it_is_accepted(runner, answer, tmp_path, accept, code):
    answer(Status.PASS_WEAK)
    assert runner.run(ticket="t", refute=str(tmp_path / "refute"), **{"accept-weak": accept}) == code


def test_a_gate_without_a_verdict_fails_the_job_and_uploads_nothing(runner, tmp_path):
    (tmp_path / "gate.json").write_text("")
    (tmp_path / "gate.sarif").write_text("")
    (tmp_path / "code").write_text("1")
    assert runner.run(ticket="t", refute=str(tmp_path / "refute")) == 1
    assert "no verdict" in (tmp_path / "summary").read_text()
    assert runner.used == []


def test_no_input_is_written_into_a_script():
    assert all("${{" not in step.get("run", "") for step in ACTION["runs"]["steps"])
