"""Names that are not ASCII are found in claims, however their letters are written, and look-alikes are kept apart."""

import unicodedata
from dataclasses import replace

import pytest

from refute.adversary.property import PropertyTester
from refute.adversary.screening.screen import screen
from tests.refute.adversary.property.workbench import attack_on, brief_of, failures

CYRILLIC_A = "\u0430"
SIZES = "def größe(x: int) -> int:\n    return x * x\n\n\ndef e(x: int) -> int:\n    return 0\n"
ALIKE = f"def a(x: int) -> int:\n    return 2 * x\n\n\ndef {CYRILLIC_A}(x: int) -> int:\n    return 3 * x\n"


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKD"])
@pytest.mark.parametrize("claim", ["größe(3) == 9", "größe(x) never raises.", "`größe` never raises an error."])
def test_a_name_with_marks_is_found_however_it_is_written(claim: str, form: str) -> None:
    told = unicodedata.normalize(form, claim)
    brief = brief_of(SIZES, [told])
    attack = PropertyTester().write_tests(brief)
    assert attack.tests
    assert "größe(" in attack.source
    assert screen(attack, brief, scan=lambda *_: []).rejected == ()
    assert failures(attack, SIZES) == {}


def test_letters_that_only_look_alike_are_other_names() -> None:
    assert failures(attack_on(ALIKE, "a(2) == 4"), ALIKE) == {}
    assert failures(attack_on(ALIKE, f"{CYRILLIC_A}(2) == 6"), ALIKE) == {}
    assert len(failures(attack_on(ALIKE, f"{CYRILLIC_A}(2) == 4"), ALIKE)) == 1


def test_a_name_of_other_letters_is_a_name() -> None:
    code = "def размер(x: int) -> int:\n    if x < 0:\n        raise ValueError(x)\n    return x\n"
    attack = attack_on(code, "размер(x) never raises.")
    assert len(failures(attack, code)) == 1


def test_texts_of_a_claim_stay_as_they_are_written() -> None:
    code = "def first(s: str) -> int:\n    return len(s)\n"
    claim = "first('e\u0301') == 2"
    brief = brief_of(code, [claim])
    attack = PropertyTester().write_tests(replace(brief))
    assert attack.tests
    assert failures(attack, code) == {}
