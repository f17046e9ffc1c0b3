"""Files whose content becomes a command are judged as what they run as."""

import pytest

from refute.scan.finding import ScanResult, Severity
from refute.scan.scanner import scan_files

FILES = {
    "danger.txt": b"rm -rf /etc\n",
    "plain.txt": b"echo hello\n",
    "arguments.txt": b"-q tests\n",
    ".python-version": b"3.11.2\n",
    "README.txt": b"It isn't a script (at all\n",
    "danger.py.txt": b"import os\nos.system('rm -rf /etc')\n",
}


def scanned(script: str) -> ScanResult:
    """Of a workspace with the files above."""
    return scan_files({"verify.sh": f"{script}\n".encode(), **FILES}, ["verify.sh"])


@pytest.mark.parametrize(
    "script",
    [
        "$(cat danger.txt)",
        "`cat danger.txt`",
        "$(<danger.txt)",
        "$(head -n 1 ./danger.txt)",
        'sh -c "$(cat danger.txt)"',
        "bash -c \"`cat 'danger.txt'`\"",
        'eval "$(cat danger.txt)"',
        "source <(cat danger.txt)",
        ". <(cat danger.txt)",
        "bash <(cat danger.txt)",
        "x=$(cat danger.txt); $x",
        'x=$(<danger.txt); eval "$x"',
        "if true; then x=$(cat danger.txt); else x=$(cat plain.txt); fi; $x",
        "read -r x < danger.txt; ${x}",
        "while read -r line; do $line; done < danger.txt",
        "f=danger.txt; $(cat $f)",
        "timeout 5 $(cat danger.txt)",
        "x=$(<danger.txt); A=1 nice -n 5 $x",
        'f() { eval "$(cat danger.txt)"; }; f',
    ],
)  # fmt: skip
def test_a_file_of_the_workspace_is_scanned_as_shell(script: str) -> None:
    assert {(one.rule_id, one.path) for one in scanned(script).blocking} >= {("delete-outside", "verify.sh")}


@pytest.mark.parametrize("script", ['python3 -c "$(cat danger.py.txt)"', 'x=$(<danger.py.txt); python -c "$x"'])
def test_what_python_gets_is_scanned_as_python(script: str) -> None:
    assert {one.path for one in scanned(script).blocking} == {"verify.sh"}


@pytest.mark.parametrize("run", ["$(cat own)", 'sh -c "$(cat own)"', "source <(cat own)", "x=$(cat own); $x"])
def test_what_the_script_wrote_is_judged_by_what_it_wrote(run: str) -> None:
    assert {one.rule_id for one in scanned(f"echo rm -rf /etc > own; {run}").blocking} == {"delete-outside"}
    assert scanned(f"echo echo hello > own; {run}").safe


@pytest.mark.parametrize("script", ['sh -c "$(cat none.txt)"', "eval $(cat none.txt)"])
def test_what_is_not_at_hand_is_shown(script: str) -> None:
    result = scanned(script)
    assert result.safe
    assert [(one.rule_id, one.severity) for one in result.findings] == [("unresolved-command", Severity.MEDIUM)]


@pytest.mark.parametrize("script", ["source <(cat $F)", "bash <(cat /srv/x)"])
def test_what_blocked_before_blocks_still(script: str) -> None:
    assert not scanned(script).safe


@pytest.mark.parametrize(
    "script",
    [
        "$(cat plain.txt)",
        ". <(cat plain.txt)",
        "pytest $(cat arguments.txt)",
        "$CC $(cat README.txt)",
        "PY=$(cat .python-version); $PY -V",
        'notes=$(cat README.txt); echo "$notes"; $CMD',
        'x=$(cat README.txt); echo "$x"; x=$(which make); $x all',
        'while read -r line; do echo "$line"; done < README.txt',
        "$(which python3) -V",
        "timeout 5 $CC $(cat README.txt)",
    ],
)  # fmt: skip
def test_ordinary_use_of_files_is_not_blocked(script: str) -> None:
    assert scanned(script).safe
