"""`research:` in refute.yaml: what a goal may fetch and spend."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class ReaderName(StrEnum):
    """Which model plans and reads."""

    SCRIPTED = "scripted"
    """Built in: picks sentences by the goal's words. No key, no network, and obeys whatever it reads."""
    GEMINI = "gemini"
    """Gemini on the enterprise endpoint, as `gemini.yaml` says."""
    OPENAI = "openai"
    """An endpoint that speaks the OpenAI chat protocol: OPENAI_BASE_URL, OPENAI_API_KEY."""


class ResearchSettings(BaseModel):
    """`research:` in refute.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = False
    """Whether `references` of tickets are read and shown to a model that writes tests."""
    model: ReaderName = ReaderName.SCRIPTED
    """What `refute research` asks; tickets ask their tester's model."""
    openai_model: Annotated[str, Field(max_length=100)] = ""
    """Name of the model at the OpenAI endpoint."""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts that may be fetched from, `*.example.com` for all below one; empty: those of the goal's URLs."""
    follow: Annotated[int, Field(ge=0, le=20)] = 0
    """Further pages of the same hosts that the planner may choose."""
    max_fetches: Annotated[int, Field(ge=1, le=50)] = 8
    max_bytes: Annotated[int, Field(ge=10_000, le=100_000_000)] = 8_000_000
    """Of all pages together; each gets its equal share."""
    max_model_calls: Annotated[int, Field(ge=1, le=200)] = 17
    """One for the plan, two for each page."""
    max_page_chars: Annotated[int, Field(ge=1_000, le=200_000)] = 18_000
    """Of a page's text in a prompt; the rest is cut."""
    fetch_timeout_s: Annotated[float, Field(gt=0, le=120)] = 20.0
    """Of one page, redirects included."""
