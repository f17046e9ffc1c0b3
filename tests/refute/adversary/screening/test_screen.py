from collections.abc import Sequence
from dataclasses import replace
from textwrap import dedent, indent

import pytest

from refute.adversary.attack import Screening, SourceModule
from refute.adversary.screening.screen import screen
from refute.scan.finding import Confidence, Finding, Severity
from refute.ticket.record import Module
from tests.refute.adversary.conftest import CLAIM, make_attack, make_brief, make_test


def no_scan(path: str, source: str) -> Sequence[Finding]:
    return ()


def screened(body: str, *, head: str = "", signature: str = "test_a()", claim: str = CLAIM) -> Screening:
    source = f"{dedent(head)}\ndef {signature}:\n    import impl\n{indent(dedent(body).strip(), '    ')}\n"
    attack = make_attack(source, [make_test("test_a", quote=claim)])
    return screen(attack, make_brief(claim), scan=no_scan)


def reason(body: str, *, head: str = "", signature: str = "test_a()", claim: str = CLAIM) -> str:
    rejected = screened(body, head=head, signature=signature, claim=claim).rejected
    return rejected[0].reason if rejected else ""


GOOD = "assert impl.double(2) == 4"


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        "with pytest.raises(ValueError):\n    impl.double('x')",
        "with pytest.raises(ValueError) as caught:\n    impl.double('x')\nassert 'x' in str(caught.value)",
        "with pytest.raises(ValueError):\n    raise impl.error()",
        "with pytest.raises(AssertionError):\n    impl.double(-1)",
        "pytest.raises(ValueError, impl.double, 'x')",
        "try:\n    impl.double(2)\nexcept Exception as error:\n    raise AssertionError('raised') from error",
        "try:\n    impl.double(2)\nexcept ValueError:\n    pytest.fail('raised')",
        "try:\n    impl.double(2)\nexcept ValueError:\n    assert False",
        "try:\n    impl.double('x')\nexcept Exception as error:\n    assert isinstance(error, ValueError)",
        "def note(x):\n    seen.append(x)\nseen = []\nimpl.each(note)\nassert seen == [1]",
        "calls = []\n@impl.cached(size=2)\ndef one(x):\n    calls.append(x)\none(1)\none(1)\nassert calls == [1]",
        "assert impl.default() is impl.default()",
        "assert impl.double(2) == 4 or impl.double(2) == 5",
        "assert (True, impl.double(2) == 4)[1]",
        "class Sub(impl.Base):\n    size = 2\nassert Sub().area() == 4",
        "check(impl.double(2), 4)",
        "assert _same(4, impl.double(2)), 'not the same'",
        "import asyncio\nasyncio.run(later(impl.double(2)))",
        "import subprocess\nout = subprocess.run(['python', 'impl.py'], check=False)\nassert out.returncode == 0",
        "obj = impl.Thing()\nobj.size = 3\nassert obj.area() == 9",
        "with impl.opened() as thing:\n    assert thing.ready",
        "import os\nimpl.set_up()\nassert os.environ['X'] == '1'",
    ],
)
def test_a_test_that_checks_the_implementation_is_kept(body: str) -> None:
    head = """
        import pytest
        def check(got, expected):
            if got != expected:
                raise AssertionError(got)
        def _same(expected, got):
            return expected == got
        async def later(a):
            assert a == 4
    """
    assert reason(body, head=head) == ""


@pytest.mark.parametrize(
    ("signature", "body"),
    [
        ("test_a(monkeypatch)", "monkeypatch.setenv('A', 'b')\nmonkeypatch.chdir('/')\nassert impl.double(2) == 4"),
        ("test_a(tmp_path)", "impl.save(tmp_path / 'x')\nassert (tmp_path / 'x').read_text() == 'x'"),
        ("test_a(capsys)", "impl.main()\nassert capsys.readouterr().out == 'x'"),
    ],
)
def test_harmless_fixtures_are_allowed(signature: str, body: str) -> None:
    assert reason(body, signature=signature) == ""


