"""What a sentence says that a program does: prints this, exits with that. Every word must be understood."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from refute.adversary.property.command_lines.values import equals, holds

VALUE: Final = "[\ue000-\uefff]"
"""What stands for a quoted piece of a sentence (see `masking.py`)."""
_PRINTS: Final = (
    r"(?:(?:should|must|will|always|then|only|also|just|correctly) )*"
    r"(?:prints?|outputs?|shows?|displays?|writes?|emits?|gives?|produces?|says?|reports?|returns?|yields?|echo(?:e?s)?"
    r"|answers?|results? in|printing|writing|showing|outputting|leads? to)(?: out)?"
)
_STREAM: Final = (
    r"(?:the |its )?"
    r"(?P<{}>stdout|stderr|standard output|standard error|error stream|error output|screen|terminal|console)"
    r"(?: stream)?"
)
_TO: Final = rf"(?: (?:to|on|in) {_STREAM})?"
_CODE_WORDS: Final = (
    r"(?:(?:the |an? )?(?:process |program )?(?:exit |return |status |error )?(?:code|status)(?: code)?)"
)
_ENDS: Final = (
    r"(?:exits?|returns?|ends?|terminates?|fails?|stops?|quits?|finishes|succeeds|(?:is|are) (?:refused|rejected)"
    r"|exiting|leads? to|results? in|gives?|has|have)"
)
_NUMBER: Final = rf"(?P<code>\d{{1,3}}|{VALUE})(?![\w.]*\w)"
_NON_ZERO: Final = r"non-?\s?zero"
_ITEM: Final = rf"(?:{VALUE}|-?\d+(?:\.\d+)?(?![\w%/]|[.,]\d))"
_LIST: Final = rf"(?P<list>{_ITEM}(?:(?:,| and| then|, and|, then| followed by) {_ITEM})*)"
_MESSAGE: Final = (
    r"(?:(?!(?:no|not|never|without|any|if|when|for|unless)\b)[a-z-]+ ){0,3}"
    r"(?:error|message|warning|diagnostic|reason|complaint|explanation|hint)(?: error| message| warning| text| line)*"
)
_HAS: Final = (
    r"(?:that )?"
    r"(?:contain(?:s|ing)?|mention(?:s|ing)?|includ(?:es|ing)|nam(?:es|ing)|say(?:s|ing)?|with|has)"
)
_ITS_WORDS: Final = rf"(?:(?: {_HAS})?(?: the \w+)?:? {_LIST})?"
_USAGE: Final = r"(?:usage|help)(?: text| message| information| line| summary| info| screen| output)*"
_NO: Final = (
    r"(?:no|without(?: printing| showing)?|never(?: prints?| shows?)?|instead of|not|rather than"
    r"|(?:does not|doesn't) print)"
)
_TRACEBACK: Final = r"(?:traceback|stack ?trace)s?(?: is (?:shown|printed))?"
_IS: Final = r"(?: is| equals| reads| will be| should be| must be| is exactly|:)"
_DOES_NOT: Final = r"(?:does not|doesn't|never|must not|will not|won't|do not)"
_FILE_WITH: Final = (
    rf"(?P<file>{VALUE})(?: (?:containing|with|that contains|holding)(?: the (?:text|line|content))? {_LIST})?"
)
_NOUN: Final = (
    r"(?: (?:single |two |three |exact )?"
    r"(?:lines?|texts?|strings?|words?|numbers?|values?|results?|message|output|error|total|sum|version))?(?: of)?:? "
)
_LAYOUT: Final = (
    r"(?:,? (?:(?:each )?on (?:one|a single|its own|their own|separate|a) lines?|one per line|line by line"
    r"|followed by (?:a|one) new ?line|as (?:the |its )?(?:only )?(?:output|result)|and nothing else|only|exactly))*"
)


@dataclass(slots=True, kw_only=True)
class Consequence:
    """What was understood so far."""

    values: Sequence[str]
    """Quoted pieces, by the number of their sign."""
    claim_text: str
    merged: bool = False
    """Standard error is seen with standard output."""
    checks: list[str] = field(default_factory=list)
    """Conditions on `done`, as expressions."""
    shown: list[str] = field(default_factory=list)
    """Outputs that the sentence gives in full."""
    fails: bool = False
    """The program is said to fail."""

    def value(self, sign: str) -> str:
        """The text of a sign, or of a bare number."""
        return self.values[ord(sign) - 0xE000] if re.fullmatch(VALUE, sign) else sign

    def stream(self, name: str | None, default: str = "out") -> str:
        """The expression of a stream that a sentence names."""
        kind = default if name is None else "err" if "err" in name.lower() else "out"
        streams = {"out": "done.stdout", "err": "done.stderr", "any": "(done.stdout + done.stderr)"}
        return "done.stdout" if self.merged else streams[kind]


Meaning = Callable[[Consequence, re.Match[str]], bool]


def read_clauses(masked: str, consequence: Consequence) -> str:
    """Read clauses one after the other into the consequence; what is left and not understood, empty for nothing."""
    rest = masked
    while rest := _CONNECTOR.sub("", rest, count=1):
        for pattern, meaning in _CLAUSES:
            hit = pattern.match(rest)
            if hit is not None and hit.end() and meaning(consequence, hit):
                rest = rest[hit.end() :]
                break
        else:
            return rest.strip()
    return ""


_CONNECTOR: Final = re.compile(
    r"^(?:[\s,;.:!]|(?:and|but|then|also|while|whereas|it|which|that|the (?:program|tool|command|script|process)|so"
    r"|so it|should|must|will|always|to|instead|immediately)\b)+|^(?:[—–-]\s)",
    re.IGNORECASE,
)


def _exits_with(found: Consequence, hit: re.Match[str]) -> bool:
    code = found.value(hit["code"]).strip()
    if not code.isdecimal():
        return False
    found.checks.append(f"done.returncode == {int(code)}")
    found.fails = found.fails or int(code) != 0
    return True


def _fails(found: Consequence, hit: re.Match[str]) -> bool:  # noqa: ARG001  # one signature for all
    found.checks.append("done.returncode != 0")
    found.fails = True
    return True


def _succeeds(found: Consequence, hit: re.Match[str]) -> bool:  # noqa: ARG001  # one signature for all
    found.checks.append("done.returncode == 0")
    return True


def _is_silent(found: Consequence, hit: re.Match[str]) -> bool:
    found.checks.append(f"not {found.stream(_named(hit))}.strip()")
    return True


def _no_traceback(found: Consequence, hit: re.Match[str]) -> bool:  # noqa: ARG001  # one signature for all
    found.checks.append(f"'Traceback (most recent call last)' not in {found.stream(None, 'any')}")
    return True


def _shows_usage(found: Consequence, hit: re.Match[str]) -> bool:
    stream = found.stream(_named(hit), "any")
    found.checks.append(f"'usage' in {stream}.lower()" if "usage" in hit[0].lower() else f"{stream}.strip()")
    return True


def _shows_message(found: Consequence, hit: re.Match[str]) -> bool:
    stream = found.stream(_named(hit), "any")
    found.checks.append(f"{stream}.strip()")
    found.checks += [holds(stream, found.value(sign)) for sign in _items(hit.groupdict().get("list") or "")]
    return True


def _prints(found: Consequence, hit: re.Match[str]) -> bool:
    items = [found.value(sign) for sign in _items(hit["list"])]
    if re.match(r"return|with\b|lead|result", hit[0].strip(), re.IGNORECASE) and all(
        item.isdecimal() for item in items
    ):
        return False  # an exit code, perhaps
    named = _named(hit)
    stream = found.stream(named, "any" if found.fails else "out")
    if len(items) > 1 and not re.search(r"\bthen\b|followed by|separate lines|own line|per line|line by line", hit[0]):
        found.checks += [holds(stream, item) for item in items]
        return True
    text = "\n".join(items)
    found.shown.append(text)
    if stream == "done.stdout" and not found.fails:
        found.checks.append(equals(stream, text, found.claim_text))
    else:  # a program puts its name before an error, and its usage before that
        found.checks.append(holds(stream, text))
    return True


def _prints_line(found: Consequence, hit: re.Match[str]) -> bool:
    lines = f"lines_of({found.stream(_named(hit))})"
    index, texts = (0 if hit["which"].lower() == "first" else -1), [found.value(sign) for sign in _items(hit["list"])]
    found.checks += [equals(f"'\\n'.join({lines}[{index}:][:1])", text, found.claim_text) for text in texts]
    return len(texts) == 1


def _contains(found: Consequence, hit: re.Match[str]) -> bool:
    stream = found.stream(_named(hit), "any" if found.fails else "out")
    found.checks += [holds(stream, found.value(sign)) for sign in _items(hit["list"])]
    return True


def _lacks(found: Consequence, hit: re.Match[str]) -> bool:
    stream = found.stream(_named(hit))
    found.checks += [f"{found.value(sign)!r} not in {stream}" for sign in _items(hit["list"])]
    return True


def _writes_file(found: Consequence, hit: re.Match[str]) -> bool:
    name = found.value(hit["file"])
    if not re.fullmatch(r"[\w./ -]+", name) or name.startswith("/") or ".." in name:
        return False
    content = f'pathlib.Path(folder, {name!r}).read_text(encoding="utf-8")'
    items = [found.value(sign) for sign in _items(hit.groupdict().get("list") or "")]
    exists = f"pathlib.Path(folder, {name!r}).is_file()"
    found.checks += [exists, *(equals(content, item, found.claim_text) for item in items)]
    return True


def _nothing(found: Consequence, hit: re.Match[str]) -> bool:  # noqa: ARG001  # one signature for all
    return True


def _named(hit: re.Match[str]) -> str | None:
    groups = hit.groupdict()
    return next((groups[name] for name in ("stream", "stream2") if groups.get(name)), None)


def _items(listed: str) -> list[str]:
    return re.findall(_ITEM, listed)


def _table() -> list[tuple[re.Pattern[str], Meaning]]:
    to, to2, stream = _TO.format("stream"), _TO.format("stream2"), _STREAM.format("stream")
    stream2, article = _STREAM.format("stream2"), r"(?:an? |the |its |some )?"
    rows: list[tuple[tuple[str, ...], Meaning]] = [
        ((r"exits? (?:with )?(?:an? )?", rf"{_CODE_WORDS}?(?: of| is|:)? ?{_NUMBER}"), _exits_with),
        ((_ENDS, rf" (?:with )?{_CODE_WORDS}(?: of| is|:)? ?{_NUMBER}"), _exits_with),
        ((r"(?:with |in )?", article, rf"{_CODE_WORDS}(?: is| of|:| must be| should be)? ?{_NUMBER}"), _exits_with),
        ((rf"\((?:with )?(?:exit )?{_CODE_WORDS}? ?:?{_NUMBER}\)",), _exits_with),
        ((rf"{_ENDS}(?: with)?(?: an?)? ?{_NON_ZERO}(?: exit)?(?: {_CODE_WORDS})?",), _fails),
        ((rf"(?:the )?{_CODE_WORDS} (?:is |must be )?{_NON_ZERO}",), _fails),
        ((rf"with an? {_NON_ZERO} (?:exit )?{_CODE_WORDS}",), _fails),
        ((r"exits? with (?:an )?(?:error|failure)(?: code| status)?(?! message)",), _fails),
        ((r"exits? (?:cleanly|successfully|normally|ok)|succeeds?(?! in)",), _succeeds),
        ((_PRINTS, rf" (?:nothing|no output)(?: else| at all| more)*{to}"), _is_silent),
        ((rf"(?:with )?(?:nothing|no output)(?: is (?:printed|written|shown)| goes)?{to}",), _is_silent),
        ((stream, r" (?:is|stays|remains|must be|will be) empty|(?:leaves|keeps) ", stream2, " empty"), _is_silent),
        ((rf"(?:{_PRINTS} |with |and )?", _NO, r"(?: an?| any)?(?: python| raw)? ", _TRACEBACK), _no_traceback),
        ((rf"(?:{_PRINTS} |with )", article, r"(?:short |full |brief )?", _USAGE, to), _shows_usage),
        ((rf"{_USAGE} (?:to|on) {stream}",), _shows_usage),
        ((rf"(?:(?:{_PRINTS} |with ){article}|an? |the |its )", _MESSAGE, to, _ITS_WORDS, to2), _shows_message),
        ((_PRINTS, rf" (?:something|text|output|a line|lines|a text)?(?:{to})? ?{_HAS} {_LIST}{to2}"), _contains),
        ((rf"(?:the |its )?(?:output|{stream}) (?:{_HAS}|shows) {_LIST}",), _contains),
        ((rf"(?:mentions?|contains?|includes?|names?) {_LIST}", to), _contains),
        ((rf"{_PRINTS} (?:the |a )?(?P<which>first|last) line:? {_LIST}{to}",), _prints_line),
        ((_LIST, rf" (?:to|on) {stream}"), _prints),
        ((rf"(?:the |its )?(?:output|result|{stream})", _IS, f" {_LIST}{_LAYOUT}"), _prints),
        ((_DOES_NOT, r" (?:print|output|show|write|contain|include|mention)s? ", _LIST, to), _lacks),
        ((rf"(?:writes?|saves?|puts?|stores?) {_LIST} (?:in)?to (?:the )?(?:file )?(?P<file>{VALUE})",), _writes_file),
        ((r"(?:creates?|writes?) (?:the |a )?(?:new )?file (?:named |called )?", _FILE_WITH), _writes_file),
        (
            (rf"(?:{_PRINTS}|with)", r"(?: exactly| only| just)?(?: the| a| an)?", _NOUN, _LIST, _LAYOUT, to, _LAYOUT),
            _prints,
        ),
        ((rf"(?:->|=>|→|⇒|==)\s*{_LIST}{_LAYOUT}{to}",), _prints),
        ((r"(?:is|are) (?:reported|shown|printed|written|explained|named|told) (?:to|on) ", stream), _shows_message),
        ((r"(?:is|are) (?:refused|rejected)|fails?(?! to)\b",), _fails),
        ((rf"(?:not|rather than|instead of|never) (?:{_ITEM})",), _nothing),
        ((r"(?:because|since) [^;]*",), _nothing),
        ((r"\((?![^)]*\b(?:exit|status|code|if|when|unless|only|may|except)\b)[^()]*\)",), _nothing),
    ]
    return [(re.compile("".join(parts), re.IGNORECASE), meaning) for parts, meaning in rows]


_CLAUSES: Final = _table()
