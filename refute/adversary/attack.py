"""The records of an attack: what a tester is told, what it writes, how it ran, what its failures mean."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from refute.adversary.counterexample import smallest_input
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim, ClaimId, Kind, Module, Ticket

CODE_AWARE: Final = ("code-aware", "hardening")
"""How the names of rounds begin that see the code."""
Text = Annotated[str, Field(max_length=100_000)]
Name = Annotated[str, Field(max_length=300)]
Lines = Annotated[tuple[int, ...], Field(max_length=10_000)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Category(StrEnum):
    """What kind of weakness a test looks for."""

    IMPORT = "import"
    SMOKE = "smoke"
    INTEGRATION = "integration"
    EDGE = "edge"
    FAILURE_MODE = "failure_mode"


class Origin(StrEnum):
    """Where a test's expectation comes from; decides how far it can be trusted.

    What the built-in tester writes is kept in this order where the limits of an attack are tight.
    """

    AUTHOR_EXAMPLE = "author_example"
    """An entry of the claim's `examples`."""
    CLAIM_EXAMPLE = "claim_example"
    """An example found in the text of a claim."""
    AUTHOR_PROPERTY = "author_property"
    """The claim's `property` block."""
    EARLIER = "earlier"
    """What the version before (`base`, `previous`) answered, alone in a container."""
    LIBRARY = "library"
    """What the standard library's function answers that `same_as` names."""
    FIELD = "field"
    """A claim's own `property` or `raises` on drawn inputs, expecting what the library or the text gives."""
    PHRASE = "phrase"
    """A recognised phrase of a claim turned into a property."""
    DOCSTRING_EXAMPLE = "docstring_example"
    """An example found in a docstring of the implementation."""
    FUZZ = "fuzz"
    """A crash that a claim or docstring rules out."""
    MODEL = "model"
    """Written by a model."""

    @property
    def by_author(self) -> bool:
        """Whether the ticket's author wrote the expectation as code: alone it never suffices for PASS."""
        return self in {self.AUTHOR_EXAMPLE, self.AUTHOR_PROPERTY, self.CLAIM_EXAMPLE, self.DOCSTRING_EXAMPLE}

    @property
    def is_field(self) -> bool:
        """Whether it is an executable field of a claim, which stays unattacked where its test says nothing."""
        return self in {self.AUTHOR_EXAMPLE, self.AUTHOR_PROPERTY, self.EARLIER, self.LIBRARY, self.FIELD}

    @property
    def calls_by_author(self) -> bool:
        """Whether the ticket's author wrote the call: one that the code refuses is then no mistake of a tester's."""
        return self.by_author or self is self.FIELD


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceModule:
    """An implementation module with its text."""

    module: Module
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a tester is told about a ticket."""

    ticket: Ticket
    modules: tuple[SourceModule, ...]
    workspace_paths: tuple[str, ...]
    """Every file of the snapshot."""
    max_tests: int = 40
    max_bytes: int = 200_000
    max_prompt_chars: int = 200_000
    """Of claims and code together in one prompt to a model."""
    earlier: Mapping[str, str] = field(default_factory=dict)
    """Path → text before the change, of files that were another then; empty for a file that was not there."""
    references: str = ""
    """Passages of the ticket's references, read on the web by a model; data that nobody vouches for."""

    @property
    def programs(self) -> tuple[str, ...]:
        """Paths of what tests run as a program; empty for a ticket whose code they import."""
        return self.ticket.implementation_files if self.ticket.kind is Kind.CLI else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackTest:
    """One generated pytest function."""

    name: str
    claim_id: ClaimId
    quote: str
    """Verbatim part of the claim's text."""
    category: Category
    origin: Origin
    tester: str
    round: str = ""
    """Name and version of the prompt that it answers; empty where no model wrote it."""
    doubt: str = ""
    """Why a field's test is no evidence but its author's own; empty where it is, or nothing more is to be said."""
    field: str = ""
    """Which field it tests beside others of its claim (`unchanged, parse`); empty where its one test is all of that."""

    @property
    def code_aware(self) -> bool:
        """Whether it was written with the code in view, and so may agree with what is wrong there."""
        return self.round.startswith(CODE_AWARE)

    @property
    def quotes(self) -> tuple[str, ...]:
        """What its quote counts for: the built-in tester quotes what it understood, and so attacks each clause in it.

        A model may quote a whole claim and attack half of it: its quote counts for one clause, however long.
        """
        return (self.quote,) if self.origin is Origin.MODEL else clauses_of(self.quote)


