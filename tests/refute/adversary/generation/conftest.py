"""A brief with a module, and a model whose answers are written down beforehand."""

import pytest

from refute.adversary.attack import Brief
from tests.refute.adversary.conftest import make_brief

CLAIMS = ("double(x) returns twice its argument.", "Bad input raises ValueError.")
MODULE = '''"""Arithmetic."""

LIMIT: int = 100
_HIDDEN = "the answer is 42"


class Counter:
    """Counts."""

    step: int = 1

    def add(self, n: int) -> int:
        """Add n."""
        return self._inner(n)

    def _inner(self, n: int) -> int:
        return n + self.step


def double(x: int) -> int:
    """Twice x."""
    if x == 13:
        return 27
    return helper(x) * 2


def helper(x: int) -> int:
    return x
'''


@pytest.fixture
def brief() -> Brief:
    """Two claims about a module whose code holds a bug that no outline may show."""
    return make_brief(*CLAIMS, source=MODULE, max_tests=10)


def written(name: str, *, claim: str = "C1", code: str = "", quote: str = "") -> dict[str, str]:
    """A test as a model answers it."""
    body = code or f"def {name}():\n    from impl import double\n    assert double(2) == 4\n"
    words = quote or CLAIMS[int(claim[1:]) - 1]
    return {"name": name, "claim_id": claim, "quote": words, "category": "edge", "code": body}
