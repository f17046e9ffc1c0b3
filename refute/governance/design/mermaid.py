"""A small reader of Mermaid's node and edge lines: flowcharts, state and sequence diagrams."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

SHAPE: Final = re.compile(r"(?<=\w)(?:\[[^\]]*\]+|\(+[^)]*\)+\]?|\{+[^}]*\}+|>[^\]]*\])")
"""A node's text in its brackets."""
NODE: Final = re.compile(r"\s*(\[\*\]|\w+(?:[.-]\w+)*)(?::::\w+)?\s*")
LINK: Final = re.compile(
    r"\s*[<xo]?(?:--+[>xo]|---+|==+[>xo]|===+|-\.+-[>xo]?|~~~)(?:\s*\|[^|]*\|)?"
    r"|\s*[<xo]?(?:--\s*[^->|\s].*?--+[>xo]?|==\s*[^=>|\s].*?==+[>xo]?|-\.\s*[^->|\s].*?\.+-[>xo]?)"
)
"""An edge: bare or with `|text|`, or with its text inside."""
SILENT: Final = re.compile(
    r"(?:subgraph|end|direction|classDef|class|style|linkStyle|click|accTitle|accDescr|title|note|Note|activate"
    r"|deactivate|loop|alt|else|opt|par|and|critical|break|rect|autonumber|box|state\b.*\{|\})(?:\W|$)|^\}$|^--$"
)
"""How lines begin that draw no node and no edge."""
MESSAGE: Final = re.compile(r"(?P<a>\w[\w .]*?)\s*(?:<<)?--?(?:>>?|x|\))\s*[+-]?(?P<b>\w[\w .]*?)\s*:.*")
PARTICIPANT: Final = re.compile(r"(?:create )?(?:participant|actor)\s+(?P<name>\w[\w .]*?)(?:\s+as\s+.*)?")
MAX_LINE_CHARS: Final = 2_000
"""Of a longer line the patterns could take seconds."""
FLOWS: Final = ("graph", "flowchart", "stateDiagram", "stateDiagram-v2")


@dataclass(slots=True)
class Diagram:
    """What a block draws."""

    kind: str = ""
    """Its first word; one that is not read has no nodes."""
    nodes: dict[str, int] = field(default_factory=dict)
    """Name → line of the block, 1-based."""
    joined: set[str] = field(default_factory=set)
    """Nodes with an edge."""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Lines that cannot be read."""

    @property
    def is_read(self) -> bool:
        """Whether this reader knows the kind."""
        return self.kind in {*FLOWS, "sequenceDiagram"}

    @property
    def lonely(self) -> Iterator[tuple[int, str]]:
        """Nodes that touch none."""
        return ((line, name) for name, line in self.nodes.items() if name not in self.joined)


def read_diagram(text: str) -> Diagram:
    """Read a block; a line that is neither node, edge nor known word is a fault."""
    diagram = Diagram()
    for number, whole in enumerate(text.splitlines(), start=1):
        line = whole.split("%%")[0].strip().rstrip(";")
        if not line:
            continue
        if not diagram.kind:
            diagram.kind = line.split()[0]
        elif not diagram.is_read:
            break
        elif len(line) > MAX_LINE_CHARS or not (_is_silent(line) or _take(diagram, number, line)):
            diagram.faults.append((number, whole.strip()))
    return diagram


def _is_silent(line: str) -> bool:
    """Whether a line draws nothing; a node may be called like a known word."""
    name = NODE.match(line)
    return SILENT.match(line) is not None and (name is None or LINK.match(line, name.end(1)) is None)


def _take(diagram: Diagram, number: int, line: str) -> bool:
    if diagram.kind != "sequenceDiagram":
        plain = SHAPE.sub("", re.sub(r'"[^"]*"', "", line))
        if diagram.kind.startswith("state"):
            plain = re.sub(r"(?<!:):(?!:).*", "", plain)
        return all(_take_chain(diagram, number, part) for part in plain.split(";") if part.strip())
    if found := PARTICIPANT.fullmatch(line):
        diagram.nodes.setdefault(found["name"], number)
    elif found := MESSAGE.fullmatch(line):
        for name in (found["a"], found["b"]):
            diagram.nodes.setdefault(name, number)
            diagram.joined.add(name)
    return found is not None


def _take_chain(diagram: Diagram, number: int, line: str) -> bool:
    """`A[text] & B --> C -- text --> D`, a node alone, or `state : text`."""
    before: list[str] = []
    for part in LINK.split(line):
        found = [NODE.fullmatch(one) for one in part.split("&")]
        group = [one[1] for one in found if one]
        if len(group) < len(found):
            return False
        for name in group:
            diagram.nodes.setdefault(name, number)
        diagram.joined.update([*before, *group] if before else ())
        before = group
    return True
