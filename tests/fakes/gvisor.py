"""An engine of its own with gVisor, fenced, since nothing counts what a job takes there; and commands run on it.

python -m tests.fakes.gvisor COMMAND…      with DOCKER_HOST and REFUTE_RUNTIME set for it

Nothing of it is left behind: what is in its fence is killed by number, and what it has mounted is unmounted.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.fakes.fence import Fence, fence
from tests.fakes.own_engine import OwnEngine, copy_image, own_engine
from tests.hostile.stage import GROUPS, RUNTIME, build

ARGUMENTS: Final = ("--network=none", "--platform=ptrace", "--ignore-cgroups")
"""As Debian's package works on control groups v1 (https://gvisor.dev/docs/user_guide/platforms/, 2026-11-22)."""
FENCE_BYTES: Final = 6 * 1024**3
FENCE_PIDS: Final = 4_096
LOOK_EVERY_S: Final = 2.0


@contextlib.contextmanager
def gvisor_engine(folder: Path, image_id: str) -> Iterator[tuple[OwnEngine, Fence]]:
    """An engine that has gVisor registered as `runsc`, with the sandbox image of the shared engine, and its fence.

    Args:
        folder: for its data.
        image_id: of the image, on the shared engine.

    Raises:
        AssertionError: gVisor is not installed; tests never skip for want of it.
    """
    runsc = shutil.which("runsc")
    assert runsc is not None, "runsc is not installed: apt-get install runsc"
    config = {"runtimes": {"runsc": {"path": runsc, "runtimeArgs": list(ARGUMENTS)}}}
    with (
        fence(memory_bytes=FENCE_BYTES, pids=FENCE_PIDS) as fenced,
        own_engine(folder, config=config, inside=fenced.words) as engine,
    ):
        copy_image(image_id, engine)
        yield engine, fenced


def main(command: list[str]) -> int:
    """Run a command on such an engine, which is started again whenever it ends: the command's exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as other ends: with everything cleared away
    with tempfile.TemporaryDirectory() as folder, gvisor_engine(Path(folder), build()) as (engine, fenced):
        groups = os.pathsep.join(map(str, fenced.groups))
        environment = {**os.environ, "DOCKER_HOST": engine.host, RUNTIME: "runsc", GROUPS: groups}
        with subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command], env=environment) as program:
            try:
                while (code := _code(program)) is None:
                    engine.revive()
            finally:
                program.terminate()
        return code


def _code(program: "subprocess.Popen[bytes]") -> int | None:
    """A program's exit code, or None where it still runs a while later."""
    try:
        return program.wait(LOOK_EVERY_S)
    except subprocess.TimeoutExpired:
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
