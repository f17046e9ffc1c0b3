"""Reads shell words character by character as POSIX tokenises them (XCU 2.2 and 2.3), and writes them out again."""

import re
from dataclasses import dataclass
from typing import Final

META: Final = " \t\n;&|<>()"
"""Characters that end a word."""
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=\Z")
_PLUMBING: Final = re.compile(r"(?:\d*(?:>&|<&)(?:\d+|-)|(?:\d*>>?|&>)[ \t]*/dev/null)(?=[\s;&|)]|\Z)")
_TILDE: Final = re.compile(r"(?:^|(?<==))~(?![\w/+:-])")
_LATE: Final = re.compile(r"\\\$\{[^{}\"'\\`\s]*\}")
"""An expansion left to a later `eval`."""
_BLANK: Final = re.compile(r"(?:[ \t]|\\\n)+")
_ANSI: Final = re.compile(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL)
_BACKTICKS: Final = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_APOSTROPHES: Final = re.compile(r"'([^'}{\"`$\\\n]*)'")
_CONDITION_END: Final = re.compile(r"\s\]\](?=[\s;&|)]|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A here-document whose body begins on the next line."""

    end: str
    """Its end mark without quotes."""
    mark: str
    """The end mark as respelled."""
    strips_tabs: bool
    quoted: bool


class Unclear(Exception):
    """The text is not understood by this reader either."""


class WordReader:
    """Reads from `at` on and writes what it understood to `out`."""

    def __init__(self, source: str, depth: int = 0) -> None:
        self.source = source
        self.depth = depth
        self.at = 0
        self.out: list[str] = []
        self.documents: list[Document] = []
        """Here-documents whose bodies begin on the next line."""

    def commands(self, closer: str) -> None:
        """Read commands up to a closing character; the reader of commands says how."""
        raise NotImplementedError

    def _copy(self, length: int) -> None:
        self.out.append(self.source[self.at : self.at + length])
        self.at += length

    def _skip(self) -> bool:
        """Blanks, continued lines, comments and plumbing, which need no reading."""
        match = _BLANK.match(self.source, self.at)
        if match:
            self._copy(len(match.group()))
            return True
        before = self.source[self.at - 1] if self.at else "\n"
        if self.source[self.at] == "#" and before in META:
            self.at = self._line_end()
            return True
        match = _PLUMBING.match(self.source, self.at)
        if match and (before in META or not match.group()[0].isdigit()):
            # Where output goes when it goes nowhere, or to another open file, decides nothing.
            self.at = match.end()
            return True
        return False

    def _line_end(self) -> int:
        end = self.source.find("\n", self.at)
        return len(self.source) if end < 0 else end

    def _word(self, *, start: bool) -> str:
        """One word, respelled where need be; returns it as written."""
        begin, first = self.at, len(self.out)
        while self.at < len(self.source):
            char = self.source[self.at]
            if char == "(" and self.at > begin:
                before = self.source[begin : self.at]
                if _ASSIGNED.match(before):
                    self._copy(1)
                    self._array()
                    continue
                if before[-1] in "?*+@!":
                    self._alternatives()
                    continue
            if char in META:
                break
            self._piece(char)
        word = self.source[begin : self.at]
        if start and word == "[[":
            self._condition()
        elif word == "!" and start and re.match(r"\s+[A-Za-z_]\w*=", self.source[self.at :][:80]):
            del self.out[first:]
        elif word == "$#":
            self.out[first:] = ["10"]
        elif "~" in word and not any(mark in word for mark in "'\"`$"):
            self.out[first:] = [_TILDE.sub("'~'", word)]
        return word

    def _piece(self, char: str) -> None:  # noqa: C901 - one branch per kind of quoting
        """One quoted, expanded or plain part of a word."""
        source, at = self.source, self.at
        if late := _LATE.match(source, at):
            self.out.append(f'"{late.group()}"')
            self.at = late.end()
        elif char == "\\":
            self._copy(2)
        elif char == "'":
            self._to("'")
        elif char == '"':
            self._string()
        elif char == "`":
            self._backticks()
        elif source.startswith("$'", at):
            self._ansi()
        elif source.startswith("$((", at) and (length := self._arithmetic(at + 3)):
            self._copy(length + 3)
        elif source.startswith("$(", at):
            self._copy(2)
            documents, self.documents = self.documents, []
            self.commands(")")
            if self.documents:
                raise Unclear
            self.documents = documents
        elif source.startswith("${", at):
            self._parameter()
        elif source.startswith("$\\", at):
            # A dollar sign before a backslash is only itself.
            self.out.append("\\$")
            self.at += 1
        else:
            self._copy(2 if source.startswith(("$#", "$$", "$!", "$-", "$?"), at) else 1)

    def _to(self, quote: str) -> None:
        end = self.source.find(quote, self.at + 1)
        if end < 0:
            raise Unclear
        self._copy(end + 1 - self.at)

    def _ansi(self) -> None:
        match = _ANSI.match(self.source, self.at)
        if match is None:
            raise Unclear
        self._copy(len(match.group()))

    def _backticks(self, *, quoted: bool = False) -> None:
        match = _BACKTICKS.match(self.source, self.at)
        if match is None:
            raise Unclear
        inside = re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", match[1])
        reader = type(self)(inside, self.depth)
        reader.commands("")
        inner = "".join(reader.out)
        if inner.strip():
            self.out.append(f"$({' ' if inner.startswith('(') else ''}{inner})")
        else:
            # A comment between the arguments of a continued command: it runs nothing and leaves no word.
            self.out.append("\n" * match.group().count("\n"))
        self.at += len(match.group())

    def _string(self) -> None:
        begin = self.at
        self._copy(1)
        while self.at < len(self.source):
            char = self.source[self.at]
            if char == '"':
                self._copy(1)
                return
            if char == "`":
                self._backticks(quoted=True)
            elif char == "\\":
                self._copy(2)
            elif self.source.startswith("${", self.at):
                self._parameter(quoted=True)
            elif char == "'" or (char == "$" and self.source.startswith("$'", self.at)):
                self._copy(1)
            else:
                self._piece(char)
        self.at = begin
        raise Unclear

    def _parameter(self, *, quoted: bool = False) -> None:
        self._copy(2)
        while self.at < len(self.source):
            char = self.source[self.at]
            if char == "}":
                self._copy(1)
                return
            if quoted and (plain := _APOSTROPHES.match(self.source, self.at)):
                # Quotes or not, the expansion ends at the same brace.
                self.out.append(plain[1])
                self.at = plain.end()
                continue
            if char == "'" and quoted:
                # In a string an apostrophe is plain in `${x:-…}` and quotes in `${x#…}`, and shells disagree.
                break
            if char == "`" and quoted:
                self._backticks(quoted=True)
            elif self.source.startswith("${", self.at):
                self._parameter(quoted=quoted)
            else:
                self._piece(char)
        raise Unclear

    def _balanced(self, opening: str, closing: str) -> None:
        depth = 0
        while self.at < len(self.source):
            char = self.source[self.at]
            if char in opening + closing:
                depth += 1 if char == opening else -1
                self._copy(1)
                if depth == 0:
                    return
            elif char == "\n":
                break
            else:
                self._piece(char)
        raise Unclear

    def _alternatives(self) -> None:
        """A pattern such as `@(c|h)` inside a word: any text, for what is worked out here."""
        begin, first = self.at, len(self.out)
        self._balanced("(", ")")
        written = self.source[begin : self.at]
        if "$(" not in written and "`" not in written:
            self.out[first - 1 :] = ["*"]

    def _array(self) -> None:
        while self.at < len(self.source):
            if self.source[self.at] == ")":
                self._copy(1)
                return
            if self._skip():
                continue
            if self.source[self.at] == "\n":
                self._copy(1)
            elif self.source[self.at] in META:
                raise Unclear
            else:
                self._word(start=False)
        raise Unclear

    def _condition(self) -> None:
        while self.at < len(self.source):
            if _CONDITION_END.match(self.source, self.at):
                self._copy(3)
                return
            self._piece(self.source[self.at])
        raise Unclear

    def _arithmetic(self, begin: int) -> int:
        """The length of `…))` from there on; 0 where the brackets are two subshells."""
        depth = 0
        for index in range(begin, len(self.source)):
            char = self.source[index]
            if char in "'\"`;":
                return 0
            depth += (char == "(") - (char == ")")
            if depth < 0:
                return index + 2 - begin if self.source.startswith("))", index) else 0
        return 0
