"""S240 on two workers: one server, a batch in chunks, everything on PostgreSQL; one worker is killed midway."""

import re
import uuid
from collections import Counter
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from refute.ledger.batches import Batches
from refute.ledger.schema import MODEL_CALLS
from refute.ledger.store import Ledger
from refute.settings import Settings
from tests.fakes.gemini.server import GeminiServer
from tests.fakes.gemini.wire import Answer, Asked, json_answer
from tests.fakes.worker_site import WorkerSite
from tests.scenarios.conftest import SLUG, TicketFiles, containers_of

pytestmark = [pytest.mark.engine, pytest.mark.prefect, pytest.mark.postgres, pytest.mark.slow]

TICKETS = 20
ATTACKED_EVERY = 5
"""One in so many runs in containers and asks the model; the others end with their scan, at a hundredth of the time."""
CHUNK = 10
KILL_AFTER = 6
CLAIM = 'slugify("Hello World") returns "hello-world".'
TESTS = {
    "preamble": "from slug import slugify",
    "tests": [
        {
            "name": "test_words",
            "claim_id": "C1",
            "quote": CLAIM,
            "category": "edge",
            "code": 'def test_words():\n    assert slugify("Hello World") == "hello-world"\n',
        }
    ],
}


def answers_of_one_round(asked: Asked) -> Answer:
    return json_answer({"tests": []} if "second round" in asked.text else TESTS)


def write_tickets(directory: Path) -> set[str]:
    """The tickets; the ids of those that run in containers."""
    attacked = set()
    for number in range(TICKETS):
        ticket_id, runs = f"T-{number:03}", number % ATTACKED_EVERY == 1
        # Each has prompts of its own: what two workers ask for at once, neither finds kept.
        more = {"title": f"Slugs {number}", "description": f"Slugs, the {number}th time."}
        files = {"slug.py": SLUG.replace("Slugs for URLs", f"Slugs for URLs, {number}")}
        script = "python -c 'import slug'\n" if runs else "rm -rf /\n"
        claims = [{"id": "C1", "text": CLAIM}]
        TicketFiles(id=ticket_id, script=script, files=files, claims=claims, more=more).write(directory / ticket_id)
        attacked |= {ticket_id} if runs else set()
    return attacked


def kept_answers(settings: Settings) -> set[str]:
    """Digests of the prompts whose answers are kept; a file's name holds the prompt's and the model's, too."""
    files = (settings.state_dir / "answers").glob("[!.]*")
    return {found[0] for file in files if (found := re.search(r"[0-9a-f]{64}", file.name))}


@pytest.fixture
def site_settings(tmp_path: Path, settings: Settings, postgres_url: SecretStr) -> Settings:
    return settings.model_copy(update={"state_dir": tmp_path / "state", "ledger_url": postgres_url})


def test_s240_every_ticket_of_a_batch_on_two_workers_ends_once_and_no_kept_answer_is_bought_again_when_one_is_killed(
    site_settings, other_postgres_url, tmp_path
):
    attacked = write_tickets(tmp_path / "tickets")
    name = f"two-{uuid.uuid4().hex[:8]}"
    ledger = Ledger.open(site_settings)
    batches = Batches(ledger)

    def done() -> int:
        return sum(one.finished for one in batches.tickets(name))

    with GeminiServer(answers_of_one_round) as gemini:
        environment = {
            "REFUTE_TESTER": "gemini",
            "REFUTE_MUTANTS": "0",  # strength is not the subject, and takes most of an attacked ticket's time
            "REFUTE_GEMINI_FILE": str(gemini.write_settings(tmp_path)),
            "GOOGLE_APPLICATION_CREDENTIALS": str(gemini.write_credentials(tmp_path)),
        }
        with WorkerSite(tmp_path / "site", site_settings, other_postgres_url, environment) as site:
            site.start_worker("first")
            batch = site.verify_batch(
                {
                    "source": str(tmp_path / "tickets"),
                    "approval": "in_advance",
                    "batch_id": name,
                    "chunk_tickets": CHUNK,
                }
            )
            site.wait(lambda: site.runs_on("first"))  # it has the batch's own run, which lives
            site.start_worker("second")
            site.wait(lambda: done() >= KILL_AFTER and kept_answers(site_settings) and site.runs_on("second"))
            site.kill("second")
            kept = kept_answers(site_settings)
            site.wait(lambda: done() == TICKETS)
            # The last one is removed beside the recording of its outcome.
            site.wait(lambda: containers_of(run=name) == [])
            site.wait(lambda: site.state_of(batch) == "BLOCKED_DANGEROUS_SCRIPT")
            calls = len(gemini.asked)
            chunks = site.chunks(name)
    outcomes = Counter((one.ticket_id, one.status.value) for one in ledger.outcomes(run_id=name))
    assert outcomes == Counter(
        {
            (one.ticket_id, "PASS_WEAK" if one.ticket_id in attacked else "BLOCKED_DANGEROUS_SCRIPT"): 1
            for one in batches.tickets(name)
        }
    )
    with ledger.transaction() as connection:
        bought = Counter(connection.scalars(select(MODEL_CALLS.c.prompt_digest)))
    assert kept
    assert {bought[digest] for digest in kept} == {1}
    assert calls <= len(bought) + 6  # at most the call in flight of each of the killed one's threads, once more
    assert "Crashed" in chunks.values()
    assert len(chunks) > TICKETS / CHUNK, "what crashed was dispatched once more"
    ledger.close()
