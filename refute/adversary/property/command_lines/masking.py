"""A sentence with what it quotes set aside, so that patterns see only the words around."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from refute.adversary.property.command_lines.command import Command, read_command
from refute.adversary.property.command_lines.conditions import Known, condition_commands
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.shell_words import Word, read_line
from refute.adversary.property.command_lines.values import readings

COMMAND: Final = "[\uf000-\uf7ff]"
"""What stands for a command, or for a circumstance in which the program is run."""
SUBJECT: Final = "\uf8ff"
"""What stands for the program itself."""
_SPAN: Final = re.compile(
    r"``(?P<two>[^`]+(?:`[^`]+)*?)``|`(?P<one>[^`\n]+)`|“(?P<typeset>[^“”]*)”|(?<![\w\"])\"(?P<double>[^\"\n]*)\"(?!\w)"
    r"|(?<![\w'])'(?P<single>[^'\n]*)'(?!\w)"
)
_VALUE_BEFORE: Final = re.compile(
    r"(?:\b(?:prints?|outputs?|shows?|displays?|writes?|emits?|gives?|produces?|says?|reports?|returns?|yields?"
    r"|contains?|containing|mentions?|mentioning|includes?|including|naming|exactly|just|only|is|are|equals|saying"
    r"|message|text|line|string|output|code|status|printing|writing|showing)|->|=>|→|⇒|==)\s*(?:the |a |an )?$",
    re.IGNORECASE,
)
_GIVEN: Final = (
    r"(?:,? ?(?:when |if )?(?:is |it is |it's )?"
    r"(?:given|fed|with|for|on|reading|reads|receiving|receives|passed|from|sent))?(?: the)?"
)
_STDIN: Final = re.compile(
    rf"{_GIVEN}(?: (?:input|text|lines?))? ?(?P<sign>[\ue000-\uefff])(?: is)? "
    r"(?:on|from|via|to|through|as|into|over|given on|piped (?:in)?to|sent to) (?:its |the )?(?:stdin|standard input)"
    rf"|{_GIVEN} ?(?:stdin|standard input|(?:piped |the )?input)(?: of| being| is| set to|:)? "
    r"(?P<sign2>[\ue000-\uefff])",
    re.IGNORECASE,
)
_OUTPUT_OF: Final = re.compile(
    r"(?:the )?(?:(?P<which>(?:first|last) line) )?(?:(?:output )?(?:of|from|printed by) )(?:the output of )?"
    r"(?P<command>[\uf000-\uf7ff]) (?:is|reads|should be|must be)(?= (?:exactly )?[\ue000-\uefff])",
    re.IGNORECASE,
)
"""Another way to say what a command prints."""
_LINKS: Final = (
    r"prints?|outputs?|shows?|displays?|writes?|exits?|gives?|produces?|should|must|will|when|returns?|fails?|with"
    r"|without|and|is|succeeds?|never|does|reports?|emits?|reads?|accepts?|on|in|for|to|if|says?|yields?"
)


@dataclass(slots=True, kw_only=True)
class Masked:
    """A sentence as patterns see it."""

    text: str
    values: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    general: set[int] = field(default_factory=set)
    """Numbers of commands that a circumstance stands for, not one that the text writes out."""
    reasons: list[str] = field(default_factory=list)
    """Why commands of the sentence are not tried."""

    def set_aside(self, command: Command, *, general: bool) -> str:
        """The sign for a command."""
        self.commands.append(command)
        if general:
            self.general.add(len(self.commands) - 1)
        return chr(0xF000 + len(self.commands) - 1)


def mask(sentence: str, programs: Programs, files: Collection[str], known: Known) -> Masked:
    """Set aside what a sentence quotes.

    Args:
        sentence: one, with its line breaks.
        programs: of the ticket.
        files: of the workspace.
        known: commands of the ticket, from which circumstances are made.
    """
    plain = _on_one_line(_with_marks(sentence, programs))
    masked = Masked(text="")
    position = 0
    for hit in _SPAN.finditer(plain):
        masked.text += re.sub(r"\s+", " ", plain[position : hit.start()])
        masked.text += _sign(hit, masked, programs, files)
        position = hit.end()
    masked.text += re.sub(r"\s+", " ", plain[position:])
    masked.text = _OUTPUT_OF.sub(r"\g<command> prints \g<which>", masked.text)
    _subject(masked, known)
    _standard_input(masked)
    _conditions(masked, programs, known)
    return masked


def _with_marks(sentence: str, programs: Programs) -> str:
    """Commands that stand in the text without backticks get some."""
    if "`" in sentence:
        return sentence
    names = "|".join(
        re.escape(name) for program in programs.all for name in (program.path, program.path.rpartition("/")[2])
    )
    start = rf"(?:(?:echo|printf|cat) [^|`]{{1,300}}\| ?)?(?:python3?(?:\.\d+)? (?:-m )?)?(?:\./)?(?:{names})(?![\w/])"
    modules = "|".join(re.escape(program.module) for program in programs.all if program.module)
    if modules:
        start = rf"(?:{start}|python3? -m (?:{modules})(?![\w/]))"
    pattern = rf"(?<![\w`/.-])(?P<command>{start}.*?)(?= (?:{_LINKS})\b| ?(?:->|=>|→|⇒)|[,:;] |[.,;:]?$)"
    marked = re.sub(pattern, lambda hit: f"`{hit['command']}`", _on_one_line(sentence))
    flag = r"(?<![\w`\"'-])(?P<flag>-{1,2}[A-Za-z][\w-]*)(?![\w`\"'=-])"
    return marked if "`" in marked else re.sub(flag, r"`\g<flag>`", marked)


def _on_one_line(text: str) -> str:
    """Line breaks as blanks; other blanks stay, since a value may hold several."""
    return re.sub(r"[ \t]*\n\s*", " ", text.strip())


def _sign(hit: re.Match[str], masked: Masked, programs: Programs, files: Collection[str]) -> str:
    text = next(one for one in hit.groups() if one is not None)
    code = hit["one"] is not None or hit["two"] is not None
    if code and not _VALUE_BEFORE.search(masked.text):
        match _command(text.strip(), programs, files):
            case Command() as command:
                return masked.set_aside(command, general=False)
            case str() as reason:
                masked.reasons.append(reason)
    if len(masked.values) > 0xE00:  # noqa: PLR2004  # as many signs as there are
        return " "
    masked.values.append(text)
    return chr(0xE000 + len(masked.values) - 1)


def _command(text: str, programs: Programs, files: Collection[str]) -> Command | str | None:
    text = re.sub(r"^\$ ", "", text)
    command = read_command(text, programs, files)
    if command is not None or programs.only is None:
        return command
    line = read_line(text)
    if line is None or not line.tokens or not text.startswith("-") or text == "-":
        return None
    if any(not isinstance(token, Word) or token.shell for token in line.tokens):
        return None
    words = tuple(token.text for token in line.tokens if isinstance(token, Word))
    return Command(program=programs.only, launch=programs.only.launch, arguments=words, text=text)


def _subject(masked: Masked, known: Known) -> None:
    """The bare name of the program is the subject where the sentence goes on about how it is run."""
    signs = list(re.finditer(COMMAND, masked.text))
    bare = [sign for sign in signs if _is_bare(masked.commands[ord(sign[0]) - 0xF000])]
    if not bare:
        return
    program = masked.commands[ord(bare[0][0]) - 0xF000].program
    circumstances = (pattern.search(masked.text) for pattern, _ in condition_commands(program, known))
    if len(signs) > len(bare) or any(circumstances):
        masked.text = masked.text[: bare[0].start()] + SUBJECT + masked.text[bare[0].end() :]


def _is_bare(command: Command) -> bool:
    return not (command.arguments or command.inputs or command.environment or command.output_file)


def _standard_input(masked: Masked) -> None:
    hit = _STDIN.search(masked.text)
    if hit is None:
        return
    sign = hit["sign"] or hit["sign2"]
    texts = ["\n".join(lines) for lines in readings(masked.values[ord(sign) - 0xE000])]
    given = list(dict.fromkeys(one for text in texts for one in (f"{text}\n", text)))
    for index, command in enumerate(masked.commands):
        if not command.inputs:
            masked.commands[index] = command.reading(*given)
    masked.text = f"{masked.text[: hit.start()]} {masked.text[hit.end() :]}".strip().lstrip(",").strip()


def _conditions(masked: Masked, programs: Programs, known: Known) -> None:
    program = masked.commands[0].program if masked.commands else programs.only
    if program is None or re.search(COMMAND, masked.text):
        return
    for pattern, commands in condition_commands(program, known):
        hit = pattern.search(masked.text)
        if hit is not None and commands:
            masked.text = (
                masked.text[: hit.start()] + masked.set_aside(commands[0], general=True) + masked.text[hit.end() :]
            )
            return
        if hit is not None:
            masked.reasons.append(f"no command of the ticket shows how the program is run with {hit[0]!r}")
            return
