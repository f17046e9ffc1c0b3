"""Commands that read, list or search files."""

# ruff: noqa: E501 - tables and patterns, one subject per line

import re
from typing import Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.shell.call import Call
from refute.scan.shell.commands.interpreters import given_text, note_run
from refute.scan.shell.options import split_options
from refute.scan.symbols import HERE, HOME, NAME, SECRET, UNKNOWN, is_known

# Command → options that take a value.
_READERS: Final[dict[str, str]] = {
    "cat": "", "bat": "", "head": "nc", "tail": "ncs", "less": "", "more": "", "nl": "bdfhilnpsvw", "od": "AjNtw", "hexdump": "efns",
    "strings": "nte", "sort": "kTtSo", "uniq": "fsw", "wc": "", "fold": "w", "fmt": "wg", "column": "stco", "paste": "d", "join": "12jteao",
    "comm": "", "diff": "UCLxI", "cmp": "in", "md5sum": "", "sha1sum": "", "sha256sum": "", "sha512sum": "", "cksum": "", "b2sum": "", "vim": "cS",
    "vi": "c", "nano": "", "emacs": "", "ed": "", "view": "", "jq": "", "yq": "", "look": "t", "iconv": "fto", "expand": "t",
    "unexpand": "t", "pr": "", "split": "abCln", "csplit": "bfn", "shuf": "ino", "dos2unix": "", "file": "", "gpg": "", "zip": "P", "zipinfo": "",
    "ptx": "", "tsort": "", "xmllint": "", "lp": "", "lpr": "", "ar": "", "cpio": "", "7z": "", "rar": "", "magick": "", "convert": "",
    "arp": "", "most": "", "pygmentize": "", "csvtool": "", "pdftotext": "",
}  # fmt: skip


_ASKED: Final = frozenset({"cat", "cmp", "head", "tail", "sort", "uniq"})
"""Readers of which only an answer is left where what they print is thrown away or counted."""
_ARCHIVERS: Final = frozenset({"zip", "7z", "rar", "cpio"})
_BARE_FIND: Final = frozenset(
    {"-type", "-print", "-print0", "-ls", "-maxdepth", "-mindepth", "-xdev", "-mount", "-follow", "-depth"}
)


_HOOKS: Final = re.compile(r"scripts[^=|]*=\s*\"((?:[^\"\\]|\\.)+)\"")
"""What a `jq` program writes into the scripts of a package."""


def _jq(call: Call) -> str:
    for hook in _HOOKS.finditer(" ".join(call.argv[1:])):
        call.walker.embedded(hook[1], call.node)
    return _read(call)


def _read(call: Call) -> str:
    name = call.argv[0]
    options, operands = split_options(call.argv[1:], _READERS.get(name, ""), mixed=True)
    if name == "sort" and "o" in options:
        call.act.write(options["o"][0])
    if not operands or operands == ["-"]:
        return _part(name, options, call.stdin) if call.stdin else UNKNOWN
    if name in {"jq", "yq", "look"}:
        operands = operands[1:]
    if name == "zip" and "-TT" in call.argv[:-1]:
        call.walker.embedded(call.argv[call.argv.index("-TT") + 1], call.node)
    output = ""
    for path in operands:
        output += _content(call, path, asks=call.silent and name in _ASKED) if path != "-" else call.stdin
        if name in _ARCHIVERS:
            call.act.list(path)
    return output if name in {"cat", "head", "tail", "sort", "nl"} else UNKNOWN


def _part(name: str, options: dict[str, list[str]], text: str) -> str:
    """What `head -c` and `tail -c` leave of a text; lines are left whole, because all of them may run."""
    if name == "paste" and "s" in options:
        return text.rstrip("\n").replace("\n", (options.get("d") or ["\t"])[0].replace("\\0", ""))
    if name == "fmt":
        return " ".join(text.split("\n"))
    count = (options.get("c") or options.get("bytes") or [""])[0]
    number = re.fullmatch(r"([+-]?)(\d+)", count)
    if name not in {"head", "tail"} or number is None:
        return text
    size, sign = int(number[2]), number[1]
    if not is_known(text):
        return text
    if name == "head":
        return text[:-size] if sign == "-" and size else text[:size]
    return text[max(size - 1, 0) :] if sign == "+" else text[-size:] if size else ""


