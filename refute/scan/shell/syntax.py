"""Shell text to a syntax tree; what the grammar stumbles over is written in another way that means the same.

The grammar (tree-sitter-bash 0.25) does not know some constructs that every shell reads: quotes and blanks in `case`
patterns, odd here-document markers, `$#` between operands, redirections behind assignments or subshells. shfmt, which
reads them, says where they stand; they are written plainly there, line for line. What shfmt does not read either
stays as it was, and blocks.
"""

import json
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Query, QueryCursor

_QUERIES: Final = """
[(command_substitution) (process_substitution)] @substituted
(command (variable_assignment) name: (command_name)) @assigning
(concatenation "$" @lone .)
((command_name (word) @reserved) (#match? @reserved
  "^(if|then|elif|else|fi|for|while|until|do|done|case|esac|\\{|\\})$"))
"""


@lru_cache(maxsize=1)
def _grammar() -> tuple[Parser, Query]:
    """Of the shell: a parser, and a query for what is asked for in a tree."""
    language = Language(tree_sitter_bash.language())
    return Parser(language), Query(language, _QUERIES)


def _captured(root: Node, name: str) -> list[Node]:
    """The nodes below that a query finds, outer ones before those inside them."""
    found = QueryCursor(_grammar()[1]).captures(root).get(name, [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


def parse(source: bytes) -> Node:
    """The root node; its `has_error` says whether some part was not understood."""
    return _grammar()[0].parse(source).root_node


def text_of(node: Node) -> str:
    """The node's source text."""
    return (node.text or b"").decode("utf-8", "replace")


def substitutions(root: Node) -> list[Node]:
    """Every command and process substitution below a node, outer ones before those inside them."""
    return _captured(root, "substituted")


def below(root: Node) -> Iterator[Node]:
    """A node and all below it, in the order in which they stand."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def first_error(root: Node) -> Node | None:
    """The first node below of which the grammar made nothing, or a command's name of what is none; None: no such."""
    if root.has_error:
        return next((node for node in below(root) if node.is_error or node.is_missing), root)
    return next(iter(_captured(root, "reserved")), None)


def join_continued(source: str) -> str:
    """Join words that a backslash and a line end cut in two, keeping the number of lines."""
    # The line ends go behind the line that they are taken out of, as far as that goes on.
    lines = re.compile(r"^(?:[^\n]*[^\s\\]\\\n)+(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
    return lines.sub(lambda m: m[0].replace("\\\n", "") + "\n" * m[0].count("\\\n"), source)


Edit = tuple[int, int, bytes]
"""From, to, what stands there instead."""
_TWO_EXPANSIONS: Final = re.compile(r"\$[\w{][^\s\"'`;|&()<>]*?[^\s\"'`;|&()<>$\\]\$[\w@*#?!$-]")
_VARIABLE: Final = re.compile(rb"\$([A-Za-z_]\w*|[\d@*#?!$-])")
_MAX_ROUNDS: Final = 6


def parse_words(source: str) -> Node:
    """Parse shell text, keeping words whole and lines apart.

    The grammar (tree-sitter-bash 0.25) ends the word `$a/$b` behind the second dollar sign; written `$a/${b}` it is
    read as what it is. Assignments that end a line it takes for those of the next line's command; they get a `;`.
    Lines stay, columns behind such a place move by one or two.
    """
    text = source.encode()
    root = parse(text)
    for _ in range(_MAX_ROUNDS):
        edits = [*_dollars(root, text, source), *_line_ends(root, text)]
        if not edits:
            break
        for begin, end, written in sorted(edits, reverse=True):
            text = text[:begin] + written + text[end:]
        root = parse(text)
    return root


def _dollars(root: Node, text: bytes, source: str) -> Iterator[Edit]:
    for lone in _captured(root, "lone") if _TWO_EXPANSIONS.search(source) else ():
        if name := _VARIABLE.match(text, lone.start_byte):
            yield *name.span(), b"${%b}" % name[1]


def _line_ends(root: Node, text: bytes) -> Iterator[Edit]:
    for node in _captured(root, "assigning"):
        last = [child for child in node.named_children if child.type == "variable_assignment"][-1]
        after = last.next_sibling
        if after and b"\n" in text[last.end_byte : after.start_byte].replace(b"\\\n", b""):
            yield last.end_byte, last.end_byte, b";"


_MARK: Final = "REFUTE_DOCUMENT_"
_WALL_S: Final = 20
_COMPLAINT: Final = re.compile(rb"(?:<standard input>:)?(\d+):\d+: (.*)")
_PLUMBING: Final = re.compile(rb"\d*[<>]&[\d-]+|(?:\d*>>?|&>>?)[ \t]*/dev/null")
_PLAIN_MARK: Final = re.compile(rb"\w+|'\w+'|\"\w+\"")
_UNPARTED: Final = re.compile(rb"(?:[)}]|\b(?:esac|done|fi))[ \t]+\Z")
"""What ends a command where nothing but a blank parts it from the next word."""
_NO_LIST: Final = re.compile(rb"\{(?!.*(?:,|\.\.))", re.DOTALL)
"""How a word begins that is neither a group nor a list of braces, such as `{{$name}}` of a template."""
_LONE: Final = re.compile(rb"(?<![^\s=(])~(?![\w/+:-])|\$\Z|(?<![^\s;])@(?=\w)")
"""Characters that stand for themselves: a tilde that is a word, a dollar sign before a backslash, `@` of `@NAME@`."""


@lru_cache(maxsize=32)
def respell(source: str) -> str | None:
    """The same script for a parser that knows less, line for line; None where it is not understood.

    The statements from the first to the last that the grammar stumbles over are read again, everything only where
    that does not help: a generated script is long, and what is odd about it is short.
    """
    broken = [child for child in parse(source.encode()).children if first_error(child)]
    first, last = (broken[0].start_point[0], broken[-1].end_point[0] + 1) if broken else (0, None)
    lines = source.split("\n")
    part = _plain("\n".join(lines[first:last]))
    if part is not None:
        again = "\n".join([*lines[:first], part, *(lines[last:] if last else ())])
        if not first_error(parse_words(again)):
            return again
    return _plain(source)


def _plain(source: str) -> str | None:
    tree = _read(source)
    if _MARK in source or not isinstance(tree, dict):
        return None
    text = source.encode()
    out: list[bytes] = []
    at = 0
    for begin, end, new in sorted(_edits(tree, text), key=lambda edit: (edit[0], -edit[1])):
        if begin >= at:  # of two that overlap the outer one is made
            out += [text[at:begin], new]
            at = end
    return b"".join([*out, text[at:]]).decode()


@lru_cache(maxsize=4)
def _read(source: str) -> dict[str, Any] | tuple[int, str] | None:
    """The tree that shfmt makes of a text, or the line from which it gives up and why; None where it is not there."""
    told = None
    program = shutil.which("shfmt", path=sysconfig.get_path("scripts")) or shutil.which("shfmt")
    for dialect in ("bats", "posix") if program else ():  # bats: bash, and tests
        command = [str(program), "-ln", dialect, "--to-json"]
        try:
            done = subprocess.run(command, input=source.encode(), capture_output=True, timeout=_WALL_S, check=False)  # noqa: S603 - a formatter reads it
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode == 0:
            tree: dict[str, Any] = json.loads(done.stdout)
            return tree
        told = told or _COMPLAINT.match(done.stderr)
    return (int(told[1]), told[2].decode("utf-8", "replace")) if told else None


def complaint(source: str) -> tuple[int, str] | None:
    """The line (1-based) from which a text is not understood, and why; None where all is."""
    told = _read(source)
    return told if isinstance(told, tuple) else None


def _edits(tree: dict[str, Any], text: bytes) -> Iterator[Edit]:
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            yield from _of_node(node, text)
            pending.extend(value for name, value in node.items() if name not in {"Parts", "Hdoc"})
            quoted = node.get("Type") == "DblQuoted"
            pending.extend(one for one in node.get("Parts") or () if not quoted or one["Type"] != "Lit")
            pending.extend(one for one in node.get("Hdoc", {}).get("Parts") or () if one["Type"] != "Lit")


def _of_node(node: dict[str, Any], text: bytes) -> Iterator[Edit]:  # noqa: C901, PLR0912 - one branch per construct
    match node:
        case {"Patterns": [first, *_] as patterns}:
            yield from _anything(_begin(first), _end(patterns[-1]), text)
            closed = text.index(b")", _end(patterns[-1])) + 1
            yield closed, closed, b" "
        case {"Type": "ExtGlob"}:
            yield from _anything(_begin(node), _end(node), text)
        case {"Semicolon": {"Offset": at}, "Redirs": redirections} if any("Hdoc" in one for one in redirections):
            yield at, at + 1, b" &&" if text[at + 1 :].partition(b"\n")[0].strip() else b""
        case {"Type": "DblQuoted", "Parts": [*parts]}:
            for one in (one for one in parts if one["Type"] == "CmdSubst" and text[_begin(one)] == ord("`")):
                yield from ((at, at + 2, b'"') for at in range(_begin(one), _end(one)) if text.startswith(b'\\"', at))
        case {"Type": "CmdSubst"} if text[_begin(node)] == ord("`"):
            yield from _backticks(_begin(node), _end(node), text)
        case {"Type": "CallExpr", "Args": [first, *_]} if text[_begin(first) : _end(first)] == b"[":
            # To a shell the bracket is a command like any other: its operands need not balance.
            yield _begin(first), _end(first), b"test"
        case {"Type": "CallExpr", "Args": [first, *_]} if _NO_LIST.match(text[_begin(first) : _end(first)]):
            yield _begin(first), _begin(first), b"\\"
        case {"Type": "Lit"}:
            yield from ((at.start(), at.start(), b"\\") for at in _LONE.finditer(text, _begin(node), _end(node)))
        case {"Type": "TestDecl", "Body": {"Cmd": {"Lbrace": first, "Rbrace": last}}}:
            # `@test "name" { … }` of bats, each in a process of its own.
            yield _begin(node), first["Offset"] + 1, b"("
            yield last["Offset"], last["Offset"] + 1, b")"
        case {"Slice": {"Offset": position}} if text[_begin(position) : _begin(position) + 1] == b"$":
            # A position held in a variable: `${x:$i:1}` and `${x:i:1}` are the same.
            yield _begin(position), _begin(position) + 1, b"_"
        case {"Type": "WordIter", "Name": name} if "InPos" not in node:
            ends = text[_end(name) :].lstrip(b" \t").startswith((b";", b"\n"))
            yield _end(name), _end(name), b' in "$@"' + b";" * (not ends)
        case {"Type": "Subshell"} if text.startswith(b"((", _begin(node)):
            yield _begin(node), _begin(node) + 1, b"( "
        case {"Type": "BinaryCmd", "OpPos": {"Offset": at}, "X": {"Redirs": redirections}} if any(
            "Hdoc" in one for one in redirections
        ):
            # The rest follows behind the document; either side is read, whichever runs.
            yield from _last_of_line(at, text)
        case {"Cmd": {"Type": "CallExpr", "Assigns": _} as call, "Negated": True} if not call.get("Args"):
            yield _begin(node), _begin(node) + 1, b""
    for at in (node[word]["Offset"] for word in ("ThenPos", "DoPos", "DonePos", "FiPos", "Rbrace") if word in node):
        if _UNPARTED.search(text[max(0, at - 100) : at]):
            yield at, at, b"; "
    if node.get("Redirs") and node.get("Cmd") is None:
        yield _begin(node["Redirs"][0]), _begin(node["Redirs"][0]), b": "
    for redirection in node.get("Redirs") or ():
        yield from _redirection(redirection, text)


def _begin(node: dict[str, Any]) -> int:
    return int(node["Pos"]["Offset"])


def _end(node: dict[str, Any]) -> int:
    return int(node["End"]["Offset"])


def _anything(begin: int, end: int, text: bytes) -> Iterator[Edit]:
    """Which pattern a word matches is not worked out; one that runs nothing may be any."""
    written = text[begin:end]
    if b"$(" not in written and b"`" not in written:
        yield begin, end, b"*" + b"\n" * written.count(b"\n")


def _backticks(begin: int, end: int, text: bytes) -> Iterator[Edit]:
    inside = text[begin + 1 : end - 1]
    if not re.search(rb"`|\\[$`\\]", inside):
        yield begin, begin + 1, b"$( "
        yield end - 1, end, b")"


def _redirection(node: dict[str, Any], text: bytes) -> Iterator[Edit]:
    begin, end, word = _begin(node), _end(node), node["Word"]
    if document := node.get("Hdoc"):
        yield from _document(_begin(word), _end(word), _end(document), text)
    elif _PLUMBING.fullmatch(text[begin:end]):
        # Where output goes when it goes nowhere, or to another open file, decides nothing.
        yield begin, end, b""
    elif (operator := text[begin:end].lstrip(b"0123456789")).startswith(b"<>"):
        # Opened for both; a program reads from 0, which it is where none is named, and writes to any other.
        at = end - len(operator)
        yield at, at + 2, b"<" if text[begin:at] in {b"", b"0"} else b">>"


def _last_of_line(at: int, text: bytes) -> Iterator[Edit]:
    """An operator between a here-document's mark and the end of its line, which the grammar does not take there."""
    if operator := re.compile(rb"(?:&&?|\|\|)(?=[ \t]*\n)").match(text, at):
        yield at, operator.end(), b""


def _document(begin: int, end: int, until: int, text: bytes) -> Iterator[Edit]:
    """A here-document, by a mark that the grammar takes; quoted stays quoted."""
    written = text[begin:end]
    if not _PLAIN_MARK.fullmatch(written):
        plain = re.sub(rb"\\(.)|['\"]", rb"\1", written)
        mark = f"{_MARK}{begin}".encode()
        yield begin, end, b"'" + mark + b"'" if plain != written else mark
        yield until - len(plain), until, mark
