"""The `property` block of a claim: for all `given` values that satisfy `assume`, `check` is true."""

from collections.abc import Mapping

from refute.adversary.attack import Category, Origin
from refute.adversary.property.awaiting import awaited
from refute.adversary.property.bounds import absorb
from refute.adversary.property.domain import AUTHORS, Domain, strategies
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expressions import parse_expression, source_of
from refute.adversary.property.independence import is_independent
from refute.adversary.property.namespace import Namespace, Unresolved
from refute.adversary.property.type_expressions import strategy_of_author
from refute.ticket.record import Claim


def author_property(claim: Claim, namespace: Namespace) -> Draft | Note | None:
    """The test for the claim's `property` block, or why there is none; None where the claim has no block."""
    block = claim.property
    if block is None:
        return None
    domains = given_domains(block.given)
    if isinstance(domains, str):
        return Note(claim=claim, reason=f"property, {domains}")
    check = parse_expression(block.check)
    assume = parse_expression(block.assume) if block.assume else None
    if check is None or (block.assume and assume is None):
        wrong = block.check if check is None else block.assume
        return Note(claim=claim, reason=f"property: {wrong!r} is not a Python expression")
    narrowed, left = absorb(domains, [assume] if assume is not None else [])
    code = [check, *left]
    found = namespace.resolve(code, bound=domains, promised=claim.text)
    if isinstance(found, Unresolved):
        names = ", ".join(f"`{name}`" for name in found.names)
        return Note(claim=claim, reason=f"property: nothing defines {names}")
    independent = is_independent(check, assume, block.given, namespace, claim=claim.text)
    assumptions = [f"assume({source_of(awaited(condition, namespace))})" for condition in left]
    return Draft(
        claim=claim,
        quote=quote_of(claim, block.check),
        category=Category.EDGE,
        origin=Origin.FIELD if independent else Origin.AUTHOR_PROPERTY,
        label="property",
        detail=f"{block.check}\nassuming {block.assume}" if block.assume else block.check,
        imports=found.imports,
        body=(*assumptions, f"assert {source_of(awaited(check, namespace))}"),
        given=strategies(narrowed, AUTHORS),
    )


def given_domains(given: Mapping[str, str]) -> dict[str, Domain] | str:
    """Variable → its values, or which entry is none."""
    domains: dict[str, Domain] = {}
    for variable, text in given.items():
        domain = strategy_of_author(text)
        if isinstance(domain, str) or not variable.isidentifier():
            return f"given {variable}: {domain}"
        domains[variable] = domain
    return domains
