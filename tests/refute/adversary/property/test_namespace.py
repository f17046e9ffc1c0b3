import pytest

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import read_surface
from tests.refute.adversary.property.workbench import brief_of

SOURCES = {
    "pkg": "from pkg.core import run\n",
    "pkg.core": "import math\nfrom decimal import Decimal\n_SECRET = 1\ndef run(x): return x\ndef sqrt(x): return x\n",
}


def imports(code: str, *, home: str = "") -> tuple[str, ...]:
    node = parse_expression(code)
    assert node is not None
    namespace = Namespace(surface=read_surface(brief_of(SOURCES, ["-"]).modules))
    return namespace.resolve([node], home=home).imports


def test_the_implementation_wins_over_the_standard_library() -> None:
    assert imports("sqrt(4)") == ("from pkg.core import sqrt",)


def test_private_names_are_known_at_home_only() -> None:
    assert imports("_SECRET", home="pkg.core") == ("from pkg.core import _SECRET",)
    with pytest.raises(NotTested, match="_SECRET"):
        imports("_SECRET")


def test_names_that_everybody_knows_are_imported() -> None:
    assert imports("isclose(run(1), math.pi)")[0] == "from math import isclose"
    assert imports("datetime.timedelta(1)") == ("import datetime",)
    assert imports("datetime(2020, 1, 1)") == ("from datetime import datetime",)
    assert imports("urllib.parse.quote(html.escape('a'))") == ("import html", "import urllib.parse")


def test_an_unknown_name_is_unresolved() -> None:
    with pytest.raises(NotTested, match="uses `np`, which is neither"):
        imports("np.sum(run(1))")
    with pytest.raises(NotTested, match="uses `html`"):  # not as a module: a text, perhaps
        imports("run(html)")
