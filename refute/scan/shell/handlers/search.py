"""Commands that search and list: grep, awk, find, ls, tar."""

import re
from collections.abc import Iterator
from typing import Final

from refute.scan.core import paths
from refute.scan.core.effects import ChangeMode, Delete, Effects, Eval, Flag, List, Reach, Read, Run, Write
from refute.scan.core.symbols import HERE, HOME, NAME, SECRET, UNKNOWN
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.options import split_options
from refute.scan.shell.rows import found_in, split
from refute.scan.shell.state import Call

_BARE_FIND: Final = frozenset(
    {"-type", "-print", "-print0", "-ls", "-maxdepth", "-mindepth", "-xdev", "-mount", "-follow", "-depth"}
)
_SECRETS: Final = re.compile(
    r"id_[re]sa|\.pem|shadow|\.aws|credential|passw|\.ssh|wallet|places\.sqlite|Login Data|Cookies|\.netrc|token"
)
_NAMED: Final = re.compile(r"-*(?:i?name|path|regex)")
_UNPACKERS: Final = re.compile(r"[\w./-]*(gzip|pigz|xz|zstd|bzip2|lz4|lzma)\b")


def _grep(call: Call, row: Command) -> Effects:
    options, operands = split(call, row)
    patterns = options.get("e", []) + options.get("regexp", []) + options.get("f", [])
    content = ""
    for path in operands if patterns else operands[1:]:
        if options.keys() & {"r", "R", "recursive"}:
            yield List(path)
        content += yield Read(path, asks=bool(options.keys() & {"q", "quiet", "silent"}) or call.silent)
    wanted = " ".join([*patterns, *operands[:1]])
    if SECRET in call.stdin and re.search(r"(?i)key|token|secret|pass|cred", wanted):
        return SECRET
    if options.keys() & {"c", "count"} or SECRET in content:
        return UNKNOWN
    return content or call.picked()


def _awk(call: Call, row: Command) -> Effects:
    options, operands = split_options(call.argv[1:], row.values)
    files = options.get("f", [])
    programs = options.get("e", []) or ([] if files else operands[:1])
    for path in files:
        yield Reach(path, "awk")
        programs = [*programs, call.held(path) or ""]
    for path in operands if files else operands[1:]:
        if "=" not in path:
            yield Read(path)
    for program in programs:
        yield from found_in(call, row, program)
    return call.picked()


