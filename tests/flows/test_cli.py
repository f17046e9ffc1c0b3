import os
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner, Result

from flows import cli, program
from flows.commands.options import Size
from flows.commands.scan import scan
from flows.program import COMMANDS, refute
from refute.errors import TicketNotFound
from tests.fakes.tickets import write_ticket


def run(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "flows.cli", *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_complete_help(name):
    result = CliRunner().invoke(refute, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert "Usage:" in result.output


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['refute', '--help']\n"
        "from flows.program import refute\n"
        "try: refute.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('prefect', 'pandas', 'rich', 'docker', 'pydantic', 'sqlalchemy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_missing_ticket_exits_3_and_says_where_it_looked():
    code, out, err = run("verify", "/nowhere/at/all")
    assert (code, out) == (3, "")
    assert "/nowhere/at/all" in err
    assert "Traceback" not in err


def test_all_faults_of_a_ticket_are_told_at_once(tmp_path):
    (tmp_path / "ticket.yaml").write_text("id: '../x'\nclaims: []\n")
    code, _, err = run("verify", str(tmp_path))
    assert code == 2
    assert "id" in err
    assert "claims" in err
    assert "Traceback" not in err


def test_a_wrong_command_is_told_with_the_nearest_one():
    code, _, err = run("verfiy")
    assert code == 2
    assert "Did you mean 'verify'?" in err


def test_an_internal_error_shows_no_traceback_without_debug(monkeypatch, capsys):
    monkeypatch.setattr(refute, "main", lambda **_: 1 / 0)
    monkeypatch.setattr(sys, "argv", ["refute", "doctor"])
    with pytest.raises(SystemExit) as ended:
        program.run()
    assert ended.value.code == 1
    assert "internal error: ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["refute", "--debug", "doctor"])
    with pytest.raises(ZeroDivisionError):
        program.run()


@pytest.mark.parametrize(
    ("text", "size"), [("512m", 512 * 1024**2), ("2g", 2 * 1024**3), ("1.5GiB", 1536 * 1024**2), ("1024", 1024)]
)
def test_sizes_are_read_in_their_usual_notations(text, size):
    assert Size()(text) == size


@pytest.mark.parametrize("text", ["", "much", "2x", "g"])
def test_other_sizes_are_refused(text):
    with pytest.raises(click.BadParameter, match="expected a size"):
        Size()(text)


def test_an_output_that_cannot_be_written_is_told_before_anything_runs(tmp_path):
    write_ticket(tmp_path)
    code, out, err = run("verify", str(tmp_path), "--yes", "--output", str(tmp_path / "a.py" / "x.json"))
    assert (code, out) == (2, "")
    assert "--output" in err


def test_a_file_that_cannot_be_used_is_named(monkeypatch, capsys):
    def fail(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", "/x\x1b[2J")

    monkeypatch.setattr(refute, "main", fail)
    monkeypatch.setattr(sys, "argv", ["refute", "doctor"])
    with pytest.raises(SystemExit):
        program.run()
    assert capsys.readouterr().err == "refute: /x\\x1b[2J: Permission denied\n"


def test_closed_standard_streams_are_as_good_as_empty_ones(tmp_path):
    command = f"{sys.executable} -m flows.cli verify {tmp_path}/none <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], timeout=300).returncode == 3


def test_exit_codes_stand_in_the_help_line_by_line():
    shown = CliRunner().invoke(refute, ["--help"]).output
    assert "\n    1 ERROR (infrastructure, no verdict)    2 wrong usage    3 no ticket found\n" in shown
    assert "\\b" not in shown


def test_a_command_that_is_asked_to_end_says_so_and_exits_as_interrupted(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["refute", "report"])
    monkeypatch.setattr(refute, "invoke", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 130
    assert "refute: interrupted: the process was asked to end (SIGTERM)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", ".", "--max-cost", "abc"], "got 'abc', expected an amount in US dollars such as 0.50"),
        (["batch", ".", "--max-cost", "-1"], "got '-1', expected an amount in US dollars such as 0.50"),
        (
            ["verify", "examples/tickets/interval-merger", "--replay", "/no/such/folder"],
            "got /no/such/folder, expected a folder of recorded",
        ),
        (["verify", ".", "--max-cots", "1"], "No such option '--max-cots'. Did you mean '--max-cost'?"),
        (["verify", ".", "--bogus"], "No such option '--bogus'.\n"),
    ],
)
def test_a_wrong_option_is_told_before_anything_runs(arguments, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["refute", *arguments])
    with pytest.raises(SystemExit) as ended:
        program.run()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def scanned(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(scan, list(arguments), input=stdin, standalone_mode=False)


def test_missing_path_is_an_error_of_its_own() -> None:
    result = scanned("no-such-file")
    assert isinstance(result.exception, TicketNotFound)
    assert result.exception.exit_code == 3


@pytest.mark.parametrize("output_format", ["json", "sarif", "github"])
def test_output_file_holds_the_format(tmp_path, output_format: str) -> None:
    target = tmp_path / "out"
    assert scanned("-", "--format", output_format, "--output", str(target), stdin="rm -rf /\n").return_value == 12
    assert "delete-outside" in target.read_text()


def test_where_no_script_is_nothing_is_called_safe(tmp_path) -> None:
    (tmp_path / "notes.txt").write_text("rm -rf /\n")
    result = scanned(str(tmp_path))
    assert (result.return_value, "safe" in result.output) == (0, False)
