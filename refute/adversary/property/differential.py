"""The version before and this one on the same inputs: what both are asked, and how their answers are read.

Each version answers alone, in a container that never sees the other: what a test expects cannot come from the code
under test, and so it counts as evidence that nobody made for it.
"""

import ast
import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import TypeAdapter, ValidationError

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.preservation import PRESERVED
from refute.adversary.property.calls import may_call, published_calls
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.faces import read_surface
from refute.adversary.property.generator import Way, way_of, ways_to_call
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.notation import read_inline
from refute.adversary.property.sessions import blank_out
from refute.adversary.property.surface import Function
from refute.adversary.property.values import Raises, Value
from refute.python_syntax import literal_of
from refute.ticket.modules import other_form

Answer = tuple[str, str]
"""How a call ended (`value`, `text`, `raises`), and with what."""
Answers = tuple[tuple[Answer | None, ...], ...]
"""Of each way of calling, for each of its rows; None where a version does not always answer alike."""
_RECORDED: Final = TypeAdapter(list[list[Answer | None]])
MAX_WAYS: Final = 60
MAX_DEMANDS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One way of calling with what both versions answer."""

    way: Way
    before: tuple[Answer | None, ...]
    now: tuple[Answer | None, ...]

    def differences(self) -> Iterator[tuple[str, Answer, Answer]]:
        """Call, answer before and answer now."""
        for row, before, now in zip(self.way.rows, self.before, self.now, strict=True):
            if before and now and before != now and not self.way.demand:
                yield self.way.written(row), before, now


def ways_of(brief: Brief) -> tuple[Way, ...]:
    """How the functions that the versions share can be called; those of changed files, and all that claims name."""
    surface = read_surface(brief.modules)
    namespace = Namespace(surface=surface, files=brief.workspace_paths)
    earlier = {one.whole: one for one in read_surface(earlier_modules(brief)).callables()}
    published = published_calls(brief, surface)
    both = [(one, earlier[one.whole]) for one in surface.callables() if one.whole in earlier]
    claims = brief.ticket.claims
    kept = {surface.named(name) for claim in claims for name in claim.unchanged}
    kept.update(one for claim in claims if PRESERVED.search(claim.text) for one in surface.subjects(claim.text))
    ways: list[Way] = []
    for function, before in sorted(both, key=lambda pair: (pair[0] not in kept, pair[0].form == pair[1].form)):
        if function.does.reads or before.does.reads or function.is_async:
            continue
        calls = [_as_before(call, before) for call in published if may_call(call, before, surface)]
        now, then = function.does.literals, before.does.literals  # where a change acts, its literals matter most
        hints = [*sorted(now - then, key=repr), *sorted(then - now, key=repr), *before.does.seeds]
        typed, distinct = _typed_as(function, before), [*dict.fromkeys(hints)]
        ways += ways_to_call(typed, namespace, calls, hints=distinct, recorded=True)
    return (*ways[:MAX_WAYS], *_demands(brief, namespace, [function for function, _ in both]))


def _demands(brief: Brief, namespace: Namespace, functions: Sequence[Function]) -> Iterator[Way]:
    """Fields of claims, put to the version before: what that does not fulfil is what the ticket changes."""
    claims = brief.ticket.claims if any(claim.unchanged for claim in brief.ticket.claims) else ()
    for claim in claims:
        fields = [(code, ("value", "True")) for code in claim.examples]
        fields += [(one.call, ("raises", one.error)) for one in claim.raises if not one.given]
        fields += _shown(claim.text, namespace)
        for code, wanted in fields[:MAX_DEMANDS]:
            tree, home = parse_expression(code), namespace.surface.home(code, claim.text)
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
            of_it = [one for one in functions if any(may_call(call, one, namespace.surface) for call in calls)]
            meant = {one.whole for one in namespace.surface.named_in(claim.text)}  # not what makes its arguments
            for function in [one for one in of_it if one.whole in meant] or of_it:
                way = way_of(function, code, [()], namespace, home)
                yield from [replace(way, demand=(claim.id, wanted))] if way else ()


def _shown(text: str, namespace: Namespace) -> Iterator[tuple[str, Answer]]:
    """Examples in a claim's words, as its fields would write them; none that `==` alone does not compare."""
    for example in read_inline(blank_out(text), namespace.surface.public_names()):
        for step in example.steps:
            call = ast.unparse(step.statement)
            match step.expected:
                case None:
                    yield call, ("value", "True")
                case Raises(name=name):
                    yield call, ("raises", name)
                case Value(plain=ast.Constant(value=str() | bytes() | int() | None) as plain):
                    yield f"{call} == {ast.unparse(plain)}", ("value", "True")


def _typed_as(now: Function, before: Function) -> Function:
    """The function before, its parameters of the types that only the version of now names."""
    types = {one.name: one.annotation for one in now.parameters}
    node = copy.deepcopy(before.node)
    for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        one.annotation = one.annotation or types.get(one.arg)
    return replace(before, node=node)


def _as_before(call: ast.Call, before: Function) -> ast.Call:
    """A published call without the options that only the version of now has: the other one refuses them all."""
    names = {one.name for one in before.parameters}
    if any(one.variadic for one in before.parameters):
        return call
    return ast.Call(call.func, call.args, [one for one in call.keywords if one.arg is None or one.arg in names])


def earlier_modules(brief: Brief) -> list[SourceModule]:
    """The implementation's modules as they were; none that is new."""
    sources = [(one, brief.earlier.get(one.module.path, one.source)) for one in brief.modules]
    sources = [(one, source or brief.earlier.get(other_form(one.module.path), "")) for one, source in sources]
    return [SourceModule(module=one.module, source=source) for one, source in sources if source]


def plan_of(ways: Sequence[Way], roots: Sequence[str]) -> bytes:
    """What the recorder reads."""
    asked = [
        {
            "imports": way.imports,
            "holes": way.holes,
            "call": way.call,
            "rows": [repr(row) for row in way.rows],
        }
        for way in ways
    ]
    return json.dumps({"roots": list(roots), "ways": asked}).encode()


def read_answers(ways: Sequence[Way], recorded: Sequence[bytes]) -> Answers:
    """What the recorder left in each of its runs, hostile as it may be; what the runs do not agree on is None."""
    runs = [_checked(ways, data) for data in recorded]
    return tuple(
        tuple(answers[0] if all(one == answers[0] for one in answers) else None for answers in zip(*rows, strict=True))
        for rows in zip(*runs, strict=True)
    )


def _checked(ways: Sequence[Way], data: bytes) -> list[list[Answer | None]]:
    try:
        found = _RECORDED.validate_json(data)
    except ValidationError:
        found = []
    if [len(rows) for rows in found] != [len(way.rows) for way in ways]:
        return [[None] * len(way.rows) for way in ways]
    return [[one if one and (one[0] != "value" or _literal(one[1])) else None for one in rows] for rows in found]


def _literal(text: str) -> bool:
    tree = parse_expression(text)
    return tree is not None and literal_of(tree) not in (None, (...,))
