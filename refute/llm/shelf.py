"""Answers kept as files, by exactly what was asked: the cache, recordings, and what `replay` answers from."""

import json
import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from refute.errors import ModelUnavailable
from refute.llm.model import Completion, Ending, Model, Prompt, Reply

_REPLY: Final = TypeAdapter(Reply)
VERSION: Final = 1


class Shelf:
    """A folder of answers.

    Args:
        folder: made when something is put into it.
        scope: what an answer depends on besides its prompt: the models' ids.
    """

    def __init__(self, folder: Path, *, scope: str = "") -> None:
        self._folder = folder
        self._scope = scope

    def path(self, prompt: Prompt) -> Path:
        """Where the answer to a prompt lies."""
        name = prompt.name.replace("/", "-")
        return self._folder / (f"{name}-{prompt.digest[:32]}" + (f"-{self._scope}" if self._scope else "") + ".json")

    def get(self, prompt: Prompt) -> Reply | None:
        """The answer, if a complete one is there; a damaged file counts as none."""
        try:
            data = json.loads(self.path(prompt).read_bytes())
            if data["version"] != VERSION or data["prompt_digest"] != prompt.digest:
                return None
            return _REPLY.validate_python(data["reply"])
        except (OSError, ValueError, KeyError, TypeError, ValidationError):
            return None

    def put(self, prompt: Prompt, reply: Reply) -> None:
        """Keep an answer, whole or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.path(prompt)
        kept = {
            "version": VERSION,
            "prompt": prompt.name,
            "prompt_digest": prompt.digest,
            "reply": _REPLY.dump_python(reply, mode="json"),
        }
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        partial.write_text(json.dumps(kept, indent=1))
        partial.replace(path)


class KeptAnswers:
    """Asks the shelf first, and keeps what the model answers: nothing that was paid for is paid again.

    Args:
        model: asked for what is not there.
        shelf: where answers are kept.
        fresh: do not look, only keep.
    """

    def __init__(self, model: Model, shelf: Shelf, *, fresh: bool = False) -> None:
        self._model = model
        self._shelf = shelf
        self._fresh = fresh

    def generate(self, prompt: Prompt) -> Completion:
        """The kept answer at no cost, or a new one; only complete answers are kept."""
        kept = None if self._fresh else self._shelf.get(prompt)
        if kept is not None:
            return _kept(prompt, kept)
        completion = self._model.generate(prompt)
        if completion.reply.ending is Ending.COMPLETE:
            self._shelf.put(prompt, completion.reply)
        return completion


class Replay:
    """Answers from the shelf alone; never calls anybody.

    Args:
        shelf: recorded answers.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def generate(self, prompt: Prompt) -> Completion:
        """The recorded answer.

        Raises:
            ModelUnavailable: none was recorded for this very prompt.
        """
        kept = self._shelf.get(prompt)
        if kept is None:
            raise ModelUnavailable(
                f"replay: no recorded answer at {self._shelf.path(prompt)}",
                hint="Ticket, code or prompt version differ from the recording. Record it anew with --record DIR.",
            )
        return _kept(prompt, kept)


def _kept(prompt: Prompt, reply: Reply) -> Completion:
    return Completion(
        reply=replace(reply),
        cost_usd=Decimal(0),
        latency_s=0.0,
        requests=0,
        prompt_digest=prompt.digest,
        from_cache=True,
    )
