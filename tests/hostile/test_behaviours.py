"""Every behaviour on the real engine: contained, and host and next job unharmed."""

import pytest

from refute.sandbox.engine import DockerSandbox
from tests.hostile.behaviour import Behaviour
from tests.hostile.catalogue.everything import GROUPS
from tests.hostile.host import Host
from tests.hostile.trial import try_behaviour

BEHAVIOURS = [
    pytest.param(behaviour, id=behaviour.name, marks=pytest.mark.xdist_group(f"hostile-{number % 4}"))
    for number, behaviour in enumerate(behaviour for group in GROUPS.values() for behaviour in group)
]


@pytest.mark.engine
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_it_is_contained_and_harms_neither_host_nor_next_job(
    behaviour: Behaviour, sandbox: DockerSandbox, host: Host, image_id: str
) -> None:
    trial = try_behaviour(behaviour, sandbox=sandbox, host=host, image_id=image_id)
    assert trial.faults == [], trial.observed
