"""`gemini.yaml`: the enterprise endpoint with zero data retention, or no Gemini at all."""

import ipaddress
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from refute.llm.model import Tier
from refute.yaml_file import YamlFile

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
        file = YamlFile(path=path, hint=f"Expected:\n{EXAMPLE}")
        if not path.exists():
            raise file.refused("the gemini tester needs this file")
        return file.check(cls, file.read())


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
