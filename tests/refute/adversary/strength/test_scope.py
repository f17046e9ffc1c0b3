"""Mutants come from what was changed, else from what claims name; never from code that no claim speaks of."""

from dataclasses import replace

import pytest

from refute.adversary.attack import Brief, SourceModule
from refute.adversary.strength.scope import draw_sample
from refute.ticket.record import Claim, ClaimId, Kind, Module
from tests.refute.adversary.conftest import make_brief

SOURCE = '''"""Caches and other things."""

LIMIT = 1_000


class FullError(Exception):
    """Too much."""


class Base:
    def size(self):
        return len(self.data) + 0

    def unused(self):
        return 41


class Cache(Base):
    """Remembers."""

    def __init__(self):
        self.data = {}

    def get(self, key):
        return self.data.get(tidy(key))

    def put(self, key, value):
        if self.size() > LIMIT:
            raise FullError(key)
        self.data[tidy(key)] = value


def tidy(key):
    return key.strip() if key else ""


def clamp(x, low, high):
    return max(low, min(high, x))


class Unrelated:
    def walk(self):
        return 1 + 2 + 3
'''


def brief_of(*texts: str, source: str = SOURCE, previous: str = "", **facts: object) -> Brief:
    brief = make_brief("…")
    claims = tuple(Claim(id=ClaimId(f"C{number}"), text=text) for number, text in enumerate(texts, 1))
    ticket = replace(
        brief.ticket, claims=claims, implementation_files=("a.py",), previous="old.py" if previous else None, **facts
    )
    module = SourceModule(module=Module(path="a.py", name="a"), source=source)
    before = {"a.py": previous} if previous else {}
    return replace(brief, ticket=ticket, modules=(module,), earlier=before)


def lines_of(brief: Brief, count: int = 1000) -> set[str]:
    """What mutants change, as the lines of the file that they are in."""
    source = brief.modules[0].source.splitlines()
    return {source[mutant.line - 1].strip() for mutant in draw_sample(brief, count=count, seed="s").mutants}


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("Cache remembers what is put.", "Cache"),
        ("`Cache.get` answers None for what it does not hold.", "Cache.get"),
        ("Cache.put() raises FullError beyond the limit.", "Cache.put"),
        ("put raises FullError beyond the limit.", "Cache.put"),
        ("clamp gives a number between both.", "clamp"),
        ("Calls of clamp(x, 1, 2) never raise; tidy ignores white space.", "tidy, clamp"),
        ("The result is right.", "all of a.py"),
    ],
)
def test_mutants_are_of_what_the_claims_name(claim: str, code: str) -> None:
    assert draw_sample(brief_of(claim), count=1, seed="s").code == code


def test_examples_name_code_as_well() -> None:
    brief = brief_of("It keeps bounds.")
    claim = replace(brief.ticket.claims[0], examples=("clamp(3, 0, 2) == 2",))
    assert draw_sample(replace(brief, ticket=replace(brief.ticket, claims=(claim,))), count=1, seed="s").code == "clamp"


def test_where_named_code_has_too_few_mutants_what_it_refers_to_has_others() -> None:
    sample = draw_sample(brief_of("`Cache.put` raises beyond the limit."), count=1000, seed="s")
    assert sample.code == "Cache.put, with what is used there"
    assert sample.population == len(sample.mutants)
    seen = lines_of(brief_of("`Cache.put` raises beyond the limit."))
    assert {"LIMIT = 1_000", 'return key.strip() if key else ""', "return len(self.data) + 0"} <= seen
    assert not {"return 41", "return 1 + 2 + 3", "return max(low, min(high, x))"} & seen


def test_what_was_changed_comes_first_with_its_whole_statements() -> None:
    before = SOURCE.replace("raise FullError(key)", "pass").replace(
        "1 + 2 + 3", "(1 +\n            4 +\n            3)"
    )
    now = SOURCE.replace("1 + 2 + 3", "(1 +\n            2 +\n            3)")
    brief = brief_of("Cache remembers.", source=now, previous=before)
    sample = draw_sample(brief, count=1000, seed="s")
    assert sample.code == "what changed in a.py against old.py"
    assert {mutant.line for mutant in sample.mutants} == {43, 44, 45}


def test_a_change_with_few_mutants_is_taken_with_what_it_stands_in() -> None:
    brief = brief_of("Cache remembers.", previous=SOURCE.replace("self.size() > LIMIT", "self.size() > LIMIT * 2"))
    sample = draw_sample(brief, count=1000, seed="s")
    assert sample.code == "what changed in a.py against old.py, with Cache.put"
    assert {mutant.line for mutant in sample.mutants} >= {28, 30}
    assert sample.changed == {("a.py", 28)}
    assert {mutant.line for mutant in draw_sample(brief, count=2, seed="s").mutants} == {28}  # those come first


def test_a_fresh_sample_is_of_the_same_code_also_where_that_has_none_left() -> None:
    brief = brief_of("clamp keeps bounds.", previous=SOURCE.replace("1 + 2", "1 + 5"))
    first = draw_sample(brief, count=30, seed="s")
    again = draw_sample(brief, count=30, seed="t", without=first.mutants)
    assert first.code == again.code == "what changed in a.py against old.py"
    assert again.mutants == ()


def test_a_program_s_claims_do_not_name_its_functions() -> None:
    assert draw_sample(brief_of("clamp prints.", kind=Kind.CLI), count=1, seed="s").code == "all of a.py"
