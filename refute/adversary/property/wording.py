"""What a documented parameter may be: "A sorted list of ints", "n: a nonnegative int", `x (float): …`.

A description must be understood in full. A word that may restrict the values ("valid", "acyclic", "in ISO format") and
is not understood makes the parameter unknown: an input that breaks a precondition refutes nothing.
"""

import re
from dataclasses import replace

from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.type_expressions import domain_of_type

_ATOMS = {
    "int": "int integer whole\\snumber number",
    "float": "float real real\\snumber floating[-\\s]point\\snumber floating[-\\s]point decimal\\snumber",
    "str": "string str text",
    "bool": "bool boolean flag",
    "bytes": "bytes bytestring",
}
_ATOM = {word.replace("\\s", " "): kind for kind, words in _ATOMS.items() for word in re.split(r" ", words)}
_PLURAL = (
    r"(?:ints?|integers?|whole numbers?|numbers?|floats?|real numbers?|reals?|floating[- ]point "
    r"numbers?|strings?|strs?|words?|texts?|bools?|booleans?)\b"
)
_ITEM = {
    "int": "int", "integer": "int", "whole number": "int", "number": "int", "float": "float", "real number": "float",
    "real": "float", "floating-point number": "float", "floating point number": "float", "string": "str", "str": "str",
    "word": "str", "text": "str", "bool": "bool", "boolean": "bool",
}  # fmt: skip
_ADJECTIVES = (
    r"(?:(?:a|an|the|any|one|some|single|given|input|arbitrary|possibly empty|unsorted|unordered|"
    r"finite|small|plain|python|first|second|other|starting|original|initial|source|target|raw|"
    r"whole|entire|long|short"
    r"|sorted|ordered|ascending|non-?\s?empty|unique|distinct|positive|negative|non-?\s?negative|"
    r"non-?\s?zero|ascii|natural)\s+)*"
)
_LIST = re.compile(
    (
        rf"(?P<adjectives>{_ADJECTIVES})(?:list|array|sequence|iterable|collection)s? of "
        rf"(?P<inner>{_ADJECTIVES})(?P<item>{_PLURAL})"
    ),
    re.IGNORECASE,
)
_LIST_AFTER = re.compile(rf"(?P<adjectives>{_ADJECTIVES})(?P<item>{_PLURAL}) (?:list|array|sequence)", re.IGNORECASE)
_ALONE = re.compile(
    rf"(?P<adjectives>{_ADJECTIVES})(?P<atom>int|integer|whole number|number|float|real number|"
    rf"real|floating[- ]point number|string|str|text|bool"
    r"|boolean|flag|bytes)\b(?! of\b)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    (
        r"(?:the )?(?:maximum |target |desired |max )?(?:number|count|column width|width|length|"
        r"height|size|index|position)\b.*"
    ),
    re.IGNORECASE,
)
_RESTRICTING = re.compile(
    r"\b(?:valid|well[- ]formed|formatted|format|iso|must|should|only|cannot|sorted|ordered|"
    r"unique|distinct|duplicates?|positive|negative"
    r"|non-?\w+|at least|at most|between|range|less|greater|larger|smaller|than|(?<!an )upper "
    r"bound|(?<!a )lower bound|no|not|without|each|every|all|where|such that"
    r"|whose|with(?!\.?$)|which|nodes?|graph|tree|acyclic|connected|indicating|ascii|lowercase|uppercase|"
    r"digits?|letters?|parenthes\w+|brackets?|balanced"
    r"|encod\w+|represent\w+(?! (?:an? |the )?(?:upper|lower) bound)|roman|hex\w*|binary|email|"
    r"url|path|file\w*|date\w*|time\w*|json|xml|csv|pairs?|keyed|mapping|matrix|grid|even|odd"
    r"|prime|multiple|divisible|power|up to|from|in\s+\[|permutation|palindrom\w+|version|name|"
    r"optional|percent\w*|probabilit\w+|fraction)\b"
    r"|[<>=≤≥{}\[\]()'\"]",
    re.IGNORECASE,
)
_NARROWING = (
    (r"non-?\s?negative|natural", 0, None),
    (r"positive", 1, None),
    (r"negative", None, -1),
)
"""Adjective, smallest and largest value."""


