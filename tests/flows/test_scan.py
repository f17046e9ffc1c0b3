"""`refute scan` from the command line: exit codes, standard input, directories, allow-file, diff, start-up."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flows.commands.scan import scan
from refute.errors import TicketNotFound


def _run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(scan, list(arguments), input=stdin, standalone_mode=False)


def test_missing_path_is_an_error_of_its_own() -> None:
    result = _run("no-such-file")
    assert isinstance(result.exception, TicketNotFound)
    assert result.exception.exit_code == 3


@pytest.mark.parametrize("output_format", ["json", "sarif", "github"])
def test_output_file_holds_the_format(tmp_path: Path, output_format: str) -> None:
    target = tmp_path / "out"
    assert _run("-", "--format", output_format, "--output", str(target), stdin="rm -rf /\n").return_value == 12
    assert "delete-outside" in target.read_text()


def test_where_no_script_is_nothing_is_called_safe(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("rm -rf /\n")
    result = _run(str(tmp_path))
    assert (result.return_value, "safe" in result.output) == (0, False)
