"""What of large modules and many claims a prompt shows: never more than the setting, what claims name first."""

import argparse
import inspect
import typing
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.generation.fitting import TOO_LONG, asked
from refute.adversary.generation.prompting import claims_first, code_aware, hardening, once_more
from refute.adversary.generation.tester import ModelTester
from refute.llm.model import Prompt
from refute.ticket.record import Claim, Kind, Module
from tests.refute.adversary.conftest import make_attack, make_brief
from tests.refute.adversary.generation.conftest import CLAIMS, MODULE, ScriptedModel, says, written
from tests.refute.adversary.generation.test_tester import no_scan

NO_TESTS = make_attack("", ())

ROOM = 24_000
AROUND_CHARS = 6_000
"""Instructions, file names, names of what was left out."""
FAULTS_CHARS = 12 * 1_200


def functions(count: int, lines: int) -> str:
    """A module of functions of so many lines, with docstrings."""
    return "\n\n\n".join(
        f"def part_{n}(values: list[int], limit: int = {n}) -> list[int]:\n"
        f'    """Values below the limit, {n} times. {"More of it. " * 10}"""\n'
        + "".join(f"    kept_{line} = values[{line}:]\n" for line in range(lines))
        + "    return kept_0"
        for n in range(count)
    )


def about(source: str, *claims: str, **limits: int) -> Brief:
    module = Module(path="large.py", name="large", import_root=".")
    return replace(make_brief(*claims, **limits), modules=(SourceModule(module=module, source=source),))


def text_of(module: object) -> str:
    return Path(str(inspect.getsourcefile(module))).read_text()  # type: ignore[arg-type]


def prompts(brief: Brief) -> list[Prompt]:
    return [
        claims_first(brief),
        code_aware(brief, NO_TESTS),
        once_more(brief, [], [claim.id for claim in brief.ticket.claims]),
    ]


@pytest.mark.parametrize(
    ("source", "claims", "kept"),
    [
        (
            functions(50, 8),
            ("part_3(values) keeps the order.", "part_41 gives a list."),
            ["def part_3(values: list[int], limit: int=3)", "def part_41(values: list[int], limit: int=41)"],
        ),
        (
            functions(700, 10),
            ("part_3(values) keeps the order.", "part_641 gives a list."),
            ["def part_3(values: list[int], limit: int=3)", "Values below the limit, 641 times."],
        ),
        (
            text_of(argparse),
            ("parse_known_args gives what it does not know.", "parse_intermixed_args refuses positional `nargs`."),
            ["def parse_known_args(self", "def parse_intermixed_args(self", "class ArgumentParser(", "self, prog="],
        ),
        (
            text_of(inspect),
            ("getsource raises OSError without a source.", "unwrap(f) follows the chain to its end."),
            ["def getsource(object", "OSError is raised if the source code cannot", "def unwrap(func, *, stop=None)"],
        ),
        (
            text_of(typing),
            ("get_type_hints gives a dict.", "get_origin(x) is None for what is not supported."),
            ["def get_type_hints(obj", "def get_origin(tp)", "Return None for unsupported types."],
        ),
    ],
    ids=["500 lines", "10,000 lines", "argparse", "inspect", "typing"],
)
def test_of_a_large_module_what_claims_name_is_shown_and_no_more_than_the_setting(
    source: str, claims: Sequence[str], kept: Sequence[str]
) -> None:
    brief = about(source, *claims)
    assert asked(brief).left_out == {}
    for prompt in prompts(brief):
        assert len(prompt.text) <= ROOM + AROUND_CHARS
        assert all(claim in prompt.text for claim in claims)
    first = claims_first(brief).text
    assert [text for text in kept if text not in first] == []
    assert len(hardening(brief, [], ["-" * 5_000] * 20).text) <= ROOM + AROUND_CHARS + FAULTS_CHARS


