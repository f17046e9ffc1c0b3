"""What several testers wrote against one ticket, as one attack."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest

from refute.adversary.attack import Attack, AttackTest, Brief, without_test
from refute.adversary.joining import join, statements_of
from refute.adversary.references import body_of
from refute.ticket.record import Claim


def combine(attacks: Sequence[Attack], brief: Brief) -> Attack:
    """Put the tests of all testers into one file; each test says who wrote it.

    Where there are more tests than an attack may have, every tester loses its last ones: they stand in turns.

    Args:
        attacks: one per tester, in their order; at least one.
        brief: of the ticket.
    """
    if len(attacks) == 1:
        return attacks[0]
    joined = join([statements_of(attack.source) for attack in attacks])
    tests = [
        [replace(test, name=names.get(test.name, test.name)) for test in attack.tests]
        for attack, names in zip(attacks, joined.names, strict=True)
    ]
    turns: list[AttackTest | None] = list(chain.from_iterable(zip_longest(*tests)))
    headers = [_header(attack.source) for attack in attacks]
    return Attack(
        file_name=attacks[0].file_name,
        source="\n\n".join([*filter(None, headers), joined.source.strip("\n")]) + "\n",
        tests=tuple(test for test in turns if test is not None),
        untestable=without_test(brief, chain.from_iterable(tests), partial(_why_not, attacks)),
        tester=",".join(attack.tester for attack in attacks),
        untested_fields=tuple(field for attack in attacks for field in attack.untested_fields),
    )


def _header(source: str) -> str:
    """The file's docstring as it stands there."""
    first = next(iter(body_of(source)), None)
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return ast.get_source_segment(source, first) or ""
    return ""


def _why_not(attacks: Sequence[Attack], claim: Claim) -> str:
    """What each tester says of a claim that it could not attack."""
    told = [f"{attack.tester}: {one.reason}" for attack in attacks for one in attack.untestable if one.claim == claim]
    return "; ".join(told) or "no tester wrote a test for it"
