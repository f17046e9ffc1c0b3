"""Commands that start another one in ways that a row cannot say."""

import re
import shlex
from typing import Final

from refute.scan.core import paths
from refute.scan.core.effects import Delete, Effects, Flag, List, Read, Run
from refute.scan.core.symbols import NAME, OTHER_PROCESS, SECRET, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.shell.assignments import effects_of_setting
from refute.scan.shell.options import ASSIGNMENT
from refute.scan.shell.rows import found_in, split
from refute.scan.shell.state import Call

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "python", "python3", "perl"})
_BARE_FIND: Final = frozenset(
    {"-type", "-print", "-print0", "-ls", "-maxdepth", "-mindepth", "-xdev", "-mount", "-follow", "-depth"}
)
_MAX_LINES: Final = 50


def _env(call: Call, row: Command) -> Effects:
    """`env` sets variables for a command, and without one prints them all."""
    options, words = split(call, row)
    for text in [*options.get("S", []), *options.get("split-string", [])]:
        try:
            words = [*shlex.split(text), *words]
        except ValueError:
            yield Flag("unanalysable", detail="`env -S` with unbalanced quotes.")
    for directory in [*options.get("C", []), *options.get("chdir", [])]:
        call.scope.cwd = call.locate(directory).text
    while words and ASSIGNMENT.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        yield from effects_of_setting(name, value)
        # For the command alone; which of both values counts later is left open.
        call.scope.variables[name] = tuple(dict.fromkeys((value, *call.scope.lookup(name))))
    return (yield Run(tuple(words), call.stdin)) if words else SECRET


def _xargs(call: Call, row: Command) -> Effects:
    options, words = split(call, row)
    words = words or ["echo"]
    fed = ""
    for name in options.get("a", []):
        fed += yield Read(name)
    fed = fed or call.stdin.strip("\n")
    head = words[0].rpartition("/")[2]
    marker = (options.get("I") or options.get("i") or [""])[0] or ("{}" if options.keys() & {"I", "i"} else "")
    texts = [words[index + 1] for index, word in enumerate(words[:-1]) if word == "-c" and head in _SHELLS]
    if head == "kill" and OTHER_PROCESS in fed:
        yield Flag("kill-process", detail="The processes are picked from a list of all.")
    elif head in _SHELLS and not fed.strip(UNKNOWN + NAME + "\n /") and (len(words) == 1 or marker in texts):
        yield Flag("pipe-to-shell", detail=f"The commands reach {head} from another program.")
    elif marker:
        for line in fed.split("\n")[:_MAX_LINES] if fed and not is_open(fed) else [fed or UNKNOWN]:
            yield Run(tuple(word.replace(marker, line) for word in words))
    else:
        separators = re.escape(options["d"][0]) if options.get("d", [""])[0] else r"\s\0"
        arguments = [piece for piece in re.split(f"[{separators}]+", fed) if piece][:_MAX_LINES] if fed else [UNKNOWN]
        # Without `-I` a blank separates; a single unknown name stays one argument.
        return (yield Run((*words, *(arguments or [NAME]))))
    return ""


def _find(call: Call, row: Command) -> Effects:
    words = call.argv[1:]
    while words and re.fullmatch(r"-[HLPED]|-O\d", words[0]):
        words = words[1:]
    start = next((index for index, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    roots, words = words[:start] or ["."], words[start:]
    # A search for something particular is no stock-taking; only a bare listing is.
    narrowed = any(word.startswith("-") and word not in _BARE_FIND and not word[1:].isdigit() for word in words)
    for root in roots:
        # What is done to files of whoever has a home here takes stock, whatever is looked for.
        homes = call.locate(root).text in {"/home", "/root", "/Users"}
        if not narrowed or (homes and {"-exec", "-execdir"} & set(words)):
            yield List(root)
        if "-delete" in words and ("-empty" not in words or "-o" in words):
            yield Delete(root, not any(word.startswith(("-name", "-iname", "-path")) for word in words))
        found = f"{paths.normalise(root, call.scope.cwd)}/{NAME}"
        for index, word in enumerate(words):
            if word in {"-exec", "-execdir", "-ok", "-okdir"}:
                ends = (end for end in range(index, len(words)) if words[end] in {";", "+", "\\;"})
                argv = words[index + 1 : next(ends, len(words))]
                yield Run(tuple(one.replace("{}", found) for one in argv))
    yield from found_in(call, row, call.text)
    return f"{paths.normalise(roots[0], call.scope.cwd)}/{UNKNOWN}\n"


HANDLERS: Final = {"env": _env, "xargs": _xargs, "find": _find}
