"""What the earlier version's answers mean: tests of what claims say to be as before, and lines on what is not."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Brief, Category, Origin, Untested
from refute.adversary.preservation import CONDITION, PRESERVED, preserves_everything
from refute.adversary.property.condition import under
from refute.adversary.property.differential import Answer, Compared, earlier_modules
from refute.adversary.property.draft import Draft, NotTested, quote_of
from refute.adversary.property.faces import read_surface
from refute.adversary.property.generator import sampled
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import ELSEWHERE, Function, Surface
from refute.ticket.record import Claim

_CRASHES: Final = frozenset(
    (
        *("AttributeError", "AssertionError", "ImportError", "IndexError", "KeyError", "ModuleNotFoundError"),
        *("NameError", "NotImplementedError", "RecursionError", "SystemError", "TypeError", "UnboundLocalError"),
        "ZeroDivisionError",
    )
)
"""How a call ends that nobody meant to allow: a change that ends it otherwise breaks no promise."""
_UNIMPORTED: Final = ("raises", "ImportError")
"""How the recorder tells it."""
_SHOWN: Final = 120
"""Characters of an answer that is told."""
_NONE: Final = "it speaks of the code before the change, but the ticket names no `base` or `previous`"
_SAME: Final = "in `base` or `previous` the code is as it is now"
_BOUNDED: Final = (
    "the claim, or the ticket, speaks of changes too; name in `unchanged` the functions that stay as they are"
)
_CHANGES: Final = (
    "`unchanged` names {function}, of which {claim} demands something new ({told}); if it holds for some inputs, "
    "{where}"
)
_UNKNOWN: Final = "got {!r}, expected a public function, or `Class.method` of the class that defines it"
_NO_INPUTS: Final = "no inputs can be made for it"
_HANGS: Final = "its answers hang on more than its inputs ({}); say in `examples` or a `property` what stays as it is"
_NO_VERSION: Final = (
    "the version before gives no answer to compare with: it refuses every input, takes too long, or answers no two "
    "calls alike"
)
_NO_IMPORT: Final = "the version before does not import here; add what it needs to `requirements`"
_MOVED: Final = (
    "`base` or `previous` has no {}, so nothing is compared; say in `examples` or a `property` what stays as it is"
)


def preservation_tests(brief: Brief, compared: Sequence[Compared]) -> Iterator[Draft | Untested]:
    """Tests of what `unchanged` names and of what claims say to be as before: the earlier answers, as literals."""
    surface = read_surface(brief.modules)
    namespace = Namespace(surface=surface, files=brief.workspace_paths)
    # Parsed only for a claim that names functions of it.
    earlier = earlier_modules(brief) if brief.earlier and any(one.unchanged for one in brief.ticket.claims) else ()
    known = {one.whole for one in read_surface(earlier).callables()}
    for claim in brief.ticket.claims:
        for name, where in claim.unchanged.items():
            field = f"unchanged, {name}"
            function = surface.named(name)
            if function is None:
                yield Untested(claim=claim, reason=f"{field}: {unknown(name, surface)}", field=field)
            elif function.whole not in known:
                moved = _MOVED.format(function.whole) if brief.earlier else _incomparable(claim, brief)
                yield Untested(claim=claim, reason=moved, field=field)
            elif not where and (changed := _demanded_otherwise(claim, function, compared)):
                yield Untested(claim=claim, reason=changed, field=field)
            else:
                quote = quote_of(claim, name, f"unchanged {name}")
                yield from _of_function(_Kept(claim, function, namespace, quote, field, where), compared)
        said = PRESERVED.search(claim.text)
        if said is None or claim.unchanged:
            continue
        if why_not := _incomparable(claim, brief):
            yield Untested(claim=claim, reason=why_not)
            continue
        functions = _preserved(claim, surface)
        if not functions:
            yield Untested(claim=claim, reason=ELSEWHERE)
        for function in functions:
            yield from _of_function(_Kept(claim, function, namespace, quote_of(claim, said[0])), compared)


def unknown(name: str, surface: Surface) -> str:
    """Why `unchanged` cannot compare what it names; the file is asked for where it is not there."""
    defined = name.rpartition(".")[2] in surface.defined_names()
    return _UNKNOWN.format(name) + ("" if defined else "; add its file to `implementation_files`")


def _preserved(claim: Claim, surface: Surface) -> tuple[Function, ...]:
    """What a claim in prose says to be as before: what it names, a class with its methods, else all there is."""
    owners = [name for name in surface.classes() if re.search(rf"`{name}`", claim.text)]
    methods = tuple(one for one in surface.callables() if one.owner in owners)
    everything = () if owners or surface.speaks_of_others(claim.text, anywhere=True) else surface.functions()
    return surface.subjects(claim.text) or methods or everything


def _demanded_otherwise(claim: Claim, function: Function, compared: Sequence[Compared]) -> str:
    """Why what a claim calls unchanged is not: a field of another claim wants what the version before did not give."""
    own = (one for one in compared if one.way.function.whole == function.whole)
    for one in own:
        was, demand = one.before[0], one.way.demand
        if not demand or demand[0] == claim.id or not was or _crashed(was):
            continue  # a crash is compared with nothing, and least that of an option which is new
        if was != demand[1] and "value" in {was[0], demand[1][0]}:  # an error may be one of those that it names
            told = f"{one.way.call} {_told(was, 'raised', 'was')}"
            return _CHANGES.format(function=function.qualified, claim=demand[0], told=told, where=CONDITION)
    return ""


def _incomparable(claim: Claim, brief: Brief) -> str:
    """Why a claim in prose is not compared with the version before; empty where it is."""
    if not brief.earlier:
        return _SAME if brief.ticket.base or brief.ticket.previous else _NONE
    return "" if preserves_everything(claim, brief.ticket) else _BOUNDED


@dataclass(frozen=True, slots=True)
class _Kept:
    """A function that a claim says to be as before."""

    claim: Claim
    function: Function
    namespace: Namespace
    quote: str
    field: str = ""
    where: str = ""


def _of_function(kept: _Kept, compared: Sequence[Compared]) -> Iterator[Draft | Untested]:
    own = [one for one in compared if one.way.function.whole == kept.function.whole and not one.way.demand]
    reasons, drafts = list[str](), list[Draft]()
    for one in own:
        try:
            drafts.append(_draft(kept, one))
        except NotTested as why:
            reasons.append(str(why))
    if not drafts:
        hangs = [*sorted(kept.function.does.reads), *(["an event loop"] if kept.function.is_async else [])]
        none = _HANGS.format(", ".join(hangs)) if hangs else _NO_INPUTS + _show(kept.function)
        reason = next(iter(reasons), none)
        reason = f"{kept.field}: {reason}" if kept.field else reason
        yield Untested(claim=kept.claim, reason=reason, field=kept.field)
    yield from drafts


def _draft(kept: _Kept, one: Compared) -> Draft:
    told = f"{one.way.function.qualified} where {kept.where}" if kept.where else one.way.function.qualified
    # Those that are answered otherwise now come first: a test has room for some.
    answered = sorted(zip(one.way.rows, one.before, one.now, strict=True), key=lambda each: each[2] in {None, each[1]})
    rows = [
        (*row, answer[0], ast.literal_eval(answer[1]) if answer[0] == "value" else answer[1])
        for row, answer, _ in answered
        if answer and not _crashed(answer)
    ]
    if not rows:
        unimported = all(answer == _UNIMPORTED for answer in one.before)
        raise NotTested(_NO_IMPORT if unimported else _NO_VERSION + _show(kept.function))
    draft = Draft(
        claim=kept.claim,
        quote=kept.quote,
        category=Category.INTEGRATION,
        origin=Origin.EARLIER,
        label=f"unchanged {one.way.function.name}",
        detail=f"{told} as in the version before",
        imports=one.way.imports,
        body=(
            f"{', '.join([*one.way.holes, 'how', 'expected'])} = copy.deepcopy(case)",
            f"got = _outcome(lambda: {one.way.call}, how)",
            f"assert _same(expected, got), _differs({one.way.call!r}, case, expected, got)",
        ),
        given=(("case", sampled(rows)),),
        field=kept.field,
    )
    return under(draft, kept.where, kept.function, one.way, kept.namespace) if kept.where else draft


def _show(function: Function) -> str:
    """What an author can do."""
    name = function.on_instance(function.qualified)
    return f'; show a call of it that works: add  examples: ["{name}(...) == ..."]'


def _crashed(answer: Answer) -> bool:
    return answer[0] == "raises" and answer[1] in _CRASHES


def changed_behaviour(brief: Brief, compared: Sequence[Compared]) -> Iterator[str]:
    """One line for each function that answers otherwise than before, with the smallest input that shows it."""
    if brief.earlier and all(brief.earlier.get(one.module.path, one.source) == one.source for one in brief.modules):
        yield f"{_SAME}: what is said to be as before is compared with itself"
    claims, surface = " ".join(claim.text for claim in brief.ticket.claims), read_surface(brief.modules)
    found: dict[str, list[tuple[str, Answer, Answer]]] = {}
    functions = {one.way.function.whole: one.way.function for one in compared}
    for one in compared:
        differing = (each for each in one.differences() if _UNIMPORTED not in each)
        told = [each for each in differing if not (_crashed(each[1]) and _crashed(each[2]))]
        found.setdefault(one.way.function.whole, []).extend(told)
    for name, differences in found.items():
        if differences:
            call, before, now = min(differences, key=_weight)
            if call.startswith(f"{functions[name].qualified}("):
                call = surface.spelled(functions[name]) + call[len(functions[name].qualified) :]
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
