"""A container engine of a test's own, with a bridge, in network namespaces of its own.

The namespaces stand for a machine (`10.213.0.2` on its outer network, where the engine runs) and for a host elsewhere
(`10.214.0.1`). Nothing of it touches this machine's networks, and the shared engine is left alone.
"""

import json
import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import docker

from refute.errors import EngineUnavailable
from refute.sandbox.connection import connect

START_TIMEOUT_S = 300
MACHINE, FAR = "10.214.0.2", "10.214.0.1"
ALONE = {"bridge": "none", "iptables": False, "ip6tables": False}
"""`config` of an engine as `make engine` starts it where nothing else may be changed: no network leads out of it."""
LEFT = ("pid", "exec/containerd/containerd.pid", "exec/containerd/containerd.sock")
"""By a killed engine: the next would wait for its containerd to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnEngine:
    """A running engine."""

    host: str
    """For `connect`."""
    machine: Path
    """The network namespace that the engine runs in."""
    far: Path
    """The network namespace of a host elsewhere."""
    revive: Callable[[], None]
    """Starts it again where it has ended."""
    kill: Callable[[], None]
    """Lets it die without a word; what runs in its containers runs on."""


def in_namespace(namespace: Path, command: Sequence[str]) -> list[str]:
    """A command inside a network namespace."""
    return ["nsenter", f"--net={namespace}", *command]


@contextmanager
def own_engine(
    folder: Path, *, config: Mapping[str, object] | None = None, inside: Sequence[str] = ()
) -> Iterator[OwnEngine]:
    """Start an engine, and end it by its process id.

    Args:
        folder: for its data, socket and log.
        config: what stands in its `daemon.json`.
        inside: words before its command, such as a fence's.
    """
    with ExitStack() as stack:
        machine, far = stack.enter_context(_namespaces())
        host = f"unix://{folder}/docker.sock"
        settings = folder / "daemon.json"
        settings.write_text(json.dumps(config or {}))
        command = [
            "dockerd", "--config-file", str(settings), "-H", host, "--data-root", f"{folder}/data", "--exec-root",
            f"{folder}/exec", "--pidfile", f"{folder}/pid", "--storage-driver", "overlay2",
        ]  # fmt: skip
        log = stack.enter_context((folder / "log").open("wb"))
        # Nothing of ours is left to end it where this process is killed.
        words = ["setpriv", "--pdeathsig", "TERM", *inside, *in_namespace(machine, command)]
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
        programs: list[subprocess.Popen[bytes]] = []

        def revive() -> None:
            if not programs or programs[-1].poll() is not None:
                for left in LEFT:
                    (folder / left).unlink(missing_ok=True)
                programs.append(subprocess.Popen(words, stdout=log, stderr=log, env=environment))
                _await(host, programs[-1], folder / "log")

        def kill() -> None:
            programs[-1].kill()
            programs[-1].wait()

        stack.callback(_unmount_below, folder)
        stack.callback(lambda: _end(programs[-1]))
        revive()
        yield OwnEngine(host=host, machine=machine, far=far, revive=revive, kill=kill)


def copy_image(image_id: str, engine: OwnEngine) -> None:
    """Put an image of the shared engine on this one."""
    source, target = docker.from_env(timeout=300), docker.DockerClient(engine.host, timeout=300)
    try:
        tag = source.images.get(image_id).tags[0]
        target.images.load(b"".join(source.images.get(tag).save(named=tag)))
    finally:
        source.close()
        target.close()


@contextmanager
def _namespaces() -> Iterator[tuple[Path, Path]]:
    token = uuid.uuid4().hex[:8]
    names = f"refute-m-{token}", f"refute-f-{token}"
    with ExitStack() as stack:
        for name in names:
            _run("ip", "netns", "add", name)
            stack.callback(_run, "ip", "netns", "del", name)
        machine, far = (Path("/run/netns", name) for name in names)
        _run(*f"ip link add m{token} netns {names[0]} type veth peer name out netns {names[1]}".split())
        for namespace, link, address in ((machine, f"m{token}", MACHINE), (far, "out", FAR)):
            for words in (
                ("link", "set", "lo", "up"),
                ("addr", "add", f"{address}/24", "dev", link),
                ("link", "set", link, "up"),
            ):
                _run(*in_namespace(namespace, ("ip", *words)))
        yield machine, far


def _await(host: str, program: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            connect(host).close()
        except EngineUnavailable:
            if program.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(log.read_text(errors="replace")[-2000:]) from None
            time.sleep(0.2)
        else:
            return


def _end(program: "subprocess.Popen[bytes]") -> None:
    program.terminate()
    try:
        program.wait(timeout=180)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()


def _unmount_below(folder: Path) -> None:
    """The innermost first."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    points = [line.split()[4].encode().decode("unicode_escape") for line in lines]
    for point in sorted((one for one in points if one.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", point], check=False, capture_output=True)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
