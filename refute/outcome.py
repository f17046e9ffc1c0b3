"""The final record of a ticket, which everything else reads: status, claims, failures, evidence, cost, durations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.adversary.strength.record import Strength
from refute.approval import Confirmation
from refute.critics.record import Review, Rework
from refute.scan.finding import ScanResult
from refute.ticket.record import ClaimId, Kind, LeftOut, TicketId

SCHEMA_VERSION: Final = 3


class Status(StrEnum):
    """How a ticket ended, in the order of precedence: the first that applies is the ticket's status."""

    ERROR = "ERROR"
    BLOCKED_DANGEROUS_SCRIPT = "BLOCKED_DANGEROUS_SCRIPT"
    BLOCKED_DANGEROUS_OPERATION = "BLOCKED_DANGEROUS_OPERATION"
    CANCELLED = "CANCELLED"
    SKIPPED_BUDGET = "SKIPPED_BUDGET"
    SKIPPED = "SKIPPED"
    DRY_RUN = "DRY_RUN"
    PENDING = "PENDING"
    FAILED_IMPORT = "FAILED_IMPORT"
    FAILED_VERIFICATION = "FAILED_VERIFICATION"
    FAILED_RESOURCES = "FAILED_RESOURCES"
    FAILED_ADVERSARIAL = "FAILED_ADVERSARIAL"
    FAILED_REVIEW = "FAILED_REVIEW"
    INCONCLUSIVE = "INCONCLUSIVE"
    FAILED_TIMEOUT = "FAILED_TIMEOUT"
    PASS_WEAK = "PASS_WEAK"
    PASS = "PASS"

    @property
    def exit_code(self) -> int:
        """Exit code of `refute verify`."""
        return EXIT_CODES[self]


