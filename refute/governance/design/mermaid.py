"""A small reader of Mermaid's node and edge lines: flowcharts, state and sequence diagrams."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

SHAPES: Final[Mapping[str, str]] = {
    "([": "])", "[[": "]]", "[(": ")]", "((": "))", "{{": "}}", "[/": "]", "[\\": "]", "[": "]", "(": ")", "{": "}",
    ">": "]",
}  # fmt: skip
"""What opens a node's text → what closes it; longer ones first."""
NAME: Final = re.compile(r"\s*(\[\*\]|\w+(?:[.-]\w+)*)")
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
        elif not _is_silent(line) and not _take(diagram, number, line):
            diagram.faults.append((number, whole.strip()))
    return diagram


def _is_silent(line: str) -> bool:
    """Whether a line draws nothing; a node may be called like a known word."""
    name = NAME.match(line)
    return SILENT.match(line) is not None and (name is None or LINK.match(line, name.end()) is None)


def _take(diagram: Diagram, number: int, line: str) -> bool:
    if diagram.kind != "sequenceDiagram":
        return all(_take_chain(diagram, number, part) for part in _statements(line))
    if found := PARTICIPANT.fullmatch(line):
        diagram.nodes.setdefault(found["name"], number)
    elif found := MESSAGE.fullmatch(line):
        for name in (found["a"], found["b"]):
            diagram.nodes.setdefault(name, number)
            diagram.joined.add(name)
    return found is not None


def _statements(line: str) -> list[str]:
    return [line] if '"' in line else [part for part in line.split(";") if part.strip()]


def _take_chain(diagram: Diagram, number: int, line: str) -> bool:
    """`A[text] & B --> C -- text --> D`, a node alone, or `state : text`."""
    at, linked = 0, False
    group: list[str] = []
    while found := NAME.match(line, at):
        diagram.nodes.setdefault(found[1], number)
        group.append(found[1])
        at = _behind_shape(line, found.end())
        more = re.compile(r"\s*&").match(line, at)
        if linked or more is None:
            diagram.joined.update(group if linked else ())
        if more is not None:
            at = more.end()
            continue
        link = LINK.match(line, at)
        if link is None:
            rest = line[at:].strip()
            return not rest or (rest.startswith(":") and diagram.kind.startswith("state"))
        diagram.joined.update(group)
        group, linked, at = [], True, link.end()
    return False


def _behind_shape(line: str, at: int) -> int:
    """Where a node's text and class end; the same place where it has none, or none that closes."""
    opener = next((one for one in SHAPES if line.startswith(one, at)), None)
    if opener is not None:
        inside = at + len(opener)
        quoted = re.compile(r'\s*"[^"]*"').match(line, inside)
        end = line.find(SHAPES[opener], quoted.end() if quoted else inside)
        if end < 0:
            return at
        at = end + len(SHAPES[opener])
    styled = re.compile(r":::\w+").match(line, at)
    return styled.end() if styled else at