@pytest.mark.parametrize("name", ["responses", "mock", "serial", "dis"])
def test_an_implementation_may_be_called_like_a_library_that_no_test_may_use(name: str) -> None:
    source = f"import {name}\ndef test_a():\n    assert {name}.double(2) == 4\n"
    module = SourceModule(module=Module(path=f"{name}.py", name=name), source="def double(x):\n    return 2 * x\n")
    attack = make_attack(source, [make_test("test_a", quote=CLAIM)])
    assert screen(attack, replace(make_brief(), modules=(module,)), scan=no_scan).rejected == ()


def test_an_input_that_hypothesis_provides_is_not_a_fixture_of_the_same_name() -> None:
    head = "from hypothesis import given, strategies as st\n@given(responses=st.lists(st.integers()))"
    assert reason("assert impl.double(responses) == responses * 2", head=head, signature="test_a(responses)") == ""


@pytest.mark.parametrize(
    ("head", "signature", "body"),
    [
        ("from unittest import mock", "test_a()", "with mock.patch('impl.double'):\n    assert impl.double(2) == 4"),
        ("import unittest.mock as m\npatch = m.patch", "test_a()", "patch('impl.x').start()\nassert impl.f()"),
        ("from unittest.mock import MagicMock as M", "test_a()", "impl.client(M())\nassert impl.double(2) == 4"),
        ("", "test_a()", "from unittest import mock\nassert impl.double(mock.ANY) == 4"),
        ("import importlib", "test_a()", "m = importlib.import_module('unittest.' + 'mock')\nassert impl.f(m.ANY)"),
        ("", "test_a()", "m = __import__('kcom'[::-1])\nassert impl.f(m.ANY)"),
        ("import unittest", "test_a()", "m = getattr(unittest, 'mo' + 'ck')\nassert impl.f(m.ANY)"),
        ("import sys", "test_a()", "sys.modules['requests'] = object()\nassert impl.double(2) == 4"),
        ("import sys", "test_a()", "assert impl.f(sys.modules['unittest.mock'].ANY)"),
        ("", "test_a(mocker)", GOOD),
        ("", "test_a(request)", "request.getfixturevalue('mocker')\nassert impl.double(2) == 4"),
        ("", "test_a(monkeypatch)", "monkeypatch.setattr(impl, 'x', 1)\nassert impl.double(2) == 4"),
        ("", "test_a(monkeypatch)", "helper(monkeypatch)\nassert impl.double(2) == 4"),
        ("import pytest", "test_a()", "with pytest.MonkeyPatch.context() as p:\n    assert impl.double(2) == 4"),
        ("", "test_a()", "impl.helper = lambda x: 4\nassert impl.double(2) == 4"),
        ("import time", "test_a()", "setattr(time, 'time', lambda: 0)\nassert impl.double(2) == 4"),
        ("", "test_a()", "vars(impl)['helper'] = None\nassert impl.double(2) == 4"),
        ("", "test_a()", "impl.__dict__.update(helper=None)\nassert impl.double(2) == 4"),
        ("", "test_a()", "vars(impl).update(helper=None)\nassert impl.double(2) == 4"),
        ("import sys", "test_a()", "sys.modules.pop('impl')\nassert impl.double(2) == 4"),
        ("import responses", "test_a()", "responses.start()\nassert impl.double(2) == 4"),
        ("from unittest.mock import *", "test_a()", GOOD),
        (
            "from unittest.mock import patch\ndef f(): return patch('impl.x')",
            "test_a()",
            "with f():\n    assert impl.f()",
        ),
        (
            "import pytest as p\nfrom unittest import mock\n@p.fixture(autouse=True)\ndef f(): mock.patch('x')",
            "test_a()",
            GOOD,
        ),
    ],
)
def test_mocks_of_any_kind_are_rejected(head: str, signature: str, body: str) -> None:
    found = reason(body, head=head, signature=signature)
    assert "mock" in found.lower() or "computed" in found


