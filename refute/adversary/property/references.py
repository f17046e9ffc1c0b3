"""Results that have a textbook definition: "the Levenshtein distance between a and b", "all primes below n".

Only where the whole description is the concept, and only on values for which no two schools differ: no negative
numbers where signs are a matter of taste, no empty lists for a mean, lower-case letters for palindromes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from refute.adversary.property.conditions import subject_of
from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.law import Law, Phrase, Spoken, equals, holds

_ARTICLE = r"(?:an? |the )?"
_ONE = r"(?: (?:the )?(?:input |given |string |list |number |integer |year |word )?`?(?P<a>\w+)`?)?"
_TWO = (
    r"(?: (?:the )?(?:strings? |words? |numbers? |integers? )?`?(?P<a>\w+)`? (?:and|to|in|from) "
    r"(?:the )?`?(?P<b>\w+)`?)?"
)
_END = r"\.?$"


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """One textbook concept."""

    label: str
    description: str
    """Pattern over the whole description of the result; groups `a` and `b` name arguments where they are named."""
    kinds: tuple[str, ...]
    """Kinds of the arguments, in order."""
    reference: str
    """Python over `{a}` and `{b}`."""
    assume: tuple[str, ...] = ()
    """Python over `{a}` and `{b}`: where everybody agrees on the definition."""
    alphabet: str = ""
    """Characters of texts, where case or kind of character is a matter of taste."""
    check: str = ""
    """Python over `got`, `{a}` and `{b}`, instead of equality with the reference."""


CONCEPTS = (
    Concept(
        label="greatest common divisor",
        description=rf"{_ARTICLE}(?:(?:greatest|highest|largest) common (?:divisor|factor)|gcd)(?: of{_TWO})?",
        kinds=("int", "int"),
        reference="math.gcd({a}, {b})",
        assume=("{a} >= 0", "{b} >= 0", "{a} + {b} > 0"),
    ),
    Concept(
        label="least common multiple",
        description=rf"{_ARTICLE}(?:(?:least|lowest|smallest) common multiple|lcm)(?: of{_TWO})?",
        kinds=("int", "int"),
        reference="math.lcm({a}, {b})",
        assume=("{a} > 0", "{b} > 0"),
    ),
    Concept(
        label="factorial",
        description=rf"{_ARTICLE}factorial(?: of{_ONE})?",
        kinds=("int",),
        reference="math.factorial({a})",
        assume=("{a} >= 0",),
    ),
    Concept(
        label="binomial coefficient",
        description=rf"{_ARTICLE}binomial coefficient(?: of{_TWO})?",
        kinds=("int", "int"),
        reference="math.comb({a}, {b})",
        assume=("{b} >= 0", "{a} >= {b}"),
    ),
    Concept(
        label="one bits",
        description=rf"{_ARTICLE}(?:number|count) of (?:1-?bits|set bits|one bits|ones|1s|bits set)"
        rf"(?: in (?:the )?binary (?:encoding|representation|form|expansion))?(?: (?:of|in){_ONE})?",
        kinds=("int",),
        reference="bin({a}).count('1')",
        assume=("{a} >= 0",),
    ),
    Concept(
        label="sum of digits",
        description=rf"{_ARTICLE}sum of (?:the |all )?(?:decimal )?digits(?: (?:of|in){_ONE})?",
        kinds=("int",),
        reference="sum(int(digit) for digit in str({a}))",
        assume=("{a} >= 0",),
    ),
    Concept(
        label="whether prime",
        description=(
            rf"(?:whether|True if|True iff){_ONE} is (?:a )?prime(?: number)?(?:,? (?:and |else )?False "
            rf"otherwise)?"
        ),
        kinds=("int",),
        reference="_is_prime({a})",
    ),
    Concept(
        label="primes, bound included",
        description=rf"{_ARTICLE}(?:list (?:of|containing) |sorted list of )?(?:all )?(?:the )?primes?(?: numbers)?"
        rf" (?:up to and including|less than or equal to|not exceeding|not greater than|no greater than|<=){_ONE}",
        kinds=("int",),
        reference="_primes_below({a} + 1)",
        check="sorted(got) == _primes_below({a} + 1)",
    ),
    Concept(
        label="primes, bound excluded",
        description=rf"{_ARTICLE}(?:list (?:of|containing) |sorted list of )?(?:all )?(?:the )?primes?(?: numbers)?"
        rf" (?:(?:strictly )?(?:below|less than|smaller than)|<){_ONE}",
        kinds=("int",),
        reference="_primes_below({a})",
        check="sorted(got) == _primes_below({a})",
    ),
    Concept(
        label="prime factors",
        description=rf"{_ARTICLE}(?:list of )?{_ARTICLE}prime factors(?: of{_ONE})?"
        r" (?:in (?:sorted|ascending|increasing) order|sorted|from smallest to largest),?"
        r" (?:with (?:repetition|multiplicity|repeats)|repeated .*)",
        kinds=("int",),
        reference="_prime_factors({a})",
        assume=("{a} >= 1",),
    ),
    Concept(
        label="edit distance",
        description=rf"{_ARTICLE}(?:Levenshtein|(?:minimum |minimal )?edit) distance(?: (?:between|of|from){_TWO})?",
        kinds=("str", "str"),
        reference="_edit_distance({a}, {b})",
    ),
    Concept(
        label="balanced",
        description=r"(?:whether|True if|True iff) (?:all )?(?:the )?(?:parenthes[ie]s|parens|brackets)(?: in "
        r"(?:the )?`?(?P<a>\w+)`?)?"
        r" (?:are|is) (?:all )?(?:properly |correctly |well[- ])?(?:nested|balanced|matched|"
        r"closed)(?:,? (?:and |else )?False otherwise)?",
        kinds=("str",),
        reference="_is_balanced({a})",
        alphabet="()",
    ),
    Concept(
        label="palindrome",
        description=rf"(?:whether|True if|True iff){_ONE} is a palindrome(?:,? (?:and |else )?False otherwise)?",
        kinds=("str",),
        reference="{a} == {a}[::-1]",
        alphabet="abc",
    ),
    Concept(
        label="anagrams",
        description=(
            rf"(?:whether|True if|True iff){_TWO} are anagrams(?: of each other)?(?:,? (?:and |else "
            rf")?False otherwise)?"
        ),
        kinds=("str", "str"),
        reference="sorted({a}) == sorted({b})",
        assume=("{a} != {b}",),
        alphabet="abc",
    ),
    Concept(
        label="leap year",
        description=rf"(?:whether|True if|True iff){_ONE} is a leap year(?:,? (?:and |else )?False otherwise)?",
        kinds=("int",),
        reference="calendar.isleap({a})",
        assume=("1600 <= {a}", "{a} <= 2400"),
    ),
    Concept(
        label="sum",
        description=(
            rf"{_ARTICLE}(?:sum|total) of (?:all )?(?:the )?(?:elements|items|numbers|values|integers|"
            rf"ints)? ?(?:of|in)?{_ONE}"
        ),
        kinds=("list",),
        reference="sum({a})",
    ),
    Concept(
        label="largest",
        description=(
            rf"{_ARTICLE}(?:largest|maximum|greatest|biggest)(?: (?:element|item|number|value|integer|"
            rf"int))? (?:of|in|from){_ONE}"
        ),
        kinds=("list",),
        reference="max({a})",
        assume=("len({a}) > 0",),
    ),
    Concept(
        label="smallest",
        description=(
            rf"{_ARTICLE}(?:smallest|minimum|least)(?: (?:element|item|number|value|integer|int))? (?:of|"
            rf"in|from){_ONE}"
        ),
        kinds=("list",),
        reference="min({a})",
        assume=("len({a}) > 0",),
    ),
    Concept(
        label="mean",
        description=rf"{_ARTICLE}(?:arithmetic )?(?:mean|average)(?: of (?:all )?(?:the )?(?:elements|items|"
        rf"numbers|values)?"
        rf" ?(?:of|in)?{_ONE})?",
        kinds=("list",),
        reference="sum({a}) / len({a})",
        assume=("len({a}) > 0",),
    ),
    Concept(
        label="median",
        description=rf"{_ARTICLE}median(?: of (?:all )?(?:the )?(?:elements|items|numbers|values)? ?(?:of|in)?{_ONE})?",
        kinds=("list",),
        reference="statistics.median({a})",
        assume=("len({a}) % 2 == 1",),
    ),
)
_SMALL = 5
"""Longest text and list: references try everything, and so may right code."""


def _law_of(concept: Concept) -> Callable[[Spoken], Law | None]:
    def law(spoken: Spoken) -> Law | None:
        names = _arguments(concept, spoken)
        if names is None or any(_unfit(concept, spoken.setup.domains[name]) for name in names.values()):
            return None
        domains = {name: _fitted(concept, domain) for name, domain in spoken.setup.domains.items()}
        conditions = [parse_expression(text.format(**names)) for text in concept.assume]
        setup = replace(spoken.setup, domains=domains).assuming([node for node in conditions if node is not None])
        narrowed = Spoken(match=spoken.match, setup=setup, surface=spoken.surface)
        if concept.check:
            return holds(narrowed, concept.label, concept.check.format(**names))
        return equals(narrowed, concept.label, concept.reference.format(**names))

    return law


def _arguments(concept: Concept, spoken: Spoken) -> dict[str, str] | None:
    """Which variables the concept is about: those that the description names, else all of them, in order."""
    found = spoken.match.groupdict()
    named = [found[group] for group in ("a", "b") if group in found]
    domains = spoken.setup.domains
    variables = [subject_of(name, domains) for name in named if name] if any(named) else list(domains)
    if (
        len(variables) != len(concept.kinds)
        or len(domains) != len(concept.kinds)
        or len(set(variables)) != len(variables)
    ):
        return None
    known = [name for name in variables if name is not None]
    if [domains[name].kind for name in known] != list(concept.kinds):
        return None
    return dict(zip("ab", known, strict=False))


def _unfit(concept: Concept, domain: Domain) -> bool:
    """Lists must hold numbers; texts that have an alphabet of their own keep it only where it is the concept's."""
    if domain.kind == "list":
        return domain.items[0].kind not in {"int", "float"}
    return bool(concept.alphabet and domain.code and domain.code != repr(concept.alphabet))


def _fitted(concept: Concept, domain: Domain) -> Domain:
    if domain.kind not in {"str", "list"}:
        return domain
    size = min(_SMALL, domain.max_size) if domain.max_size is not None else _SMALL
    code = repr(concept.alphabet or "abcd") if domain.kind == "str" and not domain.code else domain.code
    return replace(domain, max_size=max(size, domain.min_size), code=code)


REFERENCE_PHRASES = tuple(
    Phrase(
        label=concept.label,
        pattern=re.compile(rf"(?:{concept.description}){_END}", re.IGNORECASE),
        law=_law_of(concept),
    )
    for concept in CONCEPTS
)
