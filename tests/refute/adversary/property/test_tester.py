import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refute.adversary.attack import Category, Origin
from refute.adversary.property import PropertyTester
from refute.adversary.screening.screen import screen
from refute.ticket.record import Claim, ClaimId, Property
from tests.refute.adversary.property.workbench import TWINS, attack_on, brief_of, cases, failures

AREA = "def area(w: int, h: int):\n    return w * h\n"


def claim(text: str, *examples: str, block: Property | None = None) -> Claim:
    return Claim(id=ClaimId("C1"), text=text, examples=examples, property=block)


def test_the_same_brief_gives_the_same_bytes() -> None:
    brief = brief_of(AREA, ["area(2, 3) == 6", "`area` never raises an error."])
    assert PropertyTester().write_tests(brief) == PropertyTester().write_tests(brief)


def test_an_error_example_is_a_failure_mode_and_an_empty_input_an_edge() -> None:
    attack = attack_on("def f(xs):\n    return xs[0]\n", "f([]) raises IndexError; f(['']) == ''; f([7]) == 7")
    assert [test.category for test in attack.tests] == [Category.FAILURE_MODE, Category.EDGE, Category.SMOKE]


def test_claims_about_code_that_cannot_be_parsed_say_so_with_the_line() -> None:
    attack = attack_on("def area(w):\n    return w *\n", "area is symmetric.", "It is elegant.")
    assert {one.reason for one in attack.untestable} == {"subject.py cannot be parsed: line 2: invalid syntax"}


def test_no_more_tests_than_allowed_and_every_claim_keeps_one() -> None:
    many = "\n".join(f"area({n}, 1) == {n}" for n in range(2, 12))
    attack = PropertyTester().write_tests(brief_of(AREA, [many, "area(9, 9) == 81"], max_tests=3))
    assert [test.claim_id for test in attack.tests] == ["C1", "C1", "C2"]


def test_a_field_that_gives_no_test_is_told_though_others_attack_its_claim() -> None:
    claim = Claim(
        id=ClaimId("C1"),
        text="area is right.",
        examples=("area(2, 3) == 6", "area(2, 3", "area(1, 1) == 1"),
        same_as={"area": "os.system"},
        unchanged={"area": ""},
    )
    untested = PropertyTester().write_tests(brief_of(AREA, [claim], max_tests=1)).untested_fields
    assert [one.field for one in untested] == [
        *("the example 'area(2, 3'", "same_as, area", "unchanged, area", "area(1, 1) == 1")
    ]
    assert "C1: the example 'area(2, 3' is not tested: is not Python" in map(str, untested)


def test_no_more_bytes_than_allowed() -> None:
    many = "\n".join(f"area({n}, 1) == {n}" for n in range(2, 40))
    attack = PropertyTester().write_tests(brief_of(AREA, [many], max_bytes=6_000))
    assert 0 < len(attack.tests) < 38
    assert len(attack.source.encode()) <= 6_000


def test_a_repeated_example_is_tested_once() -> None:
    documented = 'def area(w, h):\n    """Multiply.\n\n    area(2, 3) -> 6\n    """\n    return w * h\n'
    assert len(attack_on(documented, "area(2, 3) -> 6").tests) == 1


def test_names_of_tests_are_unique_for_ids_that_look_alike() -> None:
    claims = [Claim(id=ClaimId(name), text="area(2, 3) == 6") for name in ("C-1", "C.1")]
    names = [test.name for test in attack_on(AREA, *claims).tests]
    assert len(set(names)) == 2


def test_text_of_a_ticket_never_becomes_code() -> None:
    text = 'area(2, 3) == 6 """\nraise SystemExit\n\'\'\' \\" \x00 {__import__("os")} # \u2028'
    attack = attack_on(AREA, claim(text, "area(2, 3) == 6"))
    assert failures(attack, AREA) == {}


def test_a_bare_call_among_author_examples_must_not_be_false() -> None:
    code = "def ok(n):\n    return n > 1\n"
    assert len(failures(attack_on(code, claim("Fine.", "ok(1)", "ok(2)")), code)) == 1


def test_an_example_may_be_a_session_with_unknown_names_told() -> None:
    shown = claim("It computes areas.", ">>> w = 2\n>>> area(w, 3)\n6", ">>> area(width, 2)\n4")
    attack = PropertyTester().write_tests(brief_of(AREA, [shown]))
    assert [test.origin for test in attack.tests] == [Origin.AUTHOR_EXAMPLE]
    assert failures(attack, AREA) == {}
    assert failures(attack, AREA.replace("w * h", "w + h"))
    (untested,) = attack.untested_fields
    assert (untested.field, "`width`" in untested.reason) == ("the session '>>> area(width, 2)'", True)


