"""What of a page a person would see: each element's visibility, computed from what is declared, before text is taken.

Everything else is removed or masked, and reported. Needs no layout: what hides by what lies over it, or by a style
sheet or script that is not part of the page, is not noticed (docs/research.md).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from refute.research.masking import Dropped, dropped_text, hide, mask_own_text, remove_invisible, remove_unrendered
from refute.research.styles import Style, declared_styles, resolved
from refute.research.values import BLACK, WHITE, Colour, colours, contrast, font_pixels, has_length, pixels, share

INHERITED: Final = frozenset({"color", "visibility", "text-indent", "letter-spacing", "-webkit-text-fill-color"})
KEPT: Final = frozenset({"", "inherit", "unset", "revert", "currentcolor"})
"""Values that leave a property as it is above."""
SMALLEST_PX: Final = 4.0
FARTHEST_PX: Final = 200.0
"""Farther outside of the page's upper or left edge, or thirty times as far beyond the others, nothing is seen."""
FAINTEST: Final = 0.1
LOWEST_CONTRAST: Final = 1.25
"""Of text and what lies behind it; people read from about 1.5 on."""
_ZERO_CLIP: Final = re.compile(
    r"inset\(\s*(?:[5-9]\d|\d{3,})(?:\.\d+)?%|circle\(\s*0|ellipse\(\s*0|polygon\(\s*(?:0\S*\s+0\S*\s*,?\s*)+\)"
)
_CALL: Final = re.compile(r"([a-z0-9-]+)\(([^()]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What children take over from their parent."""

    style: dict[str, str] = field(default_factory=dict)
    """Inherited properties and variables."""
    opacity: float = 1.0
    behind: tuple[Colour, ...] = (WHITE,)
    """What text may stand on: one colour, or those of a gradient. A picture counts as what lies behind it."""
    font_px: float = 16.0


def drop_hidden(root: Any) -> tuple[Dropped, ...]:
    """Remove or mask in a tree what a person would not see; what that was, where it was text.

    Args:
        root: of the tree, which is changed.
    """
    styles = declared_styles(root)
    found: list[Dropped | None] = [remove_invisible(root)]
    found += remove_unrendered(root)
    work: list[tuple[Any, _Seen]] = [(root, _Seen())]
    while work:
        element, above = work.pop()
        own, seen = _computed(styles.get(element, {}), above)
        if why := _unseen_box(element, own, seen):
            found.append(dropped_text(why, " ".join(element.itertext())))
            hide(element)
            continue
        if why := _unseen_text(element, seen):
            found.append(dropped_text(why, mask_own_text(element)))
        work.extend((child, seen) for child in element)
    return tuple(one for one in found if one is not None)


def _computed(declared: Style, above: _Seen) -> tuple[Style, _Seen]:
    """An element's own values, and what its children take over."""
    if not declared:
        return declared, above
    variables = {**above.style, **{name: value for name, value in declared.items() if name.startswith("--")}}
    own = {name: resolved(value, variables) for name, value in declared.items() if not name.startswith("--")}
    passed = {name: value for name, value in own.items() if name in INHERITED and value not in KEPT}
    filters = dict(_CALL.findall(own.get("filter", "")))
    seen = replace(
        above,
        style={**variables, **passed},
        opacity=above.opacity * share(own.get("opacity", "1")) * share(filters.get("opacity", "1")),
        font_px=font_pixels(own.get("font-size", ""), above.font_px) * share(own.get("zoom", "1")),
        behind=_behind(own, above.behind),
    )
    return own, seen


def _behind(own: Style, above: tuple[Colour, ...]) -> tuple[Colour, ...]:
    named = (own.get(name, "") for name in ("background-image", "background-color"))
    return next((tuple(found) for value in named if (found := colours(value, above[0]))), above)


def _unseen_box(element: Any, own: Style, seen: _Seen) -> str:
    """Why an element is not seen, children and all; empty where it may be."""
    return _by_markup(element) or next((why for why, holds in _by_style(own, seen) if holds), "")


def _by_markup(element: Any) -> str:
    tag, parent = str(element.tag).lower(), element.getparent()
    if element.get("hidden") is not None:
        return "hidden attribute"
    if element.get("popover") is not None or (tag == "dialog" and element.get("open") is None):
        return "closed dialog"
    if parent is not None and _is_closed(parent) and element is not next(parent.iterchildren("summary"), None):
        return "closed details"
    return "<title> of a picture" if tag == "title" else ""


def _is_closed(element: Any) -> bool:
    return element.tag == "details" and element.get("open") is None


def _by_style(own: Style, seen: _Seen) -> Iterator[tuple[str, bool]]:
    yield "opacity 0", seen.opacity < FAINTEST
    if not own:
        return
    out_of_flow = own.get("position") in {"absolute", "fixed"}
    yield "display: none", own.get("display") == "none"
    yield "content-visibility: hidden", own.get("content-visibility") == "hidden"
    yield "clipped away", _ZERO_CLIP.search(own.get("clip-path", "")) is not None
    yield "clipped away", out_of_flow and _empty_rect(dict(_CALL.findall(own.get("clip", ""))).get("rect", ""))
    yield "no size", any(_is_cut(own, axis, seen.font_px) for axis in ("x", "y"))
    yield "off screen", _is_far_out(own, seen.font_px)
    yield "scaled to nothing", any(abs(one) < 0.05 for one in _factors(own))  # noqa: PLR2004  # a twentieth


def _unseen_text(element: Any, seen: _Seen) -> str:
    """Why an element's own text is not seen; its children's may be, as they may set the property anew."""
    if seen.style.get("visibility") in {"hidden", "collapse"}:
        return "visibility: hidden"
    if seen.font_px < SMALLEST_PX:
        return "font size 0"
    if abs(pixels(seen.style.get("text-indent", ""), seen.font_px)) > FARTHEST_PX:
        return "off screen"
    if pixels(seen.style.get("letter-spacing", ""), seen.font_px) < -seen.font_px / 2:
        return "letters upon each other"
    text = seen.style.get("-webkit-text-fill-color") or seen.style.get("color", "")
    if all(contrast(front, one) < LOWEST_CONTRAST for one in seen.behind for front in colours(text, one) or [BLACK]):
        return "colour of its background"
    return "closed details" if _is_closed(element) else ""


def _empty_rect(sides: str) -> bool:
    """Whether a `rect()` of top, right, bottom and left holds nothing."""
    told = re.split(r"[\s,]+", sides.strip())
    if len(told) != 4:  # noqa: PLR2004  # sides
        return False
    pairs = ((told[0], told[2]), (told[3], told[1]))
    return any("auto" not in pair and pixels(pair[1], 16) - pixels(pair[0], 16) <= 1 for pair in pairs)


def _is_cut(own: Style, axis: str, font_px: float) -> bool:
    """Whether a box has no size, and cuts off what does not fit."""
    sizes = ("width", "max-width") if axis == "x" else ("height", "max-height")
    cut = own.get(f"overflow-{axis}") in {"hidden", "clip", "scroll", "auto"}
    return cut and any(has_length(own.get(name, "")) and pixels(own[name], font_px) < SMALLEST_PX for name in sizes)


def _is_far_out(own: Style, font_px: float) -> bool:
    moved = own.get("position") in {"absolute", "fixed", "relative", "sticky"}
    places = [own.get(name, "") for name in ("margin-left", "margin-top")]
    places += [own.get(name, "") for name in ("left", "top", "right", "bottom") if moved]
    places += re.split(r"\s+", own.get("translate", ""))
    for name, arguments in _CALL.findall(own.get("transform", "")):
        places += arguments.split(",") if name.startswith("translate") else []
    return any(not -FARTHEST_PX <= pixels(place, font_px) <= 30 * FARTHEST_PX for place in places)


def _factors(own: Style) -> Iterator[float]:
    """By what a box is scaled."""
    for name, arguments in (*_CALL.findall(own.get("transform", "")), ("scale", own.get("scale", ""))):
        if name.startswith("scale"):
            yield from map(share, re.split(r"[\s,]+", arguments.strip()))
        elif name == "matrix":
            a, b, c, d = (share(one.strip()) for one in [*arguments.split(","), "", "", "", ""][:4])
            yield a * d - b * c
        elif name in {"rotatex", "rotatey"}:
            yield 0.0 if abs(pixels(arguments.replace("deg", ""), 1)) % 180 == 90 else 1.0  # noqa: PLR2004  # on edge
