"""What a model is asked, and what it answered. The one Protocol through which any model is called."""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, Protocol

from refute.guardrails.secret_mask import mask_secrets
from refute.llm.answer_json import is_object

MARKER: Final = "\0marker\0"
"""Stands in a prompt where its random marker comes; no text of others can hold it, see `fence`."""


class Tier(StrEnum):
    """How capable, and how dear, a model is asked."""

    FLASH = "flash"
    PRO = "pro"


class DataClass(StrEnum):
    """The most confidential kind of data in a prompt; written to the audit log with each call."""

    CLAIMS = "claims"
    """The ticket's claims, signatures and docstrings."""
    CODE = "code"
    """Implementation code too."""
    WEB = "web"
    """Public pages."""
    OPERATIONS = "operations"
    """Status, events and outcomes that an operator asks about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One question to a model, complete: nothing else is sent."""

    name: str
    """What it is for, with its version: `claims-first/1`."""
    system: str
    """Instructions of ours alone."""
    text: str
    """The task with its data; whatever others wrote stands between markers."""
    answer_schema: Mapping[str, Any]
    """JSON schema of the answer."""
    tier: Tier = Tier.FLASH
    data_class: DataClass = DataClass.CLAIMS
    max_output_tokens: int = 16_384
    """Thinking included."""
    sample: int = 0
    """Number of an independent sample; also the seed."""
    usable: Callable[[str], bool] = field(default=is_object, compare=False, repr=False)
    """Whether its reader can use an answer's text. What it cannot use is never kept, so that it is asked for again."""

    def sealed(self) -> "Prompt":
        """The prompt as it is sent: with a marker that nobody could foresee around what others wrote, and without keys.

        Only what is a secret by its shape is masked: `token = read()` in code is none.
        """
        marker = secrets.token_hex(8)
        text = mask_secrets(self.text, labelled=False).replace(MARKER, marker)
        return replace(self, system=self.system.replace(MARKER, marker), text=text)

    @property
    def digest(self) -> str:
        """SHA-256 over everything that the model sees but the marker, in hex."""
        seen = [self.name, self.system, self.text, self.answer_schema, self.tier, self.max_output_tokens, self.sample]
        return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call, each counted once."""

    input_tokens: int = 0
    """All that was sent, cached ones included."""
    cached_tokens: int = 0
    """Of the input, those billed at the price of cached input."""
    output_tokens: int = 0
    """Of the answer, thinking not included."""
    thinking_tokens: int = 0
    """Billed like output."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            thinking_tokens=self.thinking_tokens + other.thinking_tokens,
        )


class Ending(StrEnum):
    """How an answer ended."""

    COMPLETE = "complete"
    TRUNCATED = "truncated"
    """The output limit came first."""
    BLOCKED = "blocked"
    """A safety filter stopped the prompt or the answer."""
    EMPTY = "empty"
    """No text, and no reason given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back from one request."""

    ending: Ending
    text: str
    detail: str
    """The provider's word for the ending: `STOP`, `MAX_TOKENS`, `SAFETY` …"""
    usage: Usage
    model: str
    """The version that answered, as the provider names it."""
    local_server: str = ""
    """Address of a server of this machine that answered in the provider's place; empty: the provider did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A reply with what it cost, summed over every request that it took."""

    reply: Reply
    cost_usd: Decimal | None
    """None where no price is known."""
    latency_s: float
    requests: int = 1
    prompt_digest: str = ""
    from_cache: bool = False
    """Kept by an earlier run, or recorded."""
    kept_s: float | None = None
    """How long ago a kept answer was given; None of a recording, which does not say when."""
    caveats: tuple[str, ...] = field(default=())


def fence(text: str) -> str:
    """Text of others, made unable to stand for a prompt's marker."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


class Model(Protocol):
    """Answers prompts.

    Raises:
        ModelUnavailable: no answer after every retry.
        BudgetExhausted: the call would, or might, cost more than is left; nothing was sent.
    """

    def generate(self, prompt: Prompt) -> Completion:
        """Ask once; retries of failed requests are the model's own business."""
        ...
