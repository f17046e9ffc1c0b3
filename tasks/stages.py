"""The stages as Prefect tasks, and the runner that carries a ticket's stages out by them."""

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, Final, TypeVar

from prefect import Task, task
from prefect.context import TagsContext
from prefect.transactions import get_transaction

from refute.caching.kind import Kind
from refute.observer import StageObserver
from refute.settings import Settings
from refute.stages.execution import Ran
from tasks.options import CACHED, PLAIN, RETRIED, for_settings
from tasks.results import SEPARATOR, SignedResults, results_store

R = TypeVar("R")
Work = Callable[[], Any]


def _carry_out(ticket: str, key: str | None, work: Work) -> Any:  # noqa: ARG001  # its run's name, its cache's key
    return work()


def make_stage(name: str, options: Mapping[str, Any], *, does: str) -> Task[..., Any]:
    """A stage's task: it carries out the work that it is given."""
    return task(name=name, task_run_name=f"{{ticket}} · {name}", description=does, **options)(_carry_out)


SCAN: Final = make_stage("scan", PLAIN, does="Freezes the ticket's files and scans what would run.")
VERIFY: Final = make_stage("verify", CACHED, does="Runs the author's verification script in a container.")
RESEARCH: Final = make_stage("research", RETRIED, does="Reads a ticket's references, for whoever writes tests.")
DIFFERENCES: Final = make_stage(
    "differences", CACHED, does="Asks the version before and this one the same, each in its container."
)
WRITE_TESTS: Final = make_stage("write tests", RETRIED, does="Has testers write the attack.")
ATTACK: Final = make_stage("attack", CACHED, does="Runs the attack in a container.")
TRIAGE: Final = make_stage(
    "triage", RETRIED, does="Decides what each failing test means, by vote and on the version before."
)
REPRODUCE: Final = make_stage(
    "reproduce", CACHED, does="Runs each refutation's reproducer, tests and code in one process, in a container."
)
VIOLATIONS: Final = make_stage(
    "plant violations",
    RETRIED,
    does="Has a model break the claims clause by clause, to see whether the attack notices.",
)
STRENGTH: Final = make_stage("strength", CACHED, does="Runs the attack on mutants of the code, in containers.")
SECOND: Final = make_stage("second environment", CACHED, does="Runs what would pass once more in other surroundings.")
CRITICS: Final = make_stage("critics", RETRIED, does="Has a critic look for failures of the change.")
REWORK: Final = make_stage("rework", PLAIN, does="Has the operator's command mend a copy after a review that failed.")
STATIC: Final = make_stage("static critics", CACHED, does="Has ruff, bandit and mypy read the code, in a container.")
OUTCOME: Final = make_stage("outcome", PLAIN, does="Records the outcome and leaves its artifacts.")
ORDER: Final = (
    *(SCAN, VERIFY, RESEARCH, DIFFERENCES, WRITE_TESTS, ATTACK, TRIAGE, REPRODUCE),
    *(VIOLATIONS, STRENGTH, SECOND, CRITICS, STATIC, REWORK, OUTCOME),
)
STAGES: Final = {one.name: one for one in ORDER}
"""In the order of a ticket; hardening runs some of them once more."""


class StageTasks:
    """Carries out the stages of one ticket as task runs of the flow, or of the ticket's own task.

    Args:
        ticket_id: in the names of the task runs.
        run_id: that results are cached with.
        settings: of the run.
        observer: hears that a stage begins, and of cached results that do not count.
        stages: the tasks, by name.
    """

    def __init__(
        self,
        ticket_id: str,
        run_id: str,
        settings: Settings,
        observer: StageObserver,
        *,
        stages: Mapping[str, Task[..., Any]] = STAGES,
    ) -> None:
        self._stages = stages
        self._ticket_id = ticket_id
        self._run_id = run_id
        self._settings = settings
        self._observer = observer

    @cached_property
    def storage(self) -> SignedResults:
        """Where results are cached."""
        return SignedResults.of(self._settings, self._observer.warned)

    def run(self, stage: str, work: Callable[[], R]) -> R:
        """Do the work as a task run; raises what it raises."""
        self._observer.began(stage)
        result: R = self._task_run(stage, None, work)
        return result

    def cached(self, kind: Kind[R], key: str | None, work: Callable[[], R]) -> Ran[R]:
        """Do the work as a task run, or take its result from the cache: the run is then `Cached`."""
        self._observer.began(kind.name)
        made: list[R] = []
        name = self._name(kind, key)
        document = self._task_run(kind.name, name, partial(self._work, kind, name, work, made))
        if made:
            return Ran(record=made[-1])
        record, origin = kind.read(document)
        return Ran(record=record, kept=origin)

    def knows(self, kind: Kind[R], key: str | None) -> bool:
        """Whether there is a result that counts."""
        name = self._name(kind, key)
        return name is not None and not self._settings.fresh and results_store(self.storage).exists(name)

    def _work(self, kind: Kind[R], name: str | None, work: Callable[[], R], made: list[R]) -> Any:
        """What the cached task does: the work, and whether its result is fit to be kept."""
        record = work()
        made.append(record)
        document = kind.document(record, self._run_id)
        if document is None and name is not None:
            transaction = get_transaction()
            if transaction is not None:
                transaction.write_on_commit = False
            self.storage.remove(name)  # an older one that was fit says less than this one
        return document

    def _task_run(self, stage: str, key: str | None, work: Work) -> Any:
        # A tag would have the server asked for a slot of it before every stage, which a busy one answers with 503.
        # Prefect looks for futures in all that a task is given, file by file of a snapshot, but not into functions.
        with TagsContext(current_tags=set()):
            return for_settings(self._stages[stage], self._settings)(self._ticket_id, key, work)

    @staticmethod
    def _name(kind: Kind[R], key: str | None) -> str | None:
        return None if key is None else f"{kind.name}{SEPARATOR}{key}"
