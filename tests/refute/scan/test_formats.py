"""The scan's output: text with caret, versioned JSON, SARIF, annotations; the allow-file and the diff."""

import hashlib
import json
from pathlib import Path

import pytest

from refute.errors import UsageError
from refute.scan.allow import load_allow_file, suppress
from refute.scan.finding import Compared, ScanResult
from refute.scan.formats.document import render_annotations, render_json, render_sarif
from refute.scan.formats.text import render_text
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

SOURCE = "set -e\ncd build && rm -rf /etc\ncurl http://127.0.0.1/\n"


def _scan(source: str = SOURCE, path: str = "ci/verify.sh") -> ScanResult:
    findings = scan_text(path, source.encode(), language=Language.SHELL)
    return ScanResult(findings=findings, scanned=(path,))


def test_text_shows_the_line_with_a_caret_under_the_command() -> None:
    lines = render_text(_scan(), {"ci/verify.sh": SOURCE}).split("\n")
    shown = lines.index(" 2 | cd build && rm -rf /etc")
    assert lines[shown + 1] == "   |             ^^^^^^^^^^^"


def test_columns_count_letters() -> None:
    source = 'echo "漢字" && rm -rf /etc\n'
    result = _scan(source)
    assert [finding.column for finding in result.findings] == [14]
    assert f" 1 | {source}   | {' ' * 13}^^^^^^^^^^^\n" in render_text(result, {"ci/verify.sh": source})
    (finding,) = scan_text("x.py", "x = 'é'; open('/etc/shadow')\n".encode(), language=Language.PYTHON)
    assert (finding.column, finding.matched) == (10, "open('/etc/shadow')")


def test_text_ends_with_the_verdict_and_counts() -> None:
    assert render_text(_scan(), {}).strip().endswith("BLOCKED: 1 file scanned, 1 critical, 1 medium")


def test_text_of_a_hostile_line_holds_no_control_characters() -> None:
    source = "rm -rf /etc \x1b[2J\x07 '\u202e'\n"
    text = render_text(_scan(source), {"ci/verify.sh": source})
    assert [char for char in text if not char.isprintable() and char != "\n"] == []


def test_json_is_versioned_and_names_what_blocks() -> None:
    document = json.loads(render_json(_scan()))
    assert document["schema_version"] == 1
    assert document["safe"] is False
    assert [(f["rule_id"], f["blocks"], f["line"]) for f in document["findings"]] == [
        ("delete-outside", True, 2),
        ("network-external", False, 3),
    ]


def test_sarif_points_each_result_at_its_rule_and_place() -> None:
    run = json.loads(render_sarif(_scan(path="a b/verify.sh"), version="1.2.3"))["runs"][0]
    first = run["results"][0]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "delete-outside"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b/verify.sh"
    assert place["region"]["startLine"] == 2


def test_annotation_escapes_what_would_end_it() -> None:
    text = render_annotations(_scan(path="a,b:c.sh"))
    assert text.startswith("::error file=a%2Cb%3Ac.sh,line=2,col=13,title=")
    assert text.count("\n") == 2


def test_annotations_tell_what_is_allowed_and_what_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "allow.yaml"
    file.write_text("- rule: delete-outside\n  path: ci/*.sh\n  reason: reviewed, 100%\n")
    result = suppress(_scan(), load_allow_file(file), {})
    text = render_annotations(result, Compared(base="main\n::error::x", left_out=2))
    place = "::notice file=ci/verify.sh,line=2,col=13,title=Allowed by the allow-file [delete-outside] (refuse)::"
    assert f"{place}reviewed, 100%25%0ARead as: rm -rf /etc\n" in text
    assert text.endswith("::notice title=refute scan::2 findings that main\\n::error::x has already, not shown\n")


def test_json_tells_to_what_it_was_compared() -> None:
    assert json.loads(render_json(_scan()))["compared"] is None
    document = json.loads(render_json(_scan(), Compared(base="main", left_out=2)))
    assert document["compared"] == {"base": "main", "left_out": 2}


def test_allowed_finding_is_counted_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "allow.yaml"
    file.write_text("- rule: delete-outside\n  path: ci/*.sh\n  reason: reviewed in the sandbox image\n")
    result = suppress(_scan(), load_allow_file(file), {})
    assert result.safe
    assert "1 allowed by the allow-file" in render_text(result, {})
    assert json.loads(render_json(result))["suppressed"][0]["reason"] == "reviewed in the sandbox image"
    assert json.loads(render_sarif(result, version="1"))["runs"][0]["results"][-1]["suppressions"]


