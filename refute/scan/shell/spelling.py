"""Small spellings that the parser stumbles over, written in another way that means the same, by pattern."""

import re
from typing import TYPE_CHECKING, Final

from refute.scan.shell.syntax import parse

if TYPE_CHECKING:
    from tree_sitter import Node


def join_continued(source: str) -> str:
    """Join words that a backslash and a line end cut in two, keeping the number of lines."""
    if "\\\n" not in source:
        return source
    out: list[str] = []
    owed = 0
    for line in source.split("\n"):
        if line.endswith("\\") and not line.endswith("\\\\") and len(line) > 1 and not line[-2].isspace():
            out.append(line[:-1])
            owed += 1
            continue
        out.append(line + "\n" * (owed + 1))
        owed = 0
    return "".join(out)[:-1] if not owed else "".join(out)


_TWO_EXPANSIONS: Final = re.compile(r"\$[\w{][^\s\"'`;|&()<>]*?[^\s\"'`;|&()<>$\\]\$[\w@*#?!$-]")
_VARIABLE: Final = re.compile(rb"\$([A-Za-z_]\w*|[\d@*#?!$-])")
_MAX_ROUNDS: Final = 6


def parse_words(source: str) -> "Node":
    """Parse shell text, keeping words whole.

    The grammar (tree-sitter-bash 0.25) ends the word `$a/$b` behind the second dollar sign; written `$a/${b}` it is
    read as what it is. Lines stay, columns behind such a word move by two.
    """
    text = source.encode()
    root = parse(text)
    if not _TWO_EXPANSIONS.search(source):
        return root
    for _ in range(_MAX_ROUNDS):
        cuts = [cut for cut in _cut_words(root) if _VARIABLE.match(text, cut)]
        if not cuts:
            break
        for cut in sorted(cuts, reverse=True):
            text = text[:cut] + _VARIABLE.sub(rb"${\1}", text[cut:], count=1)
        root = parse(text)
    return root


def _cut_words(root: "Node") -> list[int]:
    """Where a word ends in a lone dollar sign although it goes on."""
    found: list[int] = []
    pending = [root]
    while pending:
        node = pending.pop()
        children = node.children
        if node.type == "concatenation" and children and children[-1].type == "$":
            found.append(children[-1].start_byte)
        pending.extend(child for child in children if child.child_count)
    return found


_PLACEHOLDER: Final = re.compile(r"(?<![\w$\[{@])@([A-Za-z_]\w*)@(?![\w(@])")


def plain_placeholders(source: str) -> str:
    """Placeholders of a template (`@SHELL_PATH@`) as plain words of the same length, which the grammar takes anywhere.

    To a shell both are ordinary words; where one stands before `=`, an assignment is read into it, which is what the
    template becomes.
    """
    return _PLACEHOLDER.sub(r"_\1_", source)
