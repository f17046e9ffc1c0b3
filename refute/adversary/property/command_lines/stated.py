"""Sentences that say what a run does: "`tool.py add 2 3` prints `5`", "exits with 2 without arguments"."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.attack import Origin
from refute.adversary.property.command_lines.clauses import Consequence, read_clauses
from refute.adversary.property.command_lines.command import Command, read_command
from refute.adversary.property.command_lines.conditions import Known
from refute.adversary.property.command_lines.masking import COMMAND, Masked, mask
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.steps import Run, Told
from refute.adversary.property.command_lines.values import changing, equals, is_usage, readings

_LEAD: Final = re.compile(
    r"(?:(?:examples?|so|thus|hence|also|and|but|then|it|the|a|an|any|every|running|run|runs|calling"
    r"|invoking|executing|command|option|flag|with|when|if|is|are|called|invoked|started|executed|used|given|as|on|for"
    r"|in|program|tool|script|passing|supplying|using|adding|typing|argument|subcommand|after|passed|while|whereas|to"
    r")\b\s*|e\.g\.\s*|[\uf8ff,:(—-]\s*)*+",
    re.IGNORECASE,
)
_INTRODUCES: Final = re.compile(
    r"(?::|—|–|\be\.g\.,?|\bfor (?:example|instance),?|\bso|\bi\.e\.,?|\bsuch as|\bas in|\blike)\s*$", re.IGNORECASE
)
_CIRCUMSTANCE: Final = re.compile(
    r"^\s*(?:if|when|whenever|with|without|for|in|on|under|not)\b(?! example)"
    r"|\b(?:unless|after|once|before|previously|assuming|given|suppose|where|while|until|may|might|not)\b",
    re.IGNORECASE,
)
_CARRIED: Final = re.compile(r"\b(?:if|when|unless|after|once|then|before|may|might|with|without)\b", re.IGNORECASE)
"""What is not understood of one command and may be meant of the next one as well."""
_BEHIND: Final = re.compile(
    r"^\s*(?:(?:option|flag|command|subcommand|argument|switch|invocation)s?)?(?: (?:is|are))?"
    r"(?: (?:given|passed|used|set))?",
    re.IGNORECASE,
)
_PREPOSITION: Final = (
    r",?\s*(?:(?:when|if|whenever)?(?: it is| it's| the program is| you)?"
    r"(?: ?(?:run|called|invoked|started|executed|used|given|fed|passed))?(?: ?(?:as|with|on|for|by))?"
    r"|for|on|given|with|upon|after|from|in case of|in case)"
)
_AGENT: Final = re.compile(r"^(?:(?:it|the (?:program|tool|script|command|cli|utility)|\uf8ff)\s+)", re.IGNORECASE)
_HOW: Final = "the sentence around it is not understood; write: `command` prints `output` and exits 0"
_THEN: Final = re.compile(r"^[\s,]*(?:and )?(?:then|followed by)[\s,]*(?:running)?\s*$", re.IGNORECASE)
_LISTED: Final = re.compile(r"^[\s,]*(?:and|or|as well as)?[\s,]*$", re.IGNORECASE)
_SEQUENCE: Final = re.compile(r"\b(?:after|then|once|afterwards|followed by|following)\b", re.IGNORECASE)
_OPEN: Final = re.compile(
    r"\b(?:may|might|sometimes|usually|typically|unless|except|without|unlike|no longer|instead of)\b", re.IGNORECASE
)
_ARROW: Final = re.compile(r"\s*(?:->|=>|→|⇒|==>)\s*|\s+(?:prints|outputs|gives|produces|returns|shows|==)\s+(?=\S)")
_EXIT_TAIL: Final = re.compile(
    r"[,;]?\s*\(?(?:and )?(?:with )?exits? ?(?:with )?(?:code |status )?(?:code )?(?P<code>\d{1,3})\)?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was understood of one sentence."""

    told: tuple[Told, ...]
    reasons: tuple[str, ...]
    commands: tuple[Command, ...]
    """Commands that are written out."""


