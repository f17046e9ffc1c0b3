"""Design documents: a good one passes, and each breach is found at its line."""

import json
from pathlib import Path

import pytest

from refute.errors import TicketNotFound, UsageError
from refute.governance.design.check import check_design, render_json, render_text
from refute.governance.design.mermaid import read_diagram
from refute.governance.design.rules import RULES

ROOT = Path(__file__).resolve().parents[4]
REPO = ROOT / "examples" / "tickets" / "rate-limiter"
GOOD = (ROOT / "examples" / "designs" / "sliding-window.md").read_text()
BLOCKED = ROOT / "examples" / "designs" / "sliding-window-blocked.md"

BREACHES = [
    ("sections", "## 7. Definition of Done", "## 7. Later", "## 7. Later", "no section Definition of Done"),
    ("change", "`replay.py` | Add", "`replay.py` | Rename", "`replay.py`", "got the change 'rename'"),
    ("changed-file-exists", "`ratelimit.py` | Mod", "`ratelimits.py` | Mod", "`ratelimits.py`", "no such file"),
    ("changed-file-exists", "`ratelimit.py` | Mod", "`../orders-csv/orders.py` | Delet", "orders.py", "to Delete"),
    ("changed-file-exists", "`ratelimit.py` | Mod", "`throttle` | Mod", "`throttle`", "throttle: to Modify"),
    ("added-file-has-parent", "`replay.py` | Add", "`tools/replay.py` | Add", "tools/", "no directory tools/"),
    ("placeholder-prefix", "`replay.py` | Add", "`src/replay.py` | Add", "src/", "no directory src/"),
    ("done-file-is-changed", "and `replay.py` are", "and `log.py` are", "`log.py`", "not in Files Changed"),
    ("inventory-is-done", "and `replay.py` are", "are", "`replay.py` | Add", "not in the Definition of Done"),
    ("requirement-is-tested", "2. One window", "2. Quick.\n3. One window", "3. One", "requirement 3"),
    ("requirement-is-tested", "| REQ-2 |", "| |", "2. One window", "requirement 2"),
    ("test-has-scenario", "| T030 |", "| T035 |", "T035", "test T035 matches no scenario"),
    ("test-has-scenario", "| T030 |", "| T035 |", "| 030 |", "scenario 30 has no test"),
    ("test-has-scenario", "| T030 |", "| T020 |", "T020 | `test_keys", "scenario 20 has 2 tests"),
    ("test-has-scenario", "| T030 |", "| |", "| | `test_keys", "matches no scenario"),
    ("test-is-red", "keep_red", "keep_red", "", ""),
    ("open-question", "- [x] Does a refused call count? Resolved: no.", "- Per user?", "- Per user?", "Per user?"),
    ("open-question", "- [x] Does", "- [ ] Does", "- [ ] Does", "Does a refused call"),
    ("diagram", "decision -.-> done", "decision ->>> done !", "decision ->>>", "does not parse here"),
    ("diagram", "decision -.-> done", "alone[By itself]", "alone[", "node alone touches none"),
]
WARNINGS = [
    ("red-column", "| Status |\n|---|---|---|\n| T010", "| Owner |\n|---|---|---|\n| T010", "| T010", "does not say"),
    ("pending-without-review", "| 2026-11-20 | A. Reviewer | approved |\n\n**Final status:** APPROVED",
     "\n**Final status:** PENDING", "**Final", "the review log is empty"),
    ("mitigation-has-function", "`allow` drops", "the code drops", "| calls kept", "names no function"),
    ("diagram-not-checked", "flowchart LR", "gantt", "```mermaid", "the kind gantt"),
    ("inspection-is-shown", "A fixed window", "Diagram auto-inspected. A fixed window", "Diagram auto", "no rendered"),
]  # fmt: skip


def check(tmp_path: Path, text: str):
    file = tmp_path / "design.md"
    file.write_text(text)
    return check_design(file, REPO)


def found(result, rule):
    return [(one.line, one.message) for one in result.breaches if one.rule == rule]


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


@pytest.mark.parametrize(("rule", "old", "new", "at", "words"), [one for one in BREACHES if one[1] != "keep_red"])
def test_a_breach_blocks_at_its_line(tmp_path, rule, old, new, at, words):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    result = check(tmp_path, text)
    line = 1 if rule == "sections" else line_of(text, at)
    assert any(where == line and words in message for where, message in found(result, rule)), result.breaches
    assert result.status == "BLOCKED"