def read_parameter(type_text: str, text: str) -> Domain | None:
    """The domain of a documented parameter; None where it is not understood in full.

    Args:
        type_text: what stands in the place of a type, e.g. `int` of `x (int): …`; may be empty.
        text: the description, e.g. `A sorted list of ints`.
    """
    type_text = re.sub(r",?\s*(?:optional|default\w*.*)$", "", type_text.strip(), flags=re.IGNORECASE).strip("` ")
    from_type = _typed(type_text) if type_text else None
    clauses = [clause for clause in re.split(r"[,;]\s|\.\s|\n|\.$", text.strip()) if clause.strip()]
    domain = from_type
    for clause in clauses:
        read = _read_clause(clause.strip(), fresh=domain is None)
        if read is None and _RESTRICTING.search(clause):
            narrowed = _narrow(domain, clause) if domain is not None else None
            if narrowed is None:
                return None
            domain = narrowed
        elif read is not None and domain is None:
            domain = read
    return domain


def _typed(text: str) -> Domain | None:
    node = parse_expression(text)
    domain = domain_of_type(node) if node is not None else None
    return domain or _read_clause(text, fresh=True)


def _read_clause(clause: str, *, fresh: bool) -> Domain | None:
    """A clause that says the type; what follows the type in it may only describe, not restrict."""
    for pattern, build in ((_LIST, _list_of), (_LIST_AFTER, _list_of), (_ALONE, _atom)):
        hit = pattern.match(clause)
        if hit is None:
            continue
        rest = clause[hit.end() :]
        if rest and (rest[0].isalnum() or _RESTRICTING.search(rest)):
            return None
        return build(hit)
    if fresh and _COUNT.fullmatch(clause) and not _RESTRICTING.search(clause):
        return Domain(kind="int", minimum=0)
    return None


def _singular(word: str) -> str:
    word = word.lower()
    return word if word in _ITEM else word.removesuffix("s")


def _list_of(hit: re.Match[str]) -> Domain | None:
    item = Domain(kind=_ITEM[_singular(hit["item"])])
    outer = f"{hit['adjectives']} {hit.groupdict().get('inner') or ''}".lower()
    domain = Domain(kind="list", items=(item,), ordered=bool(re.search(r"\b(?:sorted|ordered|ascending)\b", outer)))
    return _adjusted(domain, outer)


def _atom(hit: re.Match[str]) -> Domain | None:
    return _adjusted(Domain(kind=_ATOM.get(hit["atom"].lower().replace("-", " "), "float")), hit["adjectives"])


def _adjusted(domain: Domain, adjectives: str) -> Domain | None:
    """Narrow a domain by the adjectives before its noun."""
    words = adjectives.lower()
    if domain.kind == "list":
        numbers = domain.items[0]
        inner = re.sub(r"\b(?:unique|distinct|sorted|ordered|ascending|non-?\s?empty)\b", "", words)
        narrowed = _adjusted(numbers, inner) if re.search(r"positive|negative", inner) else numbers
        size = 1 if re.search(r"non-?\s?empty", words) else domain.min_size
        unique = domain.unique or bool(re.search(r"\b(?:unique|distinct)\b", words))
        return None if narrowed is None else replace(domain, items=(narrowed,), min_size=size, unique=unique)
    if re.search(r"non-?\s?zero", words):
        return replace(domain, minimum=1)  # one of the halves is enough to try
    if re.search(r"non-?\s?empty", words):
        domain = replace(domain, min_size=1)
    if "ascii" in words:
        domain = replace(domain, ascii=True)
    for pattern, low, high in _NARROWING:
        if re.search(rf"\b(?:{pattern})\b", words):
            return replace(domain, minimum=low, maximum=high) if domain.kind in {"int", "float"} else None
    return domain


def _narrow(domain: Domain, clause: str) -> Domain | None:
    """A later clause that only holds adjectives: "x: int, positive"; "must be non-negative"."""
    hit = re.fullmatch(
        rf"\(?(?:must be |should be |always )?(?P<adjectives>{_ADJECTIVES[:-2]}\s*)+)\)?\.?", clause.strip() + " "
    )
    return _adjusted(domain, clause) if hit is not None else None