def test_a_session_may_say_by_assert_and_raises_what_it_expects() -> None:
    code = "def half(n):\n    if n % 2:\n        raise ValueError(n)\n    return n // 2\n"
    raising = ">>> import pytest\n>>> with pytest.raises(ValueError):\n...     half(3)"
    attack = attack_on(code, claim("Halves.", ">>> assert half(4) == 2", raising))
    assert (len(attack.tests), failures(attack, code)) == (2, {})
    assert len(failures(attack, code.replace("raise ValueError(n)", "return 0").replace("n // 2", "n"))) == 2


@pytest.mark.parametrize(
    ("shown", "right"),
    [("ValueError: 3 is odd", True), ("ValueError: ... odd", True), ("ValueError", True), ("ValueError: 3", False)],
)
def test_what_an_error_says_counts_where_the_ticket_shows_it(shown: str, right: bool) -> None:
    session = f">>> half(3)\nTraceback (most recent call last):\n    ...\n{shown}\n"
    code = f"def half(n):\n    '''{session}'''\n    raise ValueError(f'{{n}} is odd')\n"
    assert (failures(attack_on(code, claim("Halves.", session)), code) == {}) is right
    documented = attack_on(code, "half(n) is half of n.")
    assert [test.origin for test in documented.tests] == [Origin.DOCSTRING_EXAMPLE]
    assert failures(documented, code) == {}


def test_statements_among_author_examples_run_in_order() -> None:
    code = "class Box:\n    items = 0\n    def add(self):\n        self.items += 1\n"
    written = "box = Box(); box.add(); assert box.items == 1"
    assert failures(attack_on(code, claim("Adds.", written)), code) == {}


@pytest.mark.parametrize(
    "written",
    [
        "take('') raises ValueError",
        "take(1, 2) raises TypeError",
        "await_it(take('')) raises subject.Wrong",
        "take('')\nraises Wrong",
    ],
)
def test_an_author_example_may_raise(written: str) -> None:
    right = (
        "class Wrong(ValueError): pass\n"
        "def await_it(x): return x\n"
        "def take(text):\n    if not text: raise Wrong\n    return text\n"
    )
    wrong = right.replace("if not text: raise Wrong", "pass").replace("take(text)", "take(text='', *more)")
    attack = attack_on(right, claim("Takes.", written))
    assert len(attack.tests) == 1
    assert failures(attack, right) == {}
    assert len(failures(attack, wrong)) == 1


def test_an_example_of_an_async_function_says_who_drives_it() -> None:
    code = (
        "import asyncio\nasync def load(n):\n    return n + 1\n"
        "class Pool:\n    def __init__(self, size): pass\n    async def take(self, n: int):\n        return n\n"
    )
    driven = ("asyncio.run(load(1)) == 2", "asyncio.run(Pool(2).take(1)) == 1")
    attack = attack_on(
        code, claim("Loads.", "await load(1) == 2", "len([load(1)]) == 1", "Pool(2).take(1) == 1", *driven)
    )
    assert len(attack.tests) == len(driven)
    for called in ("load", "Pool(2).take"):
        assert f"calls `{called}`, which is async: write `asyncio.run({called}(…))`" in attack.source
    assert failures(attack, code) == {}


def test_a_promised_function_that_is_missing_fails() -> None:
    failed = failures(attack_on(AREA, claim("volume() multiplies three sides.", "volume(1, 2, 3) == 6")), AREA)
    assert isinstance(failed["test_c1_example"], ImportError)


def test_a_missing_function_beside_one_that_is_there_may_be_any_package_s() -> None:
    attack = attack_on(AREA, claim("sides_of(area(2, 3)) gives them back.", "sides_of(area(2, 3)) == (2, 3)"))
    assert attack.tests == ()
    assert "`sides_of`, which is neither the code's nor built in: write its module too" in attack.untestable[0].reason