def test_a_test_that_is_not_red_blocks(tmp_path):
    text = GOOD.replace("`test_keys_do_not_share` | RED", "`test_keys_do_not_share` | GREEN")
    assert found(check(tmp_path, text), "test-is-red") == [
        (line_of(text, "T030"), "a test is marked 'GREEN', expected red before its code is written")
    ]


@pytest.mark.parametrize(("rule", "old", "new", "at", "words"), WARNINGS)
def test_a_warning_does_not_block(tmp_path, rule, old, new, at, words):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    result = check(tmp_path, text)
    ((line, message),) = found(result, rule)
    assert (line, result.status) == (line_of(text, at), "PASS"), result.breaches
    assert words in message


def test_every_rule_has_a_document_that_breaks_it():
    assert {name for rules in RULES.values() for name in rules} == {one[0] for one in (*BREACHES, *WARNINGS)}


def test_a_document_whose_test_matches_no_scenario_is_blocked():
    result = check_design(BLOCKED, REPO)
    assert [(one.rule, one.message) for one in result.breaches] == [
        ("test-has-scenario", "scenario 30 has no test"),
        ("test-has-scenario", "test T035 matches no scenario"),
    ]
    assert render_text(result).splitlines()[-1] == "BLOCKED: 2 blocking, 0 warnings"
    assert json.loads(render_json(result))["breaches"][1]["line"] == line_of(BLOCKED.read_text(), "T035")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`ratelimit.py` and", "`./ratelimit.py` and"),
        ("`ratelimit.py` | Modify", "ratelimit.py | modified"),
        ("| Change |", "| Change Type |"),
        ("| `replay.py` | Add |", "| `tools/` | Add (directory) |\n| `tools/replay.py` | Add |"),
        ("A fixed window", "Diagram auto-inspected: ![it](diagram.png)\n\nA fixed window"),
        ("- [x] Does a refused call count? Resolved: no.", "None."),
        ("Resolved: no.", "~~open~~"),
        ("| T010 |", "| TS-10 |"),
        ("1. At most", "- **REQ-1**: at most"),
    ],
)
def test_other_ways_to_write_the_same_pass(tmp_path, old, new):
    assert old in GOOD
    result = check(tmp_path, GOOD.replace(old, new, 1))
    assert result.status == "PASS", result.breaches


def test_what_cannot_be_read_is_told(tmp_path):
    with pytest.raises(TicketNotFound):
        check_design(tmp_path / "none.md", REPO)
    with pytest.raises(UsageError, match="not a directory"):
        check_design(BLOCKED, tmp_path / "none")
    (tmp_path / "latin.md").write_bytes(b"# \xe9")
    with pytest.raises(UsageError, match="UTF-8"):
        check_design(tmp_path / "latin.md", REPO)


SOUND = [
    "graph TD\nA-->B\nB---C;C-.->D\nD==>E\n",
    'flowchart LR\n  a["text; with --> arrow"] --> b(round) --> c{what?}\n  c -- yes --> d((x)) & e([y])\n',
    "flowchart\nA -->|label| B[[sub]]:::big\nsubgraph one [Title]\nA --- C\nend\nclassDef big fill:#f00\nclass A big\n",
    "graph TD\nA & B --> C & D\nnote --> A\n%% a comment\nstyle A fill:#fff\nclick A callback\n",
    "graph TD\nA -. text .-> B\nB == text ==> C\nC <--> D\nD --x E\nE ~~~ F\nmy-node.one --> A\n",
    "stateDiagram-v2\n[*] --> Waiting\nWaiting --> Running : start\nRunning --> [*]\nRunning : works\n",
    "sequenceDiagram\nparticipant A as Anna\nactor B\nA->>B: hello\nB-->>A: hi\nNote over A,B: all\nloop daily\nend\n",
]


@pytest.mark.parametrize("text", SOUND)
def test_a_sound_diagram_has_no_fault_and_no_lonely_node(text):
    diagram = read_diagram(text)
    assert (diagram.faults, list(diagram.lonely)) == ([], [])
    assert diagram.joined


@pytest.mark.parametrize(
    "line", ["A --> ", "A -> B", "A[open --> B", "--> B", "A B", "A --> B C", "A --> B)", "A --> B : text", "?!"]
)
def test_a_line_that_is_neither_node_nor_edge_is_a_fault(line):
    assert read_diagram(f"graph TD\nX --> Y\n{line}\n").faults == [(3, line.strip())]
