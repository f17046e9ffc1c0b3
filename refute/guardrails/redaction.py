"""What must not leave: the research goal, fragments of system prompts, secrets — in whatever writing.

A text that repeats one of them exactly, in another case or Unicode form, spaced out or encoded is caught. A paraphrase
is not: who reads a text can always say in other words what it says.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from refute.guardrails.secret_mask import MASK, mask_secrets
from refute.guardrails.skeleton import letters

MIN_LETTERS: Final = 6
"""A shorter phrase would be found in every other text; it is only looked for exactly."""


def _of_base64(run: str) -> Iterator[str]:
    compact = re.sub(r"\s", "", run).translate(str.maketrans("-_", "+/")).rstrip("=")
    for shift in range(4):  # letters before it may stand in its way
        part = compact[shift:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        try:
            yield base64.b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", errors="replace")
        except binascii.Error:
            continue


def _of_hex(run: str) -> Iterator[str]:
    digits = re.sub(r"\\x|\s|:", "", run)
    yield bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8", errors="replace")


def _of_percent(run: str) -> Iterator[str]:
    if "%" in run:
        yield unquote(run.replace("+", " "))


DECODERS: Final[tuple[tuple[re.Pattern[str], Callable[[str], Iterator[str]]], ...]] = (
    (re.compile(r"[^\s\"'<>]{12,}"), _of_percent),
    (re.compile(r"(?:\\x)?[0-9A-Fa-f]{2}(?:[\s:]?(?:\\x)?[0-9A-Fa-f]{2}){5,}(?![0-9A-Za-z])"), _of_hex),
    (re.compile(r"[A-Za-z0-9+/_-](?:(?:\r?\n)?[A-Za-z0-9+/_-]){7,}={0,2}"), _of_base64),
)
"""How a phrase may be encoded: what such a run looks like, and what it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phrase:
    what: str
    exact: str
    letters: str


class Redactor:
    """Takes given phrases, and whatever looks like a secret, out of texts.

    Args:
        goal: the research goal; empty: none.
        fragments: of system prompts.
        secrets: values that are known to be secret: keys, tokens, canaries.
    """

    def __init__(self, *, goal: str = "", fragments: Iterable[str] = (), secrets: Iterable[str] = ()) -> None:
        given = (("goal", goal), *(("prompt", one) for one in fragments), *(("secret", one) for one in secrets))
        self._phrases = tuple(
            _Phrase(what=what, exact=text.strip(), letters=letters(text).text) for what, text in given if text.strip()
        )

    def redact(self, text: str | None) -> tuple[str, tuple[str, ...]]:
        """The text with each find masked, and what was found: `goal`, `prompt`, `secret`."""
        source = text if isinstance(text, str) else ""
        spans = [*self._written(source), *self._encoded(source)]
        masked = _masked(source, [span for _, span in spans])
        clean = mask_secrets(masked)
        found = {what for what, _ in spans} | ({"secret"} if clean != masked else set())
        return clean, tuple(sorted(found))

    def _written(self, source: str) -> Iterator[tuple[str, tuple[int, int]]]:
        skeleton = letters(source)
        for phrase in self._phrases:
            for start in _all(source, phrase.exact):
                yield phrase.what, (start, start + len(phrase.exact))
            if len(phrase.letters) >= MIN_LETTERS:
                for start in _all(skeleton.text, phrase.letters):
                    yield phrase.what, skeleton.source_span(start, start + len(phrase.letters))

    def _encoded(self, source: str) -> Iterator[tuple[str, tuple[int, int]]]:
        for pattern, decode in DECODERS:
            for run in pattern.finditer(source):
                said = "\n".join(letters(one).text for one in decode(run.group()))
                for phrase in self._phrases:
                    if len(phrase.letters) >= MIN_LETTERS and phrase.letters in said:
                        yield phrase.what, run.span()


def _all(text: str, part: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + len(part))


def _masked(source: str, spans: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if start >= end:
            parts += [source[end:start], MASK]
        end = max(end, stop)
    return "".join((*parts, source[end:]))
