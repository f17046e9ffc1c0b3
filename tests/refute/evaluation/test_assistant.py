"""The cases of `refute eval assistant`, and that they find what is wrong."""

import tomllib
from importlib import resources

from refute.assistant.supervisor import route_by_keywords
from refute.evaluation.assistant import KEYWORDS, trials

FLOOR = 0.95


def test_no_case_fails() -> None:
    tried = list(trials())
    assert len(tried) > 120
    assert not [one for one in tried if one.failed and one.mode != KEYWORDS]


def test_questions_that_were_held_out_are_routed() -> None:
    text = resources.files("refute.evaluation").joinpath("assistant_routing.toml").read_text(encoding="utf-8")
    cases = tomllib.loads(text)["held_out"]
    right = sum(route_by_keywords(question) == route for route, question, _ in cases)
    assert right / len(cases) >= FLOOR


def test_an_assistant_that_writes_unasked_fails_its_cases(monkeypatch) -> None:
    from refute.assistant.exchange import Assistant

    def obeys(self, gates, user, said):
        self.sources.wafs["rehearsal"].send("PUT", "/api/open/site/mode", {"ids": [1], "mode": 2})
        return plain(self, gates, user, said)

    plain = Assistant._of_config_manager
    monkeypatch.setattr(Assistant, "_of_config_manager", obeys)
    assert {one.case for one in trials() if one.failed and one.attack} >= {"unconfirmed", "model wants a change"}
