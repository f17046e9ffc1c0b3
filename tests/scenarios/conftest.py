"""A ticket in a directory of its own, and the real pipeline to put it through: Prefect server, engine, ledger."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.orchestrator.server import server_lease
from flows.request import VerifyRequest
from flows.run import run_tickets
from refute.outcome import Outcome
from refute.settings import Settings
from refute.settings_fields import TesterName
from tests.fakes.command_line import run_here
from tests.fakes.deployed import Deployed
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.wire import json_answer
from tests.fakes.straight import run_straight
from tests.fakes.webhook import WebhookReceiver, receiving

REPOSITORY = Path(__file__).resolve().parents[2]

PASSING_SCRIPT = "set -euo pipefail\npython -c 'import slug'\n"
SLUG = '''"""Slugs for URLs."""

import re


def slugify(text: str) -> str:
    """Lower-case words joined by hyphens.

    >>> slugify("Hello World")
    'hello-world'
    """
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))
'''
WRONG_SLUG = SLUG.replace('"-".join', '"_".join')
RUNNING = pytest.StashKey[tuple[Deployed, ExitStack]]()
WITH_ALL_CRITICS = {
    "test_bench",
    "test_cached_results",
    "test_critics",
    "test_deployed",
    "test_tutorial",
}
CLAIMS: Sequence[Any] = ({"id": "C1", "text": 'slugify("Hello World") returns "hello-world".'},)


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFiles:
    """What to write into a ticket's directory."""

    files: Mapping[str, str | bytes] = field(default_factory=lambda: {"slug.py": SLUG})
    script: str = PASSING_SCRIPT
    claims: Sequence[Any] = CLAIMS
    implementation: Sequence[str] = ("slug.py",)
    id: str = "TCK-1"
    more: Mapping[str, Any] = field(default_factory=dict)

    def write(self, directory: Path) -> Path:
        """Write all of it; returns the directory."""
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in {"verify.sh": self.script, **self.files}.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        fields = {
            "id": self.id,
            "title": "Slugs",
            "workspace": ".",
            "implementation_files": list(self.implementation),
            "verification_script": "verify.sh",
            "claims": list(self.claims),
            **self.more,
        }
        (directory / "ticket.yaml").write_text(yaml.safe_dump(fields, allow_unicode=True))
        return directory


@pytest.fixture(scope="module", autouse=True)
def nothing_kept_and_little_repeated(request: pytest.FixtureRequest) -> Iterator[None]:
    """The tests share a state directory, and each is about runs of its own; that about cached results caches some.

    What failed is repeated once, not thrice: each time Python, pytest and the code start anew, a second of a core; and
    eight mutants measure an attack, not thirty.
    One critic looks, by the text alone, where critics are not the subject: ruff, bandit and mypy take two seconds.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REFUTE_RESULTS_MAX_AGE_S", "0")
        patch.setenv("REFUTE_REPETITIONS", "1")
        patch.setenv("REFUTE_MUTANTS", "8")
        if request.module.__name__.rpartition(".")[2] not in WITH_ALL_CRITICS:
            patch.setenv("REFUTE_CRITICS__FOCUS_AREAS", '["spec_compliance"]')
        yield


@pytest.fixture
def settings(state_dir: Path, tmp_path: Path) -> Settings:
    """The defaults, with everything that is written in temporary places."""
    return Settings.load(
        state_dir=state_dir,
        costs_csv=tmp_path / "costs.csv",
        audit_path=tmp_path / "audit.jsonl",
        server_idle_s=120,
    )


@pytest.fixture
def ticket(tmp_path: Path) -> Callable[..., Path]:
    """Write a ticket from the fields of `TicketFiles`; returns its directory."""

    def write(**fields: Any) -> Path:
        return TicketFiles(**fields).write(tmp_path / "ticket")

    return write


@pytest.fixture
def verify(settings: Settings, request: pytest.FixtureRequest) -> Callable[..., Outcome]:
    """Put a ticket through the flow, approved in advance; keyword arguments override settings.

    Through its stages alone where the test is not marked `prefect`: flow and task runs take two seconds of a core.
    """

    def run(directory: Path, *, request: Mapping[str, Any] | None = None, **overrides: Any) -> Outcome:
        changed = settings.model_copy(update=overrides)
        asked = VerifyRequest(ticket=directory, settings=changed, **{"approval": "in_advance", **(request or {})})
        if without_flow:
            return run_straight(asked)
        (outcome,) = run_tickets([asked], changed)
        return outcome

    without_flow = request.node.get_closest_marker("prefect") is None
    return run


@pytest.fixture
def cli(settings: Settings, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line as a person would, in a directory of its own."""

    def run(*arguments: str | Path, answer: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        home = tmp_path / "cwd"
        home.mkdir(exist_ok=True)
        (home / "refute.yaml").touch()  # a directory that is configured keeps its own cost table and log
        ours = {"REFUTE_STATE_DIR": str(settings.state_dir), "REFUTE_SERVER_IDLE_S": "120"}
        return run_here(arguments, environment={**ours, **environment}, cwd=home, answer=answer)

    return run


@pytest.fixture
def start_cli(settings: Settings) -> Callable[..., "subprocess.Popen[str]"]:
    """Start the command line as a person or a CI system does; it tells its outcome as JSON."""

    def start(*arguments: str | Path, stdin: int = subprocess.DEVNULL, **environment: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "flows.cli", *map(str, arguments), "--format", "json"],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs the tests in the background has Ctrl-C ignored; the person in a test has not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # one C call
            env={
                **os.environ,
                "REFUTE_STATE_DIR": str(settings.state_dir),
                "REFUTE_SERVER_IDLE_S": "120",
                "GUARDRAIL_AUDIT_PATH": str(settings.audit_path),
                "REFUTE_COSTS_CSV": str(settings.costs_csv),
                **environment,
            },
        )

    return start


