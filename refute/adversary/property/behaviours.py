"""Phrases about what a function does: idempotent, symmetric, leaves its argument alone, never raises, raises E when …"""

import ast
import re

from refute.adversary.attack import Category
from refute.adversary.property.conditions import read_condition, subject_of
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.law import DISAGREES, Law, Spoken, answer_of, equals, phrases, under
from refute.adversary.property.results import reference
from refute.adversary.property.subject import Setup, set_up
from refute.ticket.record import Claim

BUILTIN_ERRORS = frozenset(
    (
        "ValueError", "TypeError", "KeyError", "IndexError", "ZeroDivisionError", "OverflowError", "AttributeError", "LookupError",
        "ArithmeticError", "NotImplementedError", "RuntimeError", "FileNotFoundError", "OSError", "UnicodeDecodeError",
        "UnicodeEncodeError", "UnicodeError", "AssertionError", "PermissionError", "TimeoutError", "Exception", "StopIteration",
    )
)  # fmt: skip


def import_of_error(name: str, spoken_modules: tuple[tuple[str, frozenset[str]], ...]) -> str | None:
    """The import line for an exception: empty for a builtin, None where nothing defines it."""
    if name in BUILTIN_ERRORS:
        return ""
    return next((f"from {module} import {name}" for module, names in spoken_modules if name in names), None)


def _modules(spoken: Spoken) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((face.module, face.names) for face in spoken.surface.faces)


def _idempotent(spoken: Spoken) -> Law | None:
    required = [p for p in spoken.setup.function.parameters if p.name in spoken.setup.domains]
    if not required or not spoken.setup.function.answers:
        return None
    first, returns = required[0], spoken.setup.function.returns
    same_type = first.annotation is not None and returns is not None and source_of(first.annotation) == source_of(returns)
    lines = [f"once = {spoken.answer()}"]
    if not same_type:
        lines.append(f"assume(type(once) is type({first.name}))")
    lines += [f"twice = {spoken.answer({first.name: 'copy.deepcopy(once)'})}"]
    lines += ['assert _same(once, twice), f"once {_shown(once)}, twice {_shown(twice)}"']
    return Law(label="idempotent", lines=tuple(lines), setup=spoken.setup)


def _symmetric(spoken: Spoken) -> Law | None:
    names = list(spoken.setup.domains)
    if len(names) != 2 or not spoken.setup.function.answers:  # noqa: PLR2004  # two arguments to swap
        return None
    if spoken.setup.domains[names[0]] != spoken.setup.domains[names[1]]:
        return None
    swapped = spoken.answer({names[0]: f"copy.deepcopy({names[1]})", names[1]: f"copy.deepcopy({names[0]})"})
    lines = (f"expected = {spoken.answer()}", f"got = {swapped}", f"assert _same(expected, got), {DISAGREES}")
    return Law(label="symmetric", lines=lines, setup=spoken.setup)


def _unmodified(spoken: Spoken) -> Law | None:
    mutable = [name for name, domain in spoken.setup.domains.items() if domain.mutable]
    what = spoken.match["what"] or ""
    named = [name for name in mutable if re.search(rf"\b{re.escape(name)}\b", what)]
    words = re.sub(r"`|\b(?:its|the|any|either|of|original|input|given|passed|in)\b", " ", what).split()
    general = {"argument", "arguments", "input", "inputs", "parameter", "parameters", "list", "lists", "array", "arrays", "dict",
               "dictionary", "sequence", "set", "mapping"}  # fmt: skip
    if not mutable or (not named and not set(words) <= general):
        return None
    watched = named or mutable
    passed = {name: f"passed_{name}" for name in watched}
    lines = [f"{copied} = copy.deepcopy({name})" for name, copied in passed.items()]
    lines.append(answer_of(spoken.setup, passed))
    lines += [f'assert {copied} == {name}, f"{name} became {{_shown({copied})}}"' for name, copied in passed.items()]
    return Law(label="does not modify", lines=tuple(lines), setup=spoken.setup)


def _never_raises(spoken: Spoken) -> Law | None:
    return Law(
        label="never raises",
        lines=(f"_finished({spoken.setup.call()})",),
        setup=spoken.setup,
        category=Category.FAILURE_MODE,
    )


