"""The contract between host and driver: `plan.json` in, `results.json` out. Version 1."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from refute.driver.exceptions import cut

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The implementation with some of its files changed; the tests run on it until one of them notices."""

    name: str
    files: dict[str, str]
    """Path relative to the workspace → its content there, instead of the submitted one."""
    all_tests: bool = False
    """Whether every test runs on it, whichever notices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the host wants run. Paths are absolute inside the container."""

    version: int
    nonce: str
    """Repeated in the results: only the supervisor has seen it, so nobody else can have written them."""
    attack_dir: str
    """Holds the test file; the results go here."""
    test_file: str
    """Name of the generated test file in `attack_dir`."""
    results_file: str
    workspace: str
    import_roots: list[str]
    """Relative to `workspace`."""
    modules: list[str]
    """Dotted names of the implementation's modules."""
    tests: list[str]
    scratch_dir: str
    """Emptied between workers; their TMPDIR."""
    repetitions: int
    """Fresh runs of every test that does not pass at first."""
    test_timeout_s: float
    suite_timeout_s: float
    """By the clock; of variants, by the clock and of processors, so that a busy machine leaves none of them out."""
    memory_bytes: int
    """Address space of a worker."""
    recursion_limits: list[int]
    """Of the first run and each repetition; the last one holds for the rest."""
    variants: list[Variant] = field(default_factory=list)
    """Where there are any, the tests run on these, one after the other, and not on the files as submitted."""
    emptied: list[str] = field(default_factory=list)
    """Folders that lose all their content before each variant, so that none leaves word to the next."""
    environment: dict[str, str] = field(default_factory=dict)
    """Of the workers, in place of what they have otherwise: locale, time zone, hash seed."""
    hash_seeds: list[str] = field(default_factory=list)
    """Of the implementation's process in each repetition; without any, that of `environment`."""
    longest_s: float = 0.0
    """Of variants: the end by the clock, however little of a processor they got; 0: as `suite_timeout_s`."""

    @property
    def test_path(self) -> Path:
        """Absolute path of the test file."""
        return Path(self.attack_dir, self.test_file)

    @property
    def results_path(self) -> Path:
        """Absolute path of the results."""
        return Path(self.attack_dir, self.results_file)


@dataclass(slots=True, kw_only=True)
class Report:
    """How one test function ended in one run; the values of `end` are those of the host's `TestEnd`."""

    name: str
    end: str
    duration_s: float = 0.0
    computed: bool = False
    """Whether it had a processor for half of its limit, where that ended it: it did not wait for something."""
    error_type: str = ""
    error_message: str = ""
    traceback: str = ""
    notes: list[str] = field(default_factory=list)
    reached_implementation: bool = False
    raised_in_implementation: bool = False
    raised_on_purpose: bool = False
    attested: bool = False
    """No operator of an object that stays with the implementation compared anything."""
    asserted_lines: list[int] = field(default_factory=list)
    """Lines of the test file's assertions, and blocks that must raise, that ran to their end."""
    aliased_lines: list[int] = field(default_factory=list)
    """Of these, blocks whose exception is called otherwise than the test calls it."""
    changed_arguments: bool = False
    """Whether the implementation changed a container that the test handed over."""
    objects_crossed: bool = False
    """Whether test and implementation held objects of one another, not plain data alone."""
    not_carried: str = ""
    """What of the test could not be taken to the implementation's process, or back."""
    not_carried_back: bool = False
    """It was a value of the implementation's that could not be taken."""


@dataclass(slots=True, kw_only=True)
class VariantReport:
    """How the tests ended on one variant."""

    name: str
    reports: list[Report] = field(default_factory=list)
    """Of the tests that were decided, in the order of the plan; up to the first that noticed, or all."""
    tampering: list[str] = field(default_factory=list)
    duration_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class Results:
    """Everything that the host is told."""

    nonce: str
    version: int = VERSION
    first: list[Report] = field(default_factory=list)
    repetitions: list[list[Report]] = field(default_factory=list)
    tampering: list[str] = field(default_factory=list)
    output: str = ""
    timed_out: bool = False
    duration_s: float = 0.0
    variants: list[VariantReport] = field(default_factory=list)
    """Of those that ran to their end before the suite's limit."""

    def to_json(self) -> bytes:
        """The content of `results.json`."""
        return json.dumps(asdict(self)).encode()


def read_plan(path: Path) -> Plan:
    """Read the plan and delete it: its nonce is for nobody else's eyes. Raises ValueError."""
    data: dict[str, Any] = json.loads(path.read_bytes())
    path.unlink()
    if data.get("version") != VERSION:
        raise ValueError(f"plan.json: version {data.get('version')!r}, this driver reads {VERSION}")
    variants = [Variant(**one) for one in data.pop("variants", [])]
    return Plan(**data, variants=variants)


ASSERTED = frozenset({"AssertionError", "Failed"})
"""A failed `assert`; pytest's own Failed."""
TRACEBACK_CHARS = 2_000
MESSAGE_CHARS = 1_000


def noticed(report: Report) -> bool:
    """Whether a test shows that the code is another, or has run into a limit, so that no other test need run.

    A test that fails by itself shows nothing: the next one may.
    """
    if report.end in {"timed_out", "died"}:
        return True
    if report.end != "failed" or report.not_carried:
        return False
    return report.raised_in_implementation or report.error_type.rpartition(".")[2] in ASSERTED


def shortened(report: Report) -> Report:
    """A report without what nobody reads of a variant: many of them make one document."""
    return replace(
        report,
        error_message=cut(report.error_message, MESSAGE_CHARS),
        traceback=cut(report.traceback, TRACEBACK_CHARS),
        notes=[],
    )
