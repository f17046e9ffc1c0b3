"""`python -m tests.fakes.gemini.examples`: record anew the answers that are bundled in `examples/recordings`.

Needed where a prompt's version, a sample ticket or its code changes, as recordings are found by exactly what was asked.
The answers stay as they are: what an honest model writes to these claims, written by hand from claims, signatures and
docstrings. To change one, edit its recording first.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.fakes.gemini.server import GeminiServer, Respond, is_planting
from tests.fakes.gemini.voters import is_vote
from tests.fakes.gemini.wire import Answer, Asked

ROOT: Final = Path(__file__).parents[3]
RECORDINGS: Final = ROOT / "examples" / "recordings"
RIGHT, WRONG = "interval-merger", "interval-merger-in-place"


def recorded() -> Respond:
    """Answers as the recordings of now do, by the kind of a prompt and by the ticket that it is about."""
    replies = [(file.name, json.loads(file.read_text())["reply"]["text"]) for file in sorted(RECORDINGS.glob("*.json"))]

    def respond(asked: Asked) -> Answer:
        later = "code-aware" if "second round" in asked.text else "claims-first"
        kind = "vote" if is_vote(asked) else "violations" if is_planting(asked) else later
        found = [text for name, text in replies if name.startswith(kind)]
        is_right = "total_length" in asked.text
        return Answer(text=next((text for text in found if ("intervals" in text) == is_right), found[0]))

    return respond


def main() -> None:
    """Record the answers of both tickets, in place of what is there."""
    with tempfile.TemporaryDirectory() as folder, GeminiServer(recorded(), port=8787) as server:
        server.plant = server.respond
        for old in RECORDINGS.glob("*.json"):
            old.unlink()
        home = Path(folder)
        server.write_settings(home)
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "GOOGLE_APPLICATION_CREDENTIALS": str(server.write_credentials(home)),
            "REFUTE_STATE_DIR": str(home / "state"),
        }
        for ticket in (RIGHT, WRONG):
            command = [sys.executable, "-m", "flows.cli", "verify", str(ROOT / "examples" / "tickets" / ticket)]
            command += ["--yes", "--fresh", "--tester", "gemini", "--record", str(RECORDINGS)]
            subprocess.run(command, cwd=home, env=environment, check=False)  # its exit code is the verdict


if __name__ == "__main__":
    main()
