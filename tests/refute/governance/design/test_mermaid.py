"""The small reader of diagrams: what it takes, what it refuses, which nodes touch none."""

import pytest

from refute.governance.design.mermaid import read_diagram

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


def test_a_node_without_an_edge_is_lonely():
    assert list(read_diagram("graph TD\nA --> B\nC[Alone]\n").lonely) == [(3, "C")]
    assert list(read_diagram("sequenceDiagram\nparticipant A\nB->>C: x\n").lonely) == [(2, "A")]


def test_words_on_an_edge_are_no_nodes():
    diagram = read_diagram("graph TD\nA -- at most, twice --> B\nB == or so ==> C\n")
    assert (set(diagram.nodes), diagram.faults) == ({"A", "B", "C"}, [])


def test_another_kind_is_named_and_not_read():
    diagram = read_diagram("gantt\ntitle Plan\nsection A\n")
    assert (diagram.kind, diagram.is_read, diagram.nodes) == ("gantt", False, {})