@pytest.mark.parametrize(
    ("head", "body", "word"),
    [
        ("import time", "time.sleep(0.1)\nassert impl.double(2) == 4", "sleeps"),
        ("from time import sleep as nap", "impl.f(nap)\nassert impl.double(2) == 4", "sleeps"),
        ("import urllib.request", "assert urllib.request.urlopen(impl.url())", "network"),
        ("import requests", "assert requests.get(impl.url())", "network"),
        ("import socket", "socket.create_connection(('x', 1))\nassert impl.double(2) == 4", "network"),
        ("import pytest", "pytest.skip('no')\nassert impl.double(2) == 4", "skips"),
        ("import pytest\npytestmark = pytest.mark.skip", GOOD, "skips"),
        ("import pytest\n@pytest.mark.xfail", GOOD, "skips"),
        ("import inspect", "assert 'x' in inspect.getsource(impl.double)", "source"),
        ("", "assert 'x' in open('impl.py').read()", "source"),
        ("", "assert 'x' in open(impl.__file__).read()", "source"),
        ("from pathlib import Path", "path = Path('impl.py')\nassert 'x' in path.read_text()", "source"),
        ("", "assert eval('impl.double(2) == 4')", "code from text"),
        ("import ctypes", "ctypes.CDLL(None).exit(0)\nassert impl.double(2) == 4", "leaves itself"),
        ("import os", "assert impl.double(2) == 4\nos._exit(0)", "leaves itself"),
        ("import sys", "assert sys._getframe(1) and impl.double(2) == 4", "leaves itself"),
        ("", "import refute.driver\nassert impl.double(2) == 4", "leaves itself"),
        ("", "impl.double.__globals__['x'] = 1\nassert impl.double(2) == 4", "reaches into"),
    ],
)
def test_what_a_generated_test_may_not_do_is_rejected_with_the_reason(head: str, body: str, word: str) -> None:
    assert word in reason(body, head=head)


@pytest.mark.parametrize(
    "body",
    [
        "impl.double(2)",
        "impl.double(2)\nassert True",
        "impl.double(2)\nassert 'a text'",
        "impl.double(2)\nassert (impl.double(2) == 5, 'a tuple')",
        "x = impl.double(2)\nassert x == x",
        "assert impl.double(2) == 5 or True",
        "assert len(impl.many()) >= 0",
        "assert isinstance(impl.double(2), object)",
        "with pytest.raises(AssertionError):\n    assert impl.double(2) == 5",
    ],
)
def test_a_test_that_cannot_fail_because_of_the_implementation_is_rejected(body: str) -> None:
    assert reason(body, head="import pytest")


def test_a_rejected_function_leaves_every_other_byte_of_the_file_as_it_was() -> None:
    head = '"""Doc é\r\n"""\r\nimport impl, pytest  # keep\r\n\r\n'
    bad = "@pytest.mark.slow\r\ndef test_bad():\r\n    impl.double(1)\r\n"
    good = "def test_good():\r\n    assert impl.double(2) == 4  # ✓\r\n"
    attack = make_attack(head + bad + good, [make_test("test_bad"), make_test("test_good")])
    result = screen(attack, make_brief(), scan=no_scan)
    assert result.attack.source == head + good
    assert [test.name for test in result.attack.tests] == ["test_good"]
    assert [one.reason for one in result.rejected] == ["asserts nothing"]


def test_a_function_that_no_test_entry_names_does_not_run() -> None:
    source = "import impl\ndef test_a():\n    assert impl.f() == 1\ndef test_stowaway():\n    assert impl.f() == 1\n"
    result = screen(make_attack(source, [make_test("test_a")]), make_brief(), scan=no_scan)
    assert "stowaway" not in result.attack.source


