"""A function is as before where its author says: of the inputs that are tried, others are put aside."""

from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Attack, Origin
from refute.adversary.property.tester import PropertyTester
from tests.refute.adversary.property.test_differential import CLAIM, OLD, brief, compared
from tests.refute.adversary.property.workbench import failures

NEW = OLD.replace("return text.split()", "return text.replace('-', ' ').split()")
NEW = NEW.replace("max(low, min(high, x))", "max(low, min(high, x)) if low < 5 else 9")


def written(folder: Path, code: str, text: str, **unchanged: str) -> Attack:
    made = brief(code, replace(CLAIM, text=text, unchanged=unchanged))
    return PropertyTester(compared(made, folder)).write_tests(made)


@pytest.mark.parametrize(
    ("unchanged", "fails"),
    [
        ({"words": ""}, True),
        ({"words": "'-' not in text"}, False),
        ({"words": "' ' in text"}, True),
        ({"clamp": "low < 5"}, False),
        ({"clamp": "x != 7"}, True),
        ({"swapped": "re.fullmatch('[a-z ]*', text)"}, False),
    ],
    ids=["all", "outside", "inside", "an option", "inside, an option", "a module"],
)
def test_only_inputs_of_which_the_condition_holds_are_compared(
    tmp_path: Path, unchanged: dict[str, str], fails: bool
) -> None:
    attack = written(tmp_path, NEW, "As before, for some.", **unchanged)
    assert bool(failures(attack, NEW)) is fails
    assert failures(attack, OLD) == {}


@pytest.mark.parametrize(
    ("text", "where", "doubt"),
    [
        ("words() is as before for texts without hyphens.", "'-' not in text", ""),
        ("words() is as before for 'a b'.", "text == 'a b'", ""),
        ("words() is as before.", "text == 'a b'", "`assume` narrows what is tried by 'a b'"),
    ],
)
def test_a_condition_of_which_the_claim_is_silent_is_no_evidence(
    tmp_path: Path, text: str, where: str, doubt: str
) -> None:
    (test,) = written(tmp_path, OLD, text, words=where).tests
    assert test.doubt.startswith(doubt)
    assert (test.origin is Origin.EARLIER) is (doubt == "")
    assert not Origin.EARLIER.by_author


def test_a_name_that_is_no_parameter_is_told(tmp_path: Path) -> None:
    (untested,) = written(tmp_path, OLD, "words() is as before.", words="line != ''").untestable
    assert "uses `line`, which is neither the code's nor built in" in untested.reason
