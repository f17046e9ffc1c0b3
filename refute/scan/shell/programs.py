"""Programs that copy, pack, search, or read code as an argument, as input or from a file."""

import re
import shlex
from itertools import takewhile
from typing import Final

from refute.scan.core import paths
from refute.scan.core.effects import Delete, Effects, Eval, Flag, List, Reach, Read, Run, RunFile, Write
from refute.scan.core.symbols import HERE, HOME, HOST_DATA, NAME, OUTPUT, SECRET, TEMP, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.rows import found_in, split
from refute.scan.shell.state import Call, split_options

INSTALLED: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z")
"""Where the machine has its programs."""
_SYMBOLS: Final = frozenset({SECRET, HOST_DATA, UNKNOWN})
_VALUED: Final = frozenset({*"oO", "rcfile", "init-file"})
_PYTHON_VALUED: Final = frozenset({*"WXcm", "check-hash-based-pycs"})
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "python", "python3", "perl"})
_BARE_FIND: Final = frozenset(
    {"-type", "-print", "-print0", "-ls", "-maxdepth", "-mindepth", "-xdev", "-mount", "-follow", "-depth"}
)
_MAX_LINES: Final = 50
_MAKE_VARIABLE: Final = re.compile(r"(?m)^(?:export\s+|override\s+)?([\w.]+)[ \t]*(?:[:?+!]|::)?=[ \t]*(.*)$")
_MAKE_USE: Final = re.compile(r"\$(?:\(([\w.]+)\)|\{([\w.]+)\}|[@<^*?])")
_RECIPE: Final = re.compile(r"(?m)^\t[\t@+-]*(.*)|\$[({]shell\s+([^)}\n]+)|^[\w.]+\s*!=(.+)$|^[^\s#=]+:[^=;\n]*;(.*)")
"""A line of a recipe, a call of the shell in an assignment, a recipe on the line of its target."""
_MAKE_ROUNDS: Final = 3
_MAX_MADE: Final = 20_000


def _copy(call: Call, row: Command) -> Effects:
    """`cp`, `mv`, `install` and `ln`: what the sources hold is then in the target as well."""
    options, operands = split(call, row)
    target = (options.get("t") or options.get("target-directory") or [""])[0]
    sources = operands if target else operands[:-1]
    target = target or (operands[-1] if len(operands) > 1 else "")
    yield from found_in(call, row, call.text)
    text = ""
    for path in sources:
        if call.argv[0] == "mv":
            yield Delete(path)
        elif options.keys() & {"r", "R", "a", "recursive", "archive"}:
            yield List(path)
        text = yield Read(path)
        if INSTALLED.match(path):
            text = f'{path} "$@"'  # a program does the same under another name
    if target:
        into = re.search(r"/bin/?\Z", target) and len(sources) == 1
        kept = None if text in _SYMBOLS else text
        yield Write(f"{target}/{sources[0].rpartition('/')[2]}" if into else target, kept)
    return ""


def _tar(call: Call, row: Command) -> Effects:
    words = call.argv[1:]
    if words and not words[0].startswith("-"):
        words = ["-" + words[0], *words[1:]]
    options, operands = split_options(words, row.valued, mixed=True)
    yield from found_in(call, row, call.text)
    archive = (options.get("f") or options.get("file") or [""])[0]
    directory = (options.get("C") or options.get("directory") or ["."])[0]
    sent = call.stdin
    if options.keys() & {"c", "r", "u", "create"}:
        for path in operands:
            joined = path if path.startswith(("/", "~", HERE, HOME)) else f"{directory}/{path}"
            sent += yield Read(joined)
            yield List(joined)
        if archive and archive != "-":
            yield Write(archive)
    elif options.keys() & {"x", "extract"}:
        yield Write(directory)
    return sent or UNKNOWN


def _path(call: Call, _row: Command) -> Effects:
    """`dirname`, `basename`, `realpath`, `mktemp`: what they make of a path."""
    yield from ()
    name, *words = call.argv
    path = next((word for word in words if not word.startswith("-")), "") or "."
    match name:
        case "basename":
            tail = path.rstrip("/").rpartition("/")[2]
            return tail if tail.isascii() else NAME
        case "mktemp" | "tempfile" if not path.startswith("/") or "XXX" not in path:
            return f"{TEMP}/mktemp"
    return paths.normalise(path + "/.." * (name == "dirname" and path != "."), call.scope.cwd) + "\n" * (name == "pwd")