def _content(call: Call, path: str, *, asks: bool) -> str:
    content = call.act.read(path, asks=asks)
    if content:
        return content
    if path.startswith("/dev/fd/"):
        return UNKNOWN
    located = paths.locate(path, call.walker.scope.cwd)
    if re.match(r"/dev/(zero|u?random|full)\Z", located.text):
        return UNKNOWN
    return call.walker.shared.written.get(located.text, UNKNOWN)


def _grep(call: Call) -> str:
    options, operands = split_options(
        call.argv[1:],
        "efmABCdD",
        frozenset({"regexp", "file", "include", "exclude", "max-count", "exclude-dir"}),
        mixed=True,
    )
    patterns = options.get("e", []) + options.get("regexp", []) + options.get("f", [])
    for path in operands if patterns else operands[1:]:
        if options.keys() & {"r", "R", "recursive"}:
            call.act.list(path)
        call.act.read(path, asks=bool(options.keys() & {"q", "quiet", "silent"}) or call.silent)
    wanted = " ".join([*patterns, *operands[:1]])
    if SECRET in call.stdin and re.search(r"(?i)key|token|secret|pass|cred", wanted):
        return SECRET
    return UNKNOWN if options.keys() & {"c", "count"} else call.picked()


def _awk(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "Fvfe")
    programs = options.get("e", []) or ([] if "f" in options else operands[:1])
    for path in options.get("f", []):
        note_run(call, path, "awk")
        programs = [*programs, given_text(call, path) or ""]
    for path in operands[1:] if not options.get("f") else operands:
        if "=" not in path:
            call.act.read(path)
    for program in programs:
        _awk_program(call, program)
    return call.picked()


def _awk_program(call: Call, program: str) -> None:
    for match in re.finditer(r"system\s*\(\s*(?:\"((?:[^\"\\]|\\.)*)\")?\s*\)?", program):
        literal = match[1]
        call.act.add("foreign-code", detail="awk's system() runs a command.")
        if literal:
            call.walker.embedded(literal.replace('\\"', '"'), call.node)
    for match in re.finditer(r"\|\s*\"([^\"]+)\"|\"([^\"]+)\"\s*\|\s*getline", program):
        command = match[1] or match[2]
        if command.strip() not in {"sort", "sort -n", "cat 1>&2", "cat >&2", "sort -u"}:
            call.walker.embedded(command, call.node)
            if re.match(r"(?:/\w+)*/?(?:ba|da|z|k)?sh\b", command):
                call.act.add("pipe-to-shell")
    if "/inet" in program and "|&" in program and "getline" in program:
        call.act.add("reverse-shell", detail="awk reads from and writes to a network connection.")
    for match in re.finditer(r"/inet[46]?/(?:tcp|udp)/\d+/([^/\"]+)", program):
        call.act.connect(match[1])
    for match in re.finditer(r">>?\s*\"(/[^\"]+)\"", program):
        call.act.write(match[1])
    for match in re.finditer(r"getline[^<;}\n]*<\s*\"(/[^\"]+)\"", program):
        call.act.read(match[1])


def _list(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "ITw", mixed=True)
    for path in operands:
        # `ls -l /usr/bin/x` and `ls -d /` ask after one entry; only what is in a directory takes stock.
        alone = bool(options.keys() & {"d", "directory"}) and "*" not in path
        call.act.list(path, asks=alone or call.silent)
    # A directory's members are printed without it, what a pattern matches with its path.
    names = [path if re.search(r"[*?]", path) else f"{path.rstrip('/')}/{NAME}" for path in operands]
    return "\n".join(names if operands and names == operands else [NAME, *names])


def _find(call: Call) -> str:
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
        homes = paths.locate(root, call.walker.scope.cwd).text in {"/home", "/root", "/Users"}
        if not narrowed or (homes and {"-exec", "-execdir"} & set(words)):
            call.act.list(root)
    _find_actions(call, roots, words)
    first = paths.normalise(roots[0], call.walker.scope.cwd)
    return f"{first}/{UNKNOWN}\n"


