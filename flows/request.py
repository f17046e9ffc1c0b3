"""The flows' parameters. Apart from the flow, so that a request can be made before Prefect is imported."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from refute.errors import RefuteError, SettingsInvalid
from refute.settings import Settings
from refute.ticket.parse import load_ticket


class Request(BaseModel):
    """What every flow is asked with."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    settings: SkipJsonSchema[Settings] = Field(default_factory=Settings.load)
    """Not in the form of a deployment: a worker has its own, by file and environment."""


class TicketRequest(Request):
    """What a flow about one ticket is asked with."""

    ticket: Path = Field(description="Directory with ticket.yaml, or a ticket file.")

    @property
    def title(self) -> str:
        """What the run is called in the UI: the ticket's id, as in tables; its path's name where it cannot be read."""
        try:
            return load_ticket(self.ticket).id
        except RefuteError:
            return self.ticket.name


class VerifyRequest(TicketRequest):
    """What to verify, and how."""

    approval: Literal["ask", "in_advance"] = Field(
        default="ask",
        description="ask: a person confirms, at the terminal or, where a worker runs it, by the form of the run "
        "`confirm`. in_advance: whoever starts this approves a script that scans clean.",
    )
    dry_run: bool = Field(default=False, description="Show script, scan and planned commands; run nothing.")
    allow_dangerous: bool = Field(default=False, description="Ask whether to run despite dangerous findings.")
    allow_network: tuple[str, ...] = Field(
        default=(), description="Hosts (HOST or HOST:PORT) that the jobs may reach through a proxy; none by default."
    )
    fresh: bool = Field(default=False, description="Run everything and ask models anew; ignore caches.")
    policy: Path | None = Field(default=None, description="A gate's policy file, which makes the run stricter.")


def settings_of(request: Request) -> Settings:
    """The settings of a run: those of whoever runs it, with what the request asks for."""
    fresh = getattr(request, "fresh", False)  # a field where its form has it
    return request.settings.model_copy(update={"fresh": True}) if fresh else request.settings


def refuse_foreign_settings(request: Request, *, started_by_worker: bool) -> None:
    """Keep whoever may start a run from changing the worker's settings with it, the audit log's among them.

    Raises:
        SettingsInvalid: they came with the parameters.
    """
    if started_by_worker and "settings" in request.model_fields_set:
        raise SettingsInvalid(
            "parameter request.settings: got settings, expected none: a worker has its own",
            hint="Set them by REFUTE_* variables or refute.yaml where the worker runs.",
        )
