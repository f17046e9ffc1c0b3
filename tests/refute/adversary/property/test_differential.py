"""Both versions answer the same inputs, each alone; the earlier answers are what tests of preservation expect."""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Brief, Origin
from refute.adversary.property import recorder
from refute.adversary.property.differential import Answers, Compared, plan_of, read_answers, ways_of
from refute.adversary.property.earlier_answers import changed_behaviour
from refute.adversary.property.generator import Way
from refute.adversary.property.tester import PropertyTester
from refute.adversary.screening.screen import screen
from refute.ticket.record import Claim, ClaimId, Module
from tests.refute.adversary.property.workbench import brief_of, failures

OLD = '''
from typing import overload

def clamp(x: int, low: int = 0, high: int = 10) -> int:
    """x between low and high."""
    if low > high:
        raise ValueError(low)
    return max(low, min(high, x))

@overload
def words(text: None) -> None: ...

def words(text):
    """The words of a text.

    >>> words('a b')
    ['a', 'b']
    """
    return text.split()

class Pair:
    def __init__(self, low, high):
        self.low = low

    def width(self):
        """
        >>> Pair(1, 3).width()
        'w1'
        """
        return f"w{self.low}"

def spread(xs: list[int]):
    return set(map(str, xs))

def swapped(text: str, new: str = "", old: str = "-", strip: bool = False, twice: bool = False) -> str:
    text = text.replace(old, new)
    if twice:
        text = text.replace(new + new, new) if new else text
    return text.strip(new) if strip and new else text

def batch(xs: list[int]) -> list[int]:
    return xs[:100]
'''
CLAIM = Claim(
    id=ClaimId("C1"), text="They stay as they were.", unchanged={"clamp": "", "words": "", "swapped": "", "batch": ""}
)


def brief(code: str, *claims: str | Claim, old: str = OLD) -> Brief:
    return replace(brief_of(code, claims or [CLAIM]), earlier={"subject.py": old} if old else {})


def answers(ways: tuple[Way, ...], code: str, folder: Path) -> Answers:
    """As the container would give them."""
    folder.mkdir()
    (folder / "subject.py").write_text(code)
    (folder / "calls.json").write_bytes(plan_of(ways, [str(folder)]))
    command = [sys.executable, "-B", recorder.__file__, "calls.json", "0.json"]
    subprocess.run(command, check=True, cwd=folder, env={"PYTHONHASHSEED": "0"})
    return read_answers(ways, [(folder / "0.json").read_bytes()])


def compared(made: Brief, folder: Path, old: str = OLD) -> list[Compared]:
    ways = ways_of(made)
    then, now = answers(ways, old, folder / "old"), answers(ways, made.modules[0].source, folder / "new")
    return [Compared(way=way, before=a, now=b) for way, a, b in zip(ways, then, now, strict=True)]


@pytest.mark.parametrize(
    "faults",
    [
        {},
        {  # lost a bound, an example's neighbour, an option, beside a size
            "clamp": ("max(low, min(high, x))", "min(high, x)"),
            "words": ("text.split()", "text.split(' ')"),
            "swapped": ("replace(old, new)", "replace('-', new)"),
            "batch": ("xs[:100]", "xs[:101]"),
        },
        {  # at a literal of the change, two options
            "clamp": ("    return max", "    if x == 7:\n        raise ValueError(x)\n    return max"),
            "swapped": ("if strip and new", "if strip and new and not twice"),
        },
        {  # another error, a default
            "clamp": ("raise ValueError(low)", "raise KeyError(low)"),
            "swapped": ('old: str = "-"', 'old: str = "--"'),
        },
    ],
)
def test_what_unchanged_names_fails_where_it_answers_otherwise(
    tmp_path: Path, faults: dict[str, tuple[str, str]]
) -> None:
    code = OLD
    for right, wrong in faults.values():
        code = code.replace(right, wrong)
    made = brief(code)
    written = PropertyTester(compared(made, tmp_path)).write_tests(made)
    assert {test.origin for test in written.tests} >= {Origin.EARLIER}
    failed = [name for name in failures(written, code) if "unchanged" in name]
    assert {name.split("_")[3] for name in failed} == faults.keys()


def test_the_screen_lets_tests_of_preservation_through(tmp_path: Path) -> None:
    made = brief(OLD)
    written = PropertyTester(compared(made, tmp_path)).write_tests(made)
    assert screen(written, made, scan=lambda *_: []).rejected == ()