def _shell(call: Call, _row: Command) -> Effects:
    words = [word.replace("+", "-", 1) if re.match(r"\+[oO]", word) else word for word in call.argv[1:]]
    # `-c` takes no value of its own: `bash -cx text` runs the first operand.
    options, operands = split_options(words, _VALUED)
    if "c" in options and operands:
        text, *arguments = operands
        if arguments:
            call.scope.variables["0"] = (arguments[0],)
        output = yield Eval(Language.SHELL, text, arguments=tuple(arguments[1:]))
        call.scope.variables.pop("0", None)
        return output
    if operands and "s" not in options:
        return (yield RunFile(operands[0], Language.SHELL, tuple(operands[1:])))
    given = tuple(operands) if "s" in options else None
    return (yield Eval(Language.SHELL, call.stdin, arguments=given, fed=True)) if call.stdin else ""


def _python(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    options, operands = split_options(words, _PYTHON_VALUED)
    # Of several, `-c` and `-m` end the options of Python itself: the first one counts.
    if "m" in options and next(name for name in options if name in {"c", "m"}) == "m":
        module = options["m"][0]
        at = next((index for index, word in enumerate(words) if word in {module, f"-m{module}"}), len(words))
        return (yield from _module(call, module, words[at + 1 :]))
    if "c" in options:
        return (yield Eval(Language.PYTHON, options["c"][0]))
    if operands and operands[0] != "-":
        return (yield RunFile(operands[0], Language.PYTHON, tuple(operands[1:])))
    return (yield Eval(Language.PYTHON, call.stdin, fed=True)) if call.stdin else ""


def _module(call: Call, module: str, arguments: list[str]) -> Effects:
    """`python -m`: a module of the workspace, or a program by the same name."""
    path = module.replace(".", "/")
    for candidate in (f"{path}.py", f"{path}/__main__.py"):
        yield Reach(candidate, Language.PYTHON)
    if module == "http.server":
        yield List(".")
    return (yield Run((module, *arguments), call.stdin))


def _make(call: Call, row: Command) -> Effects:
    options, _ = split(call, row)
    directory = (options.get("C") or options.get("directory") or ["."])[0]
    # The grammar drops a `-` that stands before a here-document.
    makefile = (options.get("f") or options.get("file") or ["Makefile"])[0] or "-"
    path = makefile if makefile.startswith(("/", "-")) else f"{directory}/{makefile}"
    text = call.held(path)
    if text is None:
        path = path.replace("/Makefile", "/*akefile")
        text = call.walker.report.content_of(paths.as_pattern(call.locate(path)))
    if text == OUTPUT:
        yield Reach(path, "make")
    elif "include" in text:
        text += "\n" + call.walker.report.content_of("*.mk")
    for rules in [*options.get("eval", []), *options.get("E", []), text]:
        # Recipes run in make's own directory, whichever file holds them.
        yield Eval(Language.SHELL, f"cd {shlex.quote(directory)}; {_recipes(rules)}")
    return None


def _recipes(text: str) -> str:
    """The commands of all recipes of a Makefile, with variables filled in."""
    text = text.replace("\\\n", " ")
    variables = {"MAKE": "make", "RM": "rm -f", "CURDIR": ".", **dict(_MAKE_VARIABLE.findall(text))}
    commands = "\n".join(map("".join, _RECIPE.findall(text)))
    for _ in range(_MAKE_ROUNDS):
        commands = _MAKE_USE.sub(lambda m: variables.get(m[1] or m[2] or "", "make_value"), commands)[:_MAX_MADE]
    return commands.replace("$$", "$")


def _xargs(call: Call, row: Command) -> Effects:
    options, words = split(call, row)
    words = words or ["echo"]
    fed = call.stdin.strip("\n")
    head = words[0].rpartition("/")[2]
    marker = (options.get("I") or options.get("i") or [""])[0] or ("{}" if options.keys() & {"I", "i"} else "")
    texts = [words[index + 1] for index, word in enumerate(words[:-1]) if word == "-c" and head in _SHELLS]
    if head in _SHELLS and not fed.strip(UNKNOWN + NAME + "\n /") and (len(words) == 1 or marker in texts):
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
        rest = iter(words)
        for word in rest:
            if word in {"-exec", "-execdir", "-ok", "-okdir"}:
                argv = takewhile(lambda one: one not in {";", "+", "\\;"}, rest)
                yield Run(tuple(one.replace("{}", found) for one in argv))
    yield from found_in(call, row, call.text)
    return f"{paths.normalise(roots[0], call.scope.cwd)}/{UNKNOWN}\n"


PROGRAMS: Final = (_copy, _tar, _path, _shell, _python, _make, _xargs, _find)
