"""All behaviours, in groups that can run beside each other."""

from collections.abc import Mapping

from tests.hostile.behaviour import Behaviour
from tests.hostile.catalogue.corners import CORNERS
from tests.hostile.catalogue.hoards import HOARDS
from tests.hostile.catalogue.host import HOST
from tests.hostile.catalogue.interfaces import INTERFACES
from tests.hostile.catalogue.kernel import KERNEL
from tests.hostile.catalogue.lies import LIES
from tests.hostile.catalogue.network import NETWORK
from tests.hostile.catalogue.processes import PROCESSES
from tests.hostile.catalogue.reading_back import READING_BACK
from tests.hostile.catalogue.storage import STORAGE

GROUPS: Mapping[str, tuple[Behaviour, ...]] = {
    "Processes, signals, scheduling": PROCESSES,
    "Memory, file systems, output": STORAGE,
    "Memory that the kernel holds": HOARDS,
    "System calls": KERNEL,
    "Controls, options, attributes": INTERFACES,
    "The host": HOST,
    "Network": NETWORK,
    "Reading back, decoys": READING_BACK,
    "Odd corners": CORNERS,
    "Lies": LIES,
}
"""Heading → behaviours."""
