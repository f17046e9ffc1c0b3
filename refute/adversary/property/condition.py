"""Where a function is said to be as before: its author's condition on the parameters, for one way of calling it."""

import ast
from dataclasses import dataclass

from refute.adversary.property.calls import may_call
from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import free_names, parse_expression
from refute.adversary.property.generator import Way
from refute.adversary.property.independence import Evidence
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import Function
from refute.ticket.record import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition on the parameters as a test states it; of no text, none."""

    lines: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    doubt: str = ""
    """Why it is not the claim's own; see `AttackTest.doubt`."""


def condition_of(claim: Claim, text: str, function: Function, way: Way, namespace: Namespace) -> Condition:
    """What `unchanged: {function: text}` assumes of the inputs of one way of calling.

    Raises:
        NotTested: it names what is no parameter, nor known otherwise.
    """
    if not text:
        return Condition()
    tree = parse_expression(text)
    if tree is None:
        raise NotTested(f"{text!r} is not a Python expression that a test can hold")
    passed = _passed(way.call, function, namespace)
    found = namespace.resolve([tree], home=function.module, bound=passed)
    used = [name for name in passed if name in free_names([tree])]
    asked = f"(lambda {', '.join(used)}: {ast.unparse(tree)})({', '.join(passed[name] for name in used)})"
    evidence = Evidence(given=dict.fromkeys(passed, "object"), assume=tree, names=namespace, claim=claim.text)
    return Condition(
        lines=(f"assume(_defined(lambda: {asked}))",), imports=found.imports, doubt=evidence.doubt_of_inputs()
    )


def _passed(call: str, function: Function, namespace: Namespace) -> dict[str, str]:
    """Each parameter with what a call passes for it, or its default, as Python."""
    tree = parse_expression(call)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    own = next((node for node in calls if may_call(node, function, namespace.surface)), None)
    if own is None or any(isinstance(one, ast.Starred) for one in own.args):
        return {}
    plain = [one for one in function.parameters if not one.variadic]
    passed = {one.name: one.default for one in plain if one.default is not None}
    passed |= {one.arg: one.value for one in own.keywords if one.arg}
    passed |= dict(zip((one.name for one in plain if not one.keyword_only), own.args, strict=False))
    return {name: ast.unparse(value) for name, value in passed.items()}
