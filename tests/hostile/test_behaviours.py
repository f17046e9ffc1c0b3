"""Every behaviour on the real engine: contained, and host and next job unharmed."""

from collections.abc import Callable

import pytest

from refute.sandbox.engine import DockerSandbox
from tests.hostile.behaviour import Behaviour
from tests.hostile.block import Block, blocks
from tests.hostile.catalogue.everything import GROUPS
from tests.hostile.host import Host
from tests.hostile.trial import Trial, try_block

BEHAVIOURS = [
    pytest.param(block, behaviour, id=behaviour.name)
    for group in GROUPS.values()
    for block in blocks(group)
    for behaviour in block.behaviours
]


@pytest.fixture(scope="session")
def tried(sandbox: DockerSandbox, host: Host, image_id: str) -> Callable[[Block], dict[str, Trial]]:
    """`tried(block)` → what came of its behaviours; a block is tried once."""
    trials: dict[str, dict[str, Trial]] = {}

    def of(block: Block) -> dict[str, Trial]:
        if block.name not in trials:
            trials[block.name] = try_block(block, sandbox=sandbox, host=host, image_id=image_id)
        return trials[block.name]

    return of


@pytest.mark.engine
@pytest.mark.parametrize(("block", "behaviour"), BEHAVIOURS)
def test_it_is_contained_and_harms_neither_host_nor_next_job(
    block: Block, behaviour: Behaviour, tried: Callable[[Block], dict[str, Trial]]
) -> None:
    trial = tried(block)[behaviour.name]
    assert trial.faults == [], trial.observed
