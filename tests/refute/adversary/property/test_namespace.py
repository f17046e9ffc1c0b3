import pytest

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.faces import read_surface
from refute.adversary.property.namespace import Namespace
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


@pytest.mark.parametrize(
    ("source", "code", "expected"),
    [
        ("import html", "html.escape(x)", "import html"),
        ("import math as m", "m.gcd(x, 2)", "import math as m"),
        ("from itertools import chain as joined, islice", "joined(x, x)", "from itertools import chain as joined"),
        ("import urllib.parse, zlib", "urllib.parse.quote(x)", "import urllib.parse"),
        ("try:\n    from math import gcd\nexcept ImportError:\n    gcd = None", "gcd(x, 2)", "from here import gcd"),
        ("from lib import html", "html.escape(x)", "from here import html"),
        ("from . import html", "html.escape(x)", "from here import html"),
        ("from subprocess import run", "run(x)", "from here import run"),
        ("def calendar(x): pass", "calendar.isleap(x)", "import calendar"),
        ("class shlex:\n    def quote(x): pass", "shlex.quote(x)", "from here import shlex"),
        ("from .texts import format\n__all__ = ('format',)", "format(x)", "from here import format"),
        ("import hidden, json", "json.dumps(x)", "from here import json"),  # a file of the ticket has its name
    ],
)
def test_what_the_module_has_from_the_library_is_taken_from_there(source: str, code: str, expected: str) -> None:
    node = parse_expression(code)
    assert node is not None
    surface = read_surface(brief_of({"here": source}, ["-"]).modules)
    resolved = Namespace(surface=surface, files=("here.py", "json.py")).resolve([node], home="here", bound=["x"])
    assert expected in resolved.imports
    assert resolved.reaches_implementation == ("here" in expected)


def test_an_unknown_name_is_unresolved() -> None:
    with pytest.raises(NotTested, match="uses `np`, which is neither"):
        imports("np.sum(run(1))")
    with pytest.raises(NotTested, match="uses `html`"):  # not as a module: a text, perhaps
        imports("run(html)")


TWINS = {
    "pkg.us.zip_code": "from pkg.errors import *\ndef parse(text: str): return int(text)\n",
    "pkg.uk.postcode": "def parse(text: str): return text.upper()\ndef only(x): return x\n",
    "pkg.config": "class Config: ...\nconfig = Config()\n",
    "pkg.slugify": "def slugify(x): return x\n",
    "pkg.uk.csv": "def rows(text): return text\ndef reader(text): return text\n",
}


def twin_imports(code: str, *, home: str = "") -> tuple[str, ...]:
    node = parse_expression(code)
    assert node is not None
    files = ("src/pkg/__init__.py", "src/pkg/errors.py", "src/pkg/uk/__init__.py")
    found = Namespace(surface=read_surface(brief_of(TWINS, ["-"]).modules), files=files).resolve([node], home=home)
    assert found.reaches_implementation
    return found.imports


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pkg.uk.postcode.parse('n1')", ("import pkg.uk.postcode",)),
        ("uk.postcode.parse('n1')", ("from pkg import uk", "import pkg.uk.postcode")),
        ("postcode.parse('n1')", ("from pkg.uk import postcode", "import pkg.uk.postcode")),
        ("pkg.uk.exported(1)", ("import pkg.uk",)),  # whatever the package offers, its file being unchanged
        ("only(pkg.errors.Bad)", ("from pkg.uk.postcode import only", "import pkg.errors")),
        ("csv.reader(only(['a']))", ("from pkg.uk.postcode import only", "import csv")),  # Python's own comes first
        ("pkg.errors.Bad(pkg.uk.csv.rows('a'))", ("import pkg.errors", "import pkg.uk.csv")),
        ("config.get(only(1))", ("from pkg.config import config", "from pkg.uk.postcode import only")),
        ("slugify.slugify('a')", ("from pkg import slugify", "import pkg.slugify")),
        ("slugify('a')", ("from pkg.slugify import slugify",)),
        ("csv.rows('a')", ("from pkg.uk import csv", "import pkg.uk.csv")),
    ],
)
def test_modules_are_written_as_people_do(code: str, expected: tuple[str, ...]) -> None:
    assert twin_imports(code) == expected


def test_a_name_of_several_modules_is_that_of_the_module_that_is_spoken_of() -> None:
    assert twin_imports("parse('1')", home="pkg.us.zip_code") == ("from pkg.us.zip_code import parse",)
    assert twin_imports("TooLong", home="pkg.us.zip_code") == ("from pkg.us.zip_code import TooLong",)  # by its `*`
    with pytest.raises(NotTested, match=r"uses `parse`, which `pkg\.us\.zip_code`, .* define: .*`zip_code\.parse`"):
        twin_imports("parse('1')")


def test_a_module_is_no_value_of_its_name() -> None:
    with pytest.raises(NotTested, match="uses `postcode`"):
        twin_imports("only(postcode)")
