"""All settings and their defaults in one place: file, then `REFUTE_*` environment, then flags (strongest last)."""

import os
import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from refute.assistant.instances import AssistantSettings, Instances
from refute.critics.focus import CriticsSettings
from refute.errors import SettingsInvalid
from refute.field_faults import fault
from refute.guardrails.switches import GuardrailSettings
from refute.places import state_dir
from refute.research.settings import ResearchSettings
from refute.scan.finding import Severity
from refute.settings_fields import AttackPolicy, BlockFrom, Network, Place, Seconds, TesterName, Testers
from refute.settings_variables import ENV_PREFIX, guardrail_values, refuse_unknown
from refute.yaml_file import YamlFile

SETTINGS_FILE = Path("refute.yaml")
KEY_CHARS: Final = 32
"""The fewest characters of a key that signs."""


class Settings(BaseSettings):
    """Every setting; `Settings.load()` reads `refute.yaml` in the working directory and `REFUTE_*` variables."""

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, extra="forbid", frozen=True, env_nested_delimiter="__")

    state_dir: Place = Field(default_factory=state_dir, validate_default=True)
    """Snapshots, outcomes, ledger and the local Prefect server's files."""
    costs_csv: Place = Path("docs/reports/adversarial-costs.csv")
    ledger_url: SecretStr | None = None
    """SQLAlchemy URL of the ledger (may hold a password); None: SQLite in `state_dir`."""
    audit_enabled: bool = True
    """Whether gate decisions are written to the audit log; also GUARDRAIL_AUDIT_ENABLED."""
    audit_path: Place = Path("logs/guardrails.jsonl")
    """Also GUARDRAIL_AUDIT_PATH."""

    verification_timeout_s: Seconds = 300
    attack_timeout_s: Seconds = 600
    test_timeout_s: Seconds = 20
    repetitions: Annotated[int, Field(ge=1, le=20)] = 3
    mutants: Annotated[int, Field(ge=0, le=500)] = 30
    """Small faults seeded into the code to see whether the attack notices them; 0: strength is not measured."""
    mutation_timeout_s: Seconds = 60
    """For all mutants together, by the clock and of each container's processor: on a busy machine up to three times as
    long by the clock. What was scored by then counts."""
    second_environment: bool = True
    """Whether what would pass runs once more under another user, path, host name, time zone and hash seed."""
    planted_violations: bool = True
    """Whether a model that writes no test breaks the claims clause by clause, to see whether the attack notices."""
    strength_floor: Annotated[float, Field(ge=0, le=1)] = 0.6
    """What the lower end of the mutation score's interval must reach for PASS."""
    confirmation_timeout_s: Seconds = 600
    """How long a question at the terminal waits for its answer."""
    form_timeout_s: Seconds = 86_400
    """How long a question in the Prefect UI waits for its answer."""

    memory_bytes: Annotated[int, Field(ge=64 * 1024**2)] = 2 * 1024**3
    cpus: Annotated[float, Field(gt=0)] = 2.0
    output_bytes: Annotated[int, Field(ge=1024)] = 10 * 1024**2

    runtime: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$|^$")] = ""
    """The container runtime by the engine's name, such as `runsc`; empty: the engine's default."""
    egress_networks: tuple[Network, ...] = ()
    """Private networks, such as 10.0.0.0/8, that hosts of --allow-network may lie in; alone they open nothing."""
    requirements_wheelhouse: Place | None = None
    """A folder with the wheels that tickets require; None: the package index that pip is configured with."""

    max_snapshot_bytes: int = 50 * 1000 * 1000
    max_snapshot_files: int = 5_000

    critics: CriticsSettings = CriticsSettings()
    """Who criticises a change, and what of that blocks."""
    guardrails: GuardrailSettings = GuardrailSettings()
    """Which gates stop what they deny (`enforce`), and which only say so (`observe`)."""
    safeline: Instances = {}
    """WAFs by name, which the assistant asks, and changes with a person's confirmation."""
    assistant: AssistantSettings = AssistantSettings()
    """Where the assistant reads."""
    research: ResearchSettings = ResearchSettings()
    """What research on the web may fetch and spend, and whether tickets' references are read."""

    scan_block_from: BlockFrom = Severity.HIGH
    scan_tables: Place | None = None
    """Rows of the operator's own about commands, Python calls and hosts (`docs/scan-rules.md`), which replace ours."""
    scan_allow_file: Place | None = None
    """Findings that reviewers accept (`docs/scan-rules.md`); never one in the ticket's workspace. None: none are."""
    attack_policy: AttackPolicy = AttackPolicy.MANDATORY
    attack_directories: tuple[str, ...] = ("tools/", "core/")
    tester: Testers = TesterName.PROPERTY.value
    """One or several, separated by commas, in the order in which they write."""
    max_tests: Annotated[int, Field(ge=1)] = 40
    max_suite_bytes: Annotated[int, Field(ge=1000)] = 200_000
    max_prompt_chars: Annotated[int, Field(ge=1000)] = 200_000
    """Of claims and code together in one prompt to a model; of longer code what claims name comes first."""
    max_cost_usd: Annotated[Decimal, Field(ge=0)] = Decimal("0.50")
    """Of one run of one ticket."""
    run_budget_usd: Annotated[Decimal, Field(ge=0)] | None = None
    """Of one run with all its tickets; None: no limit."""
    day_budget_usd: Annotated[Decimal, Field(ge=0)] | None = None
    """Of everybody on this ledger, by UTC days; None: no limit."""
    month_budget_usd: Annotated[Decimal, Field(ge=0)] = Decimal(50)
    """Of everybody on this ledger, by UTC months; alerts count from it too."""
    month_hard_stop: bool = True
    """Whether nothing more is sent to models once the month's budget is spent."""
    alert_webhook_url: SecretStr | None = None
    """Where budget and failure alerts go: `refute report --budget` sends them there, and `deployments/apply.py` has the
    Prefect server do so."""
    reports_url: Annotated[str, Field(pattern=r"^(https?://\S+)?$")] = ""
    """Address under which a web server of yours serves the directory `reports` in `state_dir`; empty: none does."""
    gemini_file: Place = Path("gemini.yaml")
    allow_unpriced: bool = False
    """Also call models without a known price; also in `gemini.yaml`. What that cost is then unknown, and no budget
    holds it."""
    model_requests: Annotated[int, Field(ge=1, le=1000)] = 8
    """Requests to models under way at once, of everybody on a Prefect server; what set-up gives its limit."""
    attended_runs: Annotated[int, Field(ge=1, le=1000)] = 4
    """Runs at once that may wait for a person, over all workers; what set-up gives their work queue. Each holds a
    process of a worker until it is answered: a worker whose own limit is not higher may be full of them."""
    fresh: bool = False
    """Run everything and ask models anew instead of using cached results and kept answers."""
    results_max_age_s: Annotated[float, Field(ge=0)] = 7 * 86_400
    """How old a cached result may be to stand for a run in which everything that decides it is the same; 0: none is
    cached."""
    results_max_bytes: Annotated[int, Field(ge=0)] = 500 * 1000 * 1000
    """Of all cached results; beyond it the oldest go."""
    results_dir: Place | None = None
    """Where cached results lie that several machines share, signed with `signing_key`; None: in `state_dir`."""
    kept_answers_max_age_s: Annotated[float, Field(ge=0)] = 90 * 86_400
    """How old a kept answer of a model may be; older ones are paid for again."""
    kept_answers_max_bytes: Annotated[int, Field(ge=0)] = 500 * 1000 * 1000
    """Of all kept answers; those whose last use is longest ago go, but none used in the last day."""
    signing_key: SecretStr | None = None
    """Signs and checks every cached result and kept answer; at least 32 characters. What is not signed with it does not
    count. None or empty: a random key in `state_dir`."""
    evidence_max_age_s: Annotated[float, Field(ge=0)] = 30 * 86_400
    """How old evidence of runs (outcomes, attacks, reproducers in `state_dir/runs`) may be before it is removed; 0: it
    is kept for ever."""
    snapshots_max_age_s: Annotated[float, Field(ge=2 * 86_400)] = 7 * 86_400
    """How long after its last use a snapshot is removed; at least two days, as a run that waits for its form needs its
    own."""
    record_dir: Place | None = None
    """Where to record a model's answers, for `replay`."""
    replay_dir: Place | None = None
    """Recorded answers of the `replay` tester."""

    batch_containers: Annotated[int, Field(ge=1, le=256)] | None = None
    """Containers that a batch runs at once on this machine; None: as many as it has processor cores."""

    server_idle_s: Seconds = 1800
    """The local Prefect server that refute started stops after this long without a run."""

    @property
    def written(self) -> tuple[Path, ...]:
        """Files and directories that refute itself writes."""
        log = self.audit_path
        places = (self.state_dir, self.costs_csv, log, Path(f"{log}.lock"), self.results_dir, self.record_dir)
        return tuple(place for place in places if place is not None)

    def ad_hoc(self) -> "Settings":
        """For a run by hand: where nothing configures refute (no refute.yaml), the working directory stays clean.

        Cost table and audit log then lie below `state_dir`, unless their place was set.
        """
        if Path(SETTINGS_FILE).exists():
            return self
        places = {"costs_csv": "costs.csv", "audit_path": "logs/guardrails.jsonl"}
        moved = {name: self.state_dir / path for name, path in places.items() if name not in self.model_fields_set}
        return self.model_copy(update=moved)

    @property
    def results_path(self) -> Path:
        """Where cached results lie."""
        return Path(os.path.realpath(self.results_dir)) if self.results_dir else self.state_dir / "results"

    @property
    def testers(self) -> tuple[TesterName, ...]:
        """Who writes the attack."""
        return tuple(map(TesterName, self.tester.split(",")))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags before environment before file."""
        del dotenv_settings, file_secret_settings
        guardrail = InitSettingsSource(settings_cls, init_kwargs=dict(guardrail_values(os.environ)))
        file = InitSettingsSource(settings_cls, init_kwargs=_written_in(SETTINGS_FILE))
        return init_settings, env_settings, guardrail, file

    @classmethod
    def load(cls, **flags: Any) -> Self:
        """Read the settings; flags that are None do not count.

        Raises:
            SettingsInvalid: naming every setting that holds a wrong value, or what is wrong with the file.
        """
        kinds = {name: field.annotation for name, field in cls.model_fields.items()}
        groups = {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}
        nested = [f"{group}__{name}" for group, kind in groups.items() for name in kind.model_fields]
        refuse_unknown(os.environ, [*cls.model_fields, *nested])
        given = {name: value for name, value in flags.items() if value is not None}
        try:
            settings = cls(**given)
        except ValidationError as error:
            raise SettingsInvalid(
                "settings: " + "; ".join(fault(dict(one), cls.model_fields, "setting") for one in error.errors()),
                hint=f"Correct the option, the REFUTE_* variable, or {SETTINGS_FILE}.",
            ) from error
        except SettingsError as error:
            name = re.search(r'field "(\w+)"', str(error))
            raise SettingsInvalid(
                f"settings: REFUTE_{name[1].upper()}: got no JSON, expected a list" if name else f"settings: {error}",
                hint='In a variable a list is written as JSON: ["one", "two"].',
            ) from error
        settings._require_signatures()
        return settings

    def _require_signatures(self) -> None:
        """Refuse a shared folder that anybody could put verdicts into; the key itself is never shown.

        Raises:
            SettingsInvalid: there is no key, or one that can be guessed.
        """
        key = self.signing_key.get_secret_value() if self.signing_key is not None else ""
        if not key and self.results_dir is not None:
            raise SettingsInvalid(
                f"settings: results_dir is {self.results_dir} without signing_key: who can write there could "
                "decide verdicts",
                hint="Set REFUTE_SIGNING_KEY to the same secret on all machines (openssl rand -hex 32).",
            )
        if key and len(key) < KEY_CHARS:
            raise SettingsInvalid(
                f"settings: signing_key: got {len(key)} characters, expected at least {KEY_CHARS}",
                hint="Make one with: openssl rand -hex 32",
            )


def _written_in(path: Path) -> dict[str, Any]:
    """The names and values of a settings file; nothing where there is none. Raises SettingsInvalid: it holds others."""
    file = YamlFile(path=path, hint="Write `name: value` lines.")
    content = file.read() if path.exists() else None
    if not isinstance(content, dict | None):
        raise file.refused(f"got {type(content).__name__}, expected a setting on each line")
    return {str(name): value for name, value in (content or {}).items()}
