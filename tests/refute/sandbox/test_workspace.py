import dataclasses
import os
import subprocess
from pathlib import Path

import pytest

from refute.sandbox.canary_files import CANARY_FILES
from refute.sandbox.profile import BASE_ENVIRONMENT
from refute.sandbox.tree import MAX_REPORTED, bounded, pack_files, printable, read_originals
from refute.sandbox.workspace import FILL, FILLED, WAITING, homes_part, job_parts
from tests.fakes.jobs import bash_job

SHOW = """
import os, sys
print(sorted(os.environb.items()), [os.fsencode(word) for word in sys.argv[1:]], os.listdir("."))
"""


def fill(folder: Path, parts: list[bytes]) -> "subprocess.CompletedProcess[bytes]":
    """Run the fill's own script, with folders of this machine for those of a container."""
    for name in ("workspace", "home", "attack"):
        (folder / name).mkdir(exist_ok=True)
    script = FILL.replace('cd "$workspace"', f'cd "{folder}$workspace"')
    script = script.replace('-C "$target"', f'-C "{folder}$target"')
    return subprocess.run(["sh", "-c", script], input=b"".join(parts), capture_output=True)


def test_the_canary_files_are_packed_below_the_volume_that_holds_them() -> None:
    line, _, packed = homes_part().partition(b"\n")
    assert line == f"/home {len(packed)}".encode()
    files = {f"/home/{path}": original for path, original in read_originals(packed).items() if original.content}
    assert {path: (bytes(original.content), original.mode) for path, original in files.items()} == dict(CANARY_FILES)


def test_files_and_command_arrive_as_they_were_whatever_bytes_they_hold(tmp_path: Path) -> None:
    every = bytes(range(1, 256))
    text = every.decode("utf-8", "surrogateescape")
    job = dataclasses.replace(
        bash_job("true", files={"a.py": b"A = 1\n"}, attack_files={"plan": every}, environment={"ODD": text}),
        command=("python3", "-c", SHOW, text, "", "$(exit 3)`x`", "'\"\\", "two\nlines\n"),
    )
    done = fill(tmp_path, [homes_part(), *job_parts(job)])
    assert done.stdout.startswith(WAITING + FILLED), done.stderr
    environment = {**{os.fsencode(k): os.fsencode(v) for k, v in BASE_ENVIRONMENT.items()}, b"ODD": every}
    words = [every, b"", b"$(exit 3)`x`", b"'\"\\", b"two\nlines\n"]
    assert done.stdout.removeprefix(WAITING + FILLED).decode() == f"{sorted(environment.items())} {words} ['a.py']\n"
    assert (tmp_path / "attack/plan").read_bytes() == every
    assert (tmp_path / "home/subject/.bashrc").exists()


def test_a_stream_that_breaks_off_starts_no_command(tmp_path: Path) -> None:
    parts = job_parts(bash_job("echo started", files={"a.py": b"A = 1\n"}))
    for kept in range(len(parts)):
        done = fill(tmp_path, parts[:kept])
        assert done.returncode != 0
        assert FILLED not in done.stdout


@pytest.mark.parametrize("command", [(), ("A=B", "true"), ("echo", "a\0b")])
def test_a_command_that_is_none_is_refused(command: tuple[str, ...]) -> None:
    odd = dataclasses.replace(bash_job("true"), command=command)
    with pytest.raises(ValueError, match="command of job 'verify'"):
        job_parts(odd)


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/./b", "", "a/.."])
def test_a_path_that_leaves_its_folder_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="relative one"):
        pack_files({path: b""})


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ünï.py", "ünï.py"),
        ("a\nb", "a\\nb"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202eabc", "\\u202eabc"),
        ("\udcff\udcfe", "\\xff\\xfe"),
    ],
)
def test_a_hostile_name_is_shown_escaped(name: str, shown: str) -> None:
    assert printable(name) == shown


def test_a_long_list_is_cut_and_says_so() -> None:
    shown = bounded((f"f{number}" for number in range(MAX_REPORTED + 5)), unread=False)
    assert len(shown) == MAX_REPORTED + 1
    assert shown[-1] == "… and 5 more"
