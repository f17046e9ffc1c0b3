"""Commands that run another command: what they are, and where the other one starts."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
import shlex
from typing import Final

from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.options import split_options
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import NAME, OTHER_PROCESS, OWN_PROCESS, SECRET, UNKNOWN, is_open

# Wrapper → (options that take a value, positional arguments before the command).
_WRAPPERS: Final[dict[str, tuple[str, int]]] = {
    "nice": ("n", 0),
    "ionice": ("cnp", 0),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "time": ("fo", 0),
    "timeout": ("sk", 1),
    "gtimeout": ("sk", 1),
    "stdbuf": ("ioe", 0),
    "unbuffer": ("", 0),
    "chrt": ("TPD", 1),
    "taskset": ("", 1),
    "numactl": ("CNm", 0),
    "exec": ("a", 0),
    "builtin": ("", 0),
    "coproc": ("", 0),
    "strace": ("oeEpsuaPISUbO", 0),
    "ltrace": ("oenlpsuaADS", 0),
    "valgrind": ("", 0),
    "busybox": ("", 0),
    "toybox": ("", 0),
    "chronic": ("", 0),
    "fakeroot": ("lsib", 0),
    "xvfb-run": ("nsefpw", 0),
    "dbus-run-session": ("", 0),
    "flock": ("Ew", 1),
    "watch": ("n", 0),
    "faketime": ("", 1),
    "setarch": ("", 1),
    "linux32": ("", 0),
    "linux64": ("", 0),
    "prlimit": ("", 0),
    "catchsegv": ("", 0),
    "rlwrap": ("", 0),
    "eatmydata": ("", 0),
    "trickle": ("sdu", 0),
    "cpulimit": ("lpe", 0),
    "firejail": ("", 0),
    "bwrap": ("", 0),
    "proot": ("rbwq", 0),
    "parallel": ("jISaNnL", 0),
    "rush": ("j", 0),
    "hyperfine": ("wmMr", 0),
    "torsocks": ("", 0),
    "proxychains": ("f", 0),
    "proxychains4": ("f", 0),
    "entr": ("", 0),
    "apply": ("a", 0),
    "unshare": ("SGR", 0),
    "setpriv": ("", 0),
    "runcon": ("turl", 0),
    "systemd-run": ("pEu", 0),
}
_RUNNERS: Final = frozenset(
    {"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi", "bundle", "rvm", "mise", "dotenv"}
)
_TEXT_OPTIONS: Final = {
    "script": ("cEImoOTB", frozenset({"c", "command"})),
    "nix-shell": ("pAI", frozenset({"run", "command"})),
    "split": ("abClntu", frozenset({"filter"})),
    "man": ("CRLmMPHTEpr", frozenset({"P", "pager"})),
}
"""Options with a value, and which of these are shell text."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "python", "python3", "perl"})
_INSTALLED: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")


_PROCESS_LIST: Final = re.compile(r"\b(?:lsof|fuser|netstat|ss|top)\b[^|]*\|")


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
        return [] if rest[:1] and rest[0].startswith(("-v", "-V")) else split_options(rest, "")[1]
    if name in _RUNNERS and rest[:1] and rest[0] in {"run", "exec", "x"}:
        return _run_by(call, name, rest[1:])
    if name in _TEXT_OPTIONS:
        return _text_of_option(call, name, rest)
    if re.match(r"ld-(?:linux|musl)[\w.-]*\.so", name) or name == "ld.so":
        return split_options(rest, "", frozenset({"library-path", "preload", "argv0", "audit"}))[1]
    return _by_table(call, name, rest) if name in _WRAPPERS else None


def _run_by(call: Call, name: str, rest: list[str]) -> list[str]:
    """What `uv run` and the like run: a program, a Python file, or a task of the project's own."""
    words = split_options(rest, "pPe")[1]
    if words and name == "uv" and (words[0].endswith(".py") or {"--script", "-s"} & set(rest)):
        return ["python", *words]
    for word in words[:1]:
        call.walker.shared.report.reached.append(("pyproject.toml", f"task {word}"))
    return words


def _text_of_option(call: Call, name: str, rest: list[str]) -> list[str] | None:
    """Programs that run the text of an option; None where they have none, or read files besides."""
    valued, telling = _TEXT_OPTIONS[name]
    options = split_options(rest, valued, telling, mixed=True)[0]
    texts = [text for option in sorted(telling) for text in options.get(option, [])]
    for text in texts:
        call.walker.embedded(text, call.node)
    return [] if texts and name != "split" else None


def _by_table(call: Call, name: str, rest: list[str]) -> list[str]:
    if name in {"flock", "watch", "parallel", "hyperfine"}:
        return _textual(call, name, rest)
    valued, positional = _WRAPPERS[name]
    options, words = split_options(rest, valued)
    if name in {"strace", "ltrace"} and any(OWN_PROCESS not in value for value in options.get("p", [])):
        call.act.add("attack-tool", detail="Listens to a process that is not its own.")
    if name == "unshare" or (name == "systemd-run" and words):
        call.act.add("container-escape" if name == "unshare" and "-r" not in rest else "system-control")
    return words[positional:]


def _textual(call: Call, name: str, rest: list[str]) -> list[str]:
    valued, positional = _WRAPPERS[name]
    words = split_options(rest, valued)[1]
    if name == "parallel" and ":::" in words:
        cut = words.index(":::")
        if not cut:
            for text in words[1:]:
                call.walker.embedded(text, call.node)
        return [*words[:cut], *words[cut + 1 :]]
    late = words.index("-c") if name == "flock" and "-c" in words[:2] else len(words)
    for text in [
        *words[late + 1 : late + 2],
        *(words if name in {"watch", "parallel", "hyperfine"} and words and " " in words[0] else []),
    ]:
        call.walker.embedded(text, call.node)
    if name == "flock" and not words[positional:] and words:
        return []
    if name == "parallel" and not words:
        _fed(call, "parallel")
        return []
    return words[positional:]


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
    while inner and _ASSIGNMENT.match(inner[0]):
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
    options, words = split_options(rest, "uCS")
    for text in options.get("S", []):
        try:
            words = [*shlex.split(text), *words]
        except ValueError:
            call.act.add("unanalysable", detail="`env -S` with unbalanced quotes.")
    while words and _ASSIGNMENT.match(words[0]):
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
    arguments = [piece for piece in re.split(r"\s+", fed) if piece][:50] if fed else [UNKNOWN]
    if head in {"sh", "bash", "dash", "zsh", "ksh"} and len(words) == 1:
        _fed(call, head)
        return []
    if head == "env" and SECRET not in fed:
        return words
    # Without `-I` a blank separates; a single unknown name stays one argument.
    return [*words, *(arguments or [NAME])]


def _fed(call: Call, interpreter: str) -> None:
    text = call.stdin
    if text and UNKNOWN not in text and NAME not in text:
        call.walker.embedded(text, call.node)
    else:
        call.act.add("pipe-to-shell", detail=f"The commands reach {interpreter} from another program.")
