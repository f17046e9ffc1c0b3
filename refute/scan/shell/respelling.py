"""Shell text that the parser stumbles over, written in another way that means the same.

The grammar (tree-sitter-bash 0.25) does not know some constructs that every shell reads: quotes and blanks in `case`
patterns, odd here-document markers, `$#` between operands, redirections behind assignments or subshells. Text that
does not parse is read here a second time, character by character as POSIX tokenises it (XCU 2.3), and those
constructs are written plainly. What this reader does not understand stays as it was, and blocks.
"""

import re
from typing import Final

from refute.scan.shell.word_reader import META, Document, Unclear, WordReader

_STARTS: Final = frozenset({"if", "then", "else", "elif", "while", "until", "do", "{", "!", "time"})
_MARK: Final = "REFUTE_DOCUMENT_"
_DOCUMENT: Final = re.compile(r"\d*<<(-?)[ \t]*((?:\\.|'[^'\n]*'|\"[^\"\n]*\"|[^\s;&|<>()'\"\\])+)")
_REDIRECTION: Final = re.compile(r"&>>?|<<<|<>|>>|>&|<&|>\||[<>]")
_SEPARATOR: Final = re.compile(r"&&|\|\||\|&|[;&|]")
_ITEM_END: Final = re.compile(r";;&?|;&")
_DEFINITION: Final = re.compile(r"\(\s*\)")
_NAME: Final = re.compile(r"\s+[^\s(){};&|<>]+")
_ESAC: Final = re.compile(r"esac(?![\w-])")
_MAX_DEPTH: Final = 30


def respell(source: str) -> str | None:
    """The same script for a parser that knows less, line for line; None where it is not understood."""
    if _MARK in source:
        return None
    reader = _CommandReader(source)
    try:
        reader.commands("")
    except Unclear:
        return None
    return "".join(reader.out)


def unclear_line(source: str) -> int | None:
    """The line (1-based) from which a text is not understood, an open quote or bracket mostly; None where all is."""
    reader = _CommandReader(source)
    try:
        reader.commands("")
    except Unclear:
        return source.count("\n", 0, reader.at) + 1
    return None


