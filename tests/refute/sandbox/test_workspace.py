import dataclasses
import subprocess

import pytest

from refute.sandbox.decoys import DECOYS
from refute.sandbox.tree import read_originals
from refute.sandbox.workspace import FILL, FILLED, fill_command, fill_parts
from tests.fakes.jobs import bash_job


def test_the_decoys_are_packed_below_the_volume_that_holds_them() -> None:
    packed = read_originals(fill_parts(bash_job("true"))["/home"])
    files = {f"/home/{path}": original for path, original in packed.items() if original.content}
    assert {path: (bytes(original.content), original.mode) for path, original in files.items()} == dict(DECOYS)


def test_the_script_is_told_the_length_of_each_part() -> None:
    job = bash_job("true", attack_files={"plan.json": b"{}"})
    parts = fill_parts(job)
    command = fill_command(job, parts)
    assert [command[command.index(target) + 1] for target in parts] == [str(len(part)) for part in parts.values()]


@pytest.mark.parametrize("command", [(), ("A=B", "true")])
def test_a_command_that_is_none_is_refused(command: tuple[str, ...]) -> None:
    odd = dataclasses.replace(bash_job("true"), command=command)
    with pytest.raises(ValueError, match="command of job 'verify'"):
        fill_command(odd, fill_parts(odd))


def test_the_script_s_marker_is_the_one_that_is_waited_for() -> None:
    marker = FILL.split("printf '")[1].split("'")[0]
    said = subprocess.run(["sh", "-c", f"printf '{marker}'"], capture_output=True, check=True).stdout
    assert said == FILLED
