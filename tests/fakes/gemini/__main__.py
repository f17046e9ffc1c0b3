"""`python -m tests.fakes.gemini --answers DIR`: a local Gemini whose answers somebody else writes."""

import argparse
import sys
import threading
from pathlib import Path

from tests.fakes.gemini.by_hand import answers_from
from tests.fakes.gemini.server import GeminiServer


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.gemini", description=__doc__)
    parser.add_argument("--answers", type=Path, required=True, help="prompts are written here, answers awaited here")
    parser.add_argument("--port", type=int, default=0, help="by default a free one")
    options = parser.parse_args()
    with GeminiServer(answers_from(options.answers), port=options.port) as server:
        credentials = server.write_credentials(options.answers)
        settings = server.write_settings(options.answers, timeout_s=600)
        sys.stdout.write(
            f"Gemini answers at {server.url}. Prompts go to {options.answers}/NNNN.prompt.md;\n"
            "write each answer to NNNN.answer.json beside it. In another terminal:\n"
            f"  cp {settings} . && export GOOGLE_APPLICATION_CREDENTIALS={credentials}\n"
            "  refute verify --tester gemini TICKET\n"
        )
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
