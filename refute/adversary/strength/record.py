"""The records of strength: what became of each mutant, and the score that an attack gets for it."""

from dataclasses import dataclass
from enum import StrEnum

from refute.statistics.interval import wilson
from refute.ticket.record import ClaimId
from refute.wording import counted


class MutantEnd(StrEnum):
    """What the attack made of one mutant."""

    KILLED = "killed"
    """A test that passes on the code as submitted fails on it, and that would have kept the ticket from passing."""
    SURVIVED = "survived"
    """Every test passed."""
    UNCLEAR = "unclear"
    """Tests ended otherwise, but none in a way that counts against code. Counts as not killed."""
    LIMIT = "limit"
    """It ran into a limit of time, memory or disk, or ended its process. Counts neither way."""
    UNUSABLE = "unusable"
    """It cannot be imported: any test at all would notice. Counts neither way."""
    NOT_RUN = "not_run"
    """The time for mutants was over before, or its container was lost."""

    @property
    def counts(self) -> bool:
        """Whether it is one of the n of the score."""
        return self in {MutantEnd.KILLED, MutantEnd.SURVIVED, MutantEnd.UNCLEAR}


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantResult:
    """One mutant, and what became of it."""

    path: str
    line: int
    """As in the submitted file."""
    change: str
    """In words: `< → <=`."""
    diff: str
    """Of the file as Python's `ast.unparse` writes it."""
    end: MutantEnd
    killed_by: str = ""
    """The first test that noticed; tests that saw no code come first."""
    by_code_aware: bool = False
    """Whether that test was written with the code in view."""
    note: str = ""


class ViolationEnd(StrEnum):
    """What the attack made of a planted violation."""

    NOTICED = "noticed"
    MISSED = "missed"
    """It differs from the code, and every test passed: the clause counts as unattacked."""
    SET_ASIDE = "set_aside"
    """It shows nothing: it cannot be imported, ran into a limit, was not reached, or does not differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViolationResult:
    """One edit that a model made to break one clause, and what became of it."""

    claim_id: ClaimId
    clause: str
    """The words that it breaks."""
    behaviour: str
    """What the edited code does wrong."""
    diff: str
    end: ViolationEnd
    noticed_by: str = ""
    """The first test that noticed."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShallowClaim:
    """A claim whose tests pass on code that does nothing of what it should."""

    claim_id: ClaimId
    tests: tuple[str, ...]
    """Those that an attested, independent result was to come from, of which none noticed."""
    unnoticed: str
    """What they pass on, after "its tests pass also": `where every function fails`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """How good an attack was: the share of small faults, seeded into the code, that it notices."""

    n: int
    """Mutants that count."""
    killed: int
    killed_by_claims_only: int
    """By tests whose writer saw no code. Others may kill mutants while they agree with wrong code."""
    low: float
    """Lower end of Wilson's 90% interval of killed / n; this is what the floor is held against.

    Where every mutant of the code was run it is the share itself, which is then known.
    """
    high: float
    floor: float
    drawn: int
    code: str = ""
    """Which code the mutants are of: `Cache.get`."""
    population: int | None = None
    """How many mutants that code has, without those that are known not to count; None where that is not known."""
    limit: int = 0
    unusable: int = 0
    not_run: int = 0
    void: str = ""
    """Why there is no score: it was not measured, or the measurement cannot be trusted."""
    hardened: bool = False
    """Whether it is that of the attack after a hardening round, on mutants that nobody was shown."""
    survivors: tuple[MutantResult, ...] = ()
    """Mutants that count and were not killed."""
    notes: tuple[str, ...] = ()
    """What to know of the measurement; one line each."""
    blind_to: tuple[str, ...] = ()
    """The changed lines (`clamp.py:12`) that have faults, where the attack notices none of any of them."""
    shallow: tuple[ShallowClaim, ...] = ()
    """Claims that are not attacked strongly, however strong the attack is as a whole."""
    unjudged: str = ""
    """Why it could not be seen claim by claim how strong the attack is."""
    violations: tuple[ViolationResult, ...] = ()
    """Edits by a model that each break one clause."""
    not_planted: str = ""
    """Why no violations were planted; empty where some were."""

    @property
    def missed(self) -> tuple[ViolationResult, ...]:
        """Violations of a clause that no test noticed."""
        return tuple(one for one in self.violations if one.end is ViolationEnd.MISSED)

    @property
    def violations_noticed(self) -> str:
        """`4 of 5 planted violations noticed`; empty where none counts."""
        noticed = sum(one.end is ViolationEnd.NOTICED for one in self.violations)
        count = noticed + len(self.missed)
        return f"{noticed} of {counted(count, 'planted violation')} noticed" if count else ""

    @property
    def score(self) -> float | None:
        """Killed / n; None without a score."""
        return self.killed / self.n if self.n and not self.void else None

    @property
    def kills(self) -> str:
        """How many mutants were killed, of how many and of which code; and how many of those drawn did not run."""
        left_out = f", {self.not_run} of {self.drawn} not run" if self.not_run else ""
        where = f" ({self.code})" if self.code else ""
        return f"{self.killed} of {self.n} mutants killed{where}{left_out}"

    @property
    def is_census(self) -> bool:
        """Whether every mutant of the code was run, so that the share is no estimate."""
        return self.population is not None and self.n >= self.population

    @property
    def reaches_floor(self) -> bool:
        """Whether the lower end does, and the attack sees what changed: as a whole it is strong enough."""
        return not self.void and self.n > 0 and self.low >= self.floor and not self.blind_to

    @property
    def undecided(self) -> bool:
        """Whether mutants that were not run might have made the attack strong enough as a whole."""
        best, _ = wilson(self.killed + self.not_run, self.n + self.not_run, population=self.population)
        return not self.reaches_floor and not self.blind_to and self.not_run > 0 and best >= self.floor

    @property
    def suffices(self) -> bool:
        """Whether the attack is strong enough as a whole, for each claim and for each clause."""
        return self.reaches_floor and not self.shallow and not self.unjudged and not self.missed
