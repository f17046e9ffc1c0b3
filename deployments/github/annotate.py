"""Annotations of a gate's failures on stderr, which GitHub reads as commands; the job's summary on stdout."""

import json
import re
import sys
from pathlib import Path


def escaped(text: str, *, is_property: bool = False) -> str:
    """Text that a workflow command cannot be broken out of."""
    for char in "%\r\n" + (":," if is_property else ""):
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def annotations(log: dict) -> list[str]:
    """A command for each result of a SARIF log."""
    made = []
    for one in log["runs"][0]["results"]:
        place = one["locations"][0]["physicalLocation"]
        file = escaped(place["artifactLocation"]["uri"], is_property=True)
        title = escaped(f"refute: {one['ruleId']}", is_property=True)
        line = place["region"]["startLine"]
        made.append(f"::{one['level']} file={file},line={line},title={title}::{escaped(one['message']['text'])}")
    return made


def fenced(text: str) -> str:
    """A block that the text cannot close."""
    fence = "`" * (3 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def main(folder: Path) -> None:
    """Read `gate.json` and `gate.sarif` of a folder; either may be missing where the gate did not come to a verdict."""
    document, log = folder / "gate.json", folder / "gate.sarif"
    if not document.is_file() or not document.stat().st_size:
        print("# refute: no verdict\n\nThe gate did not run to its end; its log says why.")
        return
    told = json.loads(document.read_text())
    print(f"# refute: {told['status']}\n\n{fenced(told['reason'])}")
    for claim in told["claims"]:
        print(f"\n{claim['claim_id']} {claim['verdict']}\n\n{fenced(claim['text'])}")
    for line in annotations(json.loads(log.read_text())):
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
