"""A person, or another model, plays the tester: each prompt becomes a file, and its answer is awaited as one."""

import itertools
import json
import sys
import threading
import time
from pathlib import Path

from tests.fakes.gemini.server import Respond
from tests.fakes.gemini.wire import Answer, Asked

POLL_S = 0.2


def answers_from(folder: Path, *, timeout_s: float = 3600) -> Respond:
    """Writes `0001.prompt.md` and waits for `0001.answer.json` (the answer's JSON, or any text).

    Args:
        folder: made where it is missing.
        timeout_s: after this long the request fails with 504.
    """
    folder.mkdir(parents=True, exist_ok=True)
    numbers = itertools.count(1)
    lock = threading.Lock()

    def respond(asked: Asked) -> Answer:
        with lock:
            number = next(number for number in numbers if not (folder / f"{number:04}.prompt.md").exists())
            prompt = folder / f"{number:04}.prompt.md"
            _write(prompt, asked)
        answer = folder / f"{number:04}.answer.json"
        sys.stderr.write(f"waiting for {answer}\n")
        deadline = time.monotonic() + timeout_s
        while not answer.exists():
            if time.monotonic() > deadline:
                return Answer(status=504, text=f"nobody wrote {answer.name}")
            time.sleep(POLL_S)
        return Answer(text=answer.read_text())

    return respond


def _write(path: Path, asked: Asked) -> None:
    schema = asked.body.get("generationConfig", {}).get("responseJsonSchema", {})
    partial = path.with_suffix(".partial")
    partial.write_text(
        f"# Model: {asked.model}\n\n# Instructions\n\n{asked.system}\n\n# Prompt\n\n{asked.text}\n\n"
        f"# Schema of the answer\n\n```json\n{json.dumps(schema, indent=2)}\n```\n"
    )
    partial.rename(path)
