"""The second layer: the text itself, for what a parser may be led past, dangerous in any reading."""

import re
from typing import Final

from refute.scan.finding import Confidence
from refute.scan.report import Report, Spot

_LINES: Final = (
    ("fork-bomb", re.compile(r"(?<![\w$])([:\w.]+)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*;?\s*\1")),
    ("reverse-shell", re.compile(r"\b(?:ba|da|z|k)?sh\s+-i\s*(?:[0-9]?[<>]&?\s*)+/dev/(?:tcp|udp)/")),
    ("reverse-shell", re.compile(r"\bmkfifo\s+(\S+).*\b(?:nc|ncat|netcat)\b.*\1")),
    ("crypto-miner", re.compile(r"stratum\+(?:tcp|ssl)://")),
    (
        "pipe-to-shell",
        re.compile(
            r"\b(?:curl|wget|fetch)\b[^#|\n]*https?://[^#|\n]*\|\s*(?:sudo\s+)?(?:/\w+)*/?(?:ba|da|z|k)?sh\b(?!\s*[\w./-]+\.sh)"
        ),
    ),
)
_COMMENT: Final = re.compile(r"^\s*#")
_MAX_LINE: Final = 4000


def scan(report: Report, source: str) -> None:
    """Look for texts that are dangerous in any reading; comment lines are no commands."""
    for number, line in enumerate(source.split("\n"), start=1):
        if _COMMENT.match(line) or len(line) > _MAX_LINE:
            continue
        for rule_id, pattern in _LINES:
            match = pattern.search(line)
            if match and not _printed(line, match.start()):
                spot = Spot(line=number, column=match.start() + 1, text=match.group())
                report.add(rule_id, spot, match.group(), confidence=Confidence.MEDIUM)


def _printed(line: str, position: int) -> bool:
    """Whether the text stands inside quotes of a command that only prints it."""
    before = line[:position]
    return bool(re.match(r"\s*(?:echo|printf|die|warn\w*|err\w*|log\w*|info|fail|cat|grep)\b", line)) and (
        before.count('"') % 2 == 1 or before.count("'") % 2 == 1
    )
