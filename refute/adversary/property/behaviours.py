"""What phrases about a function ask of it: idempotent, symmetric, leaves its argument alone, raises only when said."""

import ast
import builtins
import re

from refute.adversary.attack import Category
from refute.adversary.property.conditions import read_condition, subject_of
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.law import DISAGREES, Law, Spoken, answer_of, equals, under
from refute.adversary.property.results import reference
from refute.adversary.property.subject import Setup, set_up
from refute.ticket.record import Claim

BUILTIN_ERRORS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)
)
"""Exceptions that need no import."""


_ARGUMENT_WORDS = frozenset(
    word + plural
    for word in ("argument", "input", "parameter", "list", "array", "dict", "dictionary", "sequence", "set", "mapping")
    for plural in ("", "s")
)


def import_of_error(name: str, spoken_modules: tuple[tuple[str, frozenset[str]], ...]) -> str | None:
    """The import line for an exception: empty for a builtin, None where nothing defines it."""
    if name in BUILTIN_ERRORS:
        return ""
    return next((f"from {module} import {name}" for module, names in spoken_modules if name in names), None)


def _modules(spoken: Spoken) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((face.module, face.names) for face in spoken.surface.faces)


def idempotent(spoken: Spoken) -> Law | None:
    """f(f(x)) == f(x), where a result can be passed in again."""
    required = [p for p in spoken.setup.function.parameters if p.name in spoken.setup.domains]
    if not required or not spoken.setup.function.answers:
        return None
    first, returns = required[0], spoken.setup.function.returns
    same_type = (
        first.annotation is not None and returns is not None and source_of(first.annotation) == source_of(returns)
    )
    lines = [f"once = {spoken.answer()}"]
    if not same_type:
        lines.append(f"assume(type(once) is type({first.name}))")
    lines += [f"twice = {spoken.answer({first.name: 'copy.deepcopy(once)'})}"]
    lines += ['assert _same(once, twice), f"once {_shown(once)}, twice {_shown(twice)}"']
    return Law(label="idempotent", lines=tuple(lines), setup=spoken.setup)


def symmetric(spoken: Spoken) -> Law | None:
    """f(a, b) == f(b, a)."""
    names = list(spoken.setup.domains)
    if len(names) != 2 or not spoken.setup.function.answers:  # noqa: PLR2004  # two arguments to swap
        return None
    if spoken.setup.domains[names[0]] != spoken.setup.domains[names[1]]:
        return None
    swapped = spoken.answer({names[0]: f"copy.deepcopy({names[1]})", names[1]: f"copy.deepcopy({names[0]})"})
    lines = (f"expected = {spoken.answer()}", f"got = {swapped}", f"assert _same(expected, got), {DISAGREES}")
    return Law(label="symmetric", lines=lines, setup=spoken.setup)


def unmodified(spoken: Spoken) -> Law | None:
    """A copy of the argument is passed; it must still equal the original."""
    mutable = [name for name, domain in spoken.setup.domains.items() if domain.mutable]
    what = spoken.match["what"] or ""
    named = [name for name in mutable if re.search(rf"\b{re.escape(name)}\b", what)]
    words = re.sub(r"`|\b(?:its|the|any|either|of|original|input|given|passed|in)\b", " ", what).split()
    if not mutable or (not named and not set(words) <= _ARGUMENT_WORDS):
        return None
    watched = named or mutable
    passed = {name: f"passed_{name}" for name in watched}
    lines = [f"{copied} = copy.deepcopy({name})" for name, copied in passed.items()]
    lines.append(answer_of(spoken.setup, passed))
    lines += [f'assert {copied} == {name}, f"{name} became {{_shown({copied})}}"' for name, copied in passed.items()]
    return Law(label="does not modify", lines=tuple(lines), setup=spoken.setup)


def never_raises(spoken: Spoken) -> Law | None:
    """Any exception counts."""
    return Law(
        label="never raises",
        lines=(f"assert _completes(lambda: {spoken.setup.call()})",),
        setup=spoken.setup,
        category=Category.FAILURE_MODE,
    )


def raises_only(spoken: Spoken) -> Law | None:
    """Any exception but the named one counts."""
    line = import_of_error(spoken.match["error"], _modules(spoken))
    if line is None:
        return None
    call = f"assert _completes(lambda: _answer(lambda: {spoken.setup.call()}, {spoken.match['error']}))"
    imports = (line,) if line else ()
    return Law(
        label="raises nothing else", lines=(call,), setup=spoken.setup, category=Category.FAILURE_MODE, imports=imports
    )


