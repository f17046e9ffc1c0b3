"""The way out of a job's network: refusals, with a fake engine; on a real one: scenarios/test_network.py."""

from typing import Any, cast

import pytest

from refute.errors import NetworkUnavailable
from refute.sandbox.connection import EngineClient
from refute.sandbox.network import Egress, _require_hidden_host, on_network, require_bridge, require_route


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
