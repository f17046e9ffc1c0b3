"""Signed intents: a tool call is carried out once, and only if the control plane of this very run wrote it.

The key is made for one run and never part of a prompt: text that reaches a model, or comes from one, cannot forge a
call, change one byte of its arguments, or have it done again.
"""

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

TTL_S: Final = 3_600.0
"""How long an intent stands: longer than all pages of a goal take."""


class Tool(StrEnum):
    """All that the control plane can have done."""

    FETCH = "fetch"
    READ = "read"


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FetchArguments(_Arguments):
    """Of `fetch`."""

    source: Annotated[int, Field(ge=1, le=50)]
    url: Annotated[str, Field(min_length=8, max_length=2_000, pattern=r"^https?://\S+$")]


class ReadArguments(_Arguments):
    """Of `read`."""

    source: Annotated[int, Field(ge=1, le=50)]


SCHEMAS: Final[Mapping[Tool, type[_Arguments]]] = {Tool.FETCH: FetchArguments, Tool.READ: ReadArguments}


class IntentRefused(Exception):  # a forged, changed, late or repeated call; never an error of the run's user
    """The executor does not carry it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One tool call."""

    tool: str
    arguments: Mapping[str, Any]
    goal_id: str
    sequence: int
    expires_at: float
    """Seconds since the epoch."""

    @property
    def canonical(self) -> bytes:
        """What is signed."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), default=dict).encode()

    @property
    def action(self) -> str:
        """Tool and arguments, as JSON."""
        return json.dumps({"tool": self.tool, "arguments": dict(self.arguments)}, sort_keys=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIntent:
    """A tool call with its HMAC-SHA256, in hexadecimal."""

    intent: Intent
    signature: str


@dataclass(slots=True, kw_only=True)
class Signer:
    """Signs the calls of one goal, in order."""

    goal_id: str
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    clock: Callable[[], float] = time.time
    _sequence: int = 0

    def sign(self, tool: Tool, **arguments: Any) -> SignedIntent:
        """A call, signed.

        Raises:
            ValidationError: its arguments are not those of the tool.
        """
        SCHEMAS[tool].model_validate(arguments)
        self._sequence += 1
        intent = Intent(
            tool=tool.value,
            arguments=arguments,
            goal_id=self.goal_id,
            sequence=self._sequence,
            expires_at=self.clock() + TTL_S,
        )
        return SignedIntent(intent=intent, signature=_signature(self.key, intent))


@dataclass(slots=True, kw_only=True)
class Verifier:
    """Lets each call of one goal through once."""

    goal_id: str
    key: bytes = field(repr=False)
    clock: Callable[[], float] = time.time
    actions: list[str] = field(default_factory=list)
    """What was let through, in order."""
    _seen: set[int] = field(default_factory=set)

    def admit(self, signed: SignedIntent) -> Intent:
        """The call, to be carried out now.

        Raises:
            IntentRefused: it is forged, changed, of another goal, expired, repeated, or no call of a known tool.
        """
        intent = signed.intent
        if not hmac.compare_digest(_signature(self.key, intent).encode(), signed.signature.encode()):
            raise IntentRefused("its signature is not that of its content")
        if intent.goal_id != self.goal_id:
            raise IntentRefused("it belongs to another goal")
        if self.clock() >= intent.expires_at:
            raise IntentRefused("it has expired")
        if intent.sequence in self._seen:
            raise IntentRefused("it was carried out already")
        try:
            SCHEMAS[Tool(intent.tool)].model_validate(dict(intent.arguments))
        except (ValueError, ValidationError) as error:
            raise IntentRefused("its tool or arguments are unknown") from error
        self._seen.add(intent.sequence)
        self.actions.append(intent.action)
        return intent


def _signature(key: bytes, intent: Intent) -> str:
    return hmac.new(key, intent.canonical, hashlib.sha256).hexdigest()
