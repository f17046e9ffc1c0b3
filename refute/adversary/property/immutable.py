"""Claims that a class is immutable or hashable: instances are made from the types of its fields."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from refute.adversary.attack import Brief, Category, Origin
from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.draft import Draft, Note, quote_of
from refute.adversary.property.expressions import dotted
from refute.adversary.property.sections import sentences
from refute.adversary.property.type_expressions import domain_of_type
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim

_NAME = r"(?:the |an? |each |every )?`?(?P<name>[A-Z]\w*?)s?`?(?:'s)?"
_HOLDERS = r"(?: (?:class|objects?|instances?|values?|records?|dataclass|type|named ?tuples?))*"
_IMMUTABLE = (
    re.compile(rf"^{_NAME}{_HOLDERS} (?:is|are) (?:an? )?(?:fully |truly )?(?:immutable|frozen)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:assign(?:ing|ment)?s?|setting|chang(?:ing|es?)|modify(?:ing)?|mutat(?:ing|ion))\b[^.]*\b(?:attributes?|"
        rf"fields?|instances?|it)\b(?: (?:of|on|to) {_NAME}{_HOLDERS})?[^.]*\braises? `?(?:dataclasses\.)?"
        r"(?:FrozenInstanceError|AttributeError)",
        re.IGNORECASE,
    ),
)
_HASHABLE = re.compile(
    rf"^{_NAME}{_HOLDERS} (?:is|are) (?:(?:immutable|frozen|comparable) and )?hashable\b", re.IGNORECASE
)
_CONDITION = re.compile(r"\b(?:if|when|unless|once|after|until|except|only|not|shallow\w*)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """A class whose instances can be made: from the types of what its constructor takes."""

    module: str
    name: str
    domains: dict[str, Domain]
    attributes: tuple[str, ...]
    """Those of its fields that can be read from outside."""
    unknown: tuple[str, ...]
    """Parameters for which no values can be made."""


def immutability_tests(claim: Claim, brief: Brief) -> Iterator[Draft | Note]:
    """One test per sentence that calls a class immutable or hashable."""
    for sentence in sentences(claim.text):
        record = _meant(sentence.plain, claim.text, brief)
        label = _asked(sentence.plain)
        if record is None or not label:
            continue
        if label == "immutable" and not record.attributes:
            yield Note(claim=claim, reason=f"no public attribute of `{record.name}` is known that could be set")
            continue
        if record.unknown:
            names = ", ".join(f"`{name}`" for name in record.unknown)
            yield Note(claim=claim, reason=f"no `{record.name}` can be made: no values are known for {names}")
            continue
        yield Draft(
            claim=claim,
            quote=quote_of(claim, sentence.verbatim, label),
            category=Category.EDGE,
            origin=Origin.PHRASE,
            label=label,
            detail=f"recognised phrase: {label}",
            imports=(f"from {record.module} import {record.name}",),
            body=tuple(_lines(record, label)),
            given=tuple((name, domain.strategy(MODEST)) for name, domain in record.domains.items()),
        )


def _asked(plain: str) -> str:
    if any(pattern.search(plain) for pattern in _IMMUTABLE) and not _CONDITION.search(plain):
        return "immutable"
    return "hashable" if _HASHABLE.search(plain) and not _CONDITION.search(plain) else ""


def _lines(record: _Record, label: str) -> Iterator[str]:
    arguments = ", ".join(f"{name}={name}" for name in record.domains)
    yield f"made = _answer(lambda: {record.name}({arguments}), ValueError, TypeError, ArithmeticError)"
    if label == "hashable":
        yield "assert isinstance(hash(made), int)"
        return
    yield f"for name in {record.attributes!r}:"
    yield "    before = getattr(made, name)"
    yield "    with pytest.raises((AttributeError, TypeError)):"
    yield "        setattr(made, name, before)"


def _meant(plain: str, whole: str, brief: Brief) -> _Record | None:
    """The class that a sentence names, else the claim; a plural counts as the name."""
    classes = {node.name: (source.module.name, node) for source in brief.modules for node in _classes(source.source)}
    for text in (plain, whole):
        words = re.findall(r"\b[A-Z]\w*", text)
        named = dict.fromkeys(name for word in words for name in (word, word.removesuffix("s")) if name in classes)
        if len(named) == 1:
            module, node = classes[next(iter(named))]
            return _record(module, node)
    return None


def _classes(source: str) -> Iterator[ast.ClassDef]:
    tree = parsed_or_none(source)
    yield from (node for node in (tree.body if tree else []) if isinstance(node, ast.ClassDef))


def _record(module: str, node: ast.ClassDef) -> _Record | None:
    """A dataclass, a named tuple, or a class with a constructor of its own; None where bases may add parameters."""
    bases = {(dotted(base) or "").rpartition(".")[2] for base in node.bases}
    decorators = {
        (dotted(part.func if isinstance(part, ast.Call) else part) or "").rpartition(".")[2]
        for part in node.decorator_list
    }
    constructor = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if bases - {"NamedTuple", "object"}:
        return None
    if constructor is not None:
        types = {argument.arg: argument.annotation for argument in _needed(constructor.args)}
        attributes = tuple(name for name in types if name in _readable(node))
    elif decorators & {"dataclass", "define", "frozen"} or "NamedTuple" in bases:
        fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
        types = {ast.unparse(item.target): item.annotation for item in fields if item.value is None}
        attributes = tuple(name for name in types if not name.startswith("_"))
    else:
        return None
    read = {name: domain_of_type(annotation) for name, annotation in types.items()}
    known = {name: domain for name, domain in read.items() if domain is not None}
    unknown = tuple(name for name in read if name not in known)
    return _Record(module=module, name=node.name, domains=known, attributes=attributes, unknown=unknown)


def _needed(arguments: ast.arguments) -> list[ast.arg]:
    """What a constructor must be given."""
    positional = arguments.args[1 : len(arguments.args) - len(arguments.defaults)]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*positional, *(argument for argument, default in named if default is None)]


def _readable(node: ast.ClassDef) -> set[str]:
    """Attributes that methods set on `self`, and properties."""
    found = {
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and ast.unparse(part.value) == "self"
    }
    properties = (n for n in node.body if isinstance(n, ast.FunctionDef))
    return found | {n.name for n in properties if any(ast.unparse(part) == "property" for part in n.decorator_list)}
