"""Where a function is said to be as before: its author's condition on the parameters, for one way of calling it."""

import ast
from dataclasses import replace

from refute.adversary.attack import Origin
from refute.adversary.property.calls import may_call
from refute.adversary.property.draft import Draft, NotTested
from refute.adversary.property.expressions import free_names, parse_expression
from refute.adversary.property.generator import Way
from refute.adversary.property.independence import Evidence
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import Function


def under(draft: Draft, text: str, function: Function, way: Way, namespace: Namespace) -> Draft:
    """The test of one way of calling, for inputs of which `unchanged: {function: text}` says that they stay.

    Raises:
        NotTested: it names what is no parameter, nor known otherwise.
    """
    tree = parse_expression(text)
    if tree is None:
        raise NotTested(f"{text!r} is not a Python expression that a test can hold")
    passed = _passed(way.call, function, namespace)
    found = namespace.resolve([tree], home=function.module, bound=passed)
    used = [name for name in passed if name in free_names([tree])]
    asked = f"(lambda {', '.join(used)}: {ast.unparse(tree)})({', '.join(passed[name] for name in used)})"
    evidence = Evidence(given=dict.fromkeys(passed, "object"), assume=tree, names=namespace, claim=draft.claim.text)
    unpacked, *rest = draft.body
    doubt = evidence.doubt_of_inputs()
    return replace(
        draft,
        origin=Origin.AUTHOR_PROPERTY if doubt else draft.origin,
        imports=(*draft.imports, *found.imports),
        body=(unpacked, f"assume(_defined(lambda: {asked}))", *rest),
        doubt=doubt,
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