def test_a_property_block_is_tried_on_values_that_satisfy_its_assumption() -> None:
    block = Property(
        given={"n": "int", "xs": "list[int]", "k": "st.sampled_from([0, 1])"},
        assume="1 <= n <= 5 and len(xs) > 1 and k < len(xs)",
        check="1 <= n <= 5 and len(xs) >= 2 and area(n, k) == n * k",
    )
    attack = attack_on(AREA, claim("It multiplies.", block=block))
    assert [test.origin for test in attack.tests] == [Origin.AUTHOR_PROPERTY]
    assert failures(attack, AREA) == {}


def test_a_broken_property_is_reported_with_its_smallest_input() -> None:
    block = Property(given={"w": "int", "h": "int"}, check="area(w, h) < 50")
    failed = failures(attack_on(AREA, claim("Small.", block=block)), AREA)["test_c1_property"]
    assert any(note.startswith(("Falsifying", "Failing")) and "w=" in note for note in failed.__notes__)


@pytest.mark.parametrize(
    ("given_n", "reason"),
    [
        ("integers(0, 9)", "got 'integers(0, 9)', expected a type that values can be drawn for"),
        ("st.builds(open, st.just('x'))", "uses more than"),
        ("st.__class__", "uses more than"),
        ("st.just(x := 1)", "uses more than"),
        ("1 +", "got '1 +', which is no Python"),
    ],
)
def test_a_property_over_unknown_values_is_untested(given_n: str, reason: str) -> None:
    attack = attack_on(AREA, claim("It is so.", block=Property(given={"n": given_n}, check="area(n, 1) == n")))
    assert reason in attack.untestable[0].reason


def test_blocks_that_need_what_others_left_run_in_one_test_and_others_apart() -> None:
    code = "class Box:\n    n = 0\n    def add(self):\n        self.n += 1\n        return self.n\n"
    text = ">>> box = Box()\n>>> box.add()\n1\n\nAnd:\n\n>>> Box().add()\n1\n\nThen:\n\n>>> box.add()\n2\n\n"
    text = f"It starts anew:\n\n>>> Box().add()\n1\n\n{text}"
    attack = attack_on(code, text)
    assert len(attack.tests) == 2
    assert failures(attack, code) == {}


def test_docstring_examples_belong_to_the_claim_that_names_their_function() -> None:
    code = 'def one():\n    """\n    >>> one()\n    1\n    """\n    return 1\ndef two():\n    return 2\n'
    attack = attack_on(code, "`two()` is two.", "`one()` is one.")
    assert [test.claim_id for test in attack.tests] == ["C2"]


def test_docstring_examples_of_a_function_are_not_those_of_a_method_of_its_name() -> None:
    code = "class Box:\n    def item(self, at):\n        return at\n"
    code += "def item(value):\n    '''\n    >>> item(1)\n    2\n    '''\n    return value\n"
    assert not attack_on(code, "`Box.item` returns what lies there.").tests
    assert len(attack_on(code, "`item` makes an item.").tests) == 1


def test_examples_of_a_class_are_those_of_a_method_that_a_claim_names_where_they_call_it() -> None:
    shown = "    >>> Box().size()\n    1\n\n    >>> box = Box()\n    >>> box.name()\n    'box'\n"
    code = f"class Box:\n    '''\n{shown}    '''\n    def size(self): return 1\n    def name(self): return 'box'\n"
    attack = attack_on(code, "`Box.name` is short.")
    assert (len(attack.tests), "Box().size()" in attack.source) == (1, False)
    assert len(attack_on(code, "A `Box` is a box.").tests) == 2
    assert attack_on(code, Claim(id=ClaimId("C1"), text="`Box.name` stays.", unchanged={"Box.name": ""})).tests == ()
    assert attack_on(code, "`Box.name` gives the same text as before.").tests == ()


@pytest.mark.parametrize(
    "text", ["`two(1) == 2`", "two(1) == 2", "`two(1)` returns `2`.", "`two(1)` -> 2 and `two(2)` -> 4"]
)
def test_a_claim_that_is_an_example_itself_is_not_refuted_by_another_one(text: str) -> None:
    code = 'def two(n):\n    """Twice `n`.\n\n    >>> two(0)\n    7\n    """\n    return 2 * n\n'
    attack = attack_on(code, text)
    assert failures(attack, code) == {}
    assert failures(attack_on(code, "`two(n)` is twice `n`."), code)


@pytest.mark.slow
def test_a_module_that_cannot_be_imported_breaks_only_its_own_tests(tmp_path: Path) -> None:
    sources = {"good": "def a():\n    return 1\n", "bad": "import no_such_module\ndef b():\n    return 1\n"}
    attack = attack_on(sources, "a() == 1", "b() == 1")
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / attack.file_name).write_text(attack.source)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", attack.file_name]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PYTHONPATH": "."})
    assert "1 failed, 1 passed" in ended.stdout


