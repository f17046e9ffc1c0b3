"""Recordings: answers as plain files by exactly what was asked, for `replay` to answer from, without a model."""

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from refute.errors import ModelUnavailable
from refute.llm.model import Completion, Model, Prompt, Reply

_REPLY: Final = TypeAdapter(Reply)
VERSION: Final = 1


class Shelf:
    """A folder of recorded answers. Whoever plays one trusts the folder, as its files are not signed.

    Args:
        folder: made when something is put into it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, prompt: Prompt) -> Path:
        """Where the answer to a prompt lies."""
        return self._folder / f"{prompt.name.replace('/', '-')}-{prompt.digest[:32]}.json"

    def get(self, prompt: Prompt) -> Reply | None:
        """The answer, if one is there; a damaged file counts as none."""
        try:
            data = json.loads(self.path(prompt).read_bytes())
            if data["version"] != VERSION or data["prompt_digest"] != prompt.digest:
                return None
            return _REPLY.validate_python(data["reply"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError, ValidationError):
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


class Recording:
    """Asks the model, and writes down whatever it answers: a play goes as the run went, its bad answers included.

    Args:
        model: asked every time.
        shelf: where answers are written.
    """

    def __init__(self, model: Model, shelf: Shelf) -> None:
        self._model = model
        self._shelf = shelf

    def generate(self, prompt: Prompt) -> Completion:
        """The model's answer, as it is."""
        completion = self._model.generate(prompt)
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
        reply = self._shelf.get(prompt)
        if reply is None:
            raise ModelUnavailable(
                f"replay: no recorded answer at {self._shelf.path(prompt)}",
                hint="Ticket, code or prompt version differ from the recording. Record it anew with --record DIR.",
            )
        return Completion(
            reply=reply,
            cost_usd=Decimal(0),
            latency_s=0.0,
            requests=0,
            prompt_digest=prompt.digest,
            from_cache=True,
        )
