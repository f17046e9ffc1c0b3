"""One simple command with its arguments worked out, as the checks get it."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from refute.scan.effects import Act
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import DOWNLOAD, HOME, OTHER_PROCESS, OWN_PROCESS, PROCESS_LIST, UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

    from refute.scan.shell.walk import Walker


_FILTER: Final = re.compile(r"(?:LC_ALL=\w+ )?(?:[ef]?grep|cut|tr|head|tail|sort|uniq|wc)\b(?!.*(?:>|\s-o|`|\$\())")
_ANSWERS: Final = re.compile(
    r"(?:[ef]?grep\s(?:-\w+\s+)*-\w*[qc]|[ef]?grep\s(?:.*\s)?--(?:quiet|silent|count)\b|wc\b|[ef]?grep\s.*[^\d>]>\s*/dev/null)"
)
_THROWN_AWAY: Final = re.compile(r"(?:^|\s|[^\d\s>])(?:1?>|&>|>&)\s*/dev/null(?:\s|\Z)")


@dataclass(slots=True)
class Call:
    """One simple command with its arguments worked out."""

    walker: "Walker"
    argv: list[str]
    """The command's base name, then its arguments."""
    node: "Node"
    stdin: str
    background: bool = False

    @property
    def silent(self) -> bool:
        """Whether what the command prints is thrown away, so that only its exit status counts."""
        holder = self.node.parent
        if holder is not None and holder.type == "pipeline":
            return _only_asked(holder, self.node)
        if holder is None or holder.type != "redirected_statement":
            return {"-s", "--silent", "--quiet", "-q"} & set(self.argv) != set()
        return bool(_THROWN_AWAY.search(text_of(holder)[len(text_of(self.node)) :]))

    @property
    def whole(self) -> Act:
        """Judges effects that come about only with what feeds this command, and shows the whole pipeline."""
        node = self.node
        while node.parent is not None and node.parent.type in {"redirected_statement", "pipeline"}:
            node = node.parent
        return Act(self.walker.shared.report, self.walker.spot(node), text_of(node), self.walker.scope.cwd)

    @property
    def act(self) -> Act:
        """Judges effects of this command."""
        shared = self.walker.shared
        spot, shown = self.walker.spot(self.node), " ".join(self.argv)
        return Act(shared.report, spot, shown, self.walker.scope.cwd, soft=shared.uncalled)

    def picked(self) -> str:
        """What a filter prints that picks parts of what it is fed: not known, but whence they come is."""
        kinds = (DOWNLOAD, PROCESS_LIST, OTHER_PROCESS, OWN_PROCESS)
        return next((kind for kind in kinds if kind in self.stdin), UNKNOWN)


def _only_asked(pipeline: "Node", first: "Node") -> bool:
    """Whether filters behind a command leave nothing of its output but a yes, a no or a number."""
    stages = pipeline.named_children
    behind = [text_of(stage) for stage in stages[stages.index(first) + 1 :]] if first in stages else []
    return bool(behind) and all(_FILTER.match(text) for text in behind[:-1]) and bool(_ANSWERS.match(behind[-1]))


def list_globs(call: Call, words: list[str]) -> None:
    """Judge words such as `/etc/*`, which list a directory without a command for it."""
    for word in words:
        if word.endswith("/*") and word.startswith(("/", "~", HOME)):
            call.act.list(word[:-2] or "/")
