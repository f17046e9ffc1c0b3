"""S035: `--allow-network` opens the hosts that it names and no others, and is audited, on a real engine with a bridge.

An engine without one refuses it: test_engine_death.py.
"""

import contextlib
import functools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from refute.sandbox.connection import connect
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited
from tests.fakes import far_names
from tests.fakes.jobs import bash_job
from tests.fakes.own_engine import FAR, MACHINE, OwnEngine, copy_image, in_namespace, own_engine

pytestmark = pytest.mark.engine

OPEN, CLOSED = 8098, 8099
FAR_NAMES = Path(far_names.__file__)
FAR_NAME, LINK_LOCAL_NAME = "far.example.org", "metadata.example.org"
PROBE = f"""
import http.client, os, socket, urllib.error, urllib.parse, urllib.request

def get(url):
    try:
        return urllib.request.urlopen(url, timeout=20).status
    except urllib.error.HTTPError as error:
        return error.code

def tunnel(host, port):
    proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
    connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=20)
    connection.set_tunnel(host, port)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    except OSError as error:
        return str(error).split()[3]

print("allowed", get("http://{FAR}:{OPEN}/"))
print("by name", get("http://{FAR_NAME}:{OPEN}/"), tunnel("{FAR_NAME}", {OPEN}))
print("a name of the metadata service", get("http://{LINK_LOCAL_NAME}:{OPEN}/"), tunnel("{LINK_LOCAL_NAME}", {OPEN}))
print("unknown name", get("http://nobody.example.org:{OPEN}/"))
print("port", get("http://{FAR}:{CLOSED}/"))
print("machine", get("http://{MACHINE}:{OPEN}/"))
print("metadata", get("http://169.254.169.254/"))
gateway = ".".join([*socket.gethostbyname(urllib.request.getproxies()["http"][7:].split(":")[0]).split(".")[:3], "1"])
for host in ("{FAR}", "{MACHINE}", gateway, "172.17.0.1"):
    with socket.socket() as direct:
        direct.settimeout(1)
        print("direct", direct.connect_ex((host, {OPEN})) == 0)
try:
    socket.getaddrinfo("data.example.com", 80)
except OSError:
    print("no names")
"""
ASKS = f"""import urllib.error, urllib.request

for port in ({OPEN}, {CLOSED}):
    try:
        print(port, urllib.request.urlopen(f"http://{FAR}:{{port}}/", timeout=20).status)
    except urllib.error.HTTPError as error:
        print(port, error.code)
"""
FILES = {"slug.py": "def answer():\n    return 42\n", "asks.py": ASKS}
TICKET = {"files": FILES, "script": "python asks.py\n", "claims": [{"id": "C1", "text": "answer() == 42"}]}
OPTIONS = ("--allow-dangerous", "--format", "json")  # the scan finds that the script asks for pages


@pytest.fixture(scope="module")
def bridged(image_id, tmp_path_factory) -> Iterator[OwnEngine]:
    """An engine with a bridge, and a host elsewhere that serves on two ports, as the machine itself does."""
    with contextlib.ExitStack() as stack:
        engine = stack.enter_context(own_engine(tmp_path_factory.mktemp("engine"), config={"dns": [FAR]}))
        copy_image(image_id, engine)
        web = ["-m", "http.server", "--directory", str(tmp_path_factory.mktemp("www"))]
        names = [str(FAR_NAMES), FAR, f"{FAR_NAME}={FAR}", f"{LINK_LOCAL_NAME}=169.254.169.254"]
        for namespace, words in (
            (engine.far, [*web, str(OPEN)]),
            (engine.far, [*web, str(CLOSED)]),
            (engine.machine, [*web, str(OPEN)]),
            (engine.far, names),
        ):
            stack.enter_context(serving(namespace, words))
        yield engine


@contextlib.contextmanager
def serving(namespace: Path, words: Sequence[str]) -> Iterator[None]:
    """A server of Python in a network namespace, from when it listens."""
    command = in_namespace(namespace, [sys.executable, "-u", *words])
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout.readline().startswith("Serving"), f"{words} ended"
            yield
        finally:
            program.kill()


def test_only_the_named_host_is_reached_and_nothing_is_left_behind(bridged, image_id):
    connecting = functools.partial(connect, bridged.host)
    with DockerSandbox(connecting) as sandbox:
        job = bash_job(
            "python3 probe.py",
            image_id=image_id,
            files={"probe.py": PROBE.encode()},
            limits={"timeout_s": 90},
            allowed_hosts=(
                f"{FAR}:{OPEN}",
                f"{MACHINE}:{CLOSED}",
                f"{FAR_NAME}:{OPEN}",
                f"{LINK_LOCAL_NAME}:{OPEN}",
                f"nobody.example.org:{OPEN}",
            ),
            egress_networks=("10.214.0.0/24",),
        )
        result = sandbox.run(job)
    assert result.end == Exited(code=0), result.stderr
    assert result.stdout.splitlines() == [
        "allowed 200", "by name 200 200", "a name of the metadata service 403 403", "unknown name 502",
        "port 403", "machine 403", "metadata 403", *["direct False"] * 4, "no names",
    ]  # fmt: skip
    with contextlib.closing(connecting()) as client:
        assert client.containers(all=True) == []
        assert {network["Name"] for network in client.networks()} == {"bridge", "host", "none"}


def test_a_private_host_needs_its_network_named_in_the_settings(bridged, image_id):
    script = f"python3 -c 'import urllib.request as u; print(u.urlopen(\"http://{FAR}:{OPEN}/\").status)'"
    with DockerSandbox(functools.partial(connect, bridged.host)) as sandbox:
        job = bash_job(script, image_id=image_id, limits={"timeout_s": 60}, allowed_hosts=(f"{FAR}:{OPEN}",))
        result = sandbox.run(job)
    assert result.end == Exited(code=1)
    assert "403" in result.stderr


@pytest.mark.prefect
def test_s035_only_the_named_host_is_reached_and_the_log_and_the_outcome_say_so(ticket, cli, bridged, tmp_path):
    host = f"{FAR}:{OPEN}"
    where = {"DOCKER_HOST": bridged.host, "REFUTE_EGRESS_NETWORKS": '["10.214.0.0/24"]'}
    done = cli("verify", ticket(**TICKET), *OPTIONS, "--allow-network", host, answer="y\n", **where)
    outcome = json.loads(done.stdout)
    assert outcome["verification_output"] == f"{OPEN} 200\n{CLOSED} 403\n", outcome["reason"]
    assert outcome["provenance"]["allowed_hosts"] == [host]
    assert host in done.stderr, "the question names it"
    lines = [json.loads(line) for line in (tmp_path / "cwd/logs/guardrails.jsonl").read_text().splitlines()]
    (opened,) = [line for line in lines if line["gate"] == "network_override"]
    assert (opened["decision"], opened["metadata"]["hosts"]) == ("allow", host)
