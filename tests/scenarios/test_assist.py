"""S330 where no terminal is: the flow `assist` waits for a form on a real Prefect server, and changes a WAF once."""

import json
import threading
from contextvars import copy_context

import pytest

from tests.fakes.safeline import SafeLineServer
from tests.fakes.waiting import wait_for

pytestmark = pytest.mark.prefect


def test_a_change_waits_for_its_form_and_is_made_once(settings, tmp_path, monkeypatch):
    from flows.assist import AssistRequest, assist
    from flows.confirmation.waiting import answer, waiting_questions
    from flows.orchestrator.session import prefect_session

    monkeypatch.chdir(tmp_path)
    with SafeLineServer(tmp_path) as server, prefect_session(settings):
        monkeypatch.setenv("SAFELINE_TOKEN", server.token)
        monkeypatch.setenv("REFUTE_STATE_DIR", str(settings.state_dir))
        instance = {"url": server.url, "token_env": "SAFELINE_TOKEN", "ca": str(server.ca)}
        (tmp_path / "refute.yaml").write_text(json.dumps({"safeline": {"prod": instance}}))

        def confirm() -> None:
            for _ in range(2):
                wait_for(lambda: any(not one.question.scripts for one in waiting_questions()))
                waiting = next(one for one in waiting_questions() if not one.question.scripts)
                assert "mode off on site 1" in waiting.question.words
                assert not server.waf.writes
                answer(waiting, approve=True, person="Ada")
                wait_for(lambda done=waiting: done.run_id not in [one.run_id for one in waiting_questions()])

        person = threading.Thread(target=copy_context().run, args=(confirm,))
        person.start()
        state = assist(AssistRequest(question="take shop.example offline"), return_state=True)
        person.join()
        assert (state.is_completed(), state.message) == (True, "✅ Executed: mode off on site 1 of prod")
        assert [(method, body) for method, _, body in server.waf.writes] == [("PUT", {"ids": [1], "mode": 1})]
        lines = [json.loads(line) for line in (tmp_path / "logs" / "guardrails.jsonl").read_text().splitlines()]
        answers = [line["metadata"]["answer"] for line in lines if "answer" in line["metadata"]]
        assert answers == ["Ada, asked in the Prefect UI"] * 2
