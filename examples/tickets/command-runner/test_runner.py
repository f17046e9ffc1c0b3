import subprocess
import sys

import pytest

from runner import CommandError, describe, run_command


def test_captures_output():
    assert run_command(["echo", "hello"]).stdout == "hello\n"


def test_exit_code():
    assert run_command(["false"]).code == 1
    assert not run_command(["false"]).ok


def test_check_raises():
    with pytest.raises(CommandError, match="exit code 1"):
        run_command(["false"], check=True)


def test_extra_environment():
    assert run_command(["printenv", "COLOUR"], extra_env={"COLOUR": "blue"}).stdout == "blue\n"


def test_timeout():
    with pytest.raises(CommandError, match="took longer"):
        run_command(["sleep", "5"], timeout_s=0.1)


def test_missing_command():
    with pytest.raises(CommandError, match="not found"):
        run_command(["no-such-command-here"])


def test_describe():
    assert describe(["ls", "-l"]) == "$ ls -l"


def test_command_line():
    done = subprocess.run([sys.executable, "runner.py", "echo", "hi"], capture_output=True, text=True)
    assert done.stdout == "$ echo hi\nhi\n"
