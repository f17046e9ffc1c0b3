import os

from flows.run import _environment


def test_the_environment_of_a_run_is_undone_so_that_the_next_run_holds_its_own_lease(monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "intern.example")
    with _environment("http://127.0.0.1:4242/api"):
        assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:4242/api"
        assert os.environ["NO_PROXY"] == "intern.example,127.0.0.1"
    assert "PREFECT_API_URL" not in os.environ
    assert os.environ["NO_PROXY"] == "intern.example"


def test_a_proxy_stays_in_use_for_a_server_elsewhere(monkeypatch):
    monkeypatch.delenv("NO_PROXY", raising=False)
    with _environment("https://prefect.example/api"):
        assert "NO_PROXY" not in os.environ