EXIT_CODES: Final[Mapping[Status, int]] = {
    Status.PASS: 0,
    Status.SKIPPED: 0,
    Status.DRY_RUN: 0,
    Status.ERROR: 1,
    Status.FAILED_IMPORT: 10,
    Status.FAILED_VERIFICATION: 10,
    Status.FAILED_ADVERSARIAL: 10,
    Status.FAILED_REVIEW: 10,
    Status.FAILED_TIMEOUT: 10,
    Status.FAILED_RESOURCES: 10,
    Status.PASS_WEAK: 11,
    Status.BLOCKED_DANGEROUS_SCRIPT: 12,
    Status.BLOCKED_DANGEROUS_OPERATION: 12,
    Status.CANCELLED: 13,
    Status.SKIPPED_BUDGET: 14,
    Status.INCONCLUSIVE: 15,
    Status.PENDING: 16,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A stage's decision that the ticket ends here, instead of the record it would have returned."""

    status: Status
    reason: str
    """Why, in one sentence for a person."""
    cost_usd: Decimal | None = Decimal(0)
    """What the stage had spent by then; None where a price is not known."""


class ClaimVerdict(StrEnum):
    """What the attack says about one claim."""

    REFUTED = "refuted"
    SURVIVED = "survived"
    SURVIVED_IN_PART = "survived_in_part"
    """No test refuted it, and some of its words no independent test attacked."""
    UNTESTED = "untested"
    INCONCLUSIVE = "inconclusive"

    @property
    def survived(self) -> bool:
        """Whether tests attacked it, as a whole or in part, and none refuted it."""
        return self in {self.SURVIVED, self.SURVIVED_IN_PART}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """One claim with its verdict."""

    claim_id: ClaimId
    text: str
    verdict: ClaimVerdict
    reason: str
    """Why, in words for a person."""
    decided_by: str = ""
    """The test that decided, where one did; of a claim that survived, the first of `supported_by`."""
    tests_run: int = 0
    independent_tests: int = 0
    """Tests whose expectation the author did not write as code."""
    attested_tests: int = 0
    """Independent tests that survived and whose decision the implementation could not forge."""
    supported_by: tuple[str, ...] = ()
    """Of a claim that survived, the few tests that count most for it: those that are attested come first, then those
    that are independent."""
    clauses: tuple[str, ...] = ()
    """The parts of its text that could each be false alone, in order; one where it says one thing."""
    open_clauses: tuple[str, ...] = ()
    """Of a claim that survived in part, the clauses that no independent test quotes."""
    doubt: str = ""
    """Of a claim that only its author's tests attack, why its field is no independent evidence; empty of examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondEnvironment:
    """What became of the tests of a ticket about to pass under another user, path, host name, time zone, hash seed."""

    not_run: str = ""
    """Why they did not run there; empty where they did."""
    differing: tuple[str, ...] = ()
    """What makes a test end otherwise, in words (`the hash seed`); empty where nothing does."""
    unclear: tuple[str, ...] = ()
    """Tests that ended otherwise there without a refutation."""
    identity_reads: tuple[str, ...] = ()
    """Places where the code inspects where it runs, of which no claim speaks: `impl.py:3 os.getuid`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFailure:
    """A refutation: this claim and this code disagree, and here is how to see it."""

    test_name: str
    claim_violated: ClaimId
    claim_text: str
    error_type: str
    error_message: str
    traceback: str
    smallest_input: str
    reproducer: str
    """A standalone program: `python reproduce.py` from the workspace shows the failure."""
    tester: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRecord:
    """One generated test, whatever became of it."""

    name: str
    claim_id: ClaimId
    category: Category
    origin: Origin
    tester: str
    verdict: TriageVerdict | None
    """None where the screen rejected it."""
    reason: str
    round: str = ""
    """Name and version of the prompt that a model answered with it."""
    attested: bool | None = None
    """Whether its end rests on plain data, output and files alone, not on what objects of the implementation say of
    themselves; None where it did not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundYield:
    """What one round of a tester brought."""

    tester: str
    round: str = ""
    """Name and version of its prompt; empty for a tester that asks no model."""
    tier: str = ""
    """Of the model that was asked; empty where none was."""
    written: int = 0
    accepted: int = 0
    """Let through by the screen."""
    refuting: int = 0
    """Refuted a claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFrom:
    """An earlier run in which everything that decides a stage was the same; its result stands for the stage's own."""

    run_id: str
    made_at: datetime
    """UTC."""
    age_s: float
    """When it was used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """One stage of the flow as it happened."""

    name: str
    summary: str
    duration_s: float
    sandbox_s: float = 0.0
    """Time inside the container."""
    cost_usd: Decimal | None = Decimal(0)
    """None where a model without a known price was asked."""
    kept: KeptFrom | None = None
    """None where it was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """What one model was asked for a ticket."""

    model: str
    """As the provider names the version that answered."""
    calls: int
    cached_answers: int
    """Answers kept from earlier calls; they cost nothing."""
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    thinking_tokens: int
    cost_usd: Decimal | None
    """None where no price is known."""
    latency_s: float
    local_server: str = ""
    """Address of a server of this machine that answered in the provider's place; empty: the provider did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What exactly ran."""

    refute_version: str
    tester: str
    snapshot_digest: str | None = None
    image_id: str | None = None
    profile_digest: str | None = None
    engine: str | None = None
    runtime: str | None = None
    requirements: tuple[str, ...] = ()
    """What the ticket required and the image was given, `name==version`."""
    allowed_hosts: tuple[str, ...] = ()
    """What its jobs could reach by --allow-network; nothing otherwise."""
    local_servers: tuple[str, ...] = ()
    """Addresses of servers of this machine that answered in a model's place; none in production."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The final record of one run of one ticket."""

    run_id: str
    ticket_id: TicketId
    title: str
    status: Status
    reason: str
    """Why this status, in one sentence for a person."""
    started_at: datetime
    """UTC."""
    duration_s: float
    provenance: Provenance
    attempt: int = 1
    claims: tuple[ClaimResult, ...] = ()
    failures: tuple[TestFailure, ...] = ()
    tests: tuple[TestRecord, ...] = ()
    stages: tuple[StageRecord, ...] = ()
    caveats: tuple[str, ...] = ()
    scan: ScanResult | None = None
    confirmation: Confirmation | None = None
    """What was answered, and by whom; None where it did not come to that."""
    left_out: tuple[LeftOut, ...] = ()
    verification_output: str = ""
    verification_stderr: str = ""
    adversarial_tests: str = ""
    """The source of the attack that ran."""
    adversarial_output: str = ""
    changed_paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Stage → what it changed in its workspace copy."""
    decoys_touched: tuple[str, ...] = ()
    """Canary files that were changed or destroyed, by the name that stored outcomes know."""
    cost_usd: Decimal | None = Decimal(0)
    """None where a model without a known price was asked; `models` tells the tokens all the same."""
    models: tuple[ModelUse, ...] = ()
    rounds: tuple[RoundYield, ...] = ()
    """What each tester's rounds brought."""
    strength: Strength | None = None
    """How strong the attack was; None where that could not have changed the status."""
    second_environment: SecondEnvironment | None = None
    """What became of the tests in other surroundings; None where nothing was about to pass."""
    reviews: tuple[Review, ...] = ()
    """What each critic says; empty where the attack had decided already."""
    reworks: tuple[Rework, ...] = ()
    """What `critics.rework_command` made of a copy after a review that failed; no part of the verdict."""
    critics_tests: str = ""
    """The source of the critics' counterexamples that ran."""
    kind: Kind = Kind.PYTHON
    labels: tuple[str, ...] = ()
    flow_run_url: str = ""
    schema_version: int = SCHEMA_VERSION
