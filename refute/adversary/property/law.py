"""What a recognised phrase asks of every call, and the parts that recognisers share."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from refute.adversary.attack import Category
from refute.adversary.property.conditions import operand
from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.expressions import free_names, negated, source_of
from refute.adversary.property.subject import Setup
from refute.adversary.property.surface import Surface

DISAGREES = 'f"expected {_shown(expected)}, got {_shown(got)}"'
_FAR = 1e15
_MATHEMATICS = r"sqrt|floor|ceil|log|pi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """What a phrase asks of every call."""

    label: str
    lines: tuple[str, ...]
    """Python; the drawn values are in scope."""
    setup: Setup
    category: Category = Category.EDGE
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A match in its surroundings."""

    match: re.Match[str]
    setup: Setup
    surface: Surface

    @property
    def rest(self) -> str:
        """What the sentence says after the phrase."""
        return self.match.string[self.match.end() :].strip(" .")

    def answer(self, values: dict[str, str] | None = None) -> str:
        """The call's result; a refusal that the function is known for counts as not tried."""
        return answer_of(self.setup, values)


Recogniser = Callable[[Spoken], Law | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """One row of a table: a general English pattern and what it asks."""

    label: str
    pattern: re.Pattern[str]
    law: Recogniser


def phrases(rows: Iterable[tuple[str, str, Recogniser]]) -> tuple[Phrase, ...]:
    """Compile a table, case-insensitively."""
    return tuple(Phrase(label=label, pattern=re.compile(text, re.IGNORECASE), law=law) for label, text, law in rows)


def answer_of(setup: Setup, values: dict[str, str] | None = None) -> str:
    """Python for the result of a call, generators read to their end."""
    call = setup.call(values)
    return f"_answer(lambda: {call}{''.join(f', {name}' for name in setup.refusals)})"


def equals(spoken: Spoken, label: str, expected: str, *, exact: bool = False) -> Law:
    """The result is a reference value; a list may be a tuple, since prose does not tell them apart."""
    same = "_same(expected, got)" if exact else "_same(expected, got, exact=False)"
    lines = (f"expected = _defined(lambda: {expected})", f"got = {spoken.answer()}", f"assert {same}, {DISAGREES}")
    return Law(label=label, lines=lines, setup=spoken.setup)


def holds(spoken: Spoken, label: str, check: str, *, imports: tuple[str, ...] = ()) -> Law:
    """A condition on the result `got`."""
    lines = (f"got = {spoken.answer()}", f"assert {check}, _shown(got)")
    return Law(label=label, lines=lines, setup=spoken.setup, imports=imports)


def bound_of(text: str, setup: Setup) -> str | None:
    """A number, a parameter or an expression of them as Python; `sqrt` and its like are the `math` module's."""
    text = text.strip().strip("`").rstrip(".")
    plain = operand(text, setup.domains)
    if plain is not None:
        return plain
    hidden = set(re.findall(rf"\b({_MATHEMATICS})\b", text)) & set(setup.domains)
    readable = operand(re.sub(rf"\b(?:{_MATHEMATICS})(?=\()", "abs", text), setup.domains)
    if hidden or readable is None:
        return None
    return re.sub(rf"\b({_MATHEMATICS})(?=\()", r"math.\1", f"({text})")


def imports_of(code: str) -> tuple[str, ...]:
    """The import that an expression of `bound_of` needs."""
    return ("import math",) if "math." in code else ()


def under(setup: Setup, condition: ast.expr) -> Setup:
    """Values for which a condition holds, also where they lie outside of what the parameter otherwise allows."""
    names = free_names([condition]) & set(setup.domains)
    domains = {name: domain.unbounded if name in names else domain for name, domain in setup.domains.items()}
    kept = tuple(assumed for assumed in setup.assumptions if not free_names([assumed]) & names)
    others = [negated(other) for other in setup.exceptions if source_of(other) != source_of(condition)]
    narrowed = replace(setup, domains=domains, assumptions=kept).assuming([condition, *others])
    numbers = [float(number) for node in ast.walk(condition) if (number := _literal(node)) is not None]
    near = {name: _reaching(domain, numbers) for name, domain in narrowed.domains.items() if name in names}
    return replace(narrowed, domains={**narrowed.domains, **near})


def _literal(node: ast.AST) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case _:
            return None


def _reaching(domain: Domain, numbers: Iterable[float]) -> Domain:
    """The domain, and the surroundings of the numbers that a condition names where they are far away."""
    if domain.kind not in {"int", "float"} or domain.minimum is not None or domain.maximum is not None:
        return domain
    low, high = domain.whole_range(MODEST.scalar)
    places = sorted({int(sign * number) for number in numbers for sign in (1, -1) if abs(number) < _FAR})
    far = [replace(domain, minimum=place - 2, maximum=place + 2) for place in places if not low < place < high]
    return Domain(kind="any of", items=(domain, *far)) if far else domain