def _raises_only(spoken: Spoken) -> Law | None:
    line = import_of_error(spoken.match["error"], _modules(spoken))
    if line is None:
        return None
    call = f"_answer(lambda: {spoken.setup.call()}, {spoken.match['error']})"
    imports = (line,) if line else ()
    return Law(label="raises nothing else", lines=(call,), setup=spoken.setup, category=Category.FAILURE_MODE, imports=imports)


def _raises(spoken: Spoken) -> Law | None:
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


def _value_when(spoken: Spoken) -> Law | None:
    condition = read_condition(spoken.match["cond"], spoken.setup.domains)
    value = _written(spoken.match["value"])
    if condition is None or value is None:
        return None
    setup = under(spoken.setup, condition)
    lines = (f"expected = {source_of(value)}", f"got = {answer_of(setup)}", f"assert _same(expected, got, exact=False), {DISAGREES}")
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


def _value_for_empty(spoken: Spoken) -> Law | None:
    name = subject_of(spoken.match["noun"].lower(), spoken.setup.domains)
    value = _written(spoken.match["value"])
    condition = parse_expression(f"len({name}) == 0")
    if name is None or value is None or condition is None or spoken.setup.domains[name].min_size:
        return None
    setup = spoken.setup.assuming([condition])
    lines = (f"expected = {source_of(value)}", f"got = {answer_of(setup)}", f"assert _same(expected, got, exact=False), {DISAGREES}")
    return Law(label="value for empty", lines=lines, setup=setup)


def _handles_empty(spoken: Spoken) -> Law | None:
    name = subject_of(spoken.match["noun"].lower().removesuffix("s"), spoken.setup.domains)
    condition = parse_expression(f"len({name}) == 0")
    sized = {"list", "str", "dict", "set", "bytes"}
    if name is None or condition is None or spoken.setup.domains[name].kind not in sized:
        return None
    if spoken.setup.domains[name].min_size:
        return None
    setup = spoken.setup.assuming([condition])
    lines = (f"_finished({setup.call()})",)
    return Law(label="handles empty", lines=lines, setup=setup, category=Category.FAILURE_MODE)


def _inverse(spoken: Spoken) -> Law | None:
    """"`decode` is the inverse of `encode`": decode(encode(x)) == x, for what `encode` takes."""
    inner = spoken.surface.named(spoken.match["other"])
    outer = spoken.setup.function
    if inner is None or inner.qualified == outer.qualified or inner.owner or inner.is_async or outer.is_async:
        return None
    ready = set_up(Claim(id=spoken.setup.claim_id, text=spoken.match.string), inner)
    if not isinstance(ready, Setup) or len(ready.domains) != 1 or len(spoken.setup.domains) != 1:
        return None
    drawn = next(iter(ready.domains))
    lines = (f"expected = {drawn}", f"got = {outer.qualified}({answer_of(ready)})", f"assert _same(expected, got, exact=False), {DISAGREES}")
    return Law(label="round trip", lines=lines, setup=ready, imports=spoken.setup.imports)


def _equivalent(spoken: Spoken) -> Law | None:
    node = reference(spoken.match["expr"], spoken)
    return None if node is None else equals(spoken, "equivalent to", source_of(node))


def _deterministic(spoken: Spoken) -> Law | None:
    lines = (f"expected = {spoken.answer()}", f"got = {spoken.answer()}", f"assert _same(expected, got), {DISAGREES}")
    return Law(label="deterministic", lines=lines, setup=spoken.setup) if spoken.setup.function.answers else None


_IT = r"(?:^|.*?\b)"
_SUBJECT = r"(?:`?[\w.]+(?:\([^)]*\))?`?|it|(?:the |this )?(?:function|operation|result|distance|metric|measure|call))"
_NOT_MODIFY = r"(?:modif\w+|mutat\w+|chang\w+|alter\w*|touch\w*)"
_TARGET = r"(?P<what>(?:(?:its|the|any|either|of|original|input|given|passed[- ]in|passed) )*`?\w+`?)"
_ERROR = r"(?:an? )?`?(?P<error>[A-Z]\w*(?:Error|Exception|Iteration))`?"
_VALUE = r"(?P<value>`[^`]+`|None|True|False|-?\d+(?:\.\d+)?|\[[^\]]*\]|\(\)|\{\}|'[^']*'|\"[^\"]*\"|an empty (?:list|string|dict|tuple))"

