"""What of large modules and many claims a prompt shows: never more than the setting, what claims name first."""

import inspect
import typing
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.generation.prompting import claims_first, code_aware, hardening, once_more
from refute.llm.model import Prompt
from refute.ticket.record import Module
from tests.refute.adversary.conftest import make_attack, make_brief
from tests.refute.adversary.generation.conftest import MODULE

NO_TESTS = make_attack("", ())
ROOM = 24_000
AROUND_CHARS = 6_000
"""Instructions, file names, how much was left out."""
FAULTS_CHARS = 12 * 1_200


def functions(count: int) -> str:
    """A module of functions of four lines, with docstrings."""
    return "\n\n\n".join(
        f'def part_{n}(values: list[int], limit: int = {n}) -> list[int]:\n    """Values, {n} times."""\n'
        + "".join(f"    kept_{line} = values[{line}:]\n" for line in range(4))
        + "    return kept_0"
        for n in range(count)
    )


def about(source: str, *claims: str, room: int = ROOM) -> Brief:
    module = Module(path="large.py", name="large")
    brief = make_brief(*claims, max_prompt_chars=room)
    return replace(brief, modules=(SourceModule(module=module, source=source),))


def prompts(brief: Brief) -> list[Prompt]:
    return [
        claims_first(brief),
        code_aware(brief, NO_TESTS),
        once_more(brief, [], [claim.id for claim in brief.ticket.claims]),
    ]


@pytest.mark.parametrize(
    ("module", "claims", "kept"),
    [
        (
            inspect,
            ("getsource raises OSError without a source.", "unwrap(f) follows the chain to its end."),
            ["def getsource(object", "OSError is raised if the source code cannot", "def unwrap(func, *, stop=None)"],
        ),
        (
            typing,
            ("get_type_hints gives a dict.", "get_origin(x) is None for what is not supported."),
            ["def get_type_hints(obj", "def get_origin(tp)", "Return None for unsupported types."],
        ),
    ],
)
def test_of_a_large_module_what_claims_name_is_shown_and_no_more_than_the_setting(
    module: object, claims: Sequence[str], kept: Sequence[str]
) -> None:
    brief = about(Path(str(inspect.getsourcefile(module))).read_text(), *claims)  # type: ignore[arg-type]
    for prompt in prompts(brief):
        assert len(prompt.text) <= ROOM + AROUND_CHARS
        assert all(text in prompt.text for text in claims)
    first = claims_first(brief).text
    assert [text for text in kept if text not in first] == []
    assert len(hardening(brief, [], ["-" * 5_000] * 20).text) <= ROOM + AROUND_CHARS + FAULTS_CHARS


def test_code_that_claims_name_comes_first_and_what_is_cut_is_told() -> None:
    last = "@final\nclass Last:\n    # of its own\n    def get(self):\n        return self  # named\n"
    text = code_aware(about(f"{functions(400)}\n\n\n{last}", "part_17 and Last.get() give.", room=2_000), NO_TESTS).text
    assert text.index("limit: int = 17)") < text.index("@final\nclass Last") < text.index("return self  # named")
    assert text.index("return self  # named") < text.index("limit: int = 0)")
    assert "limit: int = 399)" not in text
    assert "characters are not shown)" in text


def test_hundreds_of_claims_with_long_examples_are_cut_plainly() -> None:
    texts = [f"double({n}) is {2 * n}, whatever is said elsewhere about other numbers." for n in range(900)]
    brief = about(MODULE, *texts)
    long = tuple(replace(one, examples=("double(1) == 2" + " " * 9_000,) * 10) for one in brief.ticket.claims)
    asked = prompts(replace(brief, ticket=replace(brief.ticket, claims=long)))
    assert all("[cut: " in prompt.text and len(prompt.text) <= ROOM + AROUND_CHARS for prompt in asked[:2])
