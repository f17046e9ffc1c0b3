"""`gemini.yaml`: the enterprise endpoint with zero data retention, or no Gemini at all."""

import ipaddress
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from refute.errors import SettingsInvalid
from refute.llm.model import Tier

GEMINI_FILE: Final = Path("gemini.yaml")
EXAMPLE: Final = """\
enterprise: true            # the Vertex AI endpoint; the consumer API (an API key) is refused
data_retention: none
project: my-project
location: europe-west4      # or global
models: {flash: gemini-3.8-flash, pro: gemini-3.1-pro-preview}
"""

ModelId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,80}$")]


class Models(BaseModel):
    """Model ids by tier."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    flash: ModelId = "gemini-3.8-flash"
    pro: ModelId = "gemini-3.1-pro-preview"

    def of(self, tier: Tier) -> str:
        """The model of a tier."""
        return self.pro if tier is Tier.PRO else self.flash


class GeminiSettings(BaseModel):
    """How Gemini may be called. Every field that keeps data private must be said, none is assumed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enterprise: Literal[True]
    data_retention: Literal["none"]
    project: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.:-]{1,80}$")]
    location: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{1,40}$")]
    models: Models = Models()
    base_url: str | None = None
    """Another address of the API, on this machine only: a local server for tests and rehearsals."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 60
    """Of one request."""
    attempts: Annotated[int, Field(ge=1, le=10)] = 4
    """Requests at most for one answer."""
    allow_unpriced: bool = False
    """Also call models without a known price; their cost is then unknown and no budget holds them."""
    prices: Path | None = None
    """A price list of your own."""

    @field_validator("base_url")
    @classmethod
    def _loopback_only(cls, value: str | None) -> str | None:
        if value is not None and not is_loopback(value):
            raise ValueError("only an http(s) address of this machine (127.0.0.1, ::1, localhost) is accepted")
        return value

    @classmethod
    def read(cls, path: Path = GEMINI_FILE) -> Self:
        """Read the file.

        Raises:
            SettingsInvalid: it is missing, or does not say what is needed.
        """
        try:
            data: Any = yaml.safe_load(path.read_text("utf-8"))
        except FileNotFoundError as error:
            raise SettingsInvalid(f"{path}: the gemini tester needs this file", hint=f"Write:\n{EXAMPLE}") from error
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise SettingsInvalid(f"{path}: cannot be read: {error}", hint=f"Expected:\n{EXAMPLE}") from error
        if not isinstance(data, dict):
            raise SettingsInvalid(f"{path}: got {type(data).__name__}, expected settings", hint=f"Expected:\n{EXAMPLE}")
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            faults = "; ".join(_fault(fault) for fault in error.errors())
            raise SettingsInvalid(f"{path}: {faults}", hint=f"Expected:\n{EXAMPLE}") from error


def is_loopback(url: str) -> bool:
    """Whether an address names this machine and nothing else; a name other than `localhost` could resolve anywhere."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or parts.username or parts.password or parts.query or parts.fragment:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _fault(fault: Any) -> str:
    name = ".".join(map(str, fault["loc"]))
    got = "missing" if fault["type"] == "missing" else f"got {fault.get('input')!r}"
    if name == "enterprise":
        return f"enterprise: {got}, expected true: the consumer endpoint may keep what is sent"
    if name == "data_retention":
        return f"data_retention: {got}, expected none"
    if fault["type"] == "missing":
        return f"{name}: missing"
    if fault["type"] == "extra_forbidden" and "key" in name.lower():
        return f"{name}: API keys belong to the consumer endpoint, which is refused; sign in through the environment"
    return f"{name}: {got}: {fault['msg']}"
