"""Runs in the sandbox only: what the tests and the published examples of a data set say of each version.

    python unseen_labels.py    # reads programs.json beside it, prints one JSON object

programs.json: [{"id", "entry_point", "test", "doc", "versions": [source, ...]}]. Printed: id → a list, per version
{"passes": true, false or null (took too long), "examples": how many hold, "of": how many there are}.
"""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

LIMIT_S = 5
EXAMPLE = r"^\W*({name}\(.*\))\s*(?:==|=>|->|➞|➔|returns?|should return|#\s*=>|=|\n)\s*(.+?)\s*$"
RUN = """
import json, sys
source, test, name, examples = json.load(sys.stdin)
space = {}
exec(source, space)
held = 0
for call, value in examples:
    try:
        held += eval(call, space) == eval(value, {})
    except Exception:
        pass
print(held, flush=True)
exec(test, space)
space["check"](space[name])
"""


def examples(doc: str, name: str) -> list[tuple[str, str]]:
    """Calls with the value that the text gives them, where that is written as Python."""
    found = re.findall(EXAMPLE.format(name=re.escape(name)), doc, flags=re.MULTILINE)
    told = []
    for call, value in found:
        try:
            compile(call, "call", "eval")
            compile(value, "value", "eval")
        except (SyntaxError, ValueError):
            continue
        told.append((call, value))
    return told


def label(program: dict[str, Any], source: str) -> dict[str, Any]:
    """What one version does."""
    known = examples(program["doc"], program["entry_point"])
    given = json.dumps([source, program["test"], program["entry_point"], known])
    try:
        command = [sys.executable, "-c", RUN]
        done = subprocess.run(  # noqa: S603  # in the sandbox
            command, input=given, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return {"passes": None, "examples": 0, "of": len(known)}
    held = done.stdout.split("\n", 1)[0].strip()
    return {"passes": done.returncode == 0, "examples": int(held) if held.isdigit() else 0, "of": len(known)}


def main() -> None:
    """Label them all, two at a time."""
    programs = json.loads(Path(__file__).with_name("programs.json").read_text())
    with ThreadPoolExecutor(2) as pool:
        labels = {
            one["id"]: list(pool.map(lambda source, one=one: label(one, source), one["versions"])) for one in programs
        }
    print(json.dumps(labels))


if __name__ == "__main__":
    main()
