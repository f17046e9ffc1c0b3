"""The evaluation: every gate tried in every mode, always the same, and none that an attack gets through."""

from refute.guardrails.trials import trials


def test_no_attack_gets_through_and_nothing_harmless_is_stopped() -> None:
    assert [one for one in trials() if one.failed and one.mode == "enforce"] == []


def test_without_the_gates_attacks_of_every_switched_suite_succeed() -> None:
    observed = [one for one in trials() if one.mode == "observe"]
    assert {one.suite for one in observed if one.attack and one.failed} == {one.suite for one in observed}


def test_observing_stops_nothing_harmless() -> None:
    assert [one for one in trials() if one.mode == "observe" and not one.attack and one.failed] == []


def test_every_suite_has_attacks_and_it_is_always_the_same() -> None:
    found = list(trials())
    assert found == list(trials())
    assert len(found) > 300
    assert {one.suite for one in found if one.attack} == {one.suite for one in found}