@dataclass(frozen=True, slots=True, kw_only=True)
class Untested:
    """Something that a claim says and that gave no test, and why."""

    claim: Claim
    reason: str
    field: str = ""
    """Which field of the claim, in a few words (`unchanged, parse`): it stays untested whatever else is tested."""

    def __str__(self) -> str:
        """What stays untested, and why."""
        return f"{self.claim.id}: {self.field} is not tested: {self.reason.removeprefix(self.field).lstrip(': ')}"


def without_test(brief: Brief, tests: Iterable[AttackTest], why: Callable[[Claim], str]) -> tuple[Untested, ...]:
    """The claims that none of these tests attacks, each with why."""
    tested = {test.claim_id for test in tests}
    return tuple(Untested(claim=one, reason=why(one)) for one in brief.ticket.claims if one.id not in tested)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One generated test file: an ordinary pytest module that a person can also run without refute."""

    file_name: str
    """`test_adversarial_<ticket>.py`."""
    source: str
    tests: tuple[AttackTest, ...]
    untestable: tuple[Untested, ...]
    tester: str
    untested_fields: tuple[Untested, ...] = ()
    """Claims that have one are not wholly attacked by their other tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A generated test that the screen refused."""

    test: AttackTest
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """What the screen let through."""

    attack: Attack
    """The attack with the rejected tests removed from its source."""
    rejected: tuple[Rejected, ...]


class TestEnd(StrEnum):
    """How one test ended in one repetition."""

    PASSED = "passed"
    FAILED = "failed"
    """An assertion or exception in the test's call."""
    BROKEN = "broken"
    """Could not be collected, imported or set up."""
    TIMED_OUT = "timed_out"
    DIED = "died"
    """The process ended during the test (`os._exit`, a signal, the OOM killer)."""
    SKIPPED = "skipped"
    MISSING = "missing"
    """Collected but never reported, or asked for and never collected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """One test in one repetition, just as the driver reports it."""

    name: Name
    end: TestEnd
    duration_s: Seconds = 0.0
    computed: bool = False
    """Whether it had a processor for half of its limit, where that ended it."""
    error_type: Name = ""
    error_message: Text = ""
    traceback: Text = ""
    notes: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    """Of the exception; Hypothesis adds what it drew."""
    reached_implementation: bool = False
    """Whether any frame of an implementation module ran during the test."""
    raised_in_implementation: bool = False
    """Whether the error came out of an implementation frame rather than the test's own."""
    raised_on_purpose: bool = False
    """Whether a `raise` or `assert` statement of the implementation itself raised the error."""
    attested: bool = False
    """Whether an assertion ran that holds plain data of the implementation's against what never came from it.

    The driver says what ran and on what data, `judgement/provenance.py` where both sides came from."""
    asserted_lines: Lines = ()
    """Of the test file's assertions, and of its blocks that must raise, those that ran to their end."""
    aliased_lines: Lines = ()
    """Of these, blocks whose exception is called otherwise than the test calls it."""
    changed_arguments: bool = False
    """Whether the implementation changed a container that the test handed over."""
    objects_crossed: bool = False
    """Whether test and implementation held objects of one another, which the driver carries; not plain data alone."""
    not_carried: Text = ""
    """What of the test could not be taken to the implementation's process or back; then its end means nothing."""
    not_carried_back: bool = False
    """Whether that was a value of the implementation's."""

    @property
    def smallest_input(self) -> str:
        """The shrunk counterexample, `name=value` per line, where there is one."""
        return smallest_input(self.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRun:
    """All repetitions of an attack."""

    first: tuple[TestRun, ...]
    """Every test once."""
    repetitions: tuple[tuple[TestRun, ...], ...]
    """Only the tests that did not pass at first, again, in fresh processes."""
    tampering: tuple[str, ...]
    """What contradicts an honest report: a canary that lied, ids that differ, a channel that was written to."""
    output: str
    duration_s: float
    timed_out: bool
    """The whole suite's limit was reached."""


class TriageVerdict(StrEnum):
    """What a test's result means for its claim."""

    SURVIVED = "survived"
    REFUTED = "refuted"
    FLAKY = "flaky"
    INVALID = "invalid"
    NEEDS_REVIEW = "needs_review"


@dataclass(frozen=True, slots=True, kw_only=True)
class TriagedTest:
    """One test with its meaning."""

    test: AttackTest
    verdict: TriageVerdict
    reason: str
    run: TestRun
    without_vote: bool = False
    """Decided by what knows better than anybody's vote: the previous version's run, or Python's own parser."""
    contested: bool = False
    """Flaky, though nothing in the test is left to chance: it is the code that answered differently."""
