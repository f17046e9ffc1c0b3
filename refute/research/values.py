"""CSS values: lengths in pixels, shares, colours and how far two of them stand apart."""

import math
import re
from collections.abc import Mapping
from typing import Final

import tinycss2
from tinycss2.color4 import parse_color

_PX: Final[Mapping[str, float]] = dict(
    zip(
        ("", "px", "pt", "pc", "in", "cm", "mm", "q", "vw", "vh", "vmin", "vmax", "ch", "ex", "rem", "%"),
        (1.0, 1.0, 4 / 3, 16.0, 96.0, 37.8, 3.78, 0.945, 12.8, 8.0, 8.0, 12.8, 8.0, 8.0, 16.0, 10.0),
        strict=True,
    )
)
"""Unit → pixels, on a screen of 1280 × 800 and as a share of 1,000 pixels."""
_SIZES: Final[Mapping[str, float]] = dict(
    zip(
        ("xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "smaller", "larger"),
        (9, 10, 13, 16, 18, 24, 32, 13, 19),
        strict=True,
    )
)
_NUMBER: Final = re.compile(r"(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)")
Colour = tuple[float, float, float]
WHITE: Final[Colour] = (1.0, 1.0, 1.0)
BLACK: Final[Colour] = (0.0, 0.0, 0.0)


def pixels(value: str, font_px: float) -> float:
    """A length in pixels; 0 where it is none. `calc()` counts by the sum of its lengths.

    Args:
        value: as declared.
        font_px: size of the font, for `em`.
    """
    total = sum(
        float(number) * (font_px if unit == "em" else _PX.get(unit, 0.0)) for number, unit in _NUMBER.findall(value)
    )
    return total if math.isfinite(total) else math.inf


def has_length(value: str) -> bool:
    """Whether a value says a length at all: `auto` does not."""
    return _NUMBER.search(value) is not None


def font_pixels(value: str, above_px: float) -> float:
    """Size of a font in pixels; that above where a value says none."""
    if value in _SIZES:
        return _SIZES[value]
    if value.endswith("%"):
        return above_px * pixels(value[:-1], 1.0) / 100
    return pixels(value, above_px) if has_length(value) else above_px


def share(value: str) -> float:
    """A number or percentage; 1 where it is neither."""
    try:
        return float(value[:-1]) / 100 if value.endswith("%") else float(value)
    except ValueError:
        return 1.0


def colours(value: str, behind: Colour) -> list[Colour]:
    """The colours that a value names, a gradient's too, each laid over what is behind it."""
    found = []
    for token in tinycss2.parse_component_value_list(value):
        parsed = parse_color(token.serialize())
        if parsed is not None and parsed != "currentcolor":
            red, green, blue, alpha = (float(one or 0) for one in parsed.to("srgb"))
            found.append(_over((red, green, blue), alpha, behind))
        elif token.type == "function" and token.lower_name.endswith("gradient"):
            found += colours(tinycss2.serialize(token.arguments), behind)
    return found


def contrast(front: Colour, behind: Colour) -> float:
    """1 (the same) to 21, as https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    dark, light = sorted((_luminance(front), _luminance(behind)))
    return (light + 0.05) / (dark + 0.05)


def _over(colour: Colour, alpha: float, behind: Colour) -> Colour:
    red, green, blue = (one * alpha + under * (1 - alpha) for one, under in zip(colour, behind, strict=True))
    return red, green, blue


def _luminance(colour: Colour) -> float:
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour)  # noqa: PLR2004
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
