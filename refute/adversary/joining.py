"""Several generated pieces in one test file, so that none gets in another's way.

Every answer of a model brings imports, constants and helpers of its own. In one file a later `def check()` would
replace an earlier one, and one import that fails would take every test with it. So a test carries what its body uses:
an import that fails there is its test's own fault. Beside it stands only what has to: what its decorators and
parameters read, fixtures, star imports, what is declared global. Names of these that mean different things are told
apart.
"""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest

from refute.adversary.attack import Attack, AttackTest, Brief, without_test
from refute.adversary.references import body_of, defined, loaded, needed_for
from refute.python_syntax import FUNCTION
from refute.ticket.record import Claim


def statements_of(source: str) -> list[ast.stmt]:
    """What a text holds, without docstring and `__future__`, each import by itself; nothing where it does not parse."""
    return [part for node in body_of(source) for part in _parts(node)]


def _parts(node: ast.stmt) -> Iterator[ast.stmt]:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.ImportFrom(module="__future__"):
            return
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                part = copy.copy(node)
                part.names = [alias]
                yield part
        case _:
            yield node


def self_contained(function: ast.FunctionDef, beside: Sequence[ast.stmt]) -> list[ast.stmt]:
    """A test with what its body uses of these inside it, and what acts on that, behind what has to stand before it."""
    outer = copy.copy(function)
    outer.body = [ast.Pass()]
    shared = {name for node in (function, *beside) for name in _declared_global(node)}
    always = [node for node in beside if _is_fixture(node) or not shared.union("*").isdisjoint(defined(node))]
    before = _with_actions(loaded(outer).union(*map(defined, always)), beside, everything=False)
    used = set().union(*map(loaded, function.body)).difference(*map(defined, before))
    inside = _with_actions(used, [node for node in beside if node not in before], everything=True)
    at = 1 if ast.get_docstring(function, clean=False) is not None else 0
    whole = copy.copy(function)
    whole.body = [*function.body[:at], *inside, *function.body[at:]]
    return [*before, whole]


def _with_actions(names: set[str], beside: Sequence[ast.stmt], *, everything: bool) -> list[ast.stmt]:
    """What these names need, and the statements that act on it (`CASES.append(3)`); everything: all that act."""
    found = needed_for(names, beside)
    bound = {name for node in found for name in defined(node)}
    acting = [node for node in beside if _acts(node) and (everything or loaded(node) & bound)]
    wanted = names.union(*map(loaded, acting), *map(defined, acting))
    found = needed_for(wanted, beside)
    return [node for node in beside if node in found or node in acting]


def _acts(node: ast.stmt) -> bool:
    """Whether a statement does more than bind names."""
    match node:
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            return False
        case _:
            return not isinstance(node, FUNCTION | ast.ClassDef | ast.Import | ast.ImportFrom)


def join(pieces: Sequence[Sequence[ast.stmt]]) -> tuple[str, list[dict[str, str]]]:
    """Put pieces of Python, each complete in itself, into one file; in the order in which names are kept.

    Returns:
        The text without a docstring, and for each piece the new name of each top-level name that was changed.
    """
    taken: dict[str, str] = {}
    texts: list[str] = []
    renamed: list[dict[str, str]] = []
    for piece in pieces:
        bound = {name for node in piece for name in defined(node)}
        names = {name: _free(name, taken, bound) for name in sorted(_clashing(piece, taken))}
        for node in piece:
            own = set(defined(node))
            if own and own.isdisjoint(names) and own <= taken.keys():
                continue  # it stands in the file already
            for name in own:
                taken.setdefault(names.get(name, name), ast.dump(node))
            text = ast.unparse(_Renaming(names, bound).visit(copy.deepcopy(node)) if names else node)
            texts.append(f"\n\n{text}" if isinstance(node, FUNCTION | ast.ClassDef) else text)
        renamed.append(names)
    return "\n".join(texts) + "\n", renamed


def _clashing(piece: Sequence[ast.stmt], taken: Mapping[str, str]) -> set[str]:
    """Names that stand for something else already, and those of equal text that use one of these."""
    known = [(name, node) for node in piece for name in defined(node) if name in taken]
    found = {name for name, node in known if taken[name] != ast.dump(node) or name.startswith("test")}
    while more := {name for name, node in known if name not in found and loaded(node) & found}:
        found |= more
    return found


def _free(name: str, taken: Iterable[str], bound: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken or f"{name}_{number}" in bound:
        number += 1
    return f"{name}_{number}"


class _Renaming(ast.NodeTransformer):
    """Gives names their new ones wherever they stand in a piece, and so in what it calls by keywords.

    Args:
        names: old → new.
        bound: what the piece defines; only calls of these have keywords that are its own.
    """

    def __init__(self, names: Mapping[str, str], bound: set[str]) -> None:
        self._names, self._bound = names, bound

    def generic_visit(self, node: ast.AST) -> ast.AST:
        match node:
            case ast.Name(id=name):
                node.id = self._names.get(name, name)
            case ast.arg(arg=name):  # a fixture is used by its name
                node.arg = self._names.get(name, name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                node.name = self._names.get(name, name)
            case ast.Global(names=several):
                node.names = [self._names.get(name, name) for name in several]
            case ast.alias(name=name, asname=given) if new := self._names.get(given or name):
                node.asname = new
            case ast.Call(func=ast.Name(id=name), keywords=keywords) if name in self._bound:
                for one in keywords:
                    one.arg = one.arg and self._names.get(one.arg, one.arg)
        return super().generic_visit(node)


def _declared_global(node: ast.stmt) -> set[str]:
    return {name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names}


def _is_fixture(node: ast.stmt) -> bool:
    return isinstance(node, FUNCTION) and any("fixture" in ast.unparse(one) for one in node.decorator_list)


def combine(attacks: Sequence[Attack], brief: Brief) -> Attack:
    """Put the tests of all testers into one file; each test says who wrote it.

    Where there are more tests than an attack may have, every tester loses its last ones: they stand in turns.

    Args:
        attacks: one per tester, in their order; at least one.
        brief: of the ticket.
    """
    if len(attacks) == 1:
        return attacks[0]
    source, renamed = join([statements_of(attack.source) for attack in attacks])
    tests = [
        [replace(test, name=names.get(test.name, test.name)) for test in attack.tests]
        for attack, names in zip(attacks, renamed, strict=True)
    ]
    turns: list[AttackTest | None] = list(chain.from_iterable(zip_longest(*tests)))
    headers = [_header(attack.source) for attack in attacks]
    return Attack(
        file_name=attacks[0].file_name,
        source="\n\n".join([*filter(None, headers), source.strip("\n")]) + "\n",
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