def _find_actions(call: Call, roots: list[str], words: list[str]) -> None:
    if "-delete" in words:
        for root in roots if "-empty" not in words or "-o" in words else ():
            call.act.delete(root, recursive=not any(word.startswith(("-name", "-iname", "-path")) for word in words))
    for index, word in enumerate(words):
        following = words[index + 1 : index + 2]
        if word in {"-fprintf", "-fprint", "-fls", "-fprint0"} and following:
            call.act.write(following[0])
        if word in {"-exec", "-execdir", "-ok", "-okdir"}:
            _find_exec(call, roots, words[index + 1 :])
        secret = re.search(
            r"id_[re]sa|\.pem|shadow|\.aws|credential|passw|\.ssh|wallet|places\.sqlite|Login Data|Cookies|\.netrc|token",
            word,
        )
        if (
            secret
            and roots[0].startswith(("/", "~", HOME))
            and index
            and words[index - 1].lstrip("-").startswith(("name", "iname", "path", "regex"))
        ):
            call.act.add("read-credentials", severity=Severity.HIGH, detail="Searches the machine for credentials.")
    hunting_setuid = re.search(r"-perm\s+[-/+]?(?:[ug]\+?=?s|[246]000|u=s|g=s)", " ".join(words))
    if (hunting_setuid and roots[0].startswith("/")) or ("-writable" in words and roots[0] == "/"):
        call.act.add("attack-tool", detail="Looks for ways to more rights.")


def _find_exec(call: Call, roots: list[str], words: list[str]) -> None:
    from refute.scan.shell.dispatch import dispatch  # noqa: PLC0415 - the two need each other

    end = next((i for i, word in enumerate(words) if word in {";", "+", "\\;"}), len(words))
    for root in roots:
        found = f"{paths.normalise(root, call.walker.scope.cwd)}/{NAME}"
        inner = [word.replace("{}", found) for word in words[:end]]
        if inner:
            dispatch(type(call)(call.walker, inner, call.node, ""))


def _tar(call: Call) -> str:
    words = call.argv[1:]
    if words and not words[0].startswith("-"):
        words = ["-" + words[0], *words[1:]]
    options, operands = split_options(
        words, "fCTXbIKgVH", frozenset({"file", "directory", "checkpoint", "exclude"}), mixed=True
    )
    for option in ("checkpoint-action", "to-command", "use-compress-program", "rsh-command", "I"):
        for value in options.get(option, []):
            if option in {"use-compress-program", "I"} and re.match(
                r"[\w./-]*(gzip|pigz|xz|zstd|bzip2|lz4|lzma)\b", value
            ):
                continue
            severity = Severity.MEDIUM if option == "to-command" else None
            call.act.add("foreign-code", severity=severity, detail=f"tar --{option} runs a command.")
            call.walker.embedded(value.removeprefix("exec="), call.node)
    archive = (options.get("f") or options.get("file") or [""])[0]
    directory = (options.get("C") or options.get("directory") or ["."])[0]
    if options.keys() & {"c", "r", "u", "create"}:
        for path in operands:
            joined = path if path.startswith(("/", "~", HERE, HOME)) else f"{directory}/{path}"
            call.act.read(joined)
            call.act.list(joined)
        if archive and archive != "-":
            call.act.write(archive)
    elif options.keys() & {"x", "extract"}:
        call.act.write(directory)
    return call.stdin or UNKNOWN


def _source_list(call: Call) -> str:
    for path in split_options(call.argv[1:], "d", mixed=True)[1]:
        call.act.list(path)
    return UNKNOWN


COMMANDS: Final = {
    **dict.fromkeys(_READERS, _read),
    "jq": _jq,
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"), _grep),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "busybox-awk"), _awk),
    **dict.fromkeys(("ls", "dir", "vdir", "exa", "eza", "lsd"), _list),
    **dict.fromkeys(("du", "tree", "ncdu"), _source_list),
    "find": _find,
    "tar": _tar,
    "bsdtar": _tar,
}
