"""S150, S035: the engine dies under a run, or has no way out. An engine of the tests' own is killed for it."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import docker
import pytest

from refute.outcome import Status
from refute.sandbox.connection import connect
from refute.sandbox.reaper import remove_container
from tests.fakes.own_engine import ALONE, FAR, OwnEngine, copy_image, own_engine

pytestmark = pytest.mark.engine

AWAITED_S = 3.0
"""How long the removal of its container waits here for the engine to come back; 20 s in production."""


def kill_when_it_runs(engine: OwnEngine, stage: str, *, then_start: bool = False) -> None:
    """In the background: let it die as soon as a container of this stage runs."""

    def watch() -> None:
        with closing(docker.DockerClient(engine.host)) as client:
            while not client.containers.list(ignore_removed=True, filters={"label": f"refute.stage={stage}"}):
                time.sleep(0.05)
        engine.kill()
        if then_start:
            engine.revive()
            threading.Event().wait()  # it would end with the thread that started it

    threading.Thread(target=watch, daemon=True).start()


@pytest.fixture(scope="module")
def engine_with_image(image_id, tmp_path_factory) -> Iterator[OwnEngine]:
    with own_engine(tmp_path_factory.mktemp("engine"), config=ALONE) as engine:
        copy_image(image_id, engine)
        yield engine
        engine.revive()
        with closing(connect(engine.host)) as client:
            for container in client.containers(all=True):
                remove_container(client, container["Id"])  # or waits for what is removing it already


@pytest.fixture
def engine(engine_with_image, monkeypatch) -> OwnEngine:
    """An engine of the test's own, running, as the one that refute talks to."""
    engine_with_image.revive()
    monkeypatch.setenv("DOCKER_HOST", engine_with_image.host)
    return engine_with_image


def test_s150_an_engine_that_dies_is_an_error_with_instructions_and_never_a_verdict(
    ticket, verify, engine, monkeypatch
):
    monkeypatch.setattr("refute.sandbox.removal.RETURN_S", AWAITED_S)
    kill_when_it_runs(engine, "attack")
    outcome = verify(ticket(script="true\n"))
    assert outcome.status is Status.ERROR
    # Which of the two depends on whether the job or what was prepared for it was running.
    assert re.search("engine stopped answering|no container engine answers", outcome.reason)
    assert "Start Docker" in outcome.reason
    assert outcome.claims == ()


@pytest.mark.prefect
def test_s150_an_engine_that_comes_back_gets_the_stage_once_more(ticket, verify, engine):
    kill_when_it_runs(engine, "verify", then_start=True)
    outcome = verify(ticket(script="sleep 2\npython -c 'import slug'\n"))
    assert outcome.status is Status.PASS_WEAK, outcome.reason


@pytest.mark.prefect
def test_s035_an_engine_without_a_bridge_refuses_hosts_before_anybody_is_asked(ticket, cli, engine):
    done = cli("verify", ticket(), "--format", "json", "--allow-network", FAR, answer="y\n")
    assert done.returncode == 1, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "ERROR"
    assert "--allow-network: this container engine has no bridge network" in outcome["reason"]
    assert outcome["verification_output"] == ""
    assert "[y/N]" not in done.stderr


def test_s150_a_python_whose_image_is_not_built_is_an_error_that_says_how(ticket, verify, monkeypatch):
    monkeypatch.setattr("refute.ports.find_image", lambda *_args, **_options: None)
    outcome = verify(ticket(more={"python": "3.13"}))
    assert outcome.status is Status.ERROR
    assert "refute image build --python 3.13" in outcome.reason
