"""What is scanned for the paths that a person names."""

from pathlib import Path

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.scanner import collect, scan_targets


def test_below_a_directory_only_shell_and_python_files_count(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("echo\n")
    (tmp_path / "b").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "c.txt").write_text("rm -rf /\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "d.sh").write_text("rm -rf /\n")
    (tmp_path / "link.sh").symlink_to(tmp_path / "a.sh")
    assert [Path(target.path).name for target in collect([tmp_path], None, None)] == ["a.sh", "b"]


def test_standard_input_is_taken_for_what_its_first_line_says() -> None:
    shell, python = collect([Path("-")], b"echo\n", None), collect([Path("-")], b"#!/usr/bin/python3\n", None)
    assert [one.language for one in (*shell, *python)] == [Language.SHELL, Language.PYTHON]


def test_a_named_file_is_read_in_the_language_that_is_forced(tmp_path: Path) -> None:
    path = tmp_path / "steps"
    path.write_text("import os\nos.remove('/etc/passwd')\n")
    result = scan_targets(collect([path], None, Language.PYTHON))
    assert not result.safe
    assert result.scanned == (path.as_posix(),)


def test_a_file_whose_language_nobody_knows_blocks(tmp_path: Path) -> None:
    path = tmp_path / "steps"
    path.write_text("print 1\n")
    assert {finding.rule_id for finding in scan_targets(collect([path], None, None)).blocking} == {"unanalysable"}


def test_what_blocks_is_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "a.sh"
    path.write_text("curl http://localhost:80/\n")
    targets = collect([path], None, None)
    assert scan_targets(targets).safe
    assert not scan_targets(targets, block_from=Severity.MEDIUM).safe