class _CommandReader(WordReader):
    """Reads commands; words are read by the class it extends."""

    count = 0
    """Here-documents so far."""
    closed = False
    """Whether a group or subshell has just ended."""
    head = ""
    """The first word of the command being read."""
    owed = ""
    """A command to send to the background behind the here-documents: the grammar takes no `&` before them."""

    def commands(self, closer: str) -> None:
        """Read commands up to a closing character, or to the end of the text."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise Unclear
        begin, cases = self.at, 0
        start = True
        while self.at < len(self.source) and not (closer and self.source[self.at] == closer):
            if self._skip():
                continue
            if self.source[self.at] in META:
                if cases and (end := _ITEM_END.match(self.source, self.at)):
                    self._copy(len(end.group()))
                    cases -= self._pattern()
                    start = True
                else:
                    start = self._operator(start=start)
            else:
                start, opened = self._command_word(start=start, in_case=cases > 0)
                cases += opened
        if closer and self.at >= len(self.source):
            self.at = begin
            raise Unclear
        if cases or (not closer and self.documents):
            raise Unclear
        if closer:
            self._copy(1)
        self.depth -= 1

    def _command_word(self, *, start: bool, in_case: bool) -> tuple[bool, int]:
        """A word; returns whether a command may begin behind it, and by how many `case` it goes deeper."""
        before, closed = len(self.out), self.closed
        self.closed = False
        word = self._word(start=start)
        if start:
            self.head = word
        if start and word == "case":
            self._subject()
            return True, 1 - self._pattern()
        if (start and word == "[") or word == "]":
            # To a shell the bracket is a command like any other: its operands need not balance.
            self.out[before:] = ["test" if start else "']'"]
            return False, 0
        if start and word == "esac" and in_case:
            self.out.insert(before, ";; ")
            return False, -1
        if closed and not start and word in {"then", "do"}:
            self.out.insert(before, "; ")
            return True, 0
        self.closed = start and word in {"}", "fi", "done", "esac"}
        if word == "function" and start and (name := _NAME.match(self.source, self.at)):
            self._copy(len(name.group()))
            return True, 0
        return start and word in _STARTS, 0

    def _operator(self, *, start: bool) -> bool:
        """An operator; returns whether a command may begin behind it."""
        source, at = self.source, self.at
        document = _DOCUMENT.match(source, at)
        if document and not source.startswith("<<<", at):
            self._open_document(document, start=start)
            return False
        if source.startswith(("<(", ">("), at):
            self._copy(2)
            self.commands(")")
            return False
        if source[at] == "(":
            return self._parenthesis(start=start)
        redirection = _REDIRECTION.match(source, at)
        if redirection and redirection.group() == "<>":
            # Opened for both; a program reads from 0, which it is where none is named, and writes to any other.
            self.out.append("<" if source[at - 1 : at] not in set("123456789}") else ">>")
            self.at += 2
            return start
        if redirection:
            self._copy(len(redirection.group()))
            return start
        return self._end_of_command()

    def _end_of_command(self) -> bool:
        if self.source[self.at] == "\n":
            self._newline()
            return True
        separator = _SEPARATOR.match(self.source, self.at)
        if separator is None:
            raise Unclear
        last = not self.source[separator.end() : self._line_end()].strip()
        if separator.group() in {"&&", "||", "&"} and self.documents and last:
            # The rest follows behind the document; either side is read, whichever runs.
            self.at = separator.end()
            self.owed = self._in_background() if separator.group() == "&" else self.owed
        else:
            self._copy(len(separator.group()))
        return True

    def _in_background(self) -> str:
        """What to run in the background instead: a function that may call itself, or a command that does nothing."""
        own = re.search(
            rf"(?m)(?:^|[;\s]){re.escape(self.head)}\s*\(\s*\)|function\s+{re.escape(self.head)}\b", self.source
        )
        return self.head if self.head and own else ":"

    def _parenthesis(self, *, start: bool) -> bool:
        if self.source.startswith("((", self.at) and (length := self._arithmetic(self.at + 2)):
            self._copy(length + 2)
            return False
        definition = _DEFINITION.match(self.source, self.at)
        if definition and not start:
            self._copy(len(definition.group()))
            return True
        if not start:
            raise Unclear
        self.out.append("( ")
        self.at += 1
        self.commands(")")
        self.closed = True
        return False

    def _open_document(self, match: re.Match[str], *, start: bool) -> None:
        self.count += 1
        quoted = any(char in match[2] for char in "'\"\\")
        document = Document(
            end=re.sub(r"\\(.)|['\"]", lambda m: m[1] or "", match[2]),
            mark=f"{_MARK}{self.count}",
            strips_tabs=bool(match[1]),
            quoted=quoted,
        )
        self.documents.append(document)
        alone = start and not self.source[match.end() : self._line_end()].strip()
        mark = f"'{document.mark}'" if quoted else document.mark
        self.out.append(f"{': ' if alone else ''}<<{match[1]}{mark}")
        self.at = match.end()

    def _newline(self) -> None:
        self._copy(1)
        if self.owed and not self.documents:
            self.out.append(f"{self.owed} & ")
            self.owed = ""
        documents, self.documents = self.documents, []
        for index, document in enumerate(documents):
            if index:
                self._copy(1)
            self._document_body(document)

    def _document_body(self, document: Document) -> None:
        begin = self.at
        while self.at < len(self.source):
            end = self._line_end()
            line = self.source[self.at : end]
            if line.endswith("\\") and not document.quoted and self._ends_next(document, end + 1):
                # The next line belongs to this one, even where it looks like the end mark.
                raise Unclear
            if (line.lstrip("\t") if document.strips_tabs else line) == document.end:
                self.out.append(document.mark)
                self.at = end
                return
            self._copy(end + 1 - self.at)
        self.at = begin - 1
        raise Unclear

    def _ends_next(self, document: Document, begin: int) -> bool:
        end = self.source.find("\n", begin)
        line = self.source[begin : end if end >= 0 else len(self.source)]
        return (line.lstrip("\t") if document.strips_tabs else line) == document.end

    def _subject(self) -> None:
        """Between `case` and `in`."""
        words = 0
        while self.at < len(self.source):
            if self._skip():
                continue
            if self.source[self.at] == "\n":
                self._copy(1)
            elif self.source[self.at] in META:
                raise Unclear
            elif self._word(start=False) == "in" and words:
                return
            else:
                words += 1
        raise Unclear

    def _pattern(self) -> int:
        """A pattern and its bracket; returns 1 where `esac` stands in its place."""
        while self.at < len(self.source) and (self._skip() or self.source[self.at] == "\n"):
            if self.source[self.at : self.at + 1] == "\n":
                self._newline()
        if _ESAC.match(self.source, self.at):
            self._copy(4)
            return 1
        begin, first = self.at, len(self.out)
        if self.source.startswith("(", self.at):
            self._copy(1)
        self._pattern_text()
        written = self.source[begin : self.at]
        if "$(" not in written and "`" not in written:
            # Which pattern a word matches is not worked out, and what stands in this one runs nothing.
            self.out[first:] = ["*)", "\n" * written.count("\n")]
        return 0

    def _pattern_text(self) -> None:
        while self.at < len(self.source):
            char = self.source[self.at]
            if char == ")":
                self._copy(1)
                return
            if char == "(":
                self._balanced("(", ")")
            elif char in ";&<>":
                raise Unclear
            else:
                self._piece(char)
        raise Unclear
