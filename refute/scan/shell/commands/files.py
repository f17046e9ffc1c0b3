"""Commands that create, change, move or delete files."""

import re
from typing import Final

from refute.scan import paths, program_data
from refute.scan.finding import Severity
from refute.scan.shell import redirects
from refute.scan.shell.call import Call
from refute.scan.shell.checkers import always_agrees, is_checker
from refute.scan.shell.commands.permissions import judge_mode
from refute.scan.shell.options import split_options
from refute.scan.shell.syntax import text_of
from refute.scan.symbols import HOME, SECRET, UNKNOWN, is_open

_SET_BY_SHELL: Final = re.compile(r"\$\{?(?:OPTARG|REPLY|MAPFILE|COPROC|DIRSTACK|BASH_\w+|FUNCNAME|_)\b")
_SETTING: Final = re.compile(r"\"?\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*(?::?\?[^}\"]*)?\})\"?")


def _rm(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "", mixed=True)
    recursive = bool(options.keys() & {"r", "R", "recursive"})
    for path in operands:
        act = call.act
        act.soft = act.soft or (path == UNKNOWN and _names_settings(call))
        act.delete(path, recursive=recursive)
    return ""


def _names_settings(call: Call) -> bool:
    """Whether every unknown word is the whole value of an environment variable, as in `rm -rf "$OUT_DIR"`.

    Where the caller sets none, nothing is deleted; a caller that hands over a directory of the machine is judged itself
    (`handing_over.py`).
    """
    words = [word for word in text_of(call.node).split() if "$" in word or "`" in word]
    if _SET_BY_SHELL.search(text_of(call.node)):
        return False
    names = [re.sub(r"[\"${]|[}:?].*", "", word) for word in words if _SETTING.fullmatch(word)]
    return len(names) == len(words) and not any(call.walker.scope.is_set(name) for name in names)


def _unlink(call: Call) -> str:
    for path in split_options(call.argv[1:], "", mixed=True)[1]:
        call.act.delete(path, recursive=False)
    return ""


def _rmdir(call: Call) -> str:
    for path in split_options(call.argv[1:], "", mixed=True)[1]:
        target = paths.locate(path, call.walker.scope.cwd)
        if not paths.inside_or_temporary(target):
            call.act.add("delete-outside", severity=Severity.MEDIUM, detail="Only where the directory is empty.")
    return ""


def _destination(call: Call, valued: str, *, reads: bool, removes: bool) -> str:
    options, operands = split_options(
        call.argv[1:], valued, frozenset({"target-directory", "suffix", "mode", "owner", "group"}), mixed=True
    )
    target = (options.get("t") or options.get("target-directory") or [""])[0]
    sources = operands if target else operands[:-1]
    target = target or (operands[-1] if len(operands) > 1 else "")
    for path in sources:
        if removes:
            call.act.delete(path, recursive=not _keeps_place(call, path, target))
        if reads:
            call.act.read(path, asks=_stays(call, path, target))
            if re.fullmatch(r"/dev/(?:zero|u?random|full)", path) and not target.startswith("/dev/"):
                call.act.add("resource-exhaustion", detail="Copies a device that never ends.")
        if reads and not removes and options.keys() & {"r", "R", "a", "recursive", "archive"}:
            call.act.list(path)
    if target:
        into = re.search(r"/bin/?\Z", target) and len(sources) == 1
        call.act.write(f"{target}/{sources[0].rpartition('/')[2]}" if into else target)
        _copy_known(call, sources, target)
    if call.argv[0] == "install":
        judge_mode(call, (options.get("m") or options.get("mode") or [""])[0])
    return ""


def _stays(call: Call, source: str, target: str) -> bool:
    """Whether a copy lands in the directory of the program that the original belongs to, so that it tells nobody."""
    cwd = call.walker.scope.cwd
    return program_data.is_same_program(paths.locate(source, cwd).text, paths.locate(target, cwd).text)


