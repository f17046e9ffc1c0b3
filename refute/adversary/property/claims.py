"""A claim's sentences against the tables of phrases: laws where one is recognised, and why not where none is."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from refute.adversary.attack import Origin
from refute.adversary.property.behaviour_phrases import BEHAVIOUR_PHRASES
from refute.adversary.property.behaviours import import_of_error
from refute.adversary.property.conditions import read_condition
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expressions import negated
from refute.adversary.property.law import Law, Phrase, Spoken
from refute.adversary.property.references import REFERENCE_PHRASES
from refute.adversary.property.result_phrases import RESULT_PHRASES
from refute.adversary.property.sections import Sentence, read_sections, sentences
from refute.adversary.property.subject import Setup, names_in, set_up, subjects_of
from refute.adversary.property.surface import Function, Surface
from refute.ticket.record import Claim, Ticket

_DESCRIBES = re.compile(
    r"^(?:.*?\b)?(?:(?:always |must |should |will |never )?(?:returns?|yields?|produces?|computes?|outputs?)"
    r"|(?:the )?(?:result|output|return(?:ed)? value)(?: of \S+(?: \S+\))?)? (?:is|has|must be|should be|equals?)(?= )"
    r"|`?[\w.]+\([^)]*\)`? (?:always |never )?(?:is|has|must be|should be|lies|stays)(?= ))"
    r"(?: always| guaranteed to be)? (?P<rest>.+)$",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|when|whenever|unless|while|after|until|once|provided|except|otherwise|where|given "
    r"that|assuming|only for|(?<!at )most|usually|typically"
    r"|may|might|sometimes|but not|on success|by default|for (?!any|all|every|each|arbitrary|example))\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|n't|never|no longer(?! than)|neither|hardly|cannot)\b|n't\b", re.IGNORECASE)
_OWN_CONDITION = frozenset({"whether prime", "balanced", "palindrome", "anagrams", "leap year"}) | frozenset(
    {"raises", "value when", "whether", "index such that", "value for empty", "handles empty"}
)
_SPECIAL = frozenset({"raises", "value when", "value for empty"})
_OWN_NEGATION = frozenset(
    {
        "does not modify",
        "never raises",
        "raises nothing else",
        "never more than",
        "sign",
        "each no longer than",
        "removes duplicates",
    }
)
_QUANTIFIER = re.compile(
    r"\bfor (?:any|all|every|each) (?P<adjective>[\w-]+ )?(?P<noun>inputs?|values?|lists?|"
    r"strings?|arrays?|ints?|integers?|numbers?|floats?|arguments?|texts?"
    r"|\w)\b",
    re.IGNORECASE,
)


_UNDER = re.compile(
    r"^(?P<law>.+?),? (?:if|when|whenever|provided(?: that)?|as long as) (?P<cond>[^,;]+)$", re.IGNORECASE
)
"""A law under a condition at the end of its sentence."""


def phrase_tests(claim: Claim, ticket: Ticket, surface: Surface) -> Iterator[Draft | Note]:
    """Tests for every recognised phrase of a claim, and the reasons why recognised ones were left alone."""
    subjects = subjects_of(claim, surface)
    only = subjects[0] if len(subjects) == 1 else None
    said: list[tuple[Sentence, bool]] = [(sentence, True) for sentence in sentences(read_sections(claim.text).returns)]
    said += [(sentence, False) for sentence in sentences(read_sections(claim.text).prose)]
    raised = read_sections(claim.text).raises
    said += [(Sentence(verbatim=e.text, plain=f"raises {e.name} {' '.join(e.text.split())}"), False) for e in raised]
    for sentence, is_result in said:
        function = _leading(sentence.plain, subjects) or only
        if function is not None:
            yield from _of_sentence(claim, ticket, surface, function, sentence, is_result=is_result)


def _leading(plain: str, subjects: Iterable[Function]) -> Function | None:
    """The function with which a sentence begins."""
    word = re.match(r"`?([^\W\d][\w.]*)", plain)
    return next((f for f in subjects if word and word[1] in {f.name, f.qualified, f"{f.module}.{f.qualified}"}), None)


def _of_sentence(
    claim: Claim, ticket: Ticket, surface: Surface, function: Function, sentence: Sentence, *, is_result: bool
) -> Iterator[Draft | Note]:
    plain, condition = sentence.plain.rstrip("."), ""
    candidates = list(_matches(plain, function, is_result=is_result))
    if not candidates and (under := _UNDER.match(plain)):
        plain, condition = under["law"], under["cond"]
        candidates = list(_matches(plain, function, is_result=is_result))
    if not candidates:
        return
    ready = _ready(claim, function, sentence, condition)
    if not isinstance(ready, Setup):
        yield Note(claim=claim, reason=ready)
        return
    ready = refusing(ready, ticket, surface)
    ready = replace(ready, exceptions=tuple(special_cases(ready, ticket)))
    done: set[str] = set()
    for phrase, match in candidates:
        if phrase.label in done:
            continue
        narrowed = _quantified(plain, ready)
        if narrowed is not None and phrase.label not in _OWN_CONDITION:
            narrowed = narrowed.assuming([negated(special) for special in narrowed.exceptions])
        law = phrase.law(Spoken(match=match, setup=narrowed, surface=surface)) if narrowed is not None else None
        if law is not None:
            done.add(phrase.label)
            yield draft_of(claim, quote_of(claim, sentence.verbatim, match[0]), law)
    if not done:
        yield Note(
            claim=claim,
            reason=f"{sentence.plain!r} is recognised as {candidates[0][0].label!r}, but not understood in full",
        )


def _ready(claim: Claim, function: Function, sentence: Sentence, condition: str) -> Setup | str:
    """How to call the function under what the sentence asks of its values, or why that is not known."""
    ready = set_up(claim, function, wanted=names_in(sentence.plain, function))
    if not condition or not isinstance(ready, Setup):
        return ready
    read = read_condition(condition, ready.domains)
    return f"the condition {condition!r} is not understood" if read is None else ready.assuming([read])


def _matches(plain: str, function: Function, *, is_result: bool) -> Iterator[tuple[Phrase, re.Match[str]]]:
    described = plain if is_result else None
    hit = _DESCRIBES.match(plain)
    if described is None and hit is not None and not _NEGATION.search(plain[: hit.start("rest")]):
        described = hit["rest"]
    if described is not None and function.answers:
        for phrase in (*REFERENCE_PHRASES, *RESULT_PHRASES):
            match = phrase.pattern.match(described)
            if match is not None and _unconditional(phrase, match, plain):
                yield phrase, match
    for phrase in BEHAVIOUR_PHRASES:
        match = phrase.pattern.match(plain)
        if match is not None and _unconditional(phrase, match, plain):
            yield phrase, match


def _unconditional(phrase: Phrase, match: re.Match[str], plain: str) -> bool:
    """No "if", "when", "may" in the sentence, except where the phrase is about that condition."""
    if phrase.label in _OWN_CONDITION:
        return not re.search(r"\b(?:may|might|sometimes|usually|typically|except)\b", plain, re.IGNORECASE)
    clause = match.string[: match.end()] + re.split(r",?\s*(?:and )?such that\b|;", match.string[match.end() :])[0]
    if _CONDITIONAL.search(clause):
        return False
    before = match.string[: match.start()]
    return phrase.label in _OWN_NEGATION or not _NEGATION.search(before + match[0])


def _quantified(plain: str, setup: Setup) -> Setup | None:
    """Obey "for any non-empty list"; None where the quantifier narrows in a way that is not understood."""
    for hit in _QUANTIFIER.finditer(plain):
        adjective = (hit["adjective"] or "").strip().lower()
        if adjective in {"", "possible", "given", "input", "other", "single", "two", "finite"}:
            continue
        noun = hit["noun"].lower().removesuffix("s")
        condition = read_condition(f"{noun} is {adjective}", setup.domains)
        if condition is None:
            return None
        setup = setup.assuming([condition])
    return setup


def draft_of(claim: Claim, quote: str, law: Law) -> Draft:
    """The test for a law."""
    return Draft(
        claim=claim,
        quote=quote,
        category=law.category,
        origin=Origin.FUZZ if law.label in {"never raises", "raises nothing else", "handles empty"} else Origin.PHRASE,
        label=law.label,
        detail=f"recognised phrase: {law.label}",
        imports=tuple(sorted({*law.setup.imports, *law.setup.refusal_imports, *law.imports})),
        body=(*law.setup.assumes, *law.lines),
        given=law.setup.given,
    )


def special_cases(setup: Setup, ticket: Ticket) -> Iterator[ast.expr]:
    """Conditions for which the claims or the docstring say what happens then: "raises E if …", "returns 0 when …"."""
    function = setup.function
    texts = [
        function.docstring,
        *(claim.text for claim in ticket.claims if len(ticket.claims) == 1 or function.name in claim.text),
    ]
    for text in texts:
        sections = read_sections(text)
        said = [f"raises {entry.name} {entry.text}" for entry in sections.raises]
        said += [sentence.plain for sentence in sentences(f"{sections.prose}\n\n{sections.returns}")]
        for sentence in said:
            for phrase in BEHAVIOUR_PHRASES:
                match = phrase.pattern.match(sentence.rstrip(".")) if phrase.label in _SPECIAL else None
                condition = _special(match, setup) if match is not None else None
                if condition is not None:
                    yield condition


def _special(match: re.Match[str], setup: Setup) -> ast.expr | None:
    parts = match.groupdict()
    said = parts.get("cond") or f"{parts.get('noun', '').lower()} is empty"
    condition = read_condition(said, {name: domain.unbounded for name, domain in setup.domains.items()})
    return negated(condition) if condition is not None and parts.get("unless") else condition


def refusing(setup: Setup, ticket: Ticket, surface: Surface) -> Setup:
    """Note how the function refuses inputs: the errors that its documentation, the claims on it, or its body name."""
    function = setup.function
    told = [
        function.docstring,
        *(claim.text for claim in ticket.claims if function.name in claim.text or len(ticket.claims) == 1),
    ]
    named = set(re.findall(r"\b[A-Z]\w*(?:Error|Exception)\b", "\n".join(told))) | set(function.refuses_with)
    return setup.refusing_with(*known_errors(sorted(named), surface))


def known_errors(names: Iterable[str], surface: Surface) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of the exceptions that something defines, and their imports."""
    modules = tuple((face.module, face.names) for face in surface.faces)
    lines = {name: import_of_error(name, modules) for name in names}
    known = tuple(name for name, line in lines.items() if line is not None)
    return known, tuple(line for line in lines.values() if line)
