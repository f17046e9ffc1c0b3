"""S035: `--allow-network` opens the hosts that it names and no others, and is audited; or it is refused."""

import json

import pytest

from tests.fakes.own_engine import ALONE, FAR, own_engine
from tests.refute.sandbox.test_network import CLOSED, OPEN, bridged  # noqa: F401  # fixture

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

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


def test_s035_only_the_named_host_is_reached_and_the_log_and_the_outcome_say_so(ticket, cli, bridged, tmp_path):  # noqa: F811
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


@pytest.fixture(scope="module")
def without_bridge(tmp_path_factory):
    with own_engine(tmp_path_factory.mktemp("engine"), config=ALONE) as engine:
        yield engine


def test_s035_an_engine_without_a_bridge_refuses_it_before_anybody_is_asked(ticket, cli, without_bridge):
    host = without_bridge.host
    done = cli("verify", ticket(**TICKET), *OPTIONS, "--allow-network", FAR, answer="y\n", DOCKER_HOST=host)
    assert done.returncode == 1, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "ERROR"
    assert "--allow-network: this container engine has no bridge network" in outcome["reason"]
    assert outcome["verification_output"] == ""
    assert "[y/N]" not in done.stderr