def test_an_input_that_is_answered_otherwise_now_is_tried_whatever_others_gave(tmp_path: Path) -> None:
    made = brief(OLD)
    one = max(compared(made, tmp_path), key=lambda each: len(each.before) - len({*each.before}))
    source = PropertyTester([one]).write_tests(made).source
    rows, before = [repr(row)[:-1] for row in one.way.rows], one.before
    missed = max(at for at, row in enumerate(rows) if row not in source and before[at] and before[at] in before[:at])
    now = tuple(("value", "'other'") if at == missed else answer for at, answer in enumerate(one.now))
    assert rows[missed] in PropertyTester([replace(one, now=now)]).write_tests(made).source


READ = """
def read(data, bits):
    if bits < 1 or bits > 8:
        raise ValueError(bits)
    whole = 2 ** bits - 1
    number, index, shift = data[0] & whole, 1, 0
    if number < whole:
        return number, 1
    while True:
        number += (data[index] & 127) << shift
        shift += 7
        index += 1
        if data[index - 1] < 128:
            return number, index
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("", ""), ("shift += 7", "shift += 8"), ("< 128", "<= 128"), ("number < whole", "number <= whole")],
)
def test_types_that_only_the_new_version_names_serve_both(tmp_path: Path, right: str, wrong: str) -> None:
    code = READ.replace("(data, bits)", "(data: bytes, bits: int)").replace(right, wrong)
    made = brief(code, replace(CLAIM, unchanged={"read": ""}), old=READ)
    written = PropertyTester(compared(made, tmp_path, READ)).write_tests(made)
    assert bool(failures(written, code)) is bool(right)


def test_what_a_claim_says_of_a_class_is_said_of_its_methods_alone(tmp_path: Path) -> None:
    code = OLD.replace('f"w{self.low}"', 'f"v{self.low}"').replace("text.split()", "text.split(' ')")
    made = brief(code, "`Pair` behaves exactly as before.")
    written = PropertyTester(compared(made, tmp_path)).write_tests(made)
    (failure,) = [error for name, error in failures(written, code).items() if "unchanged" in name]
    assert str(failure).startswith("Pair(1, 3).width() gave 'w1' before, 'v1' now")


def test_the_smallest_input_that_differs_is_told_and_whether_a_claim_speaks_of_it(tmp_path: Path) -> None:
    code = OLD.replace("max(low, min(high, x))", "min(high, x)").replace("text.split()", "text.split(' ')")
    made = brief(code.replace('f"w{self.low}"', 'f"v{self.low}"'), "clamp() is right.")
    clamped, worded, wide = changed_behaviour(made, compared(made, tmp_path))
    assert clamped.startswith("behaviour changed (a claimed change?): clamp(-1) was 0, is -1; ")
    assert worded.startswith("behaviour changed: words('') was [], is ['']; ")
    assert "width() was 'w1', is 'v1'" in wide  # spread() gives a set as before


def test_a_call_that_ends_its_process_costs_no_other_answers(tmp_path: Path) -> None:
    code = OLD.replace("return text.split()", "import os; os._exit(text == 'a b')").replace("max(low,", "max(0,")
    made = brief(code)
    asked = compared(made, tmp_path)
    assert not any(any(one.now) for one in asked if one.way.function.name == "words")
    assert any("clamp(" in told for told in changed_behaviour(made, asked))


def test_one_crash_instead_of_another_is_not_told(tmp_path: Path) -> None:
    old, new = (OLD.replace("return max(", f"return {broken}(") for broken in ("undefined", "x.max"))
    made = brief(new, "Nothing.", old=old)
    assert not list(changed_behaviour(made, compared(made, tmp_path, old)))


def test_a_version_before_that_is_this_very_code_is_told(tmp_path: Path) -> None:
    (told,) = changed_behaviour(brief(OLD), compared(brief(OLD), tmp_path))
    assert told.startswith("in `base` or `previous` the code is as it is now: what is said to be as before")
    nothing = brief(OLD, old="")
    nothing = replace(nothing, ticket=replace(nothing.ticket, base="HEAD"))
    reasons = {one.reason for one in PropertyTester().write_tests(nothing).untested_fields}
    assert reasons == {"in `base` or `previous` the code is as it is now"}


def test_runs_that_disagree_or_give_no_literal_give_no_answer() -> None:
    ways = ways_of(brief(OLD))[:1]
    count = len(ways[0].rows)
    first = b"[[" + b", ".join([b'["value", "1"]'] * count) + b"]]"
    assert read_answers(ways, [first, first]) == ((("value", "1"),) * count,)
    assert read_answers(ways, [first, first.replace(b'"1"', b'"2"')]) == ((None,) * count,)
    assert read_answers(ways, [first.replace(b'"1"', b'"f(1)"')]) == ((None,) * count,)


@pytest.mark.parametrize("left", [b"", b"{}", b"[[]]", b"[[1]]", b"\xff", b'[["value"]]', b"[" * 5000])
def test_what_a_hostile_version_leaves_is_no_answer(left: bytes) -> None:
    ways = ways_of(brief(OLD))[:1]
    assert not any(read_answers(ways, [left])[0])


@pytest.mark.parametrize(
    ("claim", "old", "word"),
    [
        ("clamp(x) gives the same results as before.", "", "no `base` or `previous`"),
        ("Behaviour of `clamp` is unchanged except for negative numbers.", OLD, "name in `unchanged`"),
        ("`clip` behaves exactly as before.", OLD, "names code that the implementation files do not define"),
        ("The behaviour of `clip` is unchanged.", OLD, "names code that the implementation files do not define"),
        (
            replace(CLAIM, text="It is kept.", unchanged={"clip": ""}),
            OLD,
            "unchanged, clip: got 'clip', expected a public function",
        ),
        (replace(CLAIM, text="It is kept.", unchanged={"spread": ""}), "x = 1\n", "has no subject.spread, so nothing"),
    ],
)
def test_why_nothing_is_compared_is_told(claim: str | Claim, old: str, word: str) -> None:
    (untested,) = PropertyTester().write_tests(brief(OLD, claim, old=old)).untestable
    assert word in untested.reason


def test_no_call_is_asked_for_of_what_reads_files() -> None:
    code = "def size(path: str) -> int:\n    return len(open(path).read())\n"
    made = brief(code, "size() behaves as before.", old=code.replace("    return", "    \n    return"))
    (untested,) = PropertyTester().write_tests(made).untestable
    assert untested.reason.startswith("its answers hang on more than its inputs (files); say in `examples`")


def test_that_the_version_before_does_not_import_is_told(tmp_path: Path) -> None:
    made = brief(OLD, replace(CLAIM, unchanged={"clamp": ""}), old=f"import no_such_module\n{OLD}")
    asked = compared(made, tmp_path, made.earlier["subject.py"])
    (untested,) = PropertyTester(asked).write_tests(made).untestable
    assert "does not import here; add what it needs to `requirements`" in untested.reason


def test_where_every_input_is_refused_a_call_that_works_is_asked_for(tmp_path: Path) -> None:
    code = "def day(text):\n    import datetime\n    return str(datetime.date.fromisoformat(text))\n"
    made = brief(code, "day() behaves as before.", old=code.replace("    return", "    \n    return"))
    ways = ways_of(made)
    refused = [Compared(way=one, before=(None,) * len(one.rows), now=(None,) * len(one.rows)) for one in ways]
    (untested,) = PropertyTester(refused).write_tests(made).untestable
    assert untested.reason.endswith('show a call of it that works: add  examples: ["day(...) == ..."]')


def test_a_new_option_does_not_keep_both_versions_from_being_compared(tmp_path: Path) -> None:
    code = OLD.replace("def words(text):", "def words(text, sep=None):").replace("text.split()", "text.split(sep)")
    published = replace(
        CLAIM, id=ClaimId("C2"), text="Any.", examples=("words('a-b', sep='-') == ['a', 'b']",), unchanged={}
    )
    made = brief(code, replace(CLAIM, unchanged={"words": ""}), published)
    asked = compared(made, tmp_path)
    assert not [*changed_behaviour(made, asked)]
    written = PropertyTester(asked).write_tests(made)
    assert "'a-b'" in written.source
    assert failures(written, code.replace("split(sep)", "split(sep or ' ')")).keys() == {"test_c1_unchanged_words"}


@pytest.mark.parametrize(
    ("text", "examples", "told"),
    [
        ("Lower.", ["words('A b') == ['a', 'b']"], "words('A b') == ['a', 'b'] was False"),
        ("`words('A b')[0]` is 'a'.", [], "words('A b')[0] == 'a' was False"),
        ("`words(3)` raises TypeError.", [], "words(3) was ['3']"),
    ],
)
def test_what_another_claim_demands_anew_is_not_unchanged(
    tmp_path: Path, text: str, examples: list[str], told: str
) -> None:
    code = OLD.replace("text.split()", "text.lower().split()")
    lower = replace(CLAIM, id=ClaimId("C2"), text=text, examples=(*examples,), unchanged={})
    made = brief(code, replace(CLAIM, text="It is kept.", unchanged={"words": ""}), lower)
    asked = compared(made, tmp_path, OLD.replace("return text.split()", "return str(text).split()"))
    (untested,) = PropertyTester(asked).write_tests(made).untestable
    assert f"of which C2 demands something new ({told})" in untested.reason


def test_what_a_claim_demands_of_one_function_is_no_demand_on_what_makes_its_argument(tmp_path: Path) -> None:
    code = OLD.replace("max(low, min(high, x))", "max(low, min(high, x)) + 1")
    more = replace(CLAIM, id=ClaimId("C2"), text="`clamp` gives one more.", unchanged={})
    more = replace(more, examples=("clamp(len(words('a b'))) == 3",))
    made = brief(code, replace(CLAIM, text="It is kept.", unchanged={"words": ""}), more)
    assert not PropertyTester(compared(made, tmp_path)).write_tests(made).untested_fields


def test_what_claims_call_unchanged_is_asked_first_and_then_what_changed() -> None:
    code = OLD.replace("text.split()", "text.split(' ')")
    assert ways_of(brief(code, "Any."))[0].function.name == "words"
    assert ways_of(brief(code, "clamp() behaves as before."))[0].function.name == "clamp"
    assert ways_of(brief(code, replace(CLAIM, unchanged={"clamp": ""})))[0].function.name == "clamp"


def test_code_that_catches_everything_does_not_wait_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def stubborn() -> str:
        try:
            time.sleep(60)
        except Exception:  # noqa: BLE001  # as a client does that waits for a network
            time.sleep(60)
        return "answer"

    monkeypatch.setattr(recorder, "LIMIT_S", 0.02)
    before = signal.signal(signal.SIGALRM, recorder.too_long)
    try:
        assert recorder.answer_of(stubborn, ()) is None
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_answer_that_no_file_can_hold_costs_none_of_the_others(tmp_path: Path) -> None:
    code = OLD.replace("set(map(str, xs))", "Exception(chr(0xD800))")
    ways = ways_of(brief(code))
    assert any(map(any, answers(ways, code, tmp_path / "code")))


def test_functions_of_one_name_are_compared_module_by_module() -> None:
    old = {"pkg.a": "def f(x: int): return x\n", "pkg.b": "def f(x: str): return x\n"}
    made = brief_of({**old, "pkg.b": "def f(x: str): return x.upper()\n"}, ["a.f stays."])
    made = replace(made, earlier={"pkg/b.py": old["pkg.b"]})
    assert {(way.function.whole, way.imports) for way in ways_of(made)} == {
        ("pkg.a.f", ("from pkg.a import f",)),
        ("pkg.b.f", ("from pkg.b import f",)),
    }
    ways = [replace(way, rows=way.rows[:1]) for way in ways_of(made)]
    told = [Compared(way=way, before=(("value", "1"),), now=(("value", "2"),)) for way in ways]
    lines = sorted(changed_behaviour(replace(made, earlier={}), told))
    assert [line.partition("): ")[2].partition("(")[0] for line in lines] == ["a.f", "b.f"]


@pytest.mark.parametrize("paths", [("subject.py", "subject/__init__.py"), ("subject/__init__.py", "subject.py")])
def test_a_module_that_became_a_package_is_the_same_module(paths: tuple[str, str]) -> None:
    was, path = paths
    module = replace(brief(OLD).modules[0], module=Module(path=path, name="subject"))
    made = replace(brief(OLD), modules=(module,), earlier={path: "", was: OLD})
    assert {way.function.name for way in ways_of(made)} >= set(CLAIM.unchanged)


COUNTER = """
class Counter:
    def __init__(self, start: int = 0): self.at = start
    def up(self, by: int) -> int: return self.at + by
    @property
    def even(self) -> bool: return self.at % 2 == 0
    def pop(self) -> int: return [].pop()
    def huge(self) -> int: return 10**5000
def version() -> str: return "1"
"""


def test_methods_and_what_takes_nothing_are_compared(tmp_path: Path) -> None:
    names = ("Counter.up", "Counter.even", "Counter.pop", "Counter.huge", "version")
    claim = replace(CLAIM, unchanged=dict.fromkeys(names, ""))
    made = brief(COUNTER + "\n", claim, old=COUNTER)
    written = PropertyTester(compared(made, tmp_path, COUNTER)).write_tests(made)
    untested = [one.field for one in written.untested_fields]
    assert untested == ["unchanged, Counter.pop", "unchanged, Counter.huge"]  # which refuses all, and has no text
    assert not failures(written, COUNTER)
    for old, new in {"at + by": "at - by", "% 2": "% 3", '"1"': '"2"'}.items():
        assert len({name.rstrip("_12") for name in failures(written, COUNTER.replace(old, new))}) == 1
