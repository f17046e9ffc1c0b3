"""Answers kept from run to run: what was paid for is not paid again, and nobody but us can have written it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final
from urllib.parse import quote

from filelock import FileLock, Timeout
from pydantic import AwareDatetime, TypeAdapter

from refute.llm.model import Completion, Ending, Model, Prompt, Reply
from refute.llm.till import Waiting
from refute.signed_folder import SignedFolder, Unusable

FOLDER: Final = "answers"
"""In the state directory."""
LOOK_S: Final = 0.25
"""How often whoever waits for another run's answer looks whether it is there."""
LOOKS: Final = 3_600
"""So often, a quarter of an hour; after that it asks itself: the other one is stopped, or waits for money for long."""
CLOCKS_APART_S: Final = 300
"""As far as the clocks of machines that share a folder may differ; what was made later than that is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersPlace:
    """Where answers are kept, and what they depend on besides their prompt."""

    folder: SignedFolder
    model_of: Callable[[Prompt], str]
    """What would answer a prompt: nothing else's answers stand for its own."""
    run_id: str
    """Of the run that keeps them."""
    max_age_s: float = float("inf")
    """Older answers are asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """What one file holds, as JSON."""

    run_id: str
    """Of the run that asked."""
    made_at: AwareDatetime
    """UTC."""
    reply: Reply


_JSON: Final = TypeAdapter(KeptAnswer)


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
        self._folder = place.folder
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
        return self._folder.file(self._name(prompt))

    def _name(self, prompt: Prompt) -> str:
        model = quote(self._place.model_of(prompt), safe="")
        return f"answer-{prompt.name.replace('/', '-')}-{prompt.digest}-{model}"

    def _found(self, prompt: Prompt) -> Completion | None:
        name = self._name(prompt)
        try:
            content = self._folder.read(name)
            kept = self._usable(prompt, content) if content is not None else None
        except Unusable as error:
            self._waiting.tell(f"a kept answer was not used, {self.file(prompt)}: {error}")
            return None
        if kept is not None:
            self._folder.touch(name)
        return kept

    def _usable(self, prompt: Prompt, content: bytes) -> Completion | None:
        """What a file answers; None where it is too old."""
        try:
            kept = _JSON.validate_python(json.loads(content))
        except (ValueError, RecursionError) as error:  # pydantic's own are ValueErrors
            raise Unusable("malformed") from error
        age_s = (datetime.now(UTC) - kept.made_at).total_seconds()
        if age_s < -CLOCKS_APART_S:
            raise Unusable(f"made {-age_s:.0f} s from now, by its own account")
        if age_s > self._place.max_age_s:
            return None
        if kept.reply.ending is not Ending.COMPLETE or not prompt.usable(kept.reply.text):
            raise Unusable("its reader has no use for it")
        return _completion(prompt, kept.reply, max(0.0, age_s))

    def _asked(self, prompt: Prompt) -> Completion:
        completion = self._model.generate(prompt)
        reply = completion.reply
        if reply.ending is Ending.COMPLETE and prompt.usable(reply.text):
            kept = KeptAnswer(run_id=self._place.run_id, made_at=datetime.now(UTC), reply=reply)
            try:
                self._folder.write(self._name(prompt), json.dumps(_JSON.dump_python(kept, mode="json")).encode())
            except (OSError, ValueError) as error:
                self._waiting.tell(f"an answer could not be kept for later runs: {error}")
        return completion

    @contextmanager
    def _alone(self, prompt: Prompt) -> Iterator[None]:
        """While nobody else asks the same. The system takes the lock of a killed process away."""
        path = self.file(prompt)
        lock = FileLock(path.with_name(f".{path.name}.lock"))
        looks, held = 0, False
        while not held and looks < LOOKS:
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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


def _completion(prompt: Prompt, reply: Reply, kept_s: float) -> Completion:
    return Completion(
        reply=reply,
        cost_usd=Decimal(0),
        latency_s=0.0,
        requests=0,
        prompt_digest=prompt.digest,
        from_cache=True,
        kept_s=kept_s,
    )
