"""Looking up and keeping runs. Whatever goes wrong with that, the run is made anew and the verdict is its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from refute.adversary.attack import AttackRun
from refute.adversary.strength.trial import VariantRuns
from refute.errors import InfrastructureError
from refute.file_store.entry import Entry, Unusable
from refute.file_store.folder import KeptFolder
from refute.kept.fitness import ended_well, repeatable
from refute.kept.key import run_key
from refute.outcome import KeptFrom
from refute.sandbox.connection import EngineFacts
from refute.sandbox.job import Job, JobResult
from refute.settings import Settings

FOLDER: Final = "runs-kept"
"""In the state directory, unless the settings name another place."""
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAttack:
    """What an attack's container said, as it was checked then."""

    result: JobResult
    """Without the results file, which has another plan's nonce."""
    run: AttackRun


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMutants:
    """What the containers of mutants said, as it was checked then; the score is made anew."""

    probe: str
    """Name of the test that only imports, drawn at random for that run."""
    containers: tuple[VariantRuns, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[R]):
    """What is kept of one kind of run."""

    name: str
    json: TypeAdapter[R]
    unfit: Callable[[R], str]
    """Why a record may not stand for a later run; asked before it is kept, and when it is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept(Generic[R]):
    """A record that was found, and where it is from."""

    record: R
    origin: KeptFrom


VERIFICATION: Final = Kind(name="verify", json=TypeAdapter(JobResult), unfit=ended_well)
ATTACK: Final = Kind(
    name="attack",
    json=TypeAdapter(KeptAttack),
    unfit=lambda kept: ended_well(kept.result) or repeatable(kept.run),
)
MUTANTS: Final = Kind(
    name="strength",
    json=TypeAdapter(KeptMutants),
    unfit=lambda kept: next((one.lost for one in kept.containers if one.lost), ""),
)


class KeptRuns:
    """The runs that this one may take over, and those that later ones may.

    Args:
        settings: where they are, how old they may be, whether to look for any.
        run_id: of this run.
        facts: asks the engine what it is.
        warn: told of files that are not what they should be.
    """

    def __init__(
        self, settings: Settings, run_id: str, *, facts: Callable[[], EngineFacts], warn: Callable[[str], None]
    ) -> None:
        key = settings.signing_key.get_secret_value() if settings.signing_key else ""
        self._folder = KeptFolder(
            settings.results_dir or settings.state_dir / FOLDER,
            secret=key.encode() or None,
            max_age_s=settings.results_max_age_s,
            max_bytes=settings.results_max_bytes,
        )
        unsafe = settings.results_dir is not None and not key
        self._keeping = settings.results_max_age_s > 0 and not unsafe
        self._looking = self._keeping and not settings.fresh
        self._run_id = run_id
        self._facts = facts
        self._warn = warn
        self._swept = False
        self._told: set[str] = set()

    def looks(self) -> bool:
        """Whether anything might be found: where not, there is no need to make a job before its time."""
        return self._looking and self._folder.exists()

    def find(self, kind: Kind[R], jobs: Sequence[Job]) -> Kept[R] | None:
        """What exactly these jobs came to in an earlier run; None where that is not known."""
        key = self._key(jobs) if self.looks() else ""
        if not key:
            return None
        try:
            entry = self._folder.get(kind.name, key)
            return None if entry is None else _kept(kind, entry)
        except Unusable as error:
            if key not in self._told:
                self._told.add(key)
                self._warn(f"a kept run was not used, {self._folder.file(kind.name, key)}: {error}")
            return None

    def keep(self, kind: Kind[R], jobs: Sequence[Job], record: R) -> None:
        """Keep what jobs came to, or forget what is kept of them where they did not come to something that lasts."""
        key = self._key(jobs) if self._keeping else ""
        if not key:
            return
        if kind.unfit(record) or (document := _document(kind, record)) is None:
            self._folder.remove(kind.name, key)
            return
        entry = Entry(kind=kind.name, key=key, run_id=self._run_id, made_at=datetime.now(UTC), record=document)
        try:
            self._folder.put(entry)
        except OSError as error:
            self._warn(f"the run could not be kept for later ones: {error}")
        self._sweep_once()

    def forget(self, kind: Kind[R], jobs: Sequence[Job]) -> None:
        """Keep nothing of jobs."""
        if self._keeping and self._folder.exists():
            self._folder.remove(kind.name, self._key(jobs))

    def _key(self, jobs: Sequence[Job]) -> str:
        """The key of jobs; empty where they have none."""
        if any(job.allowed_hosts for job in jobs):
            return ""  # what they come to hangs on what hosts answer
        try:
            return run_key(jobs, self._facts())
        except InfrastructureError:
            return ""  # whoever runs the jobs waits for the engine, and tells what is wrong with it

    def _sweep_once(self) -> None:
        """Once in a run: what it keeps itself does not go beyond the bound by much."""
        if not self._swept:
            self._swept = True
            self._folder.sweep()


def _kept(kind: Kind[R], entry: Entry) -> Kept[R]:
    try:
        record = kind.json.validate_python(entry.record)
    except (ValidationError, RecursionError) as error:
        raise Unusable("its record is malformed") from error
    if reason := kind.unfit(record):
        raise Unusable(f"it may not stand for another run: {reason}")
    age_s = max(0.0, (datetime.now(UTC) - entry.made_at).total_seconds())
    return Kept(record=record, origin=KeptFrom(run_id=entry.run_id, made_at=entry.made_at, age_s=round(age_s, 1)))


def _document(kind: Kind[R], record: R) -> Any:
    """The record as JSON; None where it would not come back as it was (file names that are no text)."""
    try:
        document = kind.json.dump_python(record, mode="json")
        return document if kind.json.validate_python(document) == record else None
    except (ValueError, RecursionError):  # pydantic's own are ValueErrors
        return None
