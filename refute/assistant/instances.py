"""What the settings say of the assistant: the WAFs by name, and where documents and CVEs are read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from refute.places import at_home

Place = Annotated[Path, AfterValidator(at_home)]


class SafeLineInstance(BaseModel):
    """One SafeLine WAF."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Annotated[str, Field(pattern=r"^https://[^/\s?#@]+$")]
    """Of its management API, such as https://waf.example:9443; the token travels over TLS alone."""
    token_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    """The environment variable that holds its API token."""
    ca: Literal["system"] | Place
    """The CA that signed its certificate (PEM), and no other; `system`: those that this machine trusts."""
    timeout_s: Annotated[float, Field(gt=0, le=120)] = 10
    """Of one request."""


class AssistantSettings(BaseModel):
    """Where the assistant reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    docs: Place | None = None
    """Markdown files that it answers from; None: refute's own `docs`."""
    cve_file: Place | None = None
    """CVE records: a JSON file (NVD 2.0, CVE 5, or a list of `id` and `summary`), or one record a line."""
    cve_url: Annotated[str, Field(pattern=r"^(https://\S+\{cve\}\S*)?$")] = ""
    """Where a record is fetched, `{cve}` being its id; its host is the only one that is asked."""


InstanceName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
Instances = Mapping[InstanceName, SafeLineInstance]