BEHAVIOUR_PHRASES = phrases(
    (
        ("idempotent", rf"^{_SUBJECT} (?:is|must be|should be|are) (?:always )?idempotent\b(?=$|[.,;:])", _idempotent),
        ("idempotent", r"^(?:.*\b)?applying (?:it|\S+) twice (?:gives|yields|returns|has|changes|does|is)\b[^.]*(?:same|nothing|no (?:further )?(?:effect|change)|once)", _idempotent),
        ("symmetric", rf"^{_SUBJECT} (?:is|must be|should be) (?:always )?(?:commutative|symmetric(?:al)?)\b(?: in its arguments)?(?=$|[.,;:])", _symmetric),
        ("does not modify", rf"{_IT}(?:does not|doesn't|do not|never|not|without|must not|will not) (?:be )?{_NOT_MODIFY}(?: in place)? {_TARGET}(?: in place)?(?=$|[.,;]|,? but| and)", _unmodified),
        ("does not modify", rf"{_IT}leaves {_TARGET} (?:unchanged|untouched|unmodified|intact|alone)", _unmodified),
        ("does not modify", rf"^{_TARGET} (?:is|are) (?:never|not) {_NOT_MODIFY}(?=$|[.,;])", _unmodified),
        ("never raises", rf"{_IT}(?:never|does not|doesn't|must not|will not|won't) (?:raises?|throws?|crash(?:es)?)(?: (?:an? |any )?(?:exceptions?|errors?))?(?=$|[.,;]|,? (?:for|on) (?:any|all|every|whatever)| whatever| no matter)", _never_raises),
        ("raises nothing else", rf"{_IT}(?:raises? only|only raises?|never raises? anything (?:but|other than|except)|raises? nothing (?:but|other than|except)) {_ERROR}", _raises_only),
        ("raises", rf"{_IT}(?:raises?|throws?) {_ERROR} (?:if|when|whenever|for|on|where) (?P<cond>[^;]+)", _raises),
        ("raises", rf"{_IT}(?:raises?|throws?) {_ERROR} (?P<unless>unless) (?P<cond>[^;]+)", _raises),
        ("raises", rf"^(?:if|when|whenever) (?P<cond>[^;]+?),? (?:it |{_SUBJECT} |then )?(?:raises?|throws?) {_ERROR}(?=$|[.,;])", _raises),
        ("value when", rf"{_IT}(?:returns?|yields?|gives?) {_VALUE} (?:if|when|whenever) (?P<cond>[^;]+)", _value_when),
        ("value when", rf"^(?:if|when|whenever) (?P<cond>[^;]+?),? (?:it |{_SUBJECT} |then )?(?:must |should |will )?(?:returns?|yields?|gives?) {_VALUE}(?=$|[.,;])", _value_when),
        ("value for empty", rf"{_IT}(?:returns?|yields?|gives?) {_VALUE} (?:for|on|given) (?:an? |the )?empty (?:input )?(?P<noun>\w+)(?=$|[.,;])", _value_for_empty),
        ("handles empty", r"^(?:.*\b)?(?:handles?|accepts?|works (?:for|on|with)|copes with) (?:an? |the )?empty (?:input )?(?P<noun>\w+)\b", _handles_empty),
        ("round trip", r"^`?[\w.]+(?:\([^)]*\))?`? (?:is|must be|should be) (?:the |an? )?(?:exact )?(?:inverse|reverse|opposite) of `?(?P<other>\w+)`?(?:\(\))?(?=$|[.,;])", _inverse),
        ("equivalent to", rf"{_IT}(?:is |are |an? |behaves )(?:\w+ )?(?:the same as|same as|equivalent (?:to|of)|equal to|identical to|like) (?P<expr>.+)", _equivalent),
        ("equivalent to", r"^(?:efficient |faster |fast )?(?:equivalent (?:to|of)|same as) (?P<expr>.+)", _equivalent),
        ("deterministic", rf"^{_SUBJECT} (?:is|must be) (?:deterministic|a pure function)\b", _deterministic),
    )
)  # fmt: skip
