"""Answers kept from run to run: what was paid for is not paid again, and nobody but us can have written it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from refute.errors import LedgerUnavailable
from refute.file_store.entry import Entry, Unusable
from refute.file_store.folder import KeptFolder
from refute.llm.model import Completion, Ending, Model, Prompt, Reply
from refute.llm.till import Waiting

FOLDER: Final = "answers"
"""In the state directory."""
LOOK_S: Final = 0.25
"""How often whoever waits for another run's answer looks whether it is there."""
LOOKS: Final = 3_600
"""So often, a quarter of an hour; after that it asks itself: the other one is stopped, or waits for money for long."""
RECENT: Final = timedelta(days=1)
"""An answer that was made or used since then may belong to a run that goes on."""
_REPLY: Final = TypeAdapter(Reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersPlace:
    """Where answers are kept, and what they hang on besides their prompt."""

    path: Path
    secret: bytes | None
    """That every file is signed with; None: files count that only this user can have written."""
    model_of: Callable[[Prompt], str]
    """What would answer a prompt: nothing else's answers stand for its own."""
    run_id: str
    """Of the run that keeps them."""
    max_age_s: float = float("inf")
    max_bytes: int = sys.maxsize
    """Of all answers; beyond it the ones go whose last use is longest ago."""
    needed_since: Callable[[], datetime | None] = lambda: None
    """When the oldest run began that may ask for its answers once more; None: no such run."""


class KeptAnswers:
    """Looks among kept answers first, and keeps what the model answers.

    Two runs that ask the same at once ask once: the second waits for the first one's answer. Whatever goes wrong with
    keeping is told, and the model asked.

    Args:
        model: asked for what is not there.
        place: where answers are kept.
        fresh: do not look, only keep.
        waiting: ends a wait for another run, and tells a person what was not used.
    """

    def __init__(
        self, model: Model, place: AnswersPlace, *, fresh: bool = False, waiting: Waiting | None = None
    ) -> None:
        self._model = model
        self._place = place
        self._folder = KeptFolder(place.path, secret=place.secret, max_age_s=place.max_age_s, max_bytes=place.max_bytes)
        self._swept = False
        self._fresh = fresh
        self._waiting = waiting or Waiting()

    def generate(self, prompt: Prompt) -> Completion:
        """The kept answer at no cost, or a new one; only a complete answer that its reader can use is kept."""
        if self._fresh:
            return self._asked(prompt)
        kept = self._found(prompt)
        if kept is not None:
            return kept
        with self._alone(prompt):
            return self._found(prompt) or self._asked(prompt)

    def file(self, prompt: Prompt) -> Path:
        """Where the answer to a prompt is kept."""
        return self._folder.file(*self._names(prompt))

    def _names(self, prompt: Prompt) -> tuple[str, str]:
        return f"answer-{prompt.name.replace('/', '-')}", f"{prompt.digest}-{self._place.model_of(prompt)}"

    def _found(self, prompt: Prompt) -> Completion | None:
        try:
            entry = self._folder.get(*self._names(prompt))
            if entry is None:
                return None
            kept = _kept(prompt, entry)
        except Unusable as error:
            self._waiting.tell(f"a kept answer was not used, {self.file(prompt)}: {error}")
            return None
        self._folder.touch(*self._names(prompt))
        return kept

    def _asked(self, prompt: Prompt) -> Completion:
        completion = self._model.generate(prompt)
        reply = completion.reply
        if reply.ending is Ending.COMPLETE and prompt.usable(reply.text):
            kind, key = self._names(prompt)
            record = _REPLY.dump_python(reply, mode="json")
            try:
                self._folder.put(
                    Entry(kind=kind, key=key, run_id=self._place.run_id, made_at=datetime.now(UTC), record=record)
                )
            except (OSError, ValueError) as error:
                self._waiting.tell(f"an answer could not be kept for later runs: {error}")
            self._sweep_once()
        return completion

    def _sweep_once(self) -> None:
        """Once in a run, after it kept an answer. Nothing goes that an unfinished run may ask for."""
        if self._swept:
            return
        self._swept = True
        recent = datetime.now(UTC) - RECENT
        try:
            since = min(self._place.needed_since() or recent, recent)
        except LedgerUnavailable:  # nobody knows what is needed; the next run asks again
            return
        self._folder.sweep(needed_since=since.timestamp())

    @contextmanager
    def _alone(self, prompt: Prompt) -> Iterator[None]:
        """While nobody else asks the same. The system takes the lock of a killed process away."""
        path = self.file(prompt)
        lock = FileLock(path.with_name(f".{path.name}.lock"))
        looks, held = 0, False
        while not held and looks < LOOKS:
            try:
                self._place.path.mkdir(parents=True, exist_ok=True, mode=0o700)
                lock.acquire(blocking=False)
                held = True
            except Timeout:
                looks += 1
                if looks == 1:
                    self._waiting.tell(f"{prompt.name}: another run is asking the same; its answer is waited for")
                self._waiting.pause(LOOK_S)
            except OSError:  # asking twice is better than not at all; what cannot be kept is told after
                break
        try:
            yield
        finally:
            if held:
                Path(lock.lock_file).unlink(missing_ok=True)  # whoever has it open notices, and makes a new one
                lock.release()


def _kept(prompt: Prompt, entry: Entry) -> Completion:
    try:
        reply = _REPLY.validate_python(entry.record)
    except (ValidationError, RecursionError) as error:
        raise Unusable("its record is malformed") from error
    if reply.ending is not Ending.COMPLETE or not prompt.usable(reply.text):
        raise Unusable("its reader has no use for it")
    age_s = max(0.0, (datetime.now(UTC) - entry.made_at).total_seconds())
    return Completion(
        reply=reply,
        cost_usd=Decimal(0),
        latency_s=0.0,
        requests=0,
        prompt_digest=prompt.digest,
        from_cache=True,
        kept_s=age_s,
    )