def _find(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    while words and re.fullmatch(r"-[HLPED]|-O\d", words[0]):
        words = words[1:]
    roots: list[str] = []
    while words and not words[0].startswith(("-", "(", "!")):
        roots.append(words[0])
        words = words[1:]
    roots = roots or ["."]
    # A search for something particular is no stock-taking; only a bare listing is.
    narrowed = any(word.startswith("-") and word not in _BARE_FIND and not word[1:].isdigit() for word in words)
    for root in roots:
        # What is done to files of whoever has a home here takes stock, whatever is looked for.
        homes = call.locate(root).text in {"/home", "/root", "/Users"}
        if not narrowed or (homes and {"-exec", "-execdir"} & set(words)):
            yield List(root)
    yield from _find_actions(call, roots, words)
    first = roots[0]
    hunting = re.search(r"-perm\s+[-/+]?(?:[ug]\+?=?s|[246]000|u=s|g=s)", " ".join(words))
    if (hunting and first.startswith("/")) or ("-writable" in words and first == "/"):
        yield Flag("attack-tool", detail="Looks for ways to more rights.")
    return f"{paths.normalise(first, call.scope.cwd)}/{UNKNOWN}\n"


def _find_actions(call: Call, roots: list[str], words: list[str]) -> Effects:
    for index, word in enumerate(words):
        before, following = words[index - 1] if index else "", words[index + 1 : index + 2]
        if word == "-delete" and ("-empty" not in words or "-o" in words):
            for root in roots:
                yield Delete(root, not any(one.startswith(("-name", "-iname", "-path")) for one in words))
        elif word in {"-fprintf", "-fprint", "-fls", "-fprint0"} and following:
            yield Write(following[0])
        elif word in {"-exec", "-execdir", "-ok", "-okdir"}:
            for argv in _executed(call, roots, words[index + 1 :]):
                yield Run(argv)
        elif _SECRETS.search(word) and _NAMED.match(before) and roots[0].startswith(("/", "~", HOME)):
            yield Flag("read-credentials", detail="Searches the machine for credentials.")
    return None


def _executed(call: Call, roots: list[str], words: list[str]) -> Iterator[tuple[str, ...]]:
    end = next((i for i, word in enumerate(words) if word in {";", "+", "\\;"}), len(words))
    for root in roots if words[:end] else ():
        found = f"{paths.normalise(root, call.scope.cwd)}/{NAME}"
        yield tuple(word.replace("{}", found) for word in words[:end])


def _tar(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    if words and not words[0].startswith("-"):
        words = ["-" + words[0], *words[1:]]
    long = frozenset({"file", "directory", "checkpoint", "exclude"})
    options, operands = split_options(words, "fCTXbIKgVH", long, mixed=True)
    for option in ("checkpoint-action", "to-command", "use-compress-program", "rsh-command", "I"):
        for value in options.get(option, []):
            if not (option in {"use-compress-program", "I"} and _UNPACKERS.match(value)):
                yield Flag("foreign-code", mild=option == "to-command", detail=f"tar --{option} runs a command.")
                yield Eval(Language.SHELL, value.removeprefix("exec="))
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


def _chmod(call: Call, _row: Command) -> Effects:
    words = [word for word in call.argv[1:] if not re.fullmatch(r"-[RcfvhHLP]+|--[a-z-]+(=.*)?", word)]
    whole = any(re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*|--recursive", word) for word in call.argv[1:])
    yield from mode_flags(words[0] if words else "")
    for path in words[1:]:
        yield ChangeMode(path, tightens=not whole and _is_tight(words[0]))
    if words[:1] and words[0] in {"777", "0777", "a+rwx", "ugo+rwx", "666"}:
        yield Flag("permission-change", mild=True, detail="Everyone may write there.")
    return ""


def mode_flags(mode: str) -> Effects:
    """What a mode says by itself: the setuid and setgid bits."""
    if re.search(r"[ugoa]*[ug][goa]*[+=][rwxXt]*s|(?:^|,)[+=][rwx]*s", mode) or re.fullmatch(r"0?[2-7][0-7]{3}", mode):
        # The group bit alone is how shared directories keep their group.
        group = re.fullmatch(r"0?2[0-7]{3}|[g+=rwXt,]*s", mode) and "u" not in mode and not mode.startswith("+")
        yield Flag("setuid", mild=bool(group))
    return None


def _is_tight(mode: str) -> bool:
    """Whether a mode leaves the owner what he had and does not let everybody write: `0644`, `755`, `go-w`, `a+rX`."""
    if re.fullmatch(r"[0-7]{3,4}", mode):
        return bool(re.fullmatch(r"[0-2]?[4-7][0-7][0145]", mode))
    return all(re.fullmatch(r"u?[+=][rwxX]+|[ugoa]*[+=][rxX]+|[go]+-[rwxX]+|u-w", part) for part in mode.split(","))


def _chown(call: Call, _row: Command) -> Effects:
    options, operands = split_options(call.argv[1:], "m", mixed=True)
    owner = operands[0].partition(":")[0].partition(".")[0] if operands else ""
    for path in operands[1:]:
        named = len(owner) > 2 and any(part.startswith(owner) for part in path.split("/")[2:])  # noqa: PLR2004
        to_root = owner in {"root", "0"} and call.argv[0] == "chown" and not options.keys() & {"R", "recursive"}
        yield ChangeMode(path, tightens=named or to_root)
    return ""


HANDLERS: Final = {
    "grep": _grep,
    "awk": _awk,
    "find": _find,
    "tar": _tar,
    "chmod": _chmod,
    "chown": _chown,
}
