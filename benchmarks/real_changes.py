"""Real changes of PyPI packages against the built-in tester: what it shows of each, and what it refutes.

    python benchmarks/real_changes.py [PACKAGE …] > benchmarks/results/real_changes.md

Each change of `real_changes.toml` becomes three tickets with the release before as `base`: the new release with claims
in prose, the same with the fields that `refute ticket lint` suggests, and the old release with these. The first two
must not fail; what behaves otherwise has to be shown with an input; the third should be refuted. Needs pip and Docker.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

CHANGES = Path(__file__).with_suffix(".toml")
REFUTE = Path(sys.executable).with_name("refute")
FIELDS = ("examples", "property", "raises", "same_as", "unchanged", "run")


def main(wanted: list[str]) -> None:
    """Print the table."""
    changes = [
        one for one in tomllib.loads(CHANGES.read_text("utf-8"))["change"] if one["package"] in wanted or not wanted
    ]
    print("| change | new, prose | new, fields | behaviour shown | old, fields |\n|---|---|---|---|---|")
    shown = refuted = false_fail = 0
    with tempfile.TemporaryDirectory() as folder:
        for one in changes:
            prose, fields, old = _verdicts(one, Path(folder))
            seen = _difference(fields) or _difference(prose)
            shown, refuted = shown + bool(seen), refuted + old["status"].startswith("FAILED")
            false_fail += any(new["status"].startswith("FAILED") for new in (prose, fields))
            name = f"{one['package']} {one['before']} → {one['after']}"
            cells = (name, prose["status"], fields["status"], f"`{seen}`" if seen else "-", old["status"])
            print("|", " | ".join(cell.replace("|", "\\|") for cell in cells), "|", flush=True)
    print(f"\n{len(changes)} changes: shown {shown}, old version refuted {refuted}, right version failed {false_fail}.")


def _verdicts(change: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    before, after = (_release(change["package"], change[name], folder) for name in ("before", "after"))
    prose = [{"text": claim["text"]} for claim in change["claims"]]
    made = ((after, prose), (after, change["claims"]), (before, change["claims"]))
    return [_verdict(change, code, before, claims, folder / f"ticket{at}") for at, (code, claims) in enumerate(made)]


def _release(package: str, version: str, folder: Path) -> Path:
    target = folder / f"{package}-{version}"
    if not target.is_dir():
        wheels = folder / f"wheels-{package}-{version}"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "-d", str(wheels), f"{package}=={version}"], check=True)  # noqa: S603  # our own table
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            wheel.extractall(target)
    return target


def _verdict(change: dict[str, Any], code: Path, base: Path, claims: list[Any], workspace: Path) -> dict[str, Any]:
    shutil.rmtree(workspace, ignore_errors=True)
    shutil.copytree(code, workspace)
    shutil.copytree(base, workspace / "before_the_change")
    modules = [file.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for file in change["files"]]
    (workspace / "verify.sh").write_text("".join(f"python -c 'import {name}'\n" for name in modules))
    ticket = {
        "id": f"{change['package']}-{change['after']}", "title": f"Changes of {change['package']} {change['after']}",
        "implementation_files": change["files"], "verification_script": "verify.sh", "claims": claims,
        "base": "before_the_change",
    }  # fmt: skip
    (workspace / "ticket.yaml").write_text(json.dumps(ticket))
    command = [str(REFUTE), "verify", str(workspace), "--yes", "--tester", "property", "--format", "json"]
    environment = {**os.environ, "XDG_STATE_HOME": str(workspace.parent), "REFUTE_STATE_DIR": str(workspace.parent)}
    done = subprocess.run(  # noqa: S603  # refute itself
        command, check=False, capture_output=True, text=True, env=environment
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{change['package']}: {done.stdout[-2000:]}{done.stderr[-2000:]}") from None
    (Path(tempfile.gettempdir()) / f"real_changes-{ticket['id']}-{workspace.name}.json").write_text(done.stdout)
    print(ticket["id"], workspace.name, found["status"], found["reason"], file=sys.stderr)
    return found


def _difference(outcome: dict[str, Any]) -> str:
    """The first changed behaviour that the outcome tells."""
    found = (re.search(r"behaviour changed[^:]*: (.*)", line) for line in outcome["caveats"])
    return next((hit[1][:110] for hit in found if hit), "")


if __name__ == "__main__":
    main(sys.argv[1:])
