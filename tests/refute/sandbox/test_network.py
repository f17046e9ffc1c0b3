"""The way out of a job's network: refusals with a fake engine, the rest on a real engine with a bridge."""

import contextlib
import functools
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from refute.errors import NetworkUnavailable
from refute.sandbox.connection import EngineClient, connect
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited
from refute.sandbox.network import Egress, _require_hidden_host, on_network, require_bridge, require_route
from tests.fakes import far_names
from tests.fakes.jobs import bash_job
from tests.fakes.own_engine import FAR, MACHINE, OwnEngine, copy_image, in_namespace, own_engine

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


class Networks:
    """An engine with these networks."""

    def __init__(self, *networks: dict[str, Any]) -> None:
        self._networks = networks

    def networks(self, **_: Any) -> list[dict[str, Any]]:
        return list(self._networks)


def engine_with(*networks: dict[str, Any]) -> EngineClient:
    return cast("EngineClient", Networks(*networks))


def test_an_engine_without_a_bridge_is_refused_with_what_to_do():
    with pytest.raises(NetworkUnavailable, match="no bridge network") as refusal:
        require_bridge(engine_with({"Name": "bridge", "Internal": True}, {"Name": "somebody-s"}))
    assert "--bridge=none" in refusal.value.hint


def test_the_engine_s_own_bridge_leads_out():
    assert require_bridge(engine_with({"Name": "x"}, {"Name": "bridge"})) == "bridge"
    assert require_bridge(engine_with({"Name": "podman"})) == "podman"


def test_a_network_on_which_this_machine_has_an_address_is_refused():
    with pytest.raises(NetworkUnavailable, match="gives the machine an address"):
        _require_hidden_host("127.0.0.0/8")
    _require_hidden_host("198.51.100.0/24")


def test_a_job_on_a_network_has_no_names_and_no_ipv6_and_the_rest_of_its_profile():
    plain = {"Image": "i", "HostConfig": {"NetworkMode": "none", "CapDrop": ["ALL"]}}
    config = on_network(plain, Egress(network="n", proxy="http://10.0.0.2:3128"))
    assert config["HostConfig"] == {
        "NetworkMode": "n",
        "CapDrop": ["ALL"],
        "Dns": ["127.0.0.1"],
        "DnsOptions": ["timeout:1", "attempts:1"],
        "Sysctls": {"net.ipv6.conf.all.disable_ipv6": "1"},
    }


@pytest.mark.parametrize(("runtime", "default"), [("runsc", "runc"), ("", "runsc")])
def test_a_runtime_without_a_network_is_refused_before_the_code_is_blamed_for_it(runtime: str, default: str):
    class Engine:
        def info(self) -> dict[str, Any]:
            arguments = {"runtimeArgs": ["--platform=ptrace", "--network=none"]}
            return {"DefaultRuntime": default, "Runtimes": {"runc": {"path": "runc"}, "runsc": arguments}}

    engine = cast("EngineClient", Engine())
    with pytest.raises(NetworkUnavailable, match="'runsc' is registered with --network=none"):
        require_route(engine, runtime)
    require_route(engine, "runc")


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


@pytest.mark.engine
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


@pytest.mark.engine
def test_a_private_host_needs_its_network_named_in_the_settings(bridged, image_id):
    script = f"python3 -c 'import urllib.request as u; print(u.urlopen(\"http://{FAR}:{OPEN}/\").status)'"
    with DockerSandbox(functools.partial(connect, bridged.host)) as sandbox:
        job = bash_job(script, image_id=image_id, limits={"timeout_s": 60}, allowed_hosts=(f"{FAR}:{OPEN}",))
        result = sandbox.run(job)
    assert result.end == Exited(code=1)
    assert "403" in result.stderr
