"""What descriptions of a result ask of it: what follows "returns", or stands in a section "Output:".

A description is read from its first word, so that "the number of days between a and b" is not taken for a bound, and a
phrase that says what the result equals must be all of the description.
"""

import ast
import re

from refute.adversary.property.conditions import is_pure, operand, read_condition, subject_of
from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import dotted, parse_expression, source_of
from refute.adversary.property.law import Law, Spoken, bound_of, equals, holds, imports_of
from refute.adversary.property.type_expressions import domain_of_type

_OTHER_ORDER = re.compile(
    r"version|semver|release|date|time|month|day|natural|numer|size|address|rank|score|priorit|length|case|roman|path|ips?\b|amount|money|priorit",
    re.IGNORECASE,
)
"""Text that stands for something is seldom ordered by its characters."""


def _whole(spoken: Spoken) -> bool:
    """Whether nothing that could change the meaning follows the phrase."""
    return not spoken.rest or spoken.rest.startswith("(")


def _list_named(spoken: Spoken) -> str | None:
    name = subject_of(spoken.match["of"], spoken.setup.domains)
    return name if name is not None and spoken.setup.domains[name].kind == "list" else None


def in_order(spoken: Spoken) -> Law | None:
    """The argument, sorted: a permutation of it, in order."""
    name = _list_named(spoken)
    if name is None or not _whole(spoken) or any(item.mutable for item in spoken.setup.domains[name].items):
        return None
    if spoken.setup.domains[name].items[0].kind == "str" and _OTHER_ORDER.search(
        f"{spoken.match.string} {spoken.setup.function.name}"
    ):
        return None
    descending = re.search(r"descend|(?<!non)(?<!non-)decreas|revers", spoken.match[0], re.IGNORECASE)
    return equals(spoken, "in sorted order", f"sorted({name}, reverse=True)" if descending else f"sorted({name})")


def backwards(spoken: Spoken) -> Law | None:
    """The argument from its end."""
    name = subject_of(spoken.match["of"], spoken.setup.domains)
    if name is None or spoken.setup.domains[name].kind not in {"list", "str"} or not _whole(spoken):
        return None
    return equals(spoken, "reversed", f"{name}[::-1]")


def equivalent(spoken: Spoken) -> Law | None:
    """The result of a reference expression."""
    node = reference(spoken.match["expr"], spoken)
    return None if node is None else equals(spoken, "equivalent to", source_of(node))


def reference(text: str, spoken: Spoken) -> ast.expr | None:
    """The text as a pure expression over the drawn values; it must be all that the sentence says."""
    text = text.strip().rstrip(".").strip()
    quoted = re.fullmatch(r"`([^`]+)`", text)
    node = parse_expression(quoted[1] if quoted else text)
    names = set(spoken.setup.domains)
    if node is None or isinstance(node, ast.Name | ast.Constant | ast.Tuple) or not is_pure(node, names):
        return None
    if any(_on_a_type(inner) for inner in ast.walk(node)) or not _reads(node, names):
        return None
    return node


def _on_a_type(node: ast.AST) -> bool:
    """`dict.update(x)`: a method taken from a type, where prose means one of a value."""
    return isinstance(node, ast.Attribute) and dotted(node.value) in {
        "dict",
        "list",
        "str",
        "set",
        "int",
        "float",
        "bytes",
        "tuple",
    }


def _reads(node: ast.expr, names: set[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))


def between(spoken: Spoken) -> Law | None:
    """Within two bounds, both included; bounds that cross are not tried."""
    low, high = bound_of(spoken.match["low"], spoken.setup), bound_of(spoken.match["high"], spoken.setup)
    if low is None or high is None:
        return None
    order = parse_expression(f"{low} <= {high}")
    if operand(low, spoken.setup.domains) and operand(high, spoken.setup.domains) and order is not None:
        names = {inner.id for inner in ast.walk(order) if isinstance(inner, ast.Name)}
        spoken = Spoken(
            match=spoken.match,
            setup=spoken.setup.assuming([order]) if names & set(spoken.setup.domains) else spoken.setup,
            surface=spoken.surface,
        )
    return holds(spoken, "between", f"{low} <= got <= {high}", imports=imports_of(low + high))


