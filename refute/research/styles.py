"""What a page's own styles say of each element: rules of <style>, `style` attributes and presentational attributes.

External style sheets are never fetched. Selectors that depend on a person (`:hover`) or on made content (`::before`)
hold for no element. Cascade: https://www.w3.org/TR/css-cascade-4/#cascading (2026-11-24).
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import tinycss2
from cssselect import GenericTranslator, SelectorError
from cssselect import parse as parse_selectors
from cssselect.parser import CombinedSelector
from lxml import etree

MAX_STYLE_CHARS: Final = 600_000
MAX_MATCHES: Final = 10_000_000
MAX_S: Final = 10.0
"""Rules by elements, and seconds. A page that needs more is not read: what it hides would be read as visible."""
MAX_VARIABLES: Final = 50
"""Uses of `var()` in one value, those in what it stands for included."""
MAX_DEPTH: Final = 8
Style = Mapping[str, str]
"""Property → value, both in lower case."""
_TRANSLATOR: Final = GenericTranslator()
_Rank = tuple[bool, tuple[int, int, int, int], int]

HINTS: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "bgcolor": ("background-color", frozenset({"body", "table", "tr", "td", "th", "tbody", "thead", "tfoot"})),
    "color": ("color", frozenset({"font"})),
    "text": ("color", frozenset({"body"})),
}
"""Presentational attribute → property, and elements that have it (https://html.spec.whatwg.org/#rendering)."""
SCREEN: Final = frozenset({"", "all", "screen", "only screen"})
"""Media queries that hold for a person at a screen; one with conditions (`min-width`) is taken to hold too."""


class StylesTooLarge(Exception):  # a page that cannot be read in time; told in a note
    """Whoever wrote the page wants more work done than anybody's page needs."""


def declared_styles(root: Any) -> dict[Any, dict[str, str]]:
    """Element → what is declared for it, after the cascade.

    Args:
        root: of the tree.
    """
    won: dict[Any, dict[str, tuple[_Rank, str]]] = {}
    rules = list(_rules(root))
    if len(rules) * sum(1 for _ in root.iter(etree.Element)) > MAX_MATCHES:
        raise StylesTooLarge
    ends = time.monotonic() + MAX_S
    for order, (selector, declarations) in enumerate(rules):
        if time.monotonic() > ends:
            raise StylesTooLarge
        for specificity, element in _matches(root, selector):
            _declare(won.setdefault(element, {}), declarations, specificity=(0, *specificity), order=order)
    for element in root.iter(etree.Element):
        tag, own = str(element.tag), won.get(element, {})
        for name, value in element.attrib.items():
            if name in HINTS and tag in HINTS[name][1]:
                own.setdefault(HINTS[name][0], ((False, (0, 0, 0, 0), -1), value.strip().lower()))
        if text := element.get("style"):
            _declare(own, _declarations(text), specificity=(1, 0, 0, 0), order=0)
        if own:
            won[element] = own
    return {element: {name: value for name, (_, value) in own.items()} for element, own in won.items()}


def resolved(value: str, variables: Style, left: list[int] | None = None) -> str:
    """A value with each `var()` replaced; empty where one has no value, or there are too many."""
    left = left if left is not None else [MAX_VARIABLES]
    parts = []
    for token in tinycss2.parse_component_value_list(value) if "var(" in value else ():
        if token.type == "function" and token.lower_name == "var":
            left[0] -= 1
            if left[0] < 0:
                return ""
            name, _, fallback = tinycss2.serialize(token.arguments).partition(",")
            parts.append(resolved(variables.get(name.strip(), fallback.strip()), variables, left))
        else:
            parts.append(token.serialize())
    return "".join(parts) if "var(" in value else value


def _rules(root: Any) -> Iterator[tuple[Any, list[tuple[str, str, bool]]]]:
    """Each selector of the page's style sheets with its declarations, in order."""
    sheets = [(sheet.get("media", "").strip().lower(), sheet.text or "") for sheet in root.iter("style")]
    if sum(len(text) for _, text in sheets) > MAX_STYLE_CHARS:
        raise StylesTooLarge
    for media, text in sheets:
        if media in SCREEN or "(" in media:
            yield from _rules_of(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True))


