"""Commands that run another command: what they are, and where the other one starts."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
import shlex
from typing import Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.options import ASSIGNMENT, split_options
from refute.scan.shell.starters import STARTERS
from refute.scan.shell.syntax import text_of
from refute.scan.shell.terminals import in_screen, in_tmux
from refute.scan.shell.wrapper_table import WRAPPERS
from refute.scan.symbols import NAME, OTHER_PROCESS, OWN_PROCESS, SECRET, UNKNOWN, is_open

_PROJECT_TOOLS: Final = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi"})
"""What runs the tasks of a project's own configuration, too."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "python", "python3", "perl"})
_INSTALLED: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z")


_PROCESS_LIST: Final = re.compile(
    r"\b(?:lsof(?!\s+(?:-\w+\s+)*-\w*i(?:\s*tcp)?:\d{4,5}\b)|fuser|netstat|ss|top)\b[^|]*\|"
)


def unwrap(call: Call, name: str) -> list[str] | None:
    """The wrapped command's words; None where `name` wraps nothing, empty where it was called without a command."""
    rest = call.argv[1:]
    if name in {"sudo", "doas", "pkexec", "run0", "su", "runuser", "gosu", "su-exec", "sg"}:
        return _privileged(call, name, rest)
    if name == "env":
        return _environment(call, rest)
    if name == "xargs":
        return _xargs(call, rest)
    if name == "command":
        return None if rest[:1] and rest[0].startswith(("-v", "-V")) else split_options(rest, "")[1]
    if re.match(r"ld-(?:linux|musl)[\w.-]*\.so", name) or name == "ld.so":
        return split_options(rest, "", frozenset({"library-path", "preload", "argv0", "audit"}))[1]
    if name in {"tmux", "byobu"}:
        return in_tmux(call, rest)
    if name == "screen":
        return in_screen(call, rest)
    if name in STARTERS:
        return STARTERS[name](rest)
    return _by_table(call, name, rest)


def _by_table(call: Call, name: str, rest: list[str]) -> list[str] | None:
    longer = f"{name}:{rest[0]}" if rest else name
    name, rest = (longer, rest[1:]) if longer in WRAPPERS else (name, rest)
    wrapper = WRAPPERS.get(name)
    if name == "setarch" and rest and rest[0].startswith("-"):
        rest = ["", *rest]  # which machine is to be played may be left out
    opened = wrapper.open(rest) if wrapper else None
    if opened is None:
        return None
    for text in opened.texts:
        call.walker.embedded(text, call.node)
    _by_itself(call, name, rest, opened.words)
    if name in {"flock", "parallel", "sem"}:
        return _textual(call, name, opened.words)
    return _of_project(call, name, rest, opened.words) if name in _PROJECT_TOOLS else opened.words


def _by_itself(call: Call, name: str, rest: list[str], words: list[str]) -> None:
    """What a wrapper does besides."""
    if name in {"strace", "ltrace"}:
        options = split_options(rest, WRAPPERS[name].valued)[0]
        if any(OWN_PROCESS not in value for value in options.get("p", [])):
            call.act.add("attack-tool", detail="Listens to a process that is not its own.")
    if name == "coproc" and len(words) == 1 and words[0].rpartition("/")[2] in _SHELLS:
        call.act.add("pipe-to-shell", detail="It runs whatever the script writes to it later.")
    if name == "unshare" or (name == "systemd-run" and words):
        call.act.add("container-escape" if name == "unshare" and "-r" not in rest else "system-control")


def _of_project(call: Call, name: str, rest: list[str], words: list[str]) -> list[str]:
    """What `uv run` and the like run: a program, a Python file, or a task of the project's own."""
    if words and name == "uv" and (words[0].endswith(".py") or {"--script", "-s"} & set(rest)):
        return ["python", *words]
    for word in words[:1]:
        call.walker.shared.report.reached.append(("pyproject.toml", f"task {word}"))
        words = [word.rpartition(":")[2], *words[1:]] if name == "hatch" else words
    return words


def _textual(call: Call, name: str, words: list[str]) -> list[str]:
    if name == "flock":
        for text in words[1:2] if words[:1] in (["-c"], ["--command"]) else []:
            call.walker.embedded(text, call.node)
        return [] if words[:1] in (["-c"], ["--command"]) else words
    if ":::" in words:
        cut = words.index(":::")
        for text in words[1:] if not cut else words[:1]:
            call.walker.embedded(text, call.node)
        return [*words[:cut], *words[cut + 1 :]]
    if not words:
        _fed(call, "parallel")
    return words


