"""What is cached of each executing stage, as JSON, and whether a result may stand for a later one."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter

from refute.adversary.attack import AttackRun
from refute.adversary.property.differential import Answers
from refute.adversary.strength.trial import VariantRuns
from refute.caching.fitness import ended_well, repeatable
from refute.outcome import KeptFrom
from refute.sandbox.job import JobResult

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRecord:
    """What an attack's container said, as it was checked then."""

    result: JobResult
    """Without the results file, which has another plan's nonce."""
    run: AttackRun


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantsRecord:
    """What the containers of mutants said, as it was checked then; the score is made anew."""

    containers: tuple[VariantRuns, ...]
    sandbox_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[R]):
    """One kind of result."""

    name: str
    """Of the stage."""
    json: TypeAdapter[R]
    unfit: Callable[[R], str]
    """Why a record may not stand for a later run; empty where it may."""

    def document(self, record: R, run_id: str) -> Any:
        """The record as JSON with its origin; None where it is unfit or would not come back as it is."""
        if self.unfit(record):
            return None
        try:  # file names that are no text
            plain = self.json.dump_python(record, mode="json")
            same = self.json.validate_python(plain) == record
        except (ValueError, RecursionError):  # pydantic's own are ValueErrors
            return None
        return {"run_id": run_id, "made_at": datetime.now(UTC).isoformat(), "record": plain} if same else None

    def read(self, document: Any) -> tuple[R, KeptFrom]:
        """The record, and which run made it when."""
        made_at = datetime.fromisoformat(document["made_at"])
        age_s = max(0.0, (datetime.now(UTC) - made_at).total_seconds())
        origin = KeptFrom(run_id=document["run_id"], made_at=made_at, age_s=round(age_s, 1))
        return self.json.validate_python(document["record"]), origin


VERIFICATION: Final = Kind(name="verify", json=TypeAdapter(JobResult), unfit=ended_well)
ATTACK: Final = Kind(
    name="attack",
    json=TypeAdapter(AttackRecord),
    unfit=lambda one: ended_well(one.result) or repeatable(one.run),
)
REPRODUCTION: Final = Kind(name="reproduce", json=TypeAdapter(JobResult), unfit=ended_well)
SECOND_RUN: Final = Kind(
    name="second environment",
    json=TypeAdapter(tuple[AttackRecord, ...]),
    unfit=lambda ones: next((fault for one in ones if (fault := ATTACK.unfit(one))), ""),
)
DIFFERENCES: Final = Kind(
    name="differences",
    json=TypeAdapter(tuple[Answers, Answers]),
    unfit=lambda both: "" if all(any(map(any, answers)) for answers in both) else "a version gave no answer",
)
"""What the version before and this one answer to the same inputs."""
MUTANTS: Final = Kind(
    name="strength",
    json=TypeAdapter(MutantsRecord),
    unfit=lambda one: next((part.lost for part in one.containers if part.lost), ""),
)