def limit(spoken: Spoken) -> Law | None:
    """A bound on the value or, where things are counted, on the size."""
    bound = bound_of(spoken.match["bound"], spoken.setup)
    if bound is None or not _whole(spoken):
        return None
    least = re.search(r"at least|less than|fewer|smaller|shorter|below", spoken.match[0], re.IGNORECASE)
    sign, label = (">=", "never less than") if least else ("<=", "never more than")
    counted = re.search(
        r"longer|shorter|items|elements|char|entries|values|length|size|long", spoken.match[0], re.IGNORECASE
    )
    if counted:
        possible = parse_expression(f"{bound} >= 0")
        setup = spoken.setup.assuming([possible] if possible is not None and not bound.isdigit() else [])
        spoken = Spoken(match=spoken.match, setup=setup, surface=spoken.surface)
    return holds(spoken, label, f"{'_size(got)' if counted else 'got'} {sign} {bound}", imports=imports_of(bound))


def never_beyond(spoken: Spoken) -> Law | None:
    """As "never returns more than n" or "never exceeds n": of a value, or of how many there are."""
    parts = spoken.match.groupdict()
    bound = bound_of(parts["bound"], spoken.setup)
    if bound is None or not _of_the_result(parts.get("subject") or "it", spoken):
        return None
    least = re.search(r"\b(?:fewer|less|lower|smaller) than\b", spoken.match[0], re.IGNORECASE)
    sign, label = (">=", "never less than") if least else ("<=", "never more than")
    possible = parse_expression(f"{bound} >= 0") if parts["unit"] and not bound.isdigit() else None
    setup = spoken.setup.assuming([possible] if possible is not None else [])
    counted = Spoken(match=spoken.match, setup=setup, surface=spoken.surface)
    check = f"(_size(got) if hasattr(got, '__len__') else got) {sign} {bound}"
    return holds(counted, label, check, imports=imports_of(bound))


def ascending(spoken: Spoken) -> Law | None:
    """The numbers of the result stand in order; only where its annotation says that it holds numbers."""
    returns = domain_of_type(spoken.setup.function.returns)
    if not _whole(spoken) or returns is None or not _comparable(returns):
        return None
    falling = re.search(r"descend|(?<!non)(?<!non-)decreas", spoken.match[0], re.IGNORECASE)
    return holds(spoken, "in order", f"_items(got) == sorted(_items(got){', reverse=True' if falling else ''})")


def _comparable(domain: Domain) -> bool:
    """A list or tuple of numbers: pairs are often ordered by one half, text by what it stands for."""
    if domain.kind == "strategy":  # tuple[int, ...]
        return domain.code.startswith("st.lists(st.integers") and domain.code.endswith(".map(tuple)")
    return domain.kind in {"list", "tuple"} and {item.kind for item in domain.items} <= {"int", "float"}


def each_limit(spoken: Spoken) -> Law | None:
    """A bound on the length of every part."""
    bound = bound_of(spoken.match["bound"], spoken.setup) or _documented_as(spoken.match["bound"], spoken)
    if bound is None:
        return None
    return holds(spoken, "each no longer than", f"all(len(part) <= {bound} for part in _items(got))")


def _documented_as(words: str, spoken: Spoken) -> str | None:
    """The only integer parameter whose documentation holds the words, e.g. "the column width"."""
    words = re.sub(r"^(?:the |an? |its )", "", words.strip().lower())
    integers = {name for name, domain in spoken.setup.domains.items() if domain.kind == "int"}
    entries = spoken.setup.parameters
    names = [entry.name for entry in entries if words and words in entry.text.lower() and entry.name in integers]
    return names[0] if len(names) == 1 else None


def concatenation(spoken: Spoken) -> Law | None:
    """All parts together are the only text that was passed."""
    texts = [name for name, domain in spoken.setup.domains.items() if domain.kind == "str"]
    if len(texts) != 1:
        return None
    return holds(spoken, "concatenation is the original", f"''.join(_items(got)) == {texts[0]}")


