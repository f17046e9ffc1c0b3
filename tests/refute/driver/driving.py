"""Runs the driver on this machine, in throwaway folders, on code that harms nobody."""

import compileall
import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from refute.adversary.attack import TestRun
from refute.adversary.judgement.provenance import Provenance

DRIVER: Final = Path(__file__).parents[3] / "refute" / "driver" / "run_suite.py"
FILE: Final = "test_adversarial_x.py"


def lay_out(folder: Path, files: Mapping[str, str], source: str) -> tuple[Path, Path]:
    """Write the implementation and the pytest file; returns the folders of both."""
    workspace, attack = folder / "workspace", folder / "attack"
    attack.mkdir(parents=True)
    for name, content in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (attack / FILE).write_text(source, encoding="utf-8")
    return workspace, attack


@functools.cache
def as_in_the_image() -> Path:
    """Compile the driver, so that a subject starts in half of the time; where to keep Hypothesis's tables (1.5 s)."""
    compileall.compile_dir(DRIVER.parent, quiet=1)
    tables = Path(tempfile.gettempdir()) / "refute-tests-tables"
    tables.mkdir(exist_ok=True)
    return tables


def run_driver(
    folder: Path, files: Mapping[str, str], source: str, names: Sequence[str], **plan: Any
) -> dict[str, Any]:
    """The driver's results for a suite, with `exit_code` and `stderr` of the driver."""
    workspace, attack = lay_out(folder, files, source)
    (folder / "scratch-tables").symlink_to(as_in_the_image())
    defaults = {
        "version": 1,
        "nonce": "of this run",
        "attack_dir": str(attack),
        "test_file": FILE,
        "results_file": "results.json",
        "workspace": str(workspace),
        "import_roots": ["."],
        "modules": ["impl"],
        "tests": list(names),
        "scratch_dir": str(folder / "scratch"),
        "repetitions": 0,
        "test_timeout_s": 20,
        "suite_timeout_s": 240,
        "memory_bytes": 1536 * 1024 * 1024,
        "recursion_limits": [1000],
    }
    (attack / "plan.json").write_text(json.dumps(defaults | plan))
    ended = subprocess.run(
        [sys.executable, "-I", str(DRIVER), str(attack / "plan.json")], capture_output=True, text=True, check=False
    )
    results = attack / "results.json"
    content = json.loads(results.read_text()) if results.exists() else {}
    provenance = Provenance(source, (defaults | plan)["modules"])
    variants = (one["reports"] for one in content.get("variants", []))
    for report in chain(content.get("first", []), *content.get("repetitions", []), *variants):
        report["attested"] = provenance.attests(TypeAdapter(TestRun).validate_json(json.dumps(report)))
    return content | {"exit_code": ended.returncode, "stderr": ended.stderr[-4000:]}
