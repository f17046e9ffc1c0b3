"""A cache of stages' results in memory, by the rules that the orchestrator's has."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from refute.caching.kind import Kind
from refute.stages.execution import Directly, Ran

R = TypeVar("R")


class Remembering(Directly):
    """Keeps results as JSON text.

    Args:
        kept: `kind-key` → text; shared by runs that are to find each other's.
        fresh: look nothing up.
    """

    def __init__(self, kept: dict[str, str], *, run_id: str = "run", fresh: bool = False) -> None:
        self._kept = kept
        self._run_id = run_id
        self._fresh = fresh

    def cached(self, kind: Kind[R], key: str | None, work: Callable[[], R]) -> Ran[R]:
        if self.knows(kind, key):
            record, origin = kind.read(json.loads(self._kept[f"{kind.name}-{key}"]))
            return Ran(record=record, kept=origin)
        record = work()
        document: Any = kind.document(record, self._run_id)
        if key is not None:
            self._kept.pop(f"{kind.name}-{key}", None)
            if document is not None:
                self._kept[f"{kind.name}-{key}"] = json.dumps(document)
        return Ran(record=record)

    def knows(self, kind: Kind[R], key: str | None) -> bool:
        return not self._fresh and key is not None and f"{kind.name}-{key}" in self._kept
