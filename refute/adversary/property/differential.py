"""The version before and this one on the same inputs: what both are asked, and what the answers mean.

Each version answers alone, in a container that never sees the other: what a test expects cannot come from the code
under test, and so it counts as evidence that nobody made for it.
"""

import ast
import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from refute.adversary.attack import Brief, Category, Origin, SourceModule
from refute.adversary.preservation import PRESERVED, preserves_everything
from refute.adversary.property.calls import changed_literals, published_calls
from refute.adversary.property.draft import Draft, Note, NotTested, quote_of
from refute.adversary.property.expressions import free_names, parse_expression
from refute.adversary.property.generator import Inputs, inputs_of, may_call
from refute.adversary.property.laws import NO_INPUTS, sampled
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.reading import read_surface
from refute.adversary.property.surface import Function
from refute.ticket.record import Claim, ClaimId

Answer = tuple[str, str]
"""How a call ended (`value`, `text`, `raises`), and with what."""
Answers = tuple[tuple[Answer | None, ...], ...]
"""Of each way of calling, for each of its rows; None where a version does not always answer alike."""
_RECORDED: Final = TypeAdapter(list[list[Answer | None]])
MAX_WAYS: Final = 60
MAX_DEMANDS: Final = 10
_CRASHES: Final = frozenset(
    (
        *("AttributeError", "AssertionError", "IndexError", "KeyError", "ModuleNotFoundError", "NameError"),
        *("NotImplementedError", "RecursionError", "SystemError", "TypeError", "UnboundLocalError"),
        "ZeroDivisionError",
    )
)
"""How a call ends that nobody meant to allow: a change that ends it otherwise breaks no promise."""
_SHOWN: Final = 120
"""Characters of an answer that is told."""
_BOUNDED: Final = (
    "the claim, or the ticket, speaks of changes too; name in `unchanged` the functions that stay as they are"
)
_CHANGES: Final = (
    "`unchanged` names {function}, of which {claim} demands something new ({told}); "
    "say in a `property` what stays as it is"
)
_NO_VERSION: Final = (
    "the version before gives no answer to compare with: it refuses every input, or answers no two calls alike"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of calling a function that both versions have."""

    function: Function
    inputs: Inputs
    imports: tuple[str, ...]
    demand: tuple[ClaimId, Answer] | None = None
    """Of a claim's field instead of inputs of ours: whose it is, and the answer that fulfils it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One way of calling with what both versions answer."""

    way: Way
    before: tuple[Answer | None, ...]
    now: tuple[Answer | None, ...]

    def differences(self) -> Iterator[tuple[str, Answer, Answer]]:
        """Call, answer before and answer now; the smallest first."""
        for row, before, now in zip(self.way.inputs.rows, self.before, self.now, strict=True):
            if before and now and before != now and not self.way.demand:
                yield self.way.inputs.written(row), before, now


def ways_of(brief: Brief) -> tuple[Way, ...]:
    """How the functions that the versions share can be called; those of changed files, and all that claims name."""
    surface = read_surface(brief.modules)
    namespace = Namespace(surface=surface)
    earlier = {one.qualified: one for one in read_surface(_earlier(brief)).callables()}
    published, hints = published_calls(brief, surface), changed_literals(brief)
    both = [(one, earlier[one.qualified]) for one in surface.callables() if one.qualified in earlier]
    claims = brief.ticket.claims
    kept = {surface.named(name) for claim in claims for name in claim.unchanged}
    kept.update(one for claim in claims if PRESERVED.search(claim.text) for one in surface.subjects(claim.text))
    ways: list[Way] = []
    for function, before in sorted(both, key=lambda pair: (pair[0] not in kept, pair[0].form == pair[1].form)):
        if function.depends_on or before.depends_on or function.is_async:
            continue
        calls = [_as_before(call, before) for call in published]
        for inputs in inputs_of(before, surface, calls, hints=hints, guess=True):
            imports = _imports_of(inputs, namespace)
            if imports is not None:
                ways.append(Way(function=function, inputs=inputs, imports=imports))
    return (*ways[:MAX_WAYS], *_demands(brief, namespace, [function for function, _ in both]))


def _demands(brief: Brief, namespace: Namespace, functions: Sequence[Function]) -> Iterator[Way]:
    """Fields of claims, put to the version before: what that does not fulfil is what the ticket changes."""
    claims = brief.ticket.claims if any(claim.unchanged for claim in brief.ticket.claims) else ()
    for claim in claims:
        fields = [(code, ("value", "True")) for code in claim.examples]
        fields += [(one.call, ("raises", one.error)) for one in claim.raises if not one.given]
        for code, wanted in fields[:MAX_DEMANDS]:
            tree, inputs = parse_expression(code), Inputs(call=code, holes=(), rows=((),))
            imports = _imports_of(inputs, namespace)
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
            of_it = [function for function in functions if any(may_call(call, function) for call in calls)]
            for function in of_it if imports is not None else ():
                yield Way(function=function, inputs=inputs, imports=imports or (), demand=(claim.id, wanted))


def _as_before(call: ast.Call, before: Function) -> ast.Call:
    """A published call without the options that only the version of now has: the other one refuses them all."""
    names = {one.name for one in before.parameters}
    if not may_call(call, before) or any(one.variadic for one in before.parameters):
        return call
    return ast.Call(call.func, call.args, [one for one in call.keywords if one.arg is None or one.arg in names])


def _imports_of(inputs: Inputs, namespace: Namespace) -> tuple[str, ...] | None:
    """What a call needs; its package may offer what a module defines: `semver.Version` is that of `semver.version`."""
    tree = parse_expression(inputs.call)
    if tree is None:
        return None
    packages = {face.module.partition(".")[0] for face in namespace.surface.faces if "." in face.module}
    for offering in (set[str](), packages & free_names([tree])):
        with contextlib.suppress(NotTested):
            found = namespace.resolve([tree], bound={*inputs.holes, *offering})
            return (*found.imports, *(f"import {name}" for name in sorted(offering)))
    return None


def _earlier(brief: Brief) -> list[SourceModule]:
    """The implementation's modules as they were; none that is new."""
    sources = [(one, brief.earlier.get(one.module.path, one.source)) for one in brief.modules]
    return [SourceModule(module=one.module, source=source) for one, source in sources if source]


def plan_of(ways: Sequence[Way], roots: Sequence[str]) -> bytes:
    """What the recorder reads."""
    asked = [
        {
            "imports": way.imports,
            "holes": way.inputs.holes,
            "call": way.inputs.call,
            "rows": [repr(row) for row in way.inputs.rows],
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
    if [len(rows) for rows in found] != [len(way.inputs.rows) for way in ways]:
        return [[None] * len(way.inputs.rows) for way in ways]
    return [[one if one and (one[0] != "value" or _literal(one[1])) else None for one in rows] for rows in found]


def _literal(text: str) -> bool:
    tree = parse_expression(text)
    try:
        return tree is not None and ast.literal_eval(tree) is not ...
    except (ValueError, TypeError):
        return False


def preservation_tests(brief: Brief, compared: Sequence[Compared]) -> Iterator[Draft | Note]:
    """Tests of what `unchanged` names and of what claims say to be as before: the earlier answers, as literals."""
    surface = read_surface(brief.modules)
    for claim in brief.ticket.claims:
        for name in claim.unchanged:
            field = f"unchanged, {name}"
            function = surface.named(name)
            if function is None:
                reason = f"unchanged: got {name!r}, expected a public function of the implementation"
                yield Note(claim=claim, reason=reason, field=field)
            elif changed := _demanded_otherwise(claim, function, compared):
                yield Note(claim=claim, reason=changed, field=field)
            else:
                yield from _of_function(claim, function, compared, quote_of(claim, name, f"unchanged {name}"), field)
        said = PRESERVED.search(claim.text)
        if said is None or claim.unchanged:
            continue
        if why_not := _incomparable(claim, brief):
            yield Note(claim=claim, reason=why_not)
            continue
        for function in surface.subjects(claim.text) or surface.functions():
            yield from _of_function(claim, function, compared, quote_of(claim, said[0]))


def _demanded_otherwise(claim: Claim, function: Function, compared: Sequence[Compared]) -> str:
    """Why what a claim calls unchanged is not: a field of another claim wants what the version before did not give."""
    own = (one for one in compared if one.way.function.qualified == function.qualified)
    for one in own:
        was, demand = one.before[0], one.way.demand
        if not demand or demand[0] == claim.id or not was or _crashed(was):
            continue  # a crash is compared with nothing, and least that of an option which is new
        if was != demand[1] and "value" in {was[0], demand[1][0]}:  # an error may be one of those that it names
            told = f"{one.way.inputs.call} {_told(was, 'raised', 'was')}"
            return _CHANGES.format(function=function.name, claim=demand[0], told=told)
    return ""


def _incomparable(claim: Claim, brief: Brief) -> str:
    """Why a claim in prose is not compared with the version before; empty where it is."""
    if not brief.earlier:
        return "it speaks of the code before the change, but the ticket names no `base` or `previous`"
    return "" if preserves_everything(claim, brief.ticket) else _BOUNDED


def _of_function(
    claim: Claim, function: Function, compared: Sequence[Compared], quote: str, field: str = ""
) -> Iterator[Draft | Note]:
    own = [one for one in compared if one.way.function.qualified == function.qualified and not one.way.demand]
    drafts = [draft for one in own if (draft := _draft(claim, one, quote))]
    if not drafts:
        reason = _NO_VERSION if own else f"unchanged, {function.qualified}: {NO_INPUTS}"
        yield Note(claim=claim, reason=reason, field=field)
    yield from drafts


def _draft(claim: Claim, one: Compared, quote: str) -> Draft | None:
    inputs = one.way.inputs
    rows = [
        (*row, answer[0], ast.literal_eval(answer[1]) if answer[0] == "value" else answer[1])
        for row, answer in zip(inputs.rows, one.before, strict=True)
        if answer and not _crashed(answer)
    ]
    if not rows:
        return None
    return Draft(
        claim=claim,
        quote=quote,
        category=Category.INTEGRATION,
        origin=Origin.EARLIER,
        label=f"unchanged {one.way.function.name}",
        detail="the version before gave these answers, alone in a container",
        imports=one.way.imports,
        body=(
            f"{', '.join(inputs.holes)}, how, expected = copy.deepcopy(case)",
            f"got = _outcome(lambda: {inputs.call}, how)",
            'assert _same(expected, got), f"{_shown(expected)} before, {_shown(got)} now"',
        ),
        given=(("case", sampled(rows)),),
    )


def _crashed(answer: Answer) -> bool:
    return answer[0] == "raises" and answer[1] in _CRASHES


def changed_behaviour(brief: Brief, compared: Sequence[Compared]) -> Iterator[str]:
    """One line for each function that answers otherwise than before, with the smallest input that shows it."""
    claims = " ".join(claim.text for claim in brief.ticket.claims)
    found: dict[str, list[tuple[str, Answer, Answer]]] = {}
    for one in compared:
        found.setdefault(one.way.function.qualified, []).extend(one.differences())
    for name, differences in found.items():
        if differences:
            call, before, now = min(differences, key=_weight)
            named = re.search(rf"(?<!\w){re.escape(name.rpartition('.')[2])}(?!\w)", claims)
            asked = " (a claimed change?)" if named else ""
            more = f"; {len(differences)} inputs differ" if len(differences) > 1 else ""
            was = _told(before, "raised", "was")
            yield f"behaviour changed{asked}: {call} {was}, {_told(now, 'raises', 'is')}{more}"


def _weight(difference: tuple[str, Answer, Answer]) -> tuple[bool, int]:
    """A crash that ends otherwise says least; else the shortest call is shown."""
    call, before, now = difference
    crashed = before[0] == now[0] == "raises" or now in {("raises", name) for name in ("TypeError", "AttributeError")}
    return crashed, len(call)


def _told(answer: Answer, raised: str, given: str) -> str:
    how, what = answer
    text = f"<{what}>" if how == "text" else what
    return f"{raised if how == 'raises' else given} {text if len(text) <= _SHOWN else f'{text[: _SHOWN - 1]}…'}"