def _keeps_place(call: Call, source: str, target: str) -> bool:
    """Whether a move only renames a file beside itself, or moves one that is not known: no tree leaves its place."""
    text = paths.locate(source, call.walker.scope.cwd).text
    other = paths.locate(target, call.walker.scope.cwd).text
    # `"$d/x.new" "$d/x"` names one directory twice, whichever of its possible values `d` has.
    written = [word.strip("\"'").rpartition("/")[0] for word in text_of(call.node).split()[-2:]]
    same = len(written) > 1 and written[0] == written[1] != ""
    return is_open(text) or same or text.rpartition("/")[0] == other.rpartition("/")[0]


def _copy_known(call: Call, sources: list[str], target: str) -> None:
    for path in sources[:1]:
        text = call.walker.shared.written.get(paths.locate(path, call.walker.scope.cwd).text)
        if text is None and re.match(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z", path):
            # A program under another name is that program.
            text = f'{path} "$@"'
        if text is not None:
            redirects.keep(call.walker, target, text, appends=False)
        elif call.walker.follows(path):
            cwd = call.walker.scope.cwd
            call.walker.shared.copies[paths.locate(target, cwd).text] = paths.locate(path, cwd).text


def _cp(call: Call) -> str:
    return _destination(call, "tSmog", reads=True, removes=False)


def _mv(call: Call) -> str:
    return _destination(call, "tS", reads=True, removes=True)


def _rename(call: Call) -> str:
    """`rename`, of which each kind takes its pattern first; the files are gone under their old names."""
    for path in split_options(call.argv[1:], "e", mixed=True)[1]:
        if path.startswith(("/", "~", "..", HOME)):
            call.act.delete(path, recursive=False)
    return ""


def _ln(call: Call) -> str:
    words = split_options(call.argv[1:], "tS", mixed=True)[1]
    if len(words) > 1:
        if "history" in words[-1] and words[0] == "/dev/null":
            call.act.add("history-tampering")
        if paths.locate(words[0], call.walker.scope.cwd).text in {"/", "/etc", "/root"}:
            call.act.add("list-host-directory", detail="Links to a system directory.")
        if is_checker(words[-1]) and always_agrees(words[0]):
            call.act.add("test-tampering", detail="Tests seem to pass without being run.")
        call.act.read(words[0])
        call.act.write(words[-1])
        _copy_known(call, words[:1], words[-1])
    return ""


def _tee(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "", mixed=True)
    for path in operands:
        call.act.write(path)
        redirects.keep(call.walker, path, call.stdin, appends="a" in options or "append" in options)
        if SECRET in call.stdin:
            call.act.add("environment-dump")
    return call.stdin or UNKNOWN


def _create(call: Call) -> str:
    for path in split_options(call.argv[1:], "mdrtZ", mixed=True)[1]:
        # The root is there already: scripts that make a path part by part begin with it.
        if call.argv[0] != "mkdir":
            call.act.write(path)
        elif path.strip("/."):
            call.act.make_directory(path)
    return ""


def _patch(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "pidDFgoYz", frozenset({"input", "directory"}), mixed=True)
    for path in [*operands[:1], *options.get("o", [])]:
        call.act.write(path)
    for directory in [*options.get("d", []), *options.get("directory", [])]:
        call.act.write(f"{directory}/patched")
    return UNKNOWN


def _yes(call: Call) -> str:
    return "y\n" if len(call.argv) == 1 else UNKNOWN


def _unzip(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "dxP", mixed=True)
    for path in operands[:1]:
        call.act.read(path)
    for path in options.get("d", []):
        call.act.write(path)
    return UNKNOWN


COMMANDS: Final = {
    "rm": _rm,
    "rmdir": _rmdir,
    "unlink": _unlink,
    "srm": _rm,
    "trash": _unlink,
    "cp": _cp,
    "install": _cp,
    "mv": _mv,
    **dict.fromkeys(("rename", "prename", "file-rename", "mmv"), _rename),
    "ln": _ln,
    "link": _ln,
    "tee": _tee,
    "sponge": _tee,
    "touch": _create,
    "mkdir": _create,
    "mkfifo": _create,
    "mknod": _create,
    "yes": _yes,
    "patch": _patch,
    **dict.fromkeys(("ccrypt", "ccencrypt"), _create),
    "unzip": _unzip,
}