class SentenceReader:
    """Reads the sentences and lines of one ticket.

    Args:
        programs: of the ticket.
        files: of the workspace.
        known: commands that the ticket writes out.
    """

    def __init__(self, programs: Programs, files: Collection[str], known: Known) -> None:
        self._programs = programs
        self._files = files
        self._known = known

    def sentence(self, verbatim: str, claim_text: str) -> Reading:
        """What a sentence says of runs."""
        masked = mask(verbatim, self._programs, self._files, self._known)
        written = tuple(one for index, one in enumerate(masked.commands) if index not in masked.general)
        if not re.search(COMMAND, masked.text):
            return Reading(told=(), reasons=tuple(masked.reasons), commands=written)
        found = [
            *self._command_first(masked, verbatim, claim_text),
            *self._command_last(masked, verbatim, claim_text),
        ]
        told = [one for one in found if isinstance(one, Told)]
        if len(found) > 1:  # no test attacks all that the sentence says
            told = [replace(one, quote=one.detail) for one in told]
        reasons = [one for one in found if isinstance(one, str)]
        if not found and written:
            reasons.append(f"`{written[0].text[:60]}`: {_HOW}")
        return Reading(
            told=tuple(told),
            reasons=tuple([*masked.reasons, *reasons] if not told else masked.reasons),
            commands=written,
        )

    def _command_first(self, masked: Masked, verbatim: str, claim_text: str) -> Iterator[Told | str]:
        signs = list(re.finditer(COMMAND, masked.text))
        lead = masked.text[: signs[0].start()]
        if not _LEAD.fullmatch(lead) and not (_INTRODUCES.search(lead) and not _CIRCUMSTANCE.search(lead)):
            return
        before: list[Run] = []
        together: list[int] = []
        sequence = _SEQUENCE.search(lead) is not None
        for index, sign in enumerate(signs):
            is_last = index + 1 == len(signs)
            tail = _BEHIND.sub("", masked.text[sign.end() : None if is_last else signs[index + 1].start()], count=1)
            number = ord(sign[0]) - 0xF000
            if not is_last and (_THEN.match(tail) or (sequence and _LISTED.match(tail))):
                before.append(Run(command=masked.commands[number]))
                continue
            together.append(number)
            if not is_last and _LISTED.match(tail):
                continue
            for one in together:
                command = masked.commands[one]
                read = self._consequence(masked, command, tail, claim_text, alone=not before)
                if isinstance(read, str):
                    yield read
                else:
                    yield self._told(command, read, before, verbatim, general=one in masked.general)
            if isinstance(read, str) and (before or _CARRIED.search(tail)):
                return
            together = []
            if sequence or (not is_last and _SEQUENCE.search(tail)):
                before.append(Run(command=masked.commands[number]))

    def _command_last(self, masked: Masked, verbatim: str, claim_text: str) -> Iterator[Told | str]:
        signs = re.findall(COMMAND, masked.text)
        hit = re.fullmatch(
            rf"(?P<clauses>.+?){_PREPOSITION}\s*(?P<sign>{COMMAND})(?: is given| are given| given)?[\s.;,!]*",
            masked.text,
            re.IGNORECASE,
        )
        if hit is None or len(signs) != 1 or _OPEN.search(hit["clauses"]) or _LEAD.fullmatch(hit["clauses"]):
            return
        number = ord(hit["sign"]) - 0xF000
        command = masked.commands[number]
        read = self._consequence(masked, command, _AGENT.sub("", hit["clauses"]), claim_text, alone=True)
        yield (
            read if isinstance(read, str) else self._told(command, read, [], verbatim, general=number in masked.general)
        )

    def _consequence(
        self, masked: Masked, command: Command, tail: str, claim_text: str, *, alone: bool
    ) -> Consequence | str:
        found = Consequence(values=masked.values, claim_text=claim_text, merged=command.merged)
        rest = read_clauses(tail, found)
        if rest or not found.checks:
            shown = re.sub("[\ue000-\uefff]", lambda hit: f"`{masked.values[ord(hit[0]) - 0xE000]}`", rest)
            shown = re.sub("[\uf000-\uf8ff]", "`…`", shown)
            return f"of `{command.text[:60]}` it is not understood what is said: {shown[:80]!r}" if rest else ""
        return self._fault(command, found.shown, alone=alone) or found

    def _fault(self, command: Command, shown: list[str], *, alone: bool) -> str:
        given = " ".join([*command.arguments, *command.texts])
        for text in shown:
            if not command.files and (what := changing(text, given)):
                return f"`{command.text[:60]}` shows {what}, which may differ from run to run"
            if is_usage([line for lines in readings(text) for line in lines]):
                return f"`{command.text[:60]}`: argparse's words differ between versions of Python; say `prints usage`"
            if alone and (what := of_earlier(command, text)):
                return (
                    f"`{command.text[:60]}` shows {what!r}, perhaps left by an earlier command: write both as a session"
                )
        return ""

    def _told(self, command: Command, found: Consequence, before: list[Run], quote: str, *, general: bool) -> Told:
        plain = general or not found.shown
        return Told(
            steps=(*before, Run(command=command, checks=tuple(dict.fromkeys(found.checks)))),
            quote=quote,
            origin=Origin.PHRASE if plain else Origin.CLAIM_EXAMPLE,
            label="command line" if not general else "circumstance",
            detail=f"runs {command.program.path}" + (f" as: {command.text}" if not general else ""),
        )

    def line(self, text: str, *, trusted: bool, origin: Origin) -> Told | str | None:
        """`COMMAND -> OUTPUT`, `COMMAND prints OUTPUT`, `COMMAND  # OUTPUT`, each on a line of its own.

        Args:
            text: the line.
            trusted: an entry of `examples`: what stands behind the arrow is the output whatever it looks like.
            origin: where the line stands.
        """
        for link in _ARROW.finditer(text.partition("\n")[0]):
            command = read_command(
                text[: link.start()].strip().strip("`").removeprefix("$ "), self._programs, self._files
            )
            if command is None:
                continue
            return (
                command
                if isinstance(command, str)
                else self._compared(command, text[link.end() :].strip(), text, trusted=trusted, origin=origin)
            )
        command = read_command(text, self._programs, self._files)
        if isinstance(command, Command) and command.comment:
            shown = re.sub(r"^(?:->|=>|→|prints:?|outputs:?|output:)\s*", "", command.comment)
            return self._compared(command, shown, text, trusted=False, origin=origin)
        return None

    def _compared(self, command: Command, value: str, text: str, *, trusted: bool, origin: Origin) -> Told | str:
        checks = list[str]()
        if (hit := _EXIT_TAIL.search(value)) is not None:
            checks.append(f"done.returncode == {int(hit['code'])}")
            value = value[: hit.start()].strip()
        quoted = re.fullmatch(r"`([^`]*)`|\"([^\"]*)\"|'([^']*)'", value)
        shown = next(one for one in quoted.groups() if one is not None) if quoted else value
        if fault := self._fault(command, [shown], alone=True):
            return fault
        if value and not (trusted or quoted or _is_data(value, command)):
            return f"`{command.text[:60]}`: write what it prints in backticks: {value[:60]!r}"
        if value:
            checks.append(equals("done.stdout", value if quoted is None or value[0] == '"' else shown, ""))
        return Told(
            steps=(Run(command=command, checks=tuple(checks)),), quote=text, origin=origin, label="example", detail=text
        )


def _is_data(value: str, command: Command) -> bool:
    """Whether a text without quotes is an output, and no description of one."""
    given = " ".join([*command.arguments, *command.texts]).lower()
    words = re.findall(r"\b[a-z]{2,}\b", value)
    return all(word in given for word in words)


_WRITES: Final = re.compile(
    r"open\([^)\n]*[\"'][wax]b?\+?[\"']|\.write_(?:text|bytes)\(|sqlite3|shelve|pickle\.dump|json\.dump\(|dbm\b"
)


def of_earlier(command: Command, shown: str) -> str:
    """The word of an output that only an earlier run can have put there; empty where there is none.

    A program that keeps something in files may answer by what it was told before.
    """
    source = command.program.source
    if not _WRITES.search(source) or command.files or command.inputs:
        return ""
    given = " ".join(command.arguments).lower()
    words = re.findall(r"\w+", shown.lower())
    known = source.lower()
    for word in words:
        if word in given or (not word.isdecimal() and word in known):
            continue
        if word.isdecimal() and (word == "0" or re.search(r"\d", given)):
            continue
        return str(word)
    return ""
