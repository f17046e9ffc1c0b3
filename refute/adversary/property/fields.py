"""Claims that no field makes executable, and the field that would: what `refute ticket lint` tells."""

import ast
import json
import keyword
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.preservation import narrows, preserves
from refute.adversary.property.faces import read_surface
from refute.adversary.property.kinds import kind_of
from refute.adversary.property.surface import Function, Parameter, Surface
from refute.adversary.tables import rows
from refute.ticket.record import Claim, ClaimId, Kind

_ERROR: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b")
_CAMEL: Final = re.compile(r"\b(?:[A-Z][a-z0-9]+){2,}\b")
"""What else a package may call its errors: `InvalidChecksum`."""
_INVERSE: Final = re.compile(r"\b(?:inverse of|encoded with)\s+`?([^\W\d][\w.]*)")
"""What a function undoes."""
_CONSTANT: Final = re.compile(r"\breturn(?:s|ing)?\s+`?(None|True|False)\b")
_OTHER: Final = re.compile(r"\b(?:as|with|to|for)\s+`?([^\W\d][\w.]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The field that a claim should carry."""

    claim_id: ClaimId
    field: str
    template: str
    """YAML to paste below the claim's text, with `...` where its author has to write."""

    def __str__(self) -> str:
        return f"{self.claim_id} has no executable field; add  {self.template}"


def field_for(text: str) -> str:
    """The name of the field that suits a claim's words."""
    if preserves(text):
        return "unchanged"
    hits = (str(row["kind"]) for row in rows("property/fields") if row["pattern"].search(text))
    return next(hits, "property")


def advise(brief: Brief, exemplified: Collection[ClaimId]) -> tuple[Advice, ...]:
    """One advice for each claim that has neither an executable field nor, as those told, an example in its text."""
    surface = read_surface(brief.modules)
    bare = (one for one in brief.ticket.claims if not one.code() and one.id not in exemplified)
    return tuple(_advice(one, brief, surface) for one in bare)


def _advice(claim: Claim, brief: Brief, surface: Surface) -> Advice:
    if brief.ticket.kind is Kind.CLI:
        program = brief.ticket.implementation_files[0]
        template = f'run: "{program} ..."  with stdout: "...", exit: 0 or files: {{after: ...}}'
        return Advice(claim_id=claim.id, field="run", template=template)
    subjects = surface.subjects(claim.text)
    if not subjects:  # the only one that is there, or that the other claims speak of
        told = " ".join(one.text for one in brief.ticket.claims)
        subjects = max(surface.callables(), surface.subjects(told), key=lambda found: len(found) == 1)
        subjects = subjects if len(subjects) == 1 else ()
    field = field_for(claim.text)
    if field == "unchanged":
        names = [*map(surface.spelled, subjects)] or ["..."]
        narrowed = ", ".join(f'{name}: "..."' for name in names)  # each with a condition on its parameters
        template = f"unchanged: {{{narrowed}}}" if narrows(claim.text) else f"unchanged: [{', '.join(names)}]"
    else:
        words = set(re.findall(r"\w+", claim.text))
        function = min(subjects, key=lambda one: claim.text.find(one.name), default=None)
        classes = sorted(words.intersection(surface.classes()) - {_error(claim.text)})
        name = surface.spelled(function) if function else next(iter(classes), "f")
        template = _template(field, claim.text, function, name)
    return Advice(claim_id=claim.id, field=field, template=template)


def _template(field: str, text: str, function: Function | None, spelled: str) -> str:
    """The field as YAML. A `property` whose right side is the standard library's, or told, is evidence.

    Args:
        field: which one.
        text: of the claim.
        function: of which it speaks.
        spelled: how to write it, or the class that is named where no function is; a method is called on an instance.
    """
    name = function.on_instance(spelled) if function is not None else spelled
    whole = "asyncio.run({})" if function is not None and function.is_async else "{}"
    needed = [one for one in function.parameters if one.default is None and not one.variadic] if function else []
    names = [one.name for one in needed]
    call = whole.format(f"{name}({', '.join(names)})")
    some_call = name if function and function.is_property else whole.format(f"{name}({_some(function)})")
    inverse = _INVERSE.search(text)
    given = f"{{{', '.join(f'{one.name}: {_type_of(one)}' for one in needed)}}}"
    match field:
        case "raises":
            typed = names and all(one.annotation is not None for one in needed)
            what = f'{{given: {given}, assume: "...", call: "{call}"}}' if typed else f'"{some_call}"'
            return f"raises: {{{_error(text) or 'ValueError'}: {what}}}"
        case "same_as":
            hits = (hit for hit in _OTHER.findall(text) if not keyword.iskeyword(hit))
            other = [hit for hit in hits if hit.rpartition(".")[2] != spelled.rpartition(".")[2]]
            return f"same_as: {{{spelled}: {other[0].rstrip('.') if other else '...'}}}"
        case _ if function and not function.answers:
            pass
        case _ if names and inverse and inverse[1].rstrip(".") != spelled:
            undone = f"{name}({inverse[1].rstrip('.')}(x))"
            return f'property: {{given: {{x: ...}}, check: "{undone} == x"}}'
        case _ if names and (constant := _CONSTANT.search(text)):
            return f'property: {{given: {given}, assume: "...", check: "{call} is {constant[1]}"}}'
        case _ if names:
            return f'property: {{given: {given}, check: "{call} == ..."}}'
    return _example(function, name, some_call)


def _some(function: Function | None) -> str:
    """What stands for arguments where there may be some."""
    return "..." if function is None or function.parameters else ""


def _example(function: Function | None, name: str, call: str) -> str:
    """What a function does that returns nothing shows in what it was given, or in its object."""
    if function is None or function.answers:
        return f'examples: ["{call} == ..."]'
    made, _, method = name.rpartition(".")
    some = _some(function)
    on_object = (f"it = {made}", f"it.{method}({some})", "it...")
    steps = on_object if function.needs_instance else ("given = ...", f"{name}({some})", "given...")
    return 'examples: ["' + "".join(rf">>> {one}\n" for one in steps) + '..."]'


def _error(text: str) -> str:
    """The first exception that a text names; empty where it names none."""
    hit = _ERROR.search(text) or _CAMEL.search(text)
    return hit[0] if hit else ""


def _type_of(parameter: Parameter) -> str:
    """A parameter's annotation as a value of YAML; `...` where it has none that values can be drawn for."""
    kind = kind_of(parameter.annotation, bare=True)
    return json.dumps(ast.unparse(parameter.annotation)) if kind is not None and parameter.annotation else "..."
