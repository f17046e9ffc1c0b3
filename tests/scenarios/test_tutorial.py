"""The tutorial, run as it stands: its commands, in a shell, and its files, in order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.prefect, pytest.mark.slow]

REPOSITORY = Path(__file__).parents[2]
BLOCK = re.compile(r"(?:^`(?P<name>[^`\n]+)`:\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
WHO = {f"GIT_{role}_{what}": "a@b.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def test_the_tutorial_reaches_pass_without_a_model_and_then_a_refutation(settings, tmp_path):
    page = (REPOSITORY / "docs" / "tutorial.md").read_text()
    said = []
    for block in BLOCK.finditer(page):
        there = tmp_path / "report"
        if block["language"] == "sh":
            said.append(shell(block["text"], there if there.is_dir() else tmp_path, settings.state_dir))
        elif block["name"] == "claims in ticket.yaml":
            text = (there / "ticket.yaml").read_text()
            (there / "ticket.yaml").write_text(
                re.sub(r"^claims:\n.*?(?=^labels:)", block["text"], text, flags=re.DOTALL | re.MULTILINE)
            )
        else:
            (there / block["name"]).write_text(block["text"])
    verdicts = re.findall(r"^. (INCONCLUSIVE|PASS\w*|FAILED\w+)  ", "\n".join(said), re.MULTILINE)
    assert verdicts == ["INCONCLUSIVE", "PASS", "FAILED_ADVERSARIAL"], said
    assert "What to do next" in said[-3]
    assert not list(tmp_path.glob("report/logs")), "a directory that nothing configures stays clean"


def shell(commands: str, there: Path, state_dir: Path) -> str:
    done = subprocess.run(
        ["bash", "-ec", commands],
        input="y\n",
        cwd=there,
        capture_output=True,
        text=True,
        timeout=600,
        env={
            **os.environ,
            **WHO,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "REFUTE": str(REPOSITORY),
            "REFUTE_STATE_DIR": str(state_dir),
            "REFUTE_SERVER_IDLE_S": "120",
        },
    )
    assert done.returncode == 0, (commands, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout
