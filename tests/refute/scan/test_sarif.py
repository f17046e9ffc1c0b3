"""The scan's SARIF, held against the schema of the standard, whatever was scanned and however."""

import functools
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, FormatChecker

from flows.commands.scan import scan

SCHEMA = Path(__file__).parent / "sarif_schema" / "sarif-2.1.0.json"
DANGER = "set -e\nrm -rf /etc\ncurl http://127.0.0.1/\n"
ALLOW = "- rule: delete-outside\n  path: '*'\n  reason: reviewed in the sandbox image\n"
FORMATS = FormatChecker(formats=[])


@FORMATS.checks("uri-reference")
@FORMATS.checks("uri")
def _is_uri(text: object) -> bool:
    """RFC 3986: its characters, and percent signs only before two hexadecimal digits; no colon in a first segment."""
    allowed = r"(?:[A-Za-z0-9._~/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"
    return not isinstance(text, str) or re.fullmatch(rf"(?:https:)?{allowed}", text) is not None


@functools.cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")), format_checker=FORMATS)


def sarif(*arguments: str, stdin: bytes | None = None) -> dict[str, Any]:
    """The run in what the command prints, which is valid."""
    result = CliRunner().invoke(scan, [*arguments, "--format", "sarif"], input=stdin, standalone_mode=False)
    log = json.loads(result.stdout)
    assert [f"{error.json_path}: {error.message}" for error in _validator().iter_errors(log)] == []
    run: dict[str, Any] = log["runs"][0]
    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to scan in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sh").write_text(DANGER)
    (tmp_path / "allow.yaml").write_text(ALLOW)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "levels"), [(DANGER, ["error", "warning"]), ("curl http://127.0.0.1/\n", ["warning"]), ("", [])]
)
def test_findings_by_their_grade(here: Path, text: str, levels: list[str]) -> None:
    (here / "a.sh").write_text(text)
    assert [one["level"] for one in sarif("a.sh")["results"]] == levels


def test_nothing_scanned(here: Path) -> None:
    (here / "a.sh").unlink()
    assert sarif(".")["artifacts"] == []


def test_suppressed_findings(here: Path) -> None:
    suppressed = sarif("a.sh", "--allow", "allow.yaml")["results"][-1]["suppressions"]
    assert suppressed == [{"kind": "external", "status": "accepted", "justification": "reviewed in the sandbox image"}]


@pytest.mark.parametrize(
    "data",
    [b"if true; then\n", b"rm -rf /etc \0", b"\xff\xfe\x00", b"rm -rf /etc '\x1b\xe2\x80\xae'\n", b"\xed\xa0\x80 x\n"],
)
def test_what_cannot_be_analysed_and_odd_bytes(here: Path, data: bytes) -> None:
    (here / "a.sh").write_bytes(data)
    assert len(sarif("a.sh")["artifacts"]) == 1
    assert len(sarif("-", "--language", "shell", stdin=data)["artifacts"]) == 1


@pytest.mark.parametrize(
    "name", ["a b/\u00fc%.sh", "\u65e5/x.sh", "c:\\x.sh", "a:b.sh", "#?x=1&y.sh", "n\nline.sh", "\udcff.sh", "[x]^`.sh"]
)
def test_paths_of_any_kind(here: Path, name: str) -> None:
    path = here / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(DANGER)
    for run in (sarif(name), sarif(".")):
        uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]}
        assert uris <= {one["location"]["uri"] for one in run["artifacts"]}


def test_a_comparison_says_with_what_and_how_much_is_not_shown(here: Path) -> None:
    identity = {f"GIT_{who}_{what}": "x@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for command in (["init", "-q"], ["add", "a.sh"], ["commit", "-qm", "first"]):
        subprocess.run(["git", *command], check=True, env={**os.environ, **identity})
    (here / "a.sh").write_text(f"{DANGER}reboot\n")
    run = sarif(".", "--diff", "HEAD")
    assert [one["ruleId"] for one in run["results"]] == ["system-control"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "2 findings that HEAD has already, not shown."
    assert note["properties"] == {"base": "HEAD", "leftOut": 2}
