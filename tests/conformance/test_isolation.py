"""What has to be in effect inside, on any engine and runtime."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, Job
from refute.sandbox.profile import BASE_ENVIRONMENT
from tests.hostile.known_differences import difference
from tests.hostile.stage import runtime

pytestmark = [pytest.mark.engine]

CANARIES = ("GEMINI_API_KEY", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH", "HTTPS_PROXY", "no_proxy", "REFUTE_CANARY")
LOOK = """
import json, os, resource, socket
def can(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        return False
    return True
def connect(address):
    with socket.socket() as out:
        out.settimeout(3)
        out.connect(address)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps({
    "uid": os.getresuid(), "gid": os.getresgid(),
    "capabilities": [int(status.get(name, "0"), 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd")],
    "environment": {k: v for k, v in os.environ.items() if k not in ("PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE")},
    "root": [place for place in ("/", "/etc", "/usr", "/var", "/opt", "/run", "/dev", "/sys", "/proc", "/var/tmp")
             if can(os.mkdir, place + "/made")],
    "network": [out for out in ("1.1.1.1", "169.254.169.254", "10.0.0.1", "172.17.0.1") if can(connect, (out, 80))],
    "interfaces": os.listdir("/sys/class/net"),
    "root user": can(os.setuid, 0), "device": can(os.mknod, "/tmp/d", 0o20666, os.makedev(1, 1)),
    "vsock": can(socket.socket, 40, 1), "packet": can(socket.socket, 17, 3),
    "files": resource.getrlimit(resource.RLIMIT_NOFILE), "core": resource.getrlimit(resource.RLIMIT_CORE),
    "file size": resource.getrlimit(resource.RLIMIT_FSIZE),
    "directory": os.getcwd(), "hostname": socket.gethostname(),
    "descriptors": sorted(os.listdir("/proc/self/fd"))[:3], "stdin": os.readlink("/proc/self/fd/0"),
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
    "engine": [path for path in ("/var/run/docker.sock", "/run/containerd/containerd.sock") if os.path.exists(path)],
}))
"""


@pytest.fixture(scope="module")
def inside(
    sandbox: DockerSandbox, make_job: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What one program saw, while this process's environment and its Docker configuration were full of canaries."""
    docker_config = tmp_path_factory.mktemp("docker")
    (docker_config / "config.json").write_text(json.dumps({"proxies": {"default": {"httpsProxy": "http://canary:1"}}}))
    with pytest.MonkeyPatch.context() as patch:
        for name in CANARIES:
            patch.setenv(name, "canary")
        patch.setenv("DOCKER_CONFIG", str(docker_config))
        result = sandbox.run(make_job("python3 look.py", files={"look.py": LOOK.encode()}))
    assert result.end == Exited(code=0), result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    return report


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("uid", [65532] * 3),
        ("gid", [65532] * 3),
        ("capabilities", [0] * 5),
        ("root", []),
        ("network", []),
        ("interfaces", ["lo"]),
        ("root user", False),
        ("device", False),
        ("vsock", False),
        ("packet", False),
        ("files", [1024, 1024]),
        ("core", [0, 0]),
        ("file size", [256 * 1024**2] * 2),
        ("directory", "/workspace"),
        ("hostname", "sandbox"),
        ("descriptors", ["0", "1", "2"]),
        ("stdin", "/dev/null"),
        ("engine", []),
        ("environment", dict(BASE_ENVIRONMENT)),
    ],
)
def test_it_is_in_effect(inside: dict[str, Any], what: str, expected: object) -> None:
    if what == "device" and difference(runtime(), "mknod"):
        expected = True  # a device of the runtime's own kernel
    assert inside[what] == expected


def test_no_process_of_the_host_is_seen(inside: dict[str, Any]) -> None:
    assert inside["processes"] <= 5