def _rules_of(rules: Iterable[Any], depth: int = 0) -> Iterator[tuple[Any, list[tuple[str, str, bool]]]]:
    for rule in rules:
        if rule.type == "qualified-rule":
            declarations = _declarations(rule.content)
            try:
                selectors = parse_selectors(tinycss2.serialize(rule.prelude)) if declarations else []
            except SelectorError:
                continue
            for selector in selectors:
                if selector.pseudo_element is None:
                    yield selector, declarations
        elif rule.type == "at-rule" and rule.content and depth < MAX_DEPTH and _holds(rule):
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            yield from _rules_of(inner, depth + 1)


def _holds(rule: Any) -> bool:
    """Whether the rules in an at-rule hold at a screen; a condition that cannot be judged does."""
    name, asked = rule.lower_at_keyword, tinycss2.serialize(rule.prelude).strip().lower()
    if name == "media":
        return asked in SCREEN or ("(" in asked and "print" not in asked)
    return name in {"supports", "layer", "scope", "container", "document"}


def _declarations(source: Any) -> list[tuple[str, str, bool]]:
    """Name, value and `!important` of a block's declarations."""
    items = tinycss2.parse_blocks_contents(source, skip_comments=True, skip_whitespace=True)
    return [
        (
            one.name if one.name.startswith("--") else one.lower_name,
            tinycss2.serialize(one.value).strip().lower(),
            one.important,
        )
        for one in items
        if one.type == "declaration"
    ]


def _matches(root: Any, selector: Any) -> list[tuple[tuple[int, int, int], Any]]:
    try:
        found = _matching(root, selector.parsed_tree)
    except (SelectorError, etree.XPathError):
        return []
    return [(selector.specificity(), element) for element in found]


def _matching(root: Any, tree: Any) -> set[Any]:
    """The elements that a selector means: of each compound by one XPath step, then set by set.

    As one XPath of several steps, `* * * *` takes minutes on a deep page.
    """
    if not isinstance(tree, CombinedSelector):
        return set(root.xpath(f"descendant-or-self::{_TRANSLATOR.xpath(tree)}"))
    right = _matching(root, tree.subselector)
    left = _matching(root, tree.selector) if right else right
    if not left:
        return left
    across, far = tree.combinator in "+~", tree.combinator in " ~"
    related: set[Any] = set()
    for element in root.iter(etree.Element) if far else right:
        before = next(element.itersiblings(etree.Element, preceding=True), None) if across else element.getparent()
        if before is not None and (before in left or (far and before in related)):
            related.add(element)
    return right & related


def _declare(
    own: dict[str, tuple[_Rank, str]],
    declarations: Iterable[tuple[str, str, bool]],
    *,
    specificity: tuple[int, int, int, int],
    order: int,
) -> None:
    for name, value, important in declarations:
        rank = (important, specificity, order)
        for longhand, part in _longhands(name, value):
            if longhand not in own or own[longhand][0] <= rank:
                own[longhand] = (rank, part)


def _longhands(name: str, value: str) -> Iterator[tuple[str, str]]:
    """A declaration with the shorthands apart that matter here."""
    match name:
        case "background":
            yield "background-image", value if "(" in value and "rgb" not in value and "hsl" not in value else "none"
            yield "background-color", value
        case "font":
            sizes = (part for part in value.partition("/")[0].split() if part[0].isdigit() or part[0] == ".")
            yield "font-size", next(sizes, "")
        case "overflow":
            first, _, second = value.partition(" ")
            yield from (("overflow-x", first), ("overflow-y", second or first))
        case "inset" | "margin":
            top, right, bottom, left = _sides(value.split() or [""])
            names = {"inset": ("top", "right", "bottom", "left"), "margin": ("margin-top", "", "", "margin-left")}[name]
            yield from zip(names, (top, right, bottom, left), strict=True)
        case "all":
            return
        case _:
            yield name, value


def _sides(told: list[str]) -> tuple[str, str, str, str]:
    """Top, right, bottom and left of one to four values."""
    top, right = told[0], told[1] if len(told) > 1 else told[0]
    return top, right, told[2] if len(told) > 2 else top, told[3] if len(told) > 3 else right  # noqa: PLR2004
