"""Files whose content becomes a command: `$(cat f)`, `sh -c "$(<f)"`, `. <(cat f)`, or a variable that holds it."""

import re
from typing import TYPE_CHECKING, Final

from refute.scan.finding import Severity
from refute.scan.rules import Language
from refute.scan.shell.call import Call
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import NAME, OUTPUT, UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

    from refute.scan.shell.walk import Walker

_PRINTERS: Final = frozenset({"cat", "head", "tail", "tac", "sort", "uniq"})
"""Commands whose output is a file's lines."""
_SEARCHERS: Final = frozenset({"grep", "egrep", "fgrep", "rg", "sed", "awk"})
"""The same for those of its lines that are asked for."""
_FILTER: Final = re.compile(r"(?:[ef]?grep|head|tail|sort|uniq|sed|tr|cut|awk|cat)\b")
_NAME: Final = re.compile(r"\$\{?!?(\w+)")
_SUBSTITUTIONS: Final = frozenset({"command_substitution", "process_substitution"})
_PLAIN: Final = frozenset({"word", "string", "raw_string", "concatenation", "number", "simple_expansion", "expansion"})


def files_printed(walker: "Walker", node: "Node") -> list[str]:
    """The files that substitutions in a word or command print, also where a variable in it holds that."""
    found: list[str] = []
    pending = [node]
    while pending:
        one = pending.pop(0)
        if one.type in _SUBSTITUTIONS:
            found.extend(_printed(walker, one))
        elif one.type in {"simple_expansion", "expansion"}:
            name = _NAME.match(text_of(one))
            found.extend(walker.shared.contents.get(name[1], ()) if name else ())
        else:
            pending.extend(one.named_children)
    return list(dict.fromkeys(found))


def note_content(walker: "Walker", name: str, paths: list[str]) -> None:
    """Remember of which files a variable holds the content; of all branches that may have set it."""
    held = walker.shared.contents.pop(name, ()) if walker.scope.branching else ()
    if held or paths:
        walker.shared.contents[name] = tuple(dict.fromkeys((*held, *paths)))
    else:
        walker.shared.contents.pop(name, None)


def files_read(walker: "Walker", node: "Node") -> list[str]:
    """The files that `read` takes lines from, by its own redirection or by that of a loop around it."""
    holder: Node | None = node
    while holder is not None:
        if walker.fed[0] == holder.id:
            return walker.fed[1]
        holder = holder.parent
    return []


def run_printed(call: Call, language: Language = Language.SHELL) -> bool:
    """Judge the files whose content this command runs; says whether there are any.

    A file of the workspace is scanned as what it runs as; one that the script wrote is judged by what it wrote.
    """
    from refute.scan.shell.commands.interpreters import run_file  # noqa: PLC0415 - the two need each other

    paths = [path for path in files_printed(call.walker, call.node) if _is_at_hand(call.walker, path)]
    for path in paths:
        run_file(call, path, language)
    return bool(paths)


def run_word(call: Call) -> None:
    """Judge a command word that is a file's content; where that is not at hand, it is shown."""
    # Behind a wrapper (`timeout 5 $(cat f)`) it is the first word that is not written out.
    words = (child for child in call.node.named_children if child.type != "variable_assignment")
    word = next((one for one in words if text_of(one).lstrip('"').startswith(("$", "`"))), None)
    if word is None or call.argv[0].strip(UNKNOWN + OUTPUT + NAME) or not files_printed(call.walker, word):
        return
    detail = "The command is the content of a file."
    call.act.add("unresolved-command", severity=Severity.MEDIUM, detail=detail)
    run_printed(call)


def _is_at_hand(walker: "Walker", path: str) -> bool:
    from refute.scan.paths import locate  # noqa: PLC0415 - only here

    return walker.follows(path) or locate(path, walker.scope.cwd).text in walker.shared.written


def _searched(words: "list[Node]") -> "list[Node]":
    """The files among the arguments of a command that takes a pattern or program first."""
    operands = [word for word in words if not text_of(word).startswith("-")]
    given = any(re.match(r"-(?:\w*e|-regexp)", text_of(word)) for word in words)
    return operands if given and len(operands) == 1 else operands[1:]


def _printed(walker: "Walker", substitution: "Node") -> list[str]:
    if len(substitution.named_children) != 1:
        return []
    inside = substitution.named_children[0]
    if inside.type == "pipeline" and all(_FILTER.match(text_of(stage)) for stage in inside.named_children[1:]):
        # At most fewer lines: what is left of a file is judged as the whole of it.
        inside = inside.named_children[0]
    if inside.type == "file_redirect":
        words = inside.children_by_field_name("destination") if text_of(inside).startswith("<") else []
    elif inside.type == "command":
        name, *words = inside.named_children
        words = words if text_of(name) in _PRINTERS else _searched(words) if text_of(name) in _SEARCHERS else []
    else:
        return []
    texts = [text for word in words if word.type in _PLAIN for text in walker.expander.texts(word, quoted=True)]
    return [text for text in texts if not text.startswith("-") and not text.isdigit()]
