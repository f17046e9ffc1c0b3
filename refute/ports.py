"""The effects that a run needs, opened when first used: engine, image, snapshot store, ledger, audit log."""

import contextlib
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import docker

from refute.adversary.preservation import replaced_file
from refute.caching.key import run_key
from refute.errors import ImageMissing, InfrastructureError, LedgerUnavailable
from refute.guardrails.audit import AuditLog
from refute.guardrails.switches import Mode
from refute.llm.model import Model
from refute.observer import OnlyOnce, StageObserver, Unwatched
from refute.places import cache_dir
from refute.sandbox.connection import connect, engine_errors
from refute.sandbox.derived import DerivedImage, derive_image
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import SandboxImage, find_image
from refute.sandbox.job import Job
from refute.sandbox.network import require_bridge, require_route
from refute.sandbox.network_hosts import AllowedHost
from refute.sandbox.requirements_download import WheelSource
from refute.settings import Settings
from refute.settings_fields import TesterName
from refute.stages.execution import Directly, StageRunner
from refute.ticket.modules import other_form
from refute.ticket.record import Snapshot, Ticket
from refute.ticket.store import BEFORE, SnapshotStore, pack

if TYPE_CHECKING:
    from refute.ledger.store import Ledger


DerivedImages = dict[tuple[str, tuple[str, ...]], DerivedImage | None]
"""Python version and requirements → the image with them."""


def audit_log(settings: Settings) -> AuditLog:
    """The audit log of the settings."""
    required = settings.guardrails.audit is Mode.ENFORCE
    return AuditLog(settings.audit_path, enabled=settings.audit_enabled, required=required)