def _privileged(call: Call, name: str, rest: list[str]) -> list[str]:
    if rest in (["--version"], ["-V"], ["--help"]):
        return []
    options, words = split_options(
        rest, "ughpCTrtDRU" if name == "sudo" else "ucgsCw", mixed=name in {"su", "runuser", "sg"}
    )
    for text in options.get("c", []):
        call.walker.embedded(text, call.node)
    if name in {"su", "runuser", "sg"}:
        user = (options.get("u") or words[:1] or ["root"])[0] if name == "runuser" else (words or ["root"])[0]
        inner = (words if "u" in options else words[1:]) if name == "runuser" and "--" in rest else []
        known = bool(inner or options.get("c")) and user not in {"-", "root"} and not is_open(user)
        call.act.add("privilege", severity=Severity.MEDIUM if known else None)
        return inner
    inner = words[1:] if name in {"gosu", "su-exec"} else words
    while inner and ASSIGNMENT.match(inner[0]):
        inner = inner[1:]
    call.act.add("privilege", severity=Severity.MEDIUM if _names_its_command(call, name, options, inner) else None)
    return inner


def _names_its_command(call: Call, name: str, options: dict[str, list[str]], inner: list[str]) -> bool:
    """Whether more rights are asked for one known command, itself judged: no shell, and no password handed over."""
    if name == "pkexec" or not inner or options.keys() & {"S", "s", "i", "e", "A", "edit", "shell", "login", "stdin"}:
        return False
    head = inner[0].rpartition("/")[2]
    if "/" in inner[0] and not _INSTALLED.match(inner[0]):
        return False
    shell = head in {"su", "login", "chroot", "visudo", "passwd"} or (head in _SHELLS and len(inner) == 1)
    return not shell and not is_open(inner[0]) and not is_open(call.stdin.replace(UNKNOWN, ""))


def _environment(call: Call, rest: list[str]) -> list[str] | None:
    options, words = split_options(rest, "uCS", frozenset({"unset", "chdir", "split-string"}))
    for text in [*options.get("S", []), *options.get("split-string", [])]:
        try:
            words = [*shlex.split(text), *words]
        except ValueError:
            call.act.add("unanalysable", detail="`env -S` with unbalanced quotes.")
    for directory in [*options.get("C", []), *options.get("chdir", [])]:
        call.walker = call.walker.fork()
        call.walker.scope.cwd = paths.locate(directory, call.walker.scope.cwd).text
    while words and ASSIGNMENT.match(words[0]):
        if words[0].startswith("LD_PRELOAD="):
            call.act.add("preload")
        name, _, value = words[0].partition("=")
        # For the command alone; which of both values counts later is left open.
        scope = call.walker.scope
        scope.variables[name] = tuple(dict.fromkeys((value, *scope.lookup(name))))
        call.walker.shared.exported.add(name)
        words = words[1:]
    return words or None


def _xargs(call: Call, rest: list[str]) -> list[str]:
    options, words = split_options(rest, "IiLlnPsdEea")
    words = words or ["echo"]
    fed = "".join(map(call.act.read, options.get("a", []))) or call.stdin.strip("\n")
    marker = (options.get("I") or options.get("i") or [""])[0] or ("{}" if "I" in options or "i" in options else "")
    head = words[0].rpartition("/")[2]
    pipeline = call.node.parent
    listed = OTHER_PROCESS in fed or (pipeline is not None and _PROCESS_LIST.search(text_of(pipeline)))
    if head == "kill" and listed:
        call.act.add("kill-process", detail="The processes are picked from a list of all.")
        return []
    if (
        marker
        and head in {"sh", "bash", "dash", "zsh"}
        and "-c" in words[:-1]
        and words[words.index("-c") + 1] == marker
    ):
        _fed(call, head)
        return []
    if marker:
        return [word.replace(marker, fed or UNKNOWN) for word in words]
    separators = re.escape(options["d"][0]) if options.get("d", [""])[0] else r"\s\0"
    arguments = [piece.strip("\n") for piece in re.split(f"[{separators}]+", fed) if piece][:50] if fed else [UNKNOWN]
    if head in {"sh", "bash", "dash", "zsh", "ksh"} and len(words) == 1:
        return _run_listed(call, words, fed, arguments)
    if head == "env" and SECRET not in fed and not arguments:
        return words
    # Without `-I` a blank separates; a single unknown name stays one argument.
    return [*words, *(arguments or [NAME])]


def _run_listed(call: Call, words: list[str], fed: str, files: list[str]) -> list[str]:
    """`… | xargs -n1 sh` runs each file of a list."""
    if is_open(fed) or not fed:
        _fed(call, words[0])
        return []
    for file in files[1:]:
        call.walker.embedded(f"{words[0]} {shlex.quote(file)}", call.node)
    return [*words, *files[:1]]


def _fed(call: Call, interpreter: str) -> None:
    text = call.stdin
    if text and UNKNOWN not in text and NAME not in text:
        call.walker.embedded(text, call.node)
    else:
        call.act.add("pipe-to-shell", detail=f"The commands reach {interpreter} from another program.")