@pytest.mark.parametrize(
    ("claim", "quote", "word"),
    [
        ("C9", CLAIM, "does not make"),
        ("C1", "something else", "not in claim"),
        ("C1", "", "not in claim"),
        ("C1", "x", "only"),
    ],
)
def test_a_test_must_quote_a_claim_of_the_ticket(claim: str, quote: str, word: str) -> None:
    source = "import impl\ndef test_a():\n    assert impl.f() == 1\n"
    result = screen(make_attack(source, [make_test("test_a", claim=claim, quote=quote)]), make_brief(), scan=no_scan)
    assert word in result.rejected[0].reason


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Precondition: n >= 1. The result is a list of digits.", "n >= 1"),
        ("Precondition: num > 0. The result is a list of digits.", "num > 0"),
        (CLAIM, "double(x)  returns\ntwice"),
    ],
    ids=["a whole condition", "another", "lines that break elsewhere"],
)
def test_words_of_a_claim_ground_a_test_however_short_or_broken_they_are(claim: str, quote: str) -> None:
    attack = make_attack("import impl\ndef test_a():\n    assert impl.f() == 1\n", [make_test("test_a", quote=quote)])
    assert screen(attack, make_brief(claim), scan=no_scan).rejected == ()


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def test_a(:\n", ["not valid Python", "not valid Python"]),
        ("def test_a():\n    assert impl.f() == 1\n" * 2, ["got 2", "got 0"]),
        ("async def test_a():\n    assert impl.f() == 1\n", ["plain pytest", "got 0"]),
    ],
    ids=["does not parse", "twice or never", "async"],
)
def test_what_is_not_one_function_for_each_name_is_rejected(source: str, told: list[str]) -> None:
    attack = make_attack(f"import impl\n{source}", [make_test("test_a"), make_test("test_b")])
    result = screen(attack, make_brief(), scan=no_scan)
    assert [part in one.reason for part, one in zip(told, result.rejected, strict=True)] == [True, True]
    assert (result.attack.tests, "test_a" in result.attack.source) == ((), False)


def test_limits_of_count_and_size_cut_from_the_end() -> None:
    source = "import impl\n" + "".join(f"def test_{i}():\n    assert impl.f() == {i}\n" for i in range(9))
    attack = make_attack(source, [make_test(f"test_{i}") for i in range(9)])
    by_count = screen(attack, make_brief(max_tests=2), scan=no_scan)
    by_size = screen(attack, make_brief(max_bytes=150), scan=no_scan)
    assert [test.name for test in by_count.attack.tests] == ["test_0", "test_1"]
    assert 0 < len(by_size.attack.tests) < 9
    assert len(by_size.attack.source.encode()) <= 150


def finding(line: int, severity: Severity = Severity.HIGH) -> Finding:
    return Finding(
        rule_id="py-x", path="t.py", line=line, column=1, severity=severity, confidence=Confidence.HIGH,
        matched="x", command="x", explanation="deletes files", remedy="do not",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "kept"),
    [(3, ["test_b"]), (5, ["test_a"]), (1, []), (7, ["test_b"])],
    ids=["in one test", "in the other", "outside", "in a helper of the first"],
)
def test_a_finding_of_the_scanner_rejects_the_tests_that_run_its_line(line: int, kept: list[str]) -> None:
    source = dedent("""\
        import impl
        def test_a():
            assert helper(impl.f()) == 1
        def test_b():
            assert impl.f() == 1
        def helper(x):
            return x
        """)
    attack = make_attack(source, [make_test("test_a"), make_test("test_b")])
    result = screen(attack, make_brief(), scan=lambda *_: [finding(line)])
    assert [test.name for test in result.attack.tests] == kept
    assert "dangerous (py-x)" in result.rejected[0].reason


def test_a_finding_below_the_blocking_severity_rejects_nothing() -> None:
    attack = make_attack("import impl\ndef test_a():\n    assert impl.f() == 1\n", [make_test("test_a")])
    assert screen(attack, make_brief(), scan=lambda *_: [finding(3, Severity.MEDIUM)]).rejected == ()