class Ports:
    """Opens each effect once per run. Tests put fakes in the place of any of them."""

    def __init__(
        self,
        settings: Settings,
        run_id: str,
        *,
        observer: StageObserver | None = None,
        allowed_hosts: tuple[AllowedHost, ...] = (),
    ) -> None:
        self.settings = settings
        self.allowed_hosts = allowed_hosts
        self.run_id = run_id
        self.observer: StageObserver = OnlyOnce(observer or Unwatched())
        self._images: dict[str, SandboxImage] = {}
        self._derived: DerivedImages = {}
        self._models: dict[str, Model] = {}
        self._contents: dict[str, tuple[Mapping[str, bytes], Mapping[str, bytes]]] = {}
        self._workspaces: dict[str, bytes] = {}

    @cached_property
    def audit(self) -> AuditLog:
        """The audit log; nothing is decided without a line in it."""
        return audit_log(self.settings)

    @cached_property
    def store(self) -> SnapshotStore:
        """Where frozen files lie."""
        return SnapshotStore(self.settings.state_dir / "snapshots")

    def contents(self, snapshot: Snapshot) -> Mapping[str, bytes]:
        """Path → content of a snapshot's files; read and checked against it once, as that takes half a second.

        Raises:
            SnapshotCorrupted: the store no longer holds what was frozen.
        """
        return self._read(snapshot)[0]

    def earlier(self, ticket: Ticket, snapshot: Snapshot) -> Mapping[str, bytes]:
        """Path → content before the change, of the files that were another then; empty for a file that was not there.

        By the ticket's `base`, else by its `previous`. Raises as `contents`.
        """
        contents, before = self._read(snapshot)
        replaced = replaced_file(ticket)
        return before if before or not replaced else {replaced: contents[ticket.previous or replaced]}

    def _read(self, snapshot: Snapshot) -> tuple[Mapping[str, bytes], Mapping[str, bytes]]:
        """Content of the files, and of those before the change."""
        if snapshot.digest not in self._contents:
            held = self.store.contents(snapshot)
            now = {path: data for path, data in held.items() if not path.startswith(BEFORE)}
            before = {path.removeprefix(BEFORE): data for path, data in held.items() if path.startswith(BEFORE)}
            self._contents[snapshot.digest] = now, before
        return self._contents[snapshot.digest]

    def workspace(self, snapshot: Snapshot) -> bytes:
        """A snapshot's files as the tar that jobs get; packed once. Raises as `contents`."""
        if snapshot.digest not in self._workspaces:
            self._workspaces[snapshot.digest] = pack(snapshot.files, self.contents(snapshot))
        return self._workspaces[snapshot.digest]

    def workspace_before(self, ticket: Ticket, snapshot: Snapshot) -> bytes:
        """The same with every file as it was before the change. Raises as `contents`.

        A file that was not there is empty. As `__init__.py` it would hide the module that its package was.
        """
        earlier = self.earlier(ticket, snapshot)
        files = {one.path: one for one in (*snapshot.before, *snapshot.files)}
        for path in [path for path, data in earlier.items() if not data and path.endswith("/__init__.py")]:
            if earlier.get(other_form(path)):
                files.pop(path, None)
        return pack(tuple(files.values()), {**self.contents(snapshot), **earlier})

    def share_images(self, images: dict[str, SandboxImage], derived: DerivedImages) -> None:
        """Look images up among these, and add what is found: they are the same for all tickets of a batch."""
        self._images, self._derived = images, derived

    @cached_property
    def stages(self) -> StageRunner:
        """Carries out the work of stages."""
        return Directly()

    def result_key(self, jobs: Sequence[Job], also: Sequence[object] = ()) -> str | None:
        """The key that results of jobs are cached under; None where nothing may stand for them."""
        if not self.settings.results_max_age_s or any(job.allowed_hosts for job in jobs):
            return None  # what hosts answer is in no key
        try:
            return run_key(jobs, self.sandbox.facts(), also)
        except InfrastructureError:
            return None  # whoever runs the jobs tells what is wrong with the engine

    @cached_property
    def ledger(self) -> "Ledger":
        """The durable table of outcomes."""
        from refute.ledger.store import Ledger  # noqa: PLC0415  # SQLAlchemy takes half a second to import

        return Ledger.open(self.settings)

    def model(self, ticket_id: str) -> Model:
        """What answers prompts, paid for by a ticket.

        Raises:
            SettingsInvalid: the settings name no model that may be asked.
        """
        from refute.ledger.budgets import Payer  # noqa: PLC0415  # SQLAlchemy takes half a second to import
        from refute.llm.connect import connect_model  # noqa: PLC0415
        from refute.llm.till import Waiting  # noqa: PLC0415

        if ticket_id not in self._models:
            payer = Payer(run_id=self.run_id, ticket_id=ticket_id)
            waiting = Waiting(turn=self.model_turn, pause=self.pause, tell=self.observer.warned)
            self._models[ticket_id] = connect_model(
                self.settings, payer, ledger=lambda: self.ledger, audit=self.audit, waiting=waiting
            )
        return self._models[ticket_id]

    def model_turn(self) -> contextlib.AbstractContextManager[object]:
        """Wait until one more request to a model may be under way; here nothing bounds them."""
        return contextlib.nullcontext()

    def pause(self, seconds: float) -> None:
        """Wait, for a model that is busy or for money; where somebody ends the run, that ends the wait."""
        time.sleep(seconds)

    def open_ledger_ahead(self) -> None:
        """Import and open the ledger in the background: half a second that fits into waiting for a container."""
        threading.Thread(target=self._try_ledger, name="refute-ledger", daemon=True).start()

    def _try_ledger(self) -> None:
        with contextlib.suppress(LedgerUnavailable):  # told where the ledger is used
            _ = self.ledger

    @cached_property
    def sandbox(self) -> DockerSandbox:
        """What runs jobs."""
        return DockerSandbox(runtime=self.settings.runtime)

    def with_network(self, job: Job) -> Job:
        """The job with the way out that the person allowed; unchanged where they allowed none."""
        if not self.allowed_hosts:
            return job
        hosts = tuple(map(str, self.allowed_hosts))
        return replace(job, allowed_hosts=hosts, egress_networks=self.settings.egress_networks)

    def require_model(self) -> None:
        """Find out before anybody is asked that the tester could not ask its model.

        Raises:
            SettingsInvalid: as `model`.
        """
        if self.settings.testers != (TesterName.PROPERTY,):
            from refute.llm.connect import require_model  # noqa: PLC0415  # SQLAlchemy, as above

            require_model(self.settings)

    def require_network(self) -> None:
        """Find out before anybody is asked that the engine cannot do what was allowed.

        Raises:
            NetworkUnavailable: it has no way out for a job.
            EngineUnavailable, EngineDied, SandboxFailed: it cannot be said.
        """
        if self.allowed_hosts:
            with contextlib.closing(connect()) as client:
                require_bridge(client)
                require_route(client, self.settings.runtime)

    def discard_prepared(self) -> None:
        """Remove the containers that were made ahead of jobs which will not come; none where no sandbox was used."""
        if "sandbox" in self.__dict__:
            self.sandbox.discard_prepared()

    def image(self, python: str) -> SandboxImage:
        """The sandbox image for a Python version; asked once per version.

        Raises:
            EngineUnavailable: no engine answers.
            ImageMissing: it has not been built on this engine, or by an older version.
        """
        if python not in self._images:
            self._images[python] = self._find_image(python)
        return self._images[python]

    def derived_image(self, ticket: Ticket) -> DerivedImage | None:
        """The image with what a ticket requires, made where it is missing; None where it requires nothing.

        Raises:
            EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: the engine failed.
            RequirementsUnavailable: a requirement is refused, or cannot be had.
        """
        if not ticket.requirements:
            return None
        key = (ticket.python, ticket.requirements)
        if key not in self._derived:
            self._derived[key] = self._derive(ticket)
        return self._derived[key]

    def image_id(self, ticket: Ticket) -> str:
        """The image that a ticket's jobs run in; raises as `image` and `derived_image` do."""
        derived = self.derived_image(ticket)
        return derived.id if derived else self.image(ticket.python).id

    def _derive(self, ticket: Ticket) -> DerivedImage | None:
        base_id = self.image(ticket.python).id
        source = WheelSource(
            cache=cache_dir() / "wheels",
            wheelhouse=self.settings.requirements_wheelhouse,
            python=ticket.python,
        )
        with contextlib.closing(connect()) as client:
            return derive_image(client, ticket.requirements, base_id=base_id, source=source)

    def _find_image(self, python: str) -> SandboxImage:
        connect().close()  # tells apart, with what to do, why an engine does not answer
        with engine_errors("look for the sandbox image"):
            found = find_image(docker.from_env(), python=python)
        if found is None:
            raise ImageMissing(
                f"the engine has no sandbox image for Python {python} as this version of refute makes it: "
                "none was built, or it is of an older version",
                hint=f"Build it: refute image build --python {python} (quick where an older one is there)",
            )
        return found