def test_source_that_does_not_parse_is_still_attacked_with_author_examples() -> None:
    attack = attack_on("def area(w, h:\n", claim("area multiplies.", "area(2, 3) == 6"))
    assert "from subject import area" in attack.source


_FRAGMENTS = st.sampled_from(
    [*"()`.#é\\x\n1", "f(1)", "==", "->", "[1, 2", "]", ">>> ", ", ", '"', "'"]
) | st.sampled_from(
    ["returns ", "raises ValueError if ", "n < 0", "for any ", "Input: ", "Output: ", "between ", " and ", "assert "]
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.lists(_FRAGMENTS, max_size=25).map("".join))
def test_whatever_a_claim_says_the_file_is_python(text: str) -> None:
    attack = attack_on("def f(x: int):\n    return x\n", text or "-")
    names = [node.name for node in ast.parse(attack.source).body if isinstance(node, ast.FunctionDef)]
    assert [test.name for test in attack.tests] == [name for name in names if name.startswith("test_")]
    assert all(test.quote in (text or "-") for test in attack.tests)


@pytest.mark.parametrize(
    "text", ["f(" * 5_000, "-" * 20_000 + "1", "f(0x" + "f" * 3_900 + ") == 1", "f(1) -> " + "[" * 5_000]
)
def test_hostile_text_is_read_without_harm(text: str) -> None:
    assert attack_on("def f(x):\n    return x\n", text).tests == ()


@pytest.mark.slow
def test_the_screen_lets_every_test_through() -> None:
    rejected = []
    for style in cases("styles.yaml"):
        brief = brief_of(style["right"], [style["claim"]])
        rejected += screen(PropertyTester().write_tests(brief), brief).rejected
    assert rejected == []


def test_a_method_that_prints_is_known_by_its_name_whatever_it_is_called_on() -> None:
    code = "class T:\n    def __getitem__(self, n):\n        return self\n    def pprint(self):\n        print([1])\n"
    assert not failures(attack_on(code, ">>> T()[0].pprint()\n[1]\n"), code)


def test_what_print_shows_is_compared_and_not_what_it_gives() -> None:
    assert failures(attack_on("def f(n):\n    return n\n", ">>> print(f(1))\nNone\n"), "def f(n):\n    return n\n")


def test_a_session_in_which_nothing_can_be_compared_is_reported() -> None:
    values = ">>> for n in (1, 2):\n...     area(n, 1)\n1\n2"  # a console shows each; Python gives none of them
    (untested,) = attack_on(AREA, claim("area multiplies.", values)).untested_fields
    assert untested.reason.endswith("shows nothing of the code that can be compared")


def test_examples_of_docstrings_belong_to_the_claim_that_speaks_of_docstrings() -> None:
    code = (
        'class Box:\n    """A box.\n\n    >>> Box(3).size\n    3\n    """\n'
        "    def __init__(self, size: int):\n        self.size = size\n"
    )
    attack = attack_on(code, "Box(1).size == 1", "The docstring examples work as shown.")
    assert [test.claim_id for test in attack.tests if test.origin is Origin.DOCSTRING_EXAMPLE] == ["C2"]


def test_texts_that_differ_in_blanks_are_shown_whole() -> None:
    code = "def f():\n    return 'a' * 90 + ' \\n'\n"
    example = f"f() == {'a' * 90 + chr(10)!r}"
    (said,) = failures(
        attack_on(code, Claim(id=ClaimId("C1"), text="It gives letters.", examples=(example,))), code
    ).values()
    assert str(said) == f"expected {'a' * 90 + chr(10)!r}, got {'a' * 90 + ' ' + chr(10)!r}"


def test_a_claim_is_tested_on_the_module_that_it_names() -> None:
    attack = attack_on(
        TWINS,
        "`a.parse('x')` returns 'X'.",
        Claim(id=ClaimId("C2"), text="`b.parse` gives lower case.", examples=("parse('X') == 'x'",)),
        Claim(id=ClaimId("C3"), text="Nothing else changes: `b.parse` is as before.", unchanged={"b.parse": ""}),
    )
    assert [one.claim_id for one in attack.tests] == ["C1", "C2", "C2"]  # the docstring's is of `b.parse`
    assert not failures(attack, TWINS)
