"""Whether critics fail right code: two scripted critics on every pair of a data set, each counterexample really run.

    python -m benchmarks.critics ../shared/bench/quixbugs.jsonl [limit]

The honest critic gives assertions of the hidden tests as counterexamples, to both versions alike; the wrong one gives
the same with another expectation. Voters know the hidden tests' values. No code of the data set runs on the host.
"""

import ast
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from refute.bench.dataset import Pair, Program, read_dataset, write_tickets
from refute.critics.focus import Focus
from refute.llm.model import Completion, Ending, Model, Prompt, Reply, Usage
from refute.outcome import Status
from refute.ports import Ports
from refute.settings import Settings
from refute.stages.admission import take_snapshot
from refute.stages.critics import criticise
from refute.ticket.parse import load_ticket

ASSERTIONS = 5
"""Counterexamples of one critic."""
Expected = Mapping[str, str]
"""Call, as `ast.unparse` writes it → the value that it must have, likewise."""


def main(data: Path, limit: int | None) -> None:
    """Measure and print."""
    pairs = read_dataset(data, limit=limit)
    ends: Counter[tuple[str, str, str]] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        write_tickets(pairs, Path(folder, "tickets"))
        for pair in pairs:
            for critic, change in (("honest", _same), ("wrong", _other)):
                for version, ticket_id in (("right", pair.right), ("wrong", pair.wrong)):
                    if critic == "wrong" and version == "wrong":
                        continue
                    status = _status(Path(folder), ticket_id, _Played(pair, change))
                    ends[critic, version, status] += 1
                    if status == Status.FAILED_REVIEW and version == "right":
                        print(f"FALSE: {pair.program.id}, {critic} critic", flush=True)
    print("| critic | version | end | programs |\n|---|---|---|---|")
    for (critic, version, status), count in sorted(ends.items()):
        print(f"| {critic} | {version} | {status} | {count} |")
    print(f"\n{len(pairs)} pairs, {time.monotonic() - began:.0f} s")


class _Ports(Ports):
    """The effects of one review, with a model that is played."""

    def __init__(self, settings: Settings, model: Model) -> None:
        super().__init__(settings, "bench-critics")
        self._played = model

    def model(self, ticket_id: str) -> Model:
        """The played one, whoever pays."""
        del ticket_id
        return self._played


def _status(folder: Path, ticket_id: str, model: Model) -> str:
    settings = Settings.load(
        state_dir=folder / "state", audit_path=folder / "audit.jsonl", tester="gemini", results_max_age_s=0
    )
    ports = _Ports(settings, model)
    ticket = load_ticket(folder / "tickets" / ticket_id)
    critique = criticise(ports, ticket, take_snapshot(ports, ticket), [Focus.CORRECTNESS], remediation=False)
    return critique.judgement.status or "goes on"


class _Played:
    """A critic with these expectations, and voters who know the right ones."""

    def __init__(self, pair: Pair, change: Callable[[str], str]) -> None:
        self._program = pair.program
        self._expected = _expectations(pair.program)
        self._change = change

    def generate(self, prompt: Prompt) -> Completion:
        """An answer, free of charge."""
        said = self._votes(prompt.text) if prompt.name.startswith("vote") else self._review()
        reply = Reply(ending=Ending.COMPLETE, text=json.dumps(said), detail="STOP", usage=Usage(), model="played")
        return Completion(reply=reply, cost_usd=Decimal(0), latency_s=0)

    def _review(self) -> dict[str, Any]:
        name, words = self._program.entry_point, self._program.claims[0]
        quote = max((line.strip() for line in words.splitlines()), key=len)
        failures = [
            {
                "severity": "major",
                "description": f"{call} is not {self._change(value)}",
                "evidence": f"{name}.py:1",
                "counterexample": {
                    "promise": "C1",
                    "quote": quote,
                    "code": f"def test_{number}():\n    from {name} import {name}\n"
                    f"    assert {call} == {self._change(value)}\n",
                },
            }
            for number, (call, value) in enumerate(list(self._expected.items())[:ASSERTIONS])
        ]
        return {"verdict": "fail" if failures else "pass", "failures": failures}

    def _votes(self, text: str) -> dict[str, Any]:
        _, *parts = re.split(r"^## Situation (\d+), .*$", text, flags=re.MULTILINE)
        told = []
        for number, code in zip(parts[::2], parts[1::2], strict=True):
            squeezed = "".join(code.split())
            known = [value for call, value in self._expected.items() if "".join(call.split()) in squeezed]
            answer = {"demand": "returns", "value": known[0]} if known else {"demand": "open"}
            told.append({"situation": int(number), **answer})
        return {"answers": told}


def _expectations(program: Program) -> Expected:
    """What the hidden assertions of the form `call == literal` say."""
    found = {}
    for node in ast.parse(program.hidden_test).body:
        match node:
            case ast.Assert(test=ast.Compare(left=ast.Call() as call, ops=[ast.Eq()], comparators=[value])):
                found[ast.unparse(_plain(call))] = ast.unparse(value)
    return found


def _plain(call: ast.Call) -> ast.Call:
    """`f(*[1, 2])` as `f(1, 2)`."""
    match call.args:
        case [ast.Starred(value=ast.List(elts=elements))]:
            return ast.Call(func=call.func, args=elements, keywords=[])
    return call


def _same(value: str) -> str:
    return value


def _other(value: str) -> str:
    """Another value of the same kind."""
    match ast.literal_eval(value):
        case bool(truth):
            return repr(not truth)
        case int(number) | float(number):
            return repr(number + 1)
        case str(text):
            return repr(f"{text}x")
        case list(items):
            return repr([*items, 1])
    return "'nothing of the kind'"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else None)
