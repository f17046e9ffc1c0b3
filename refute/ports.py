"""The effects that a run needs, opened when first used: engine, image, snapshot store, ledger, audit log."""

from functools import cached_property

import docker

from refute.guardrails.audit import AuditLog
from refute.errors import ImageMissing
from refute.ledger.store import Ledger
from refute.sandbox.client import connect
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import SandboxImage, find_image
from refute.sandbox.job import Sandbox
from refute.settings import Settings
from refute.ticket.store import SnapshotStore


class Ports:
    """Opens each effect once per run. Tests put fakes in the place of any of them."""

    def __init__(self, settings: Settings, run_id: str) -> None:
        self.settings = settings
        self.run_id = run_id

    @cached_property
    def audit(self) -> AuditLog:
        """The audit log; nothing is decided without a line in it."""
        return AuditLog(self.settings.audit_path, enabled=self.settings.audit_enabled)

    @cached_property
    def store(self) -> SnapshotStore:
        """Where frozen files lie."""
        return SnapshotStore(self.settings.state_dir / "snapshots")

    @cached_property
    def ledger(self) -> Ledger:
        """The durable table of outcomes."""
        return Ledger.open(self.settings)

    @cached_property
    def client(self) -> docker.DockerClient:
        """The engine's client.

        Raises:
            EngineUnavailable: no engine answers.
        """
        return connect()

    @cached_property
    def sandbox(self) -> Sandbox:
        """What runs jobs."""
        return DockerSandbox(self.client)

    def image(self, python: str) -> SandboxImage:
        """The sandbox image for a Python version.

        Raises:
            ImageMissing: it has not been built on this engine.
        """
        found = find_image(self.client, python=python)
        if found is None:
            raise ImageMissing(
                f"the sandbox image for Python {python} is not on this engine",
                hint=f"Build it: refute image build --python {python}",
            )
        return found
