"""What a page's own styles say of each element: rules of <style>, `style` attributes and presentational attributes.

External style sheets are never fetched. Selectors that depend on a person (`:hover`) or on made content (`::before`)
hold for no element. Cascade: https://www.w3.org/TR/css-cascade-4/#cascading (2026-11-24).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

import tinycss2
from cssselect import GenericTranslator, SelectorError
from cssselect import parse as parse_selectors
from lxml import etree

MAX_RULES: Final = 4_000
MAX_STYLE_CHARS: Final = 400_000
MAX_VARIABLES: Final = 8
"""`var()` within `var()`, at most so deep."""
Style = Mapping[str, str]
"""Property → value, both in lower case."""
_Rank = tuple[bool, tuple[int, int, int, int], int]

HINTS: Final[Mapping[str, str]] = {
    "bgcolor": "background-color",
    "color": "color",
    "text": "color",
    "width": "width",
    "height": "height",
}
"""Presentational attribute → property (https://html.spec.whatwg.org/#rendering, 2026-11-24)."""
HINTED: Final[Mapping[str, frozenset[str]]] = {
    "bgcolor": frozenset({"body", "table", "tr", "td", "th", "tbody", "thead", "tfoot", "marquee"}),
    "color": frozenset({"font"}),
    "text": frozenset({"body"}),
    "width": frozenset({"marquee", "iframe"}),
    "height": frozenset({"marquee", "iframe"}),
}
SCREEN: Final = frozenset({"", "all", "screen", "only screen"})
"""Media queries that hold for a person at a screen; one with conditions (`min-width`) is taken to hold too."""


def declared_styles(root: Any) -> dict[Any, dict[str, str]]:
    """Element → what is declared for it, after the cascade.

    Args:
        root: of the tree.
    """
    won: dict[Any, dict[str, tuple[_Rank, str]]] = {}
    for order, (selector, declarations) in enumerate(islice(_rules(root), MAX_RULES)):
        for specificity, element in _matches(root, selector):
            _declare(won.setdefault(element, {}), declarations, specificity=(0, *specificity), order=order)
    for element in root.iter(etree.Element):
        tag, own = str(element.tag), won.get(element, {})
        for name, value in element.attrib.items():
            if name in HINTS and tag in HINTED[name]:
                own.setdefault(HINTS[name], ((False, (0, 0, 0, 0), -1), _length(value.strip().lower())))
        if text := element.get("style"):
            _declare(own, _declarations(text[:MAX_STYLE_CHARS]), specificity=(1, 0, 0, 0), order=0)
        if own:
            won[element] = own
    return {element: {name: value for name, (_, value) in own.items()} for element, own in won.items()}


def resolved(value: str, variables: Style, depth: int = 0) -> str:
    """A value with each `var()` replaced; empty where one has no value."""
    if "var(" not in value or depth > MAX_VARIABLES:
        return "" if "var(" in value else value
    parts = []
    for token in tinycss2.parse_component_value_list(value):
        if token.type == "function" and token.lower_name == "var":
            name, _, fallback = tinycss2.serialize(token.arguments).partition(",")
            parts.append(resolved(variables.get(name.strip(), fallback.strip()), variables, depth + 1))
        else:
            parts.append(token.serialize())
    return "".join(parts)


def _length(value: str) -> str:
    return f"{value}px" if value.isdigit() else value


def _rules(root: Any) -> Iterator[tuple[Any, list[tuple[str, str, bool]]]]:
    """Each selector of the page's style sheets with its declarations, in order."""
    left = MAX_STYLE_CHARS
    for sheet in root.iter("style"):
        media = (sheet.get("media") or "").strip().lower()
        text = (sheet.text or "")[:left]
        left -= len(text)
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
        elif rule.type == "at-rule" and rule.content and depth < MAX_VARIABLES and _holds(rule):
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
        found = root.xpath(_TRANSLATOR.selector_to_xpath(selector, prefix="descendant-or-self::"))
    except (SelectorError, etree.XPathError):
        return []
    return [(selector.specificity(), element) for element in found]


_TRANSLATOR: Final = GenericTranslator()


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
