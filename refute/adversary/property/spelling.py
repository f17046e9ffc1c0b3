"""Names in claims as Python reads them: it takes identifiers in their normal form NFKC (PEP 3131).

`größe` may be written with one letter or with two that look like it; both are one name for Python. Letters of other
alphabets that only look alike stay what they are.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from refute.adversary.property.surface import Surface
from refute.ticket.record import Claim

TOKEN: Final = re.compile(r"[^\W\d][\w\u0300-\u036f]*")
"""A word, with marks that stand behind its letters."""


def as_python_reads(claim: Claim, surface: Surface) -> Claim:
    """The claim with every name of the implementation in its normal form; all other text stays as it is."""
    if claim.text.isascii():
        return claim
    names = {name for face in surface.faces for name in face.names}
    for function in surface.callables():
        names |= {function.name, *(parameter.name for parameter in function.parameters)}
    text = TOKEN.sub(lambda hit: _normal(hit[0], names), claim.text)
    return claim if text == claim.text else replace(claim, text=text)


def _normal(word: str, names: Collection[str]) -> str:
    normal = unicodedata.normalize("NFKC", word)
    return normal if normal in names else word
