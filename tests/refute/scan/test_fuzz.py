"""No text makes the scanner fail: a fault of its own would block, and would still be a fault."""

# ruff: noqa: E501 - vocabularies

from hypothesis import given, settings
from hypothesis import strategies as st

from refute.scan.engine.analysis import analyse
from refute.scan.rules import Language

_SHELL = st.lists(
    st.sampled_from(
        ["rm", " ", "-rf", "/", "$x", "${x:-y}", "${x##*/}", "${#x}", "$(", ")", "`", '"', "'", "|", "&", ";", "\n", "{a,b}",
         "<<E\n", "\nE\n", "<(", ">", "f() {", "}", "if", "then", "fi", "for x", "do", "done", "case", "esac", "eval", "base64 -d",
         "printf '%s'", "x=", "\\", "$'\\x72'", "curl", "http://", "é", "~", "*", "[", "]]", "$((", "))", "sh -c", "xargs", "trap"]
    ),
    max_size=40,
).map("".join)  # fmt: skip
_PYTHON = st.lists(
    st.sampled_from(
        ["import os", "\n", "    ", "os.system", "(", ")", "'x'", "[", "]", "{", "}", "def f(a):", "class A:", "return", "=", "x",
         ".", "+", "*", "f'{x}'", "lambda: ", "for x in ", "while True:", "getattr", "eval", "exec", "open", ",", "**", "@", "b'y'",
         "'a'.join", "range(9)", "chr", "%", ":", "-1", "None", "__import__", "global x", "yield ", "await ", "match x:"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


def _faults(text: str, language: Language) -> list[str]:
    findings = analyse("x", text.encode("utf-8", "surrogatepass"), language).findings.values()
    return [finding.explanation for finding in findings if "scanner failed" in finding.explanation]


@settings(max_examples=50, deadline=None)
@given(_SHELL)
def test_shell_like_text_never_breaks_the_scanner(text: str) -> None:
    assert _faults(text, Language.SHELL) == []


@settings(max_examples=50, deadline=None)
@given(_PYTHON)
def test_python_like_text_never_breaks_the_scanner(text: str) -> None:
    assert _faults(text, Language.PYTHON) == []


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_report(data: bytes) -> None:
    assert analyse("x", data, Language.SHELL).path == "x"
    assert analyse("x", data, Language.PYTHON).path == "x"
