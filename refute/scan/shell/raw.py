"""The second layer: the text itself, for what a parser may be led past, dangerous in any reading."""

import re
from typing import Final

from tree_sitter import Node

from refute.scan.finding import Confidence
from refute.scan.report import Report, Spot
from refute.scan.shell.syntax import parse

_PATTERNS: Final = (
    ("fork-bomb", "()", re.compile(r"(?<![\w$])([:\w.]+)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*;?\s*\1")),
    ("reverse-shell", "/dev/", re.compile(r"\b(?:ba|da|z|k)?sh\s+-i\s*(?:[0-9]?[<>]&?\s*)+/dev/(?:tcp|udp)/")),
    ("reverse-shell", "mkfifo", re.compile(r"\bmkfifo\s+(\S+)[^\n]*\b(?:nc|ncat|netcat)\b[^\n]*\1")),
    ("crypto-miner", "stratum", re.compile(r"stratum\+(?:tcp|ssl)://")),
    (
        "pipe-to-shell",
        "://",
        re.compile(
            r"\b(?:curl|wget|fetch)\b[^#|\n]{0,400}https?://[^#|\n]{0,400}\|\s*(?:sudo\s+)?(?:/\w+)*/?(?:ba|da|z|k)?sh\b(?!\s*[\w./-]+\.sh)"
        ),
    ),
)


def scan(report: Report, source: str) -> None:
    """Look for texts that are dangerous in any reading.

    What the parser read as a comment, a string or a here-document is left to the walk, which judges it where it runs;
    in text that did not parse nothing is taken for harmless.
    """
    tree = None
    for rule_id, literal, pattern in _PATTERNS:
        if literal not in source:
            continue
        for match in pattern.finditer(source):
            tree = tree or parse(source.encode())
            if tree.has_error or not _is_data(tree, source, match):
                line = source.count("\n", 0, match.start()) + 1
                column = match.start() - source.rfind("\n", 0, match.start())
                spot = Spot(line=line, column=column, text=match.group())
                if any(rule == rule_id and at == line for rule, at, _ in report.findings):
                    continue
                report.add(rule_id, spot, match.group(), confidence=Confidence.MEDIUM)


def _is_data(tree: Node, source: str, match: re.Match[str]) -> bool:
    start = len(source[: match.start()].encode())
    node = tree.descendant_for_byte_range(start, start)
    while node is not None:
        if node.type in {"comment", "string", "raw_string", "ansi_c_string", "heredoc_body"}:
            return True
        node = node.parent
    return False