def raises(spoken: Spoken) -> Law | None:
    """The exception, for every value under the condition."""
    said = spoken.match["cond"]
    condition = read_condition(said, spoken.setup.domains)
    line = import_of_error(spoken.match["error"], _modules(spoken))
    if condition is None or line is None:
        return None
    if spoken.match.groupdict().get("unless"):
        condition = ast.UnaryOp(op=ast.Not(), operand=condition)
    setup = under(spoken.setup, condition)
    lines = (f"with pytest.raises({spoken.match['error']}):", f"    _finished({setup.call()})")
    label = f"raises {spoken.match['error']}"
    return Law(label=label, lines=lines, setup=setup, category=Category.FAILURE_MODE, imports=(line,) if line else ())


def value_when(spoken: Spoken) -> Law | None:
    """The value, for every input under the condition."""
    condition = read_condition(spoken.match["cond"], spoken.setup.domains)
    value = _written(spoken.match["value"])
    if condition is None or value is None:
        return None
    setup = under(spoken.setup, condition)
    lines = (
        f"expected = {source_of(value)}",
        f"got = {answer_of(setup)}",
        f"assert _same(expected, got, exact=False), {DISAGREES}",
    )
    return Law(label="value when", lines=lines, setup=setup)


def _written(text: str) -> ast.expr | None:
    """A literal, or "an empty list" in words."""
    text = text.strip().strip("`")
    words = {"an empty list": "[]", "an empty string": "''", "an empty dict": "{}", "an empty tuple": "()"}
    node = parse_expression(words.get(text.lower(), text))
    try:
        ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return node


def value_for_empty(spoken: Spoken) -> Law | None:
    """The value, for an empty argument."""
    name = subject_of(spoken.match["noun"].lower(), spoken.setup.domains)
    value = _written(spoken.match["value"])
    condition = parse_expression(f"len({name}) == 0")
    if name is None or value is None or condition is None or spoken.setup.domains[name].min_size:
        return None
    setup = spoken.setup.assuming([condition])
    lines = (
        f"expected = {source_of(value)}",
        f"got = {answer_of(setup)}",
        f"assert _same(expected, got, exact=False), {DISAGREES}",
    )
    return Law(label="value for empty", lines=lines, setup=setup)


def handles_empty(spoken: Spoken) -> Law | None:
    """No exception for an empty argument."""
    name = subject_of(spoken.match["noun"].lower().removesuffix("s"), spoken.setup.domains)
    condition = parse_expression(f"len({name}) == 0")
    sized = {"list", "str", "dict", "set", "bytes"}
    if name is None or condition is None or spoken.setup.domains[name].kind not in sized:
        return None
    if spoken.setup.domains[name].min_size:
        return None
    setup = spoken.setup.assuming([condition])
    lines = (f"assert _completes(lambda: {setup.call()})",)
    return Law(label="handles empty", lines=lines, setup=setup, category=Category.FAILURE_MODE)


def inverse(spoken: Spoken) -> Law | None:
    """For a decoder that is the inverse of an encoder: decode(encode(x)) == x, for what the encoder takes."""
    inner = spoken.surface.named(spoken.match["other"])
    outer = spoken.setup.function
    if inner is None or inner.qualified == outer.qualified or inner.is_async or outer.is_async:
        return None
    if inner.owner and not (inner.receiver and outer.receiver and inner.owner == outer.owner):
        return None
    ready = set_up(Claim(id=spoken.setup.claim_id, text=spoken.match.string), inner)
    if not isinstance(ready, Setup) or len(ready.domains) != 1 or len(spoken.setup.domains) != 1:
        return None
    known = {name: import_of_error(name, _modules(spoken)) for name in inner.refuses_with}
    refusals = tuple(name for name, line in known.items() if line is not None)
    ready = ready.refusing_with(refusals, tuple(filter(None, known.values())))
    drawn = next(iter(ready.domains))
    lines = (
        f"expected = {drawn}",
        f"encoded = {answer_of(ready)}",  # what the encoder refuses is not tried
        f"got = {outer.callee}(encoded)",
        f"assert _same(expected, got, exact=False), {DISAGREES}",
    )
    return Law(label="round trip", lines=lines, setup=ready, imports=spoken.setup.imports)


def equivalent(spoken: Spoken) -> Law | None:
    """The result of a reference expression."""
    node = reference(spoken.match["expr"], spoken)
    return None if node is None else equals(spoken, "equivalent to", source_of(node))


def deterministic(spoken: Spoken) -> Law | None:
    """The same call twice gives the same."""
    lines = (f"expected = {spoken.answer()}", f"got = {spoken.answer()}", f"assert _same(expected, got), {DISAGREES}")
    return Law(label="deterministic", lines=lines, setup=spoken.setup) if spoken.setup.function.answers else None
