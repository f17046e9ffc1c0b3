"""A way out of a container to named hosts: an internal network of its own, and a proxy that stands on it and outside.

The job has no route anywhere but to the proxy: the network is internal, the host has no address on it (without that
option a job reaches every service of the host through the network's gateway, measured), names are not resolved, and
IPv6 is off. Why each: docs/adr/0011-egress.md.
"""

import contextlib
import ipaddress
import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from docker.errors import APIError

from refute.errors import NetworkUnavailable, SandboxFailed
from refute.sandbox.connection import EngineClient, engine_errors
from refute.sandbox.job import MEBIBYTE, Job, Limits
from refute.sandbox.network_hosts import own_addresses, read_hosts
from refute.sandbox.profile import EXPIRY_MARGIN_S, KEEPER, container_config

PORT: Final = 3128
LISTENS: Final = f"""
import socket, sys, time
for _ in range(200):
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", {PORT})) == 0:
            sys.exit(0)
    time.sleep(0.05)
sys.exit("nothing listens")
"""
PROXY_LIMITS: Final = Limits(timeout_s=1, memory_bytes=128 * MEBIBYTE, cpus=1, pids=32)
NETWORK_OPTIONS: Final = {"com.docker.network.bridge.inhibit_ipv4": "true"}
"""The host gets no address on the network."""
NO_BRIDGE_HINT: Final = (
    "Start the engine with its bridge and iptables (dockerd without --bridge=none and --iptables=false), or run "
    "without --allow-network. Jobs never get the host's network instead."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """The way out that one container has."""

    network: str
    proxy: str
    """`http://address:port`, inside the network."""

    @property
    def environment(self) -> dict[str, str]:
        """What tells the programs of a job about the proxy."""
        names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
        local = "localhost,127.0.0.1,::1"
        return {**dict.fromkeys(names, self.proxy), "NO_PROXY": local, "no_proxy": local}


def network_name(container: str) -> str:
    """The network of a container."""
    return f"{container}-net"


def proxy_name(container: str) -> str:
    """The proxy of a container."""
    return f"{container}-proxy"


def require_bridge(client: EngineClient) -> str:
    """The name of the engine's network that leads out.

    Raises:
        NetworkUnavailable: it has none.
    """
    with engine_errors("list its networks"):
        networks = client.networks(filters={"driver": "bridge"})
    names = [str(network["Name"]) for network in networks if not network.get("Internal")]
    for name in ("bridge", "podman"):
        if name in names:
            return name
    raise NetworkUnavailable("--allow-network: this container engine has no bridge network", hint=NO_BRIDGE_HINT)


def require_route(client: EngineClient, runtime: str) -> None:
    """Refuse a runtime that keeps containers off the networks which the engine gives them: code would be blamed for it.

    Args:
        client: the engine.
        runtime: the engine's name of it; empty for its default.

    Raises:
        NetworkUnavailable: the runtime is registered so.
    """
    with engine_errors("describe its runtimes"):
        info = client.info()
    name = runtime or str(info.get("DefaultRuntime", ""))
    arguments = ((info.get("Runtimes") or {}).get(name) or {}).get("runtimeArgs") or ()
    if re.search(r"(?:^| )--?network[= ]none(?: |$)", " ".join(arguments)):
        raise NetworkUnavailable(
            f"--allow-network: the container runtime {name!r} is registered with --network=none, so jobs reach nothing",
            hint="Register it without that argument, or use another --runtime.",
        )


def open_egress(client: EngineClient, job: Job, container: str, labels: Mapping[str, str], lifetime_s: float) -> Egress:
    """Make the network and the proxy of a container to be.

    Args:
        client: the engine.
        job: whose `allowed_hosts` and image count.
        container: its name; network and proxy are named after it, so they can be removed in every case.
        labels: for the reaper.
        lifetime_s: the proxy ends itself after this.

    Raises:
        NetworkUnavailable: the engine has no way out.
        EngineDied, SandboxFailed: it failed.
    """
    outside = require_bridge(client)
    network = network_name(container)
    with engine_errors("create the job's network"):
        client.create_network(
            network, driver="bridge", internal=True, options=NETWORK_OPTIONS, labels=dict(labels), check_duplicate=True
        )
        subnet = client.inspect_network(network)["IPAM"]["Config"][0]["Subnet"]
    _require_hidden_host(str(subnet))
    config = _proxy_config(job, str(subnet), labels, lifetime_s)
    with engine_errors("start the egress proxy"):
        config["HostConfig"]["NetworkMode"] = outside
        created = client.create_container_from_config(config, proxy_name(container))  # type: ignore[no-untyped-call]
        client.connect_container_to_network(created["Id"], network)
        client.start(created["Id"])
        _await_proxy(client, created["Id"])
    return Egress(network=network, proxy=f"http://{_address(client, created['Id'], network)}:{PORT}")


def close_egress(client: EngineClient, container: str) -> None:
    """Remove the proxy and the network of a container that is gone; no error if they are gone already."""
    with contextlib.suppress(APIError):
        client.remove_container(proxy_name(container), force=True, v=True)
    with contextlib.suppress(APIError):
        client.remove_network(network_name(container))


def on_network(config: Mapping[str, Any], egress: Egress) -> dict[str, Any]:
    """A job's container on its internal network instead of on none."""
    host = {
        **config["HostConfig"],
        "NetworkMode": egress.network,
        "Dns": ["127.0.0.1"],  # asked inside the container, where nobody answers: names would carry data out
        "DnsOptions": ["timeout:1", "attempts:1"],
        "Sysctls": {"net.ipv6.conf.all.disable_ipv6": "1"},
    }
    return {**config, "HostConfig": host}


def _require_hidden_host(subnet: str) -> None:
    """Fail where the engine gave this machine an address on the job's network all the same."""
    network = ipaddress.ip_network(subnet)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect((str(network[1]), 9))  # nothing is sent: the system only chooses where from it would be
        if ipaddress.ip_address(probe.getsockname()[0]) in network:
            raise NetworkUnavailable(
                f"--allow-network: this container engine gives the machine an address on the job's network {subnet}, "
                "through which a job could reach its services",
                hint="Use Docker 20.10 or newer.",
            )


def _proxy_config(job: Job, subnet: str, labels: Mapping[str, str], lifetime_s: float) -> dict[str, Any]:
    """The proxy's container: the jobs' own profile, with a way out."""
    source = resources.files("refute.sandbox").joinpath("network_proxy.py").read_text(encoding="utf-8")
    policy = {
        "allowed": [(allowed.host, port) for allowed in read_hosts(job.allowed_hosts) for port in allowed.ports],
        "networks": list(job.egress_networks),
        "denied": own_addresses(),
        "clients": subnet,
        "listen": "0.0.0.0",  # noqa: S104  # only its own network's connections are served
        "port": PORT,
        "lifetime_s": int(lifetime_s) + EXPIRY_MARGIN_S,
    }
    shell = Job(
        name="proxy",
        run_id=job.run_id,
        ticket_id=job.ticket_id,
        image_id=job.image_id,
        command=(),
        workspace=b"",
        limits=PROXY_LIMITS,
    )
    config = container_config(shell, labels=labels, cpus_available=PROXY_LIMITS.cpus)
    config["Cmd"] = ["python3", "-I", "-S", "-c", source, json.dumps(policy)]
    config["HostConfig"]["Mounts"] = []
    for name in ("Dns", "DnsSearch", "ExtraHosts"):  # a job's; the proxy asks the engine's name servers
        config["HostConfig"].pop(name, None)
    return config


def _await_proxy(client: EngineClient, container: str) -> None:
    """Return when the proxy listens."""
    attempt = client.exec_create(container, ["python3", "-I", "-S", "-c", LISTENS], user=KEEPER)
    said = client.exec_start(attempt["Id"])
    if client.exec_inspect(attempt["Id"])["ExitCode"] != 0:
        raise SandboxFailed(f"the egress proxy did not start: {said.decode(errors='replace')[-300:].strip()}")


def _address(client: EngineClient, container: str, network: str) -> str:
    """The proxy's address inside."""
    with engine_errors("say where the egress proxy is"):
        facts = client.inspect_container(container)
    return str(facts["NetworkSettings"]["Networks"][network]["IPAddress"])
