"""The ledger's tables. Text columns hold escaped text; the whole outcome stands beside them as its JSON document.

Every change here needs a migration under `migrations/versions`; a test compares the two.
"""

from enum import StrEnum
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    true,
)

from refute.ledger.column_types import Instant, Usd

HEAD: Final = "0015"
"""The revision that this version of refute reads and writes."""
OLDEST: Final = "0012"
"""The oldest that it can bring up to that."""

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class CsvState(StrEnum):
    """How far an outcome's line in the cost table has come; decides who writes it after a crash."""

    PENDING = "pending"
    """No line was written."""
    WRITING = "writing"
    """A line may have been written: the file has to be looked at."""
    WRITTEN = "written"


RUNS: Final = Table(
    "runs",
    METADATA,
    Column("run_id", String(100), primary_key=True),
    Column("started_at", Instant, nullable=False),
    Column("refute_version", String(50), nullable=False),
)

OUTCOMES: Final = Table(
    "outcomes",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String(100), ForeignKey("runs.run_id"), nullable=False),
    Column("ticket_id", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("status", String(40), nullable=False),
    Column("reason", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("duration_s", Float, nullable=False),
    Column("cost_nanousd", Usd, nullable=False),
    Column("tester", String(100), nullable=False),
    Column("claims_total", Integer, nullable=False),
    Column("claims_refuted", Integer, nullable=False),
    Column("snapshot_digest", String(80)),
    Column("image_id", String(80)),
    Column("profile_digest", String(80)),
    Column("labels", Text, nullable=False),  # JSON array
    Column("document", Text, nullable=False),
    Column("csv_state", String(10), nullable=False),
    Column("costs_csv", Text),  # name of the cost table that gets the line; NULL: whichever comes first
    Column("sandbox_s", Float, nullable=False, server_default="0"),  # of all stages together
    Column("claim_counts", Text, nullable=False, server_default="{}"),  # JSON: verdict → claims
    Column("test_counts", Text, nullable=False, server_default="{}"),  # JSON: category/verdict → tests
    Column("strength", Float),  # lower end of the mutation score's interval; NULL: not measured
    Column("models", Text),  # names of those that were called, "; " between; NULL: none, as in the next two
    Column("input_tokens", BigInteger),  # cached ones included
    Column("output_tokens", BigInteger),  # thinking included
    Column("cost_known", Boolean, nullable=False, server_default=true()),  # else a price is not, and nanousd too low
    Column("audit_log", Text),  # `host:path` of the audit log; NULL: it was switched off, as in the next two
    Column("audit_sequence", BigInteger),  # number of its last line when the verdict was reached
    Column("audit_hash", String(64)),  # hash of that line
    Column("mutants_killed", Integer),  # of those counted, which is NULL too where strength was not measured
    Column("mutants_counted", Integer),
    Column("tiers", Text, nullable=False, server_default=""),  # of models that were asked, ", " between
    UniqueConstraint("run_id", "ticket_id", "attempt"),
    Index(None, "ticket_id"),
    Index(None, "started_at"),
    Index(None, "csv_state"),
    # All that reports add up, without the documents, which SQLite keeps among the rows (PostgreSQL does not).
    Index(
        "ix_outcomes_report",
        *("started_at", "status", "tester", "labels", "claim_counts", "test_counts"),
        *("cost_nanousd", "duration_s", "sandbox_s", "ticket_id"),
        *("tiers", "strength", "mutants_killed", "mutants_counted", "run_id", "models"),
    ).ddl_if(dialect="sqlite"),
)

CLAIMS: Final = Table(
    "claims",
    METADATA,
    Column("outcome_id", Integer, ForeignKey("outcomes.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("claim_id", String(100), nullable=False),
    Column("text", Text, nullable=False),
    Column("verdict", String(20), nullable=False),
    Column("reason", Text, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("tests_run", Integer, nullable=False),
    Column("independent_tests", Integer, nullable=False),
    Column("attested_tests", Integer, nullable=False),
)

FAILURES: Final = Table(
    "failures",
    METADATA,
    Column("outcome_id", Integer, ForeignKey("outcomes.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("test_name", Text, nullable=False),
    Column("claim_id", String(100), nullable=False),
    Column("error_type", Text, nullable=False),
    Column("error_message", Text, nullable=False),
    Column("smallest_input", Text, nullable=False),
    Column("tester", String(100), nullable=False),
)

SANDBOX_RUNS: Final = Table(
    "sandbox_runs",
    METADATA,
    Column("outcome_id", Integer, ForeignKey("outcomes.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("stage", String(40), nullable=False),
    Column("duration_s", Float, nullable=False),
    Column("sandbox_s", Float, nullable=False),
)

CONFIRMATIONS: Final = Table(
    "confirmations",
    METADATA,
    Column("outcome_id", Integer, ForeignKey("outcomes.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("answer", String(20), nullable=False),
    Column("answered_by", Text, nullable=False),  # empty: nobody answered
    Column("note", Text, nullable=False),
    Column("asked_at", Instant),  # NULL: nobody was asked, it was said in advance
    Column("answered_at", Instant, nullable=False),
    Column("snapshot_digest", String(80), nullable=False),
    Column("findings", Text, nullable=False),  # JSON array of those that block, `rule@path:line`
)

REVIEWS: Final = Table(
    "reviews",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("outcome_id", Integer, ForeignKey("outcomes.id"), index=True),  # NULL: asked for by `refute critics run`
    Column("run_id", String(100), nullable=False),
    Column("ticket_id", String(64), nullable=False),
    Column("critic_id", String(64), nullable=False),
    Column("focus", String(20), nullable=False),
    Column("round", Integer, nullable=False),
    Column("verdict", String(20), nullable=False),
    Column("failures", Integer, nullable=False),
    Column("confirmed", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("model", String(200), nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("cost_nanousd", Usd),  # NULL: no price is known
    Column("at", Instant, nullable=False, index=True),
)

RESERVATIONS: Final = Table(
    "reservations",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String(100), nullable=False),
    Column("ticket_id", String(64), nullable=False),
    Column("month", String(7), nullable=False),  # UTC, 2026-11
    Column("day", String(10), nullable=False),  # UTC, 2026-11-22
    Column("state", String(10), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("worst_nanousd", Usd),  # NULL: no price is known
    Column("cost_nanousd", Usd),  # NULL: not settled, or no price is known
    Column("held_nanousd", Usd, nullable=False),  # what it takes of every budget at this moment
    Column("unreconciled", Boolean, nullable=False),
    Index(None, "run_id", "ticket_id"),
    Index(None, "month", "day"),
    Index(None, "state"),
)

MODEL_CALLS: Final = Table(
    "model_calls",
    METADATA,
    Column("reservation_id", Integer, ForeignKey("reservations.id"), primary_key=True),
    Column("run_id", String(100), nullable=False),
    Column("ticket_id", String(64), nullable=False),
    Column("at", Instant, nullable=False),
    Column("purpose", String(100), nullable=False),
    Column("tier", String(10), nullable=False),
    Column("model", String(100), nullable=False),
    Column("prompt_digest", String(64), nullable=False),
    Column("data_class", String(20), nullable=False),
    Column("ending", String(20), nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("cached_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("thinking_tokens", Integer, nullable=False),
    Column("cost_nanousd", Usd),
    Column("latency_s", Float, nullable=False),
    Index(None, "run_id", "ticket_id"),
    Index(None, "at"),
)

BATCHES: Final = Table(
    "batches",
    METADATA,
    Column("batch_id", String(100), primary_key=True),
    Column("source", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index(None, "created_at"),
)

BATCH_TICKETS: Final = Table(
    "batch_tickets",
    METADATA,
    Column("batch_id", String(100), ForeignKey("batches.batch_id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("ticket_id", String(64), nullable=False),
    Column("source", Text, nullable=False),
    Column("answer", String(10), nullable=False),
    Column("answered_by", String(200), nullable=False),
    Column("digest", String(80)),  # NULL: the answer is about whatever the files are
    Column("asked_at", Instant),  # NULL: it was never put to a person
    Column("answered_at", Instant),  # NULL: it waits
    UniqueConstraint("batch_id", "ticket_id"),
)

ALERTS: Final = Table(
    "alerts",
    METADATA,
    Column("channel", String(200), primary_key=True),  # who was told
    Column("period", String(100), primary_key=True),  # within which it is told once
    Column("alert", String(100), primary_key=True),
    Column("claimed_at", Instant, nullable=False),
    Column("sent", Boolean, nullable=False),
)

CONVERSATIONS: Final = Table(
    "conversations",
    METADATA,
    Column("user", String(200), primary_key=True),
    Column("pending", Text, nullable=False),  # JSON of the action that waits for this user's confirmation, sealed
    Column("at", Instant, nullable=False),
)