def index_such_that(spoken: Spoken) -> Law | None:
    """An index that fulfils a condition, or another value where there is none."""
    variable = spoken.match["variable"]
    node, other, absent = (
        parse_expression(spoken.match[part].replace("`", "")) for part in ("cond", "other", "absent")
    )
    domains = set(spoken.setup.domains)
    if node is None or other is None or absent is None or variable in domains or not _whole(spoken):
        return None
    indexed = {
        source_of(n.value) for n in ast.walk(node) if isinstance(n, ast.Subscript) and source_of(n.slice) == variable
    }
    pure = is_pure(node, domains | {variable}) and is_pure(absent, domains) and is_pure(other, set())
    if not pure or len(indexed) != 1 or not indexed <= domains:
        return None
    places = f"places = [{variable} for {variable} in range(len({indexed.pop()})) if {source_of(node)}]"
    choose = {"lowest": "min", "smallest": "min", "first": "min", "highest": "max", "largest": "max", "last": "max"}
    best = choose.get((spoken.match["which"] or "").lower())
    allowed = f"[{best}(places)]" if best else "places"
    absent_value = source_of(other)
    check = (
        f"assert got in ({allowed} if places else [{absent_value}]), f'{{_shown(got)}} is none of "
        f"{{places or [{absent_value}]}}'"
    )
    return Law(label="index such that", lines=(places, f"got = {spoken.answer()}", check), setup=spoken.setup)


def same_length(spoken: Spoken) -> Law | None:
    """As long as an argument."""
    name = subject_of(spoken.match["of"], spoken.setup.domains)
    if name is None or spoken.setup.domains[name].kind not in {"list", "str"}:
        return None
    return holds(spoken, "same length", f"_size(got) == len({name})")


def sign(spoken: Spoken) -> Law | None:
    """Not negative, or positive."""
    at_least_zero = re.search(r"negative|natural", spoken.match[0], re.IGNORECASE)
    return holds(spoken, "sign", "got >= 0" if at_least_zero else "got > 0") if _whole(spoken) else None


def never_of_sign(spoken: Spoken) -> Law | None:
    """Never negative or zero: of the function itself or its result."""
    if not _of_the_result(spoken.match["subject"], spoken) or not _whole(spoken):
        return None
    return holds(spoken, "sign", "got >= 0" if spoken.match["sign"].lower() == "negative" else "got != 0")


def _of_the_result(subject: str, spoken: Spoken) -> bool:
    """Whether the subject of a sentence is the function that is called, or what it returns."""
    function = spoken.setup.function
    bare = re.sub(r"`|\(.*|.* of |^the |^this |^function ", "", subject.lower()).strip()
    words = {"it", "result", "its result", "output", "returned value", "return value"}
    return bare in {function.name.lower(), function.qualified.lower(), *words}


def no_duplicates(spoken: Spoken) -> Law | None:
    """Every value of the only list once; in order of first occurrence, where order is promised."""
    lists = [name for name, domain in spoken.setup.domains.items() if domain.kind == "list"]
    if len(lists) != 1 or any(item.mutable for item in spoken.setup.domains[lists[0]].items):
        return None
    text = spoken.match.string.lower()
    if re.search(r"\blast\b|sorted|adjacent|consecutive|case", text):
        return None
    if re.search(
        r"(?:preserv|keep|maintain|retain)\w*[^.]*\border\b|\bin (?:the )?(?:original|same) order|order of first", text
    ):
        return equals(spoken, "removes duplicates", f"list(dict.fromkeys({lists[0]}))")
    return holds(spoken, "removes duplicates", f"_size(got) == len(set(got)) and set(got) == set({lists[0]})")


def whether(spoken: Spoken) -> Law | None:
    """True exactly under a condition that is understood."""
    condition = read_condition(spoken.match["cond"], spoken.setup.domains)
    if condition is None:
        return None
    return equals(spoken, "whether", f"bool({source_of(condition)})", exact=True)