def test_code_that_claims_name_is_shown_before_what_it_uses_and_both_before_the_rest() -> None:
    called = "def last(values):\n    return values[-1:]  # called\n"
    caller = "def first(values):\n    return last(values[::-1])  # named\n"
    source = f"{caller}\n\n{functions(400, 4)}\n\n\n{called}"
    brief = about(source, "first(values) gives the first, and part_7 a list.", max_prompt_chars=2_000)
    text = code_aware(brief, NO_TESTS).text
    assert "# named" in text
    assert "return last(values[::-1])" in text
    assert "return values[-1:]" in text
    assert "kept_0 = values[0:]" in text  # of part_7
    assert "large.part_8" in text  # said to be cut
    assert "def part_399" not in text


def test_a_program_s_declarations_that_claims_mention_stay() -> None:
    options = "\n".join(f'parser.add_argument("--option-{n}", help="Sets {n}. {"More. " * 20}")' for n in range(500))
    source = f'"""Sums."""\nimport argparse\n\nparser = argparse.ArgumentParser()\n{options}\n'
    brief = about(source, "`--option-444 499` sets it.")
    brief = replace(brief, ticket=replace(brief.ticket, kind=Kind.CLI))
    text = claims_first(brief).text
    assert len(text) <= ROOM + AROUND_CHARS
    assert "--option-444" in text
    assert "Sets 444." in text


def many_claims(brief: Brief) -> tuple[Claim, ...]:
    """A claim that fits, one that does not with what it names, one that fits again."""
    first = brief.ticket.claims[0]
    texts = ("double(x) returns twice its argument.", "huge(x) returns x.", "Counter.add adds.")
    return tuple(replace(first, id=f"C{n}", text=text) for n, text in enumerate(texts, start=1))


def test_a_claim_that_does_not_fit_is_not_asked_about_and_untested_with_its_reason() -> None:
    source = f"{MODULE}\n\ndef huge(x, table={list(range(9_000))}):\n    return x\n"
    brief = about(source, "x")
    brief = replace(brief, ticket=replace(brief.ticket, claims=many_claims(brief)))
    test = written("test_a") | {"quote": "returns twice"}
    tests = [test, test | {"name": "test_b"}, test | {"name": "test_c", "claim_id": "C3"}]
    model = ScriptedModel([says({"tests": tests})])
    tester = ModelTester(model, no_scan)
    attack = tester.write_tests(brief)
    assert [(one.claim.id, one.reason) for one in attack.untestable] == [("C2", TOO_LONG)]
    assert all(len(prompt.text) <= ROOM + AROUND_CHARS for prompt in model.prompts)
    assert all("huge(x) returns x" not in prompt.text for prompt in model.prompts)
    assert any("large.huge" in note for one in tester.yields for note in one.notes)


def test_where_no_claim_fits_nobody_is_asked() -> None:
    brief = about(MODULE, *(f"{claim} {'And so on. ' * 90}" for claim in CLAIMS), max_prompt_chars=500)
    model = ScriptedModel([says({"tests": []})])
    attack = ModelTester(model, no_scan).write_tests(brief)
    assert [one.reason for one in attack.untestable] == [TOO_LONG] * 2
    assert (model.prompts, attack.tests) == ([], ())


def test_hundreds_of_claims_with_long_examples_are_bounded_too() -> None:
    texts = [f"double({n}) is {2 * n}, whatever is said elsewhere about other numbers." for n in range(900)]
    brief = about(MODULE, *texts)
    long = tuple(replace(one, examples=("double(1) == 2" + " " * 9_000,) * 10) for one in brief.ticket.claims)
    brief = replace(brief, ticket=replace(brief.ticket, claims=long))
    found = asked(brief)
    assert len(found.brief.ticket.claims) > 100
    assert len(found.left_out) + len(found.brief.ticket.claims) == 900
    assert all(len(prompt.text) <= ROOM + AROUND_CHARS for prompt in prompts(found.brief))


def test_what_does_not_parse_is_cut_by_lines() -> None:
    brief = about("def f(:\n" + "some text\n" * 9_000, "f works.", "g works.")
    brief = replace(brief, modules=brief.modules * 9)
    assert all(len(prompt.text) <= ROOM + AROUND_CHARS for prompt in prompts(brief))