@pytest.mark.parametrize(
    "text",
    [
        "- rule: no-such-rule\n  path: x\n  reason: because I say so\n",
        "- rule: unanalysable\n  path: x\n  reason: because I say so\n",
        "- rule: delete-outside\n  path: x\n  reason: short\n",
        "- rule: delete-outside\n",
        "- rule: delete-outside\n  path: x\n  reason: because I say so\n  sha256: ABC\n",
        "rule: [",
        "rule: delete-outside\n",
    ],
)
def test_wrong_allow_file_is_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "allow.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match="allow-file"):
        load_allow_file(file)


def test_an_entry_with_a_digest_covers_only_the_text_that_was_reviewed(tmp_path: Path) -> None:
    file = tmp_path / "allow.yaml"
    digest = hashlib.sha256(SOURCE.encode()).hexdigest()
    file.write_text(f"- rule: delete-outside\n  path: ci/*\n  reason: reviewed by Ada\n  sha256: {digest}\n")
    allowed = load_allow_file(file)
    assert suppress(_scan(), allowed, {"ci/verify.sh": SOURCE.encode()}).safe
    changed = SOURCE + "rm -rf /usr\n"
    assert not suppress(_scan(changed), allowed, {"ci/verify.sh": changed.encode()}).suppressed
    assert not suppress(_scan(), allowed, {}).suppressed


def test_findings_that_say_the_same_are_one_block_with_their_lines() -> None:
    source = "sudo make a\nsudo make b\nsudo make c\n"
    findings = scan_text("v.sh", source.encode())
    text = render_text(ScanResult(findings=findings, scanned=("v.sh",)), {"v.sh": source})
    assert text.count("Asks for more rights") == 1
    assert "also at: lines 2, 3" in text
    assert "3 medium" in text


def test_tabs_are_shown_as_blanks() -> None:
    source = "\trm -rf /etc\n"
    text = render_text(ScanResult(findings=scan_text("v.sh", source.encode()), scanned=("v.sh",)), {"v.sh": source})
    assert " 1 |     rm -rf /etc\n   |     ^" in text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('if true; then\n  echo "x\n', 2),
        ("echo ok\necho 'x\n\n", 2),
        ("echo ok\nx=$(date\necho y\n", 2),
        ("echo ok\ncat <<E\nx\n", 2),
    ],
)
def test_what_is_not_understood_is_shown_where_it_begins(text: str, line: int) -> None:
    shown = render_text(_scan(text), {})
    assert f"ci/verify.sh:{line}:" in shown
    assert "read as" not in shown


def test_a_command_that_only_loses_its_quotes_is_not_told_twice() -> None:
    text = "grep '^root' /etc/passwd\n"
    assert "read as" not in render_text(_scan(text), {"ci/verify.sh": text})


def test_another_process_is_called_so() -> None:
    assert "read as: kill -9 ‹pid of another›" in render_text(_scan("kill -9 $(pgrep sshd)\n"), {})


@pytest.mark.parametrize(
    ("source", "title", "wrong"),
    [
        ("curl http://127.0.0.1:80/\n", "Uses the network", "outside"),
        ("git clone https://gitlab.com/a/b\n", "Uses the network", "a machine outside"),
        ('kill "$(cat x.pid)"\n', "Ends a process that may not be its own", "did not start"),
        ("docker build .\n", "Uses a container engine", "other namespaces"),
        ("python -m http.server 80\n", "Opens a port", "to everyone"),
    ],
)
def test_what_is_graded_lower_is_not_called_what_it_is_not(source: str, title: str, wrong: str) -> None:
    result = _scan(source)
    said = render_text(result, {"ci/verify.sh": source})
    assert result.safe
    assert f"MEDIUM (does not block)  {title}\n" in said
    assert wrong not in said
    assert wrong not in render_sarif(result, version="1").split('"results"')[1]
    assert title in render_annotations(result)


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1"])
def test_a_server_for_this_machine_alone_is_no_finding(address: str) -> None:
    assert scan_text("v.sh", f"python -m http.server 80 --bind {address}\n".encode()) == ()


@pytest.mark.parametrize("command", ["python -m http.server --bind 0.0.0.0", "nc -l 0.0.0.0 4444", "nc -l '' 4444"])
def test_a_server_at_the_address_of_all_is_one_for_everybody(command: str) -> None:
    assert "network-listen" in {finding.rule_id for finding in scan_text("v.sh", command.encode())}


def test_the_script_s_own_directory_is_known_by_bash_s_name_for_it() -> None:
    source = 'here="$( cd "$( dirname "${BASH_SOURCE[0]}" )" && pwd )"\nrm -rf "$here/build"\n'
    assert scan_text("v.sh", source.encode()) == ()


def test_what_is_not_known_of_a_python_call_is_shown_as_such() -> None:
    source = b"import os, urllib.request\nurllib.request.urlopen(os.environ['U'] + '/x')\n"
    (finding,) = scan_text("v.py", source)
    assert finding.command == "urllib.request.urlopen('‹?›/x')"