def containers_of(**label: str) -> list[Any]:
    """`containers_of(run=…)`, `containers_of(ticket=…)`: those that the engine has."""
    import docker

    ((name, value),) = label.items()
    with closing(docker.from_env()) as client:
        return client.containers.list(all=True, ignore_removed=True, filters={"label": f"refute.{name}={value}"})


@pytest.fixture
def gemini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiServer]:
    """A local Gemini that `gemini.yaml` and the environment's credentials lead to; at first it offers no test."""
    with GeminiServer(lambda _: json_answer({"tests": []})) as server:
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(server.write_credentials(tmp_path)))
        server.write_settings(tmp_path)
        yield server


@pytest.fixture
def attack(gemini: GeminiServer, verify: Callable[..., Outcome], tmp_path: Path) -> Callable[..., Outcome]:
    """Verify a ticket with Gemini as the tester; its answers and its ledger are this test's own."""

    def run(directory: Path, **overrides: object) -> Outcome:
        own = {"gemini_file": tmp_path / "gemini.yaml", "tester": TesterName.GEMINI, "fresh": True, **overrides}
        return verify(directory, **own)

    return run


@pytest.fixture(scope="session")
def webhook() -> Iterator[WebhookReceiver]:
    """A web hook on this machine."""
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def deployed(
    request: pytest.FixtureRequest,
    webhook: WebhookReceiver,
    tmp_path_factory: pytest.TempPathFactory,
    migrated: Callable[[Path], Path],
) -> Deployed:
    """Server, deployments, automations and a worker, as `docs/deployments.md` says.

    They take a minute to start, and waiting a tenth of a core: they are started for the first test that wants them and
    ended after the last one in a row.
    """
    running = request.session.stash
    if RUNNING not in running:
        with ExitStack() as started:
            home = tmp_path_factory.mktemp("deployed")
            migrated(home / "server")
            made = started.enter_context(_deployed(home, webhook))
            running[RUNNING] = (made, started.pop_all())
    return running[RUNNING][0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the deployments where the next test does not want them."""
    if "deployed" not in getattr(nextitem, "fixturenames", ()):
        pytest_sessionfinish(item.session)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the deployments where they still run."""
    if RUNNING in session.stash:
        _, held = session.stash[RUNNING]
        del session.stash[RUNNING]
        held.close()


@contextmanager
def _deployed(home: Path, webhook: WebhookReceiver) -> Iterator[Deployed]:
    # The server is its own: of two workers on one server, either would take the other one's runs.
    with server_lease(Settings.load(state_dir=home / "server", server_idle_s=5), say=print) as api_url:
        made = Deployed(api_url=api_url, home=home, webhook_url=webhook.url)
        made.apply()
        with made.worker():
            yield made
